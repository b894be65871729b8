"""Walking trees: as ``ast`` does it, without operators and contexts, several times as fast."""

from __future__ import annotations

import ast

# the fields that hold no node worth knowing, and the nodes that hold none
_IDLE_FIELDS = frozenset({"ctx", "op", "ops", "id", "attr", "kind", "type_comment", "module", "level", "conversion"})
LEAVES = frozenset({ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.alias})
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below ``node``, in the order of ``ast.iter_child_nodes``."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(name for name in kind._fields if name not in _IDLE_FIELDS)
    found: list[ast.AST] = []
    for name in fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """``node`` and everything in it, in the order of ``ast.walk``."""
    found = [node]
    for inner in found:
        if type(inner) not in LEAVES:
            found += children(inner)
    return found
