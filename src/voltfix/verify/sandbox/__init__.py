"""A cage for code that nobody has read: the operating system first, Python's audit hooks second.

``enter`` is called in a child process that was forked for it and does nothing else afterwards. Needs the
standard library alone. What holds and what does not is told in ``docs/verification.md``.
"""

from voltfix.verify.sandbox.cage import Limits, enter, missing, refusal

__all__ = ["Limits", "enter", "missing", "refusal"]
