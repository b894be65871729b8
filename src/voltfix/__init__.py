"""voltfix moves PyTorch code of the volatile era onto today's torch, and proves that it did.

``rewrite(source)`` migrates one piece of source code, ``migrate(paths)`` files and folders in memory, and
``compare(before, after)`` says whether two versions do the same. Nothing is imported before it is used.
"""

import sys

if sys.argv[:1] == ["-m"]:  # so Python says while it looks for what it is to run: ``python -m voltfix``
    from voltfix.processes.ambient import leave_folder

    leave_folder()  # before any other import: see there

from voltfix.version import __version__

TYPE_CHECKING = False

__all__ = ["__version__", "compare", "migrate", "rewrite"]

if TYPE_CHECKING:
    from voltfix.api import compare, migrate, rewrite


def __getattr__(name: str) -> object:
    if name in ("compare", "migrate", "rewrite"):
        from voltfix import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
