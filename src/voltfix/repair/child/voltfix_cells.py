"""Cells of a notebook, as its kernel runs them: their names are no files, and IPython tells their exceptions itself."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from typing import Any


def watch(note: Any) -> Any:
    """Be told of what a cell raises."""
    from voltfix_imports import after_import  # type: ignore[import-not-found]

    after_import("IPython.core.interactiveshell", lambda module: _patch(module.InteractiveShell, note))


def _patch(shell: Any, note: Any) -> Any:
    for name in ("showtraceback", "showsyntaxerror"):
        setattr(shell, name, _before(getattr(shell, name), note))


def _before(inner: Any, note: Any) -> Any:
    def outer(self: Any, *args: Any, **options: Any) -> Any:
        with contextlib.suppress(Exception):
            given = args[0] if args and isinstance(args[0], tuple) else None
            error = given[1] if given else sys.exc_info()[1]
            if error is not None:
                note(error, "cell")
        return inner(self, *args, **options)

    return outer


def source(name: Any) -> Any:
    """The text of the cell of that name; None where it is the name of a file."""
    if "IPython.core.interactiveshell" not in sys.modules or name not in linecache.cache or os.path.exists(name):
        return None
    if not (name.startswith("<ipython-input") or "ipykernel" in name):
        return None
    return "".join(linecache.getlines(name))
