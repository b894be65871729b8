"""Every sentence of ``voltfix doctor`` on what no rule mends; those on the rest are the rules' own.

As in ``messages``: a verb in front, at most ``LONGEST`` characters.
"""

from __future__ import annotations

from voltfix.rules.messages import LONGEST, shortened


def volatile() -> str:
    """A site of a VF1xx rule."""
    return "sets, passes or reads the volatile flag"


def gone(name: str, since: str, instead: str) -> str:
    """A module or name that a library gave up; ``since``: ``PyTorch 1.0``; ``instead`` may be empty."""
    return shortened(f"uses {shortened(name, 45)}, gone since {since}{f': {instead}' if instead else ''}", LONGEST)


def private(name: str) -> str:
    """A private name of torch."""
    return f"uses {shortened(name, 60)}, which is private and may be gone"


def renamed(old: str, new: str) -> str:
    """A module of Python 2."""
    return f"imports {shortened(old, 30)}, which is {shortened(new, 30)} on Python 3"


def builtin(old: str, new: str) -> str:
    """A built-in of Python 2."""
    return f"calls {shortened(old, 30)}, gone from Python 3{f': use {shortened(new, 40)}' if new else ''}"


def method_of_dictionaries(name: str) -> str:
    """``d.iteritems()``."""
    return f"calls {shortened(name, 30)}(), which dictionaries do not have on Python 3"


def no_list(name: str) -> str:
    """``torch.LongTensor(map(len, words))``."""
    return f"needs a list: {shortened(name, 20)}() makes none on Python 3, list({shortened(name, 20)}(...)) does"


def ragged() -> str:
    """``np.array`` of rows of different lengths."""
    return "makes an array of rows of different lengths: NumPy raises since 1.24 without dtype=object"


def old_function(name: str) -> str:
    """``forward`` of an autograd.Function that is no static method."""
    return f"is an old-style autograd function ({shortened(name, 40)}): make it static, and call apply()"


def divides_tensors() -> str:
    """``/`` of tensors of whole numbers."""
    return "divides whole numbers: PyTorch 0.3 left no rest, today / gives fractions (// rounds down)"


def divides_numbers() -> str:
    """``/`` where a whole number is needed."""
    return "divides where a whole number is needed: / gives a float on Python 3, // does not"


def does_not_parse(what: str, instead: str) -> str:
    """Old syntax; ``instead`` may be empty."""
    return f"does not parse today: {shortened(what, 40)}{f', write {shortened(instead, 36)}' if instead else ''}"
