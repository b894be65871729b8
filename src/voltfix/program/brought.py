"""Which names ``from module import *`` brings of Python's own library: no others that stand above it are bound again.

Nothing of it is run to find out, but what is compiled into Python: a module that is written in Python says what it
brings in its ``__all__``, if that is written out.
"""

from __future__ import annotations

import ast
import importlib
import math
import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path

COMPILED = frozenset({"builtins", math.__name__, *sys.builtin_module_names})


@cache
def brought_of_python(module: str) -> frozenset[str] | None:
    """The names that a star import of a module of Python's own library brings; None of any other, or where it is open.

    They are those of the Python that runs this: what others had besides is not among them.
    """
    if module in COMPILED:
        return frozenset(name for name in vars(importlib.import_module(module)) if not name.startswith("_"))
    if module not in sys.stdlib_module_names:
        return None
    found = find_spec(module)  # of a name without a dot, that imports nothing
    if found is None or not isinstance(found.loader, SourceFileLoader) or found.origin is None:
        return None
    try:
        return written_out(ast.parse(Path(found.origin).read_bytes()))
    except (OSError, SyntaxError, ValueError):
        return None


def written_out(tree: ast.Module) -> frozenset[str] | None:
    """The names in ``__all__`` of a module, if one list of words is all that is ever said of it."""
    of_classes = {id(target) for cls in ast.walk(tree) if isinstance(cls, ast.ClassDef)
                  for each in cls.body if isinstance(each, ast.Assign) for target in each.targets}
    said = [node for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id == "__all__" and id(node) not in of_classes]
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and node.targets == said]
    if len(said) != 1 or not assigned or not isinstance(assigned[0].value, (ast.List, ast.Tuple)):
        return None
    words = [part.value for part in assigned[0].value.elts if isinstance(part, ast.Constant)]
    names = frozenset(word for word in words if isinstance(word, str))
    return names if len(words) == len(assigned[0].value.elts) else None
