"""Walking the trees of a project: as ``ast`` does it, without operators and contexts, several times as fast.

The verifier has its own, as it shares no code with the analysis that it checks.
"""

from __future__ import annotations

import ast
from typing import TypeVar

_Tree = TypeVar("_Tree", bound=ast.AST)
_IDLE = frozenset({"ctx", "op", "ops", "id", "attr", "kind", "type_comment", "module", "level", "conversion"})
LEAVES = frozenset({ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.alias})
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of this kind of node that may hold other nodes."""
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = () if kind in LEAVES else tuple(name for name in kind._fields if name not in _IDLE)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below ``node``."""
    found: list[ast.AST] = []
    for name in fields_of(type(node)):
        value = getattr(node, name, None)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """``node`` and everything in it, in the order of ``ast.walk``."""
    found = [node]
    add = found.append
    for inner in found:
        for name in fields_of(type(inner)):
            value = getattr(inner, name, None)
            if type(value) is list:
                for each in value:
                    if isinstance(each, ast.AST):
                        add(each)
            elif isinstance(value, ast.AST):
                add(value)
    return found


def copied(tree: _Tree) -> _Tree:
    """A tree that can be changed without changing ``tree``; what holds no other nodes (``LEAVES``) is in both."""
    whole = _twin(tree)
    waiting: list[ast.AST] = [whole]
    for node in waiting:
        for name in fields_of(type(node)):
            value = getattr(node, name, None)
            if type(value) is list:
                twins = [_twin(each) if isinstance(each, ast.AST) else each for each in value]
                setattr(node, name, twins)
                waiting += [each for each in twins if isinstance(each, ast.AST) and type(each) not in LEAVES]
            elif isinstance(value, ast.AST) and type(value) not in LEAVES:
                twin = _twin(value)
                setattr(node, name, twin)
                waiting.append(twin)
    return whole


def _twin(node: _Tree) -> _Tree:
    if type(node) in LEAVES:
        return node
    twin = type(node).__new__(type(node))
    twin.__dict__.update(node.__dict__)
    return twin


def locate(tree: ast.AST) -> None:
    """What ``ast.fix_missing_locations`` does: nodes that were made are where the nodes around them are."""
    waiting: list[tuple[ast.AST, tuple[int, int, int | None, int | None]]] = [(tree, (1, 0, 1, 0))]
    while waiting:
        node, where = waiting.pop()
        if "lineno" in node.__dict__:
            where = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        elif "lineno" in node._attributes:
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = where  # type: ignore[attr-defined]
        for name in fields_of(type(node)):
            value = getattr(node, name, None)
            if type(value) is list:
                waiting += [(each, where) for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                waiting.append((value, where))


def last_word(node: ast.AST) -> str:
    """What a name or an attribute ends in."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def unpacks(call: ast.Call) -> bool:
    """Does a call hand over what a star says (``f(*all)``, ``f(**more)``), so that nobody knows what goes where?"""
    return any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords)
