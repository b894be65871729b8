"""Cuts a program down while what is wrong with it stays: statements go, suites take the place of their headers."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator


def shrunk(source: str, wrong: Callable[[str], bool]) -> str:
    """The smallest program found, by greedy steps, for which ``wrong`` still holds."""
    while True:
        for smaller in candidates(source):
            if wrong(smaller):
                source = smaller
                break
        else:
            return source


def candidates(source: str) -> Iterator[str]:
    """Programs that are a step smaller, larger steps first."""
    tree = ast.parse(source)
    suites = [(node, name) for node in ast.walk(tree) for name in ("body", "orelse", "finalbody")
              if isinstance(getattr(node, name, None), list)]
    seen = {source}
    for number, (node, name) in enumerate(suites):
        for index in reversed(range(len(getattr(node, name)))):
            for change in (_removed, _opened, _simplified):
                text = _changed(tree, number, index, change)
                if text is not None and text not in seen:
                    seen.add(text)
                    yield text


def _changed(tree: ast.Module, number: int, index: int,
             change: Callable[[list[ast.stmt], int, bool], bool]) -> str | None:
    again = copy.deepcopy(tree)
    suites = [(node, name) for node in ast.walk(again) for name in ("body", "orelse", "finalbody")
              if isinstance(getattr(node, name, None), list)]
    node, name = suites[number]
    if not change(getattr(node, name), index, name == "body" and not isinstance(node, ast.Module)):
        return None
    try:
        text = ast.unparse(ast.fix_missing_locations(again)) + "\n"
        compile(text, "<smaller>", "exec")
    except (SyntaxError, ValueError, AttributeError):
        return None
    return text


def _removed(suite: list[ast.stmt], index: int, needed: bool) -> bool:
    """Take a statement out, and what it alone binds out of the dictionary that is returned behind it."""
    if isinstance(suite[index], (ast.Pass, ast.Return)):
        return False
    gone = _bound([suite[index]])
    del suite[index]
    if needed and not suite:
        suite.append(ast.Pass())
    gone -= _bound(suite)
    last = suite[-1] if suite else None
    if isinstance(last, ast.Return) and isinstance(last.value, ast.Dict):
        kept = [(k, v) for k, v in zip(last.value.keys, last.value.values, strict=True)
                if not (isinstance(v, ast.Name) and v.id in gone)]
        last.value.keys, last.value.values = [k for k, _ in kept], [v for _, v in kept]
    return True


def _bound(suite: list[ast.stmt]) -> set[str]:
    nodes = [node for statement in suite for node in ast.walk(statement)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def _opened(suite: list[ast.stmt], index: int, needed: bool) -> bool:
    """Put the suites of a compound statement in its place."""
    statement = suite[index]
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return False
    inner = [s for name in ("body", "orelse", "finalbody") for s in getattr(statement, name, [])]
    if not inner:
        return False
    suite[index:index + 1] = inner
    return True


def _simplified(suite: list[ast.stmt], index: int, needed: bool) -> bool:
    """Take the first entry out of the returned dictionary, or an operand out of the assigned expression."""
    statement = suite[index]
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Dict) and len(statement.value.keys) > 1:
        del statement.value.keys[0], statement.value.values[0]
        return True
    if isinstance(statement, ast.Assign):
        value = statement.value
        if isinstance(value, ast.BinOp):
            statement.value = value.left
            return True
        if isinstance(value, ast.Call) and len(value.args) == 1 and isinstance(value.args[0], (ast.Name, ast.Call)):
            statement.value = value.args[0]
            return True
    return False
