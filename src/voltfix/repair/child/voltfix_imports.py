"""Has a word with a module as soon as somebody has imported it."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
from typing import Any


def after_import(name: Any, act: Any) -> Any:
    """Call ``act`` with the module of that name, once it is loaded."""
    if name in sys.modules:
        with contextlib.suppress(Exception):
            act(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, act))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module as everybody does."""

    def __init__(self, name: Any, act: Any) -> None:
        self.name, self.act = name, act

    def find_spec(self, name: Any, path: Any = None, target: Any = None) -> Any:
        """The spec of the module, whose loader also acts."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module: Any) -> Any:
            load(module)
            with contextlib.suppress(Exception):
                self.act(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
