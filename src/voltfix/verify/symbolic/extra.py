"""How many extra arguments (``*args``) the function that is looked at is given: as many as its text takes out of them.

``args[:8]`` and ``args[8:16]`` ask for sixteen and more, ``args.pop(0)`` for one each time that it stands there, on
``args`` itself or on a name that is bound to ``list(args)``. Where the text counts none of them, they are two.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

FEWEST, MOST = 2, 64
_SAME = frozenset({"list", "tuple", "deque", "iter"})
_TAKING = frozenset({"pop", "popleft"})


def wanted(name: str, nodes: Iterable[ast.AST]) -> int:
    """The number of arguments in ``*name`` of a function; ``nodes``: all that is in it."""
    inside = list(nodes)
    names = {name, *_other_names(name, inside)}
    counted = [each for node in inside for each in _counted(node, names)]
    return min(MOST, max([FEWEST, *counted, sum(_takes(node, names) for node in inside)]))


def _other_names(name: str, nodes: list[ast.AST]) -> Iterator[str]:
    """The names that a function binds to all of them."""
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_same(node.value, name):
            yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def _is_same(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SAME and node.args:
        node = node.args[0]
    return isinstance(node, ast.Name) and node.id == name


def _counted(node: ast.AST, names: set[str]) -> Iterator[int]:
    """How many an index or a slice asks for."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in names):
        return
    if isinstance(node.slice, ast.Slice):
        lower, upper = _number(node.slice.lower), _number(node.slice.upper)
        yield upper if upper is not None else (lower or 0) + 1
    else:
        yield (_number(node.slice) or 0) + 1


def _number(node: ast.expr | None) -> int | None:
    """A number that counts from the front."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _takes(node: ast.AST, names: set[str]) -> bool:
    """``args.pop(0)``, ``next(args)``."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        first = node.args[0] if node.args else None
        return node.func.id == "next" and isinstance(first, ast.Name) and first.id in names
    held = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr in _TAKING else None
    return isinstance(held, ast.Name) and held.id in names
