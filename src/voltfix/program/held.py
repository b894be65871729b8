"""What a container that holds a function gives it to: items that are asked for, loops that go over it, copies of it.

What is around the function is written as a word, the outermost container last: a dictionary, or a list of any kind.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, External
from voltfix.torchmodel.python import LIST_BUILTINS, TELLING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

DICT, LIST = "d", "l"
# what methods of Python's containers give in place of the outermost one; None: nothing of what is in it
_GIVE: dict[str, str | None] = {
    **dict.fromkeys(("get", "pop", "popleft", "setdefault"), ""), "values": LIST, "popitem": LIST, "items": LIST + LIST,
    **dict.fromkeys(("keys", "index", "count", "append", "appendleft", "extend", "insert", "update", "add", "remove",
                     "discard", "clear", "sort", "reverse")),
}  # fmt: skip

Step = tuple[ast.AST, str]  # what is followed on, and what is around the function in it


def given(project: Project, path: str, use: ast.AST, above: ast.AST | None, held: str) -> list[Step] | None:
    """What a container gives where it is used, if that is one of Python's ways to ask for what is in it."""
    inside = held[:-1]
    if isinstance(above, ast.Subscript) and above.value is use:
        if not isinstance(above.ctx, ast.Load):
            return []
        return [(above, held if isinstance(above.slice, ast.Slice) else inside)]
    if isinstance(above, ast.Attribute):
        call = project.parent(path, above)
        if not isinstance(call, ast.Call) or call.func is not above:
            return None
        if above.attr == "copy":
            return [(call, held)]
        gives = _GIVE.get(above.attr) if above.attr in _GIVE else held
        return None if gives == held else [] if gives is None else [(call, inside + gives)]
    if isinstance(above, ast.Call) and use in above.args:
        called = project.resolve(path, None, above.func)
        if not isinstance(called, Builtin):
            return None
        if called.name in TELLING or (called.name in LIST_BUILTINS and held[-1] == DICT):
            return []
        return [(above, held)] if called.name in LIST_BUILTINS or (called.name, held[-1]) == ("dict", DICT) else None
    return [(above, held)] if isinstance(above, ast.BinOp) else None


def gone_over(above: ast.AST | None, use: ast.AST) -> ast.expr | None:
    """The target of a loop that goes over what is used."""
    return above.target if isinstance(above, (ast.For, ast.comprehension)) and above.iter is use else None


def put_into(above: ast.AST | None, use: ast.AST) -> str:
    """What kind of container is written out with what is used in it; empty: none."""
    if isinstance(above, ast.Dict):  # ``{**kinds}`` is none around it
        return DICT if any(key is not None and value is use for key, value in zip(
            above.keys, above.values, strict=True)) else ""
    shown = isinstance(above, (ast.List, ast.Set, ast.Tuple)) and not isinstance(getattr(above, "ctx", None), ast.Store)
    return LIST if shown else ""


def made(project: Project, path: str, value: ast.expr) -> str:
    """What kind of container an expression makes that nobody else has; empty: none."""
    if isinstance(value, ast.Call):
        called = project.resolve(path, None, value.func)
        if isinstance(called, Builtin):
            return {"dict": DICT, "list": LIST, "set": LIST}.get(called.name, "")
        if isinstance(called, External) and called.name.startswith("collections."):
            return DICT if called.name.endswith("dict") or called.name.endswith("Dict") else LIST
        return ""
    return DICT if isinstance(value, ast.Dict) else LIST if isinstance(value, (ast.List, ast.Set, ast.Tuple)) else ""
