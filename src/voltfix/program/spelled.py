"""What a string that is put together while the program runs may be, as far as that is written out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


def gone_through(project: Project, path: str, name: ast.expr) -> frozenset[str]:
    """The strings that a loop gives to a name one after the other, where they are written out; else none."""
    if not isinstance(name, ast.Name) or len(project.definitions(path, project.scope(path, name), name.id)) != 1:
        return frozenset()
    for above in project.parents(path, name):
        if isinstance(above, ast.For) and isinstance(above.target, ast.Name) and above.target.id == name.id:
            items = above.iter.elts if isinstance(above.iter, (ast.Tuple, ast.List)) else ()
            texts = {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
            return frozenset(texts) if len(texts) == len(items) else frozenset()
    return frozenset()


def ends_of(name: ast.expr) -> tuple[str, str]:
    """How a string that an expression builds starts and ends, as far as that is written out."""
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return name.value, name.value
    if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
        return ends_of(name.left)[0], ends_of(name.right)[1]
    if isinstance(name, ast.JoinedStr) and name.values:
        return ends_of(name.values[0])[0], ends_of(name.values[-1])[1]
    text = name.left if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Mod) else (
        name.func.value if isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute)
        and name.func.attr == "format" else None)
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        places = [at for mark in "%{" if (at := text.value.find(mark)) >= 0]
        return text.value[: min(places, default=0)], ""
    return "", ""
