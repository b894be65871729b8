"""voltfix moves PyTorch code of the volatile era onto today's torch, and proves that it did.

``rewrite(source)`` migrates one piece of source code, ``migrate(paths)`` files and folders in memory, and
``compare(before, after)`` says whether two versions do the same. Nothing is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "compare", "migrate", "rewrite"]

if TYPE_CHECKING:
    from voltfix.api import compare, migrate, rewrite


def __getattr__(name: str) -> Any:
    if name in ("compare", "migrate", "rewrite"):
        from voltfix import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
