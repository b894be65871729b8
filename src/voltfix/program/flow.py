"""Where a function that is handed over as a value gets to: the calls that may run it, while names can be followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import ProjectFunction
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

Call = tuple[str, ast.Call]


class Followed(NamedTuple):
    """Where a value is called, and the functions that handed it back on the way: who calls them may call it."""

    calls: list[Call]
    handed_back_by: list[ProjectFunction]


def called_at(project: Project, path: str, node: ast.AST) -> Followed | None:
    """The calls that may run what ``node`` is; None where it gets out of sight.

    It is followed into parameters of functions of the project, into names of the same function, and to the calls of a
    function that returns it (``made(flag)(x)``).
    """
    found = Followed([], [])
    seen: set[ast.AST] = set()
    waiting = [(path, node)]
    while waiting:
        at, use = waiting.pop()
        if use in seen:
            continue
        seen.add(use)
        above = project.parent(at, use)
        if isinstance(above, ast.keyword):
            use, above = above, project.parent(at, above)
        if isinstance(above, ast.Call) and above.func is use:
            found.calls.append((at, above))
            continue
        following = _into_parameter(project, at, use, above) if isinstance(above, ast.Call) else (
            _into_name(project, at, above) if isinstance(above, ast.Assign) else
            _to_callers(project, at, above, found) if isinstance(above, ast.Return) else
            iter(()) if _is_tested(project, at, use, above) else None)
        if following is None:
            return None
        waiting += following
    return found


def _is_tested(project: Project, path: str, use: ast.AST, above: ast.AST | None) -> bool:
    """Is it only asked for its truth, or compared? ``a or b`` gives one of the two, unless that is tested in turn."""
    while isinstance(above, ast.BoolOp):
        use, above = above, project.parent(path, above)
    return isinstance(above, (ast.Compare, ast.UnaryOp)) or (
        isinstance(above, (ast.If, ast.While, ast.Assert, ast.IfExp)) and above.test is use)


def _into_parameter(project: Project, path: str, use: ast.AST, call: ast.Call) -> list[tuple[str, ast.AST]] | None:
    called = project.resolve(path, None, call.func)
    if not isinstance(called, ProjectFunction) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    arguments = called.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if isinstance(use, ast.keyword):
        names = [p for p in (*positional, *arguments.kwonlyargs) if p.arg == use.arg]
    else:
        index = next((n for n, a in enumerate(call.args) if a is use), len(positional)) + int(called.bound)
        names = positional[index : index + 1]
    if not names or getattr(called.node, "decorator_list", None):
        return None
    return _uses(project, called.path, called.node, names[0].arg)


def _into_name(project: Project, path: str, statement: ast.Assign) -> list[tuple[str, ast.AST]] | None:
    target = statement.targets[0]
    scope = project.scope(path, statement)
    if len(statement.targets) != 1 or not isinstance(target, ast.Name) or not isinstance(scope, FUNCTIONS):
        return None
    return _uses(project, path, scope, target.id)


def _to_callers(project: Project, path: str, back: ast.Return, found: Followed) -> list[tuple[str, ast.AST]] | None:
    """The calls of the function that a ``return`` stands in: each is what is handed back."""
    function = project.function(path, project.scope(path, back))
    if function is None or not isinstance(function.node, ast.FunctionDef) or function.node.decorator_list or (
            any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk(function.node))):
        return None
    found.handed_back_by.append(function)
    references = [each for each in project.computed(References).of(function) if each.kind != "import"]
    if any(each.kind != "call" for each in references):
        return None
    return [(each.path, each.node) for each in references]


def _uses(project: Project, path: str, scope: ast.AST, name: str) -> list[tuple[str, ast.AST]] | None:
    """The reads of a name of a function that is bound once; None where it is bound again."""
    if len(project.definitions(path, scope, name)) != 1:
        return None
    return [(path, node) for node in _reads(scope, name)]


def _reads(scope: ast.AST, name: str) -> Iterator[ast.AST]:
    for node in walk(scope):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            yield node
