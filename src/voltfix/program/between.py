"""What ran an object last before a place: by which calls, where nothing behind them may have run it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.scopes import FUNCTIONS, PERHAPS, binds, parameters_of
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With, *FUNCTIONS, ast.ClassDef)
_BLOCKS = ("body", "orelse")
_MOST = 60  # functions that one call is followed through

Runs = frozenset[ast.Call]


class Between:
    """What ran an object last before a place, where nothing behind that run may have run it again."""

    def __init__(self, project: Project, graph: CallGraph, leaving: ProjectFunction) -> None:
        self.project, self.graph, self.leaving = project, graph, leaving

    def last_run(self, path: str, node: ast.AST, receivers: frozenset[str]) -> Runs:
        """The calls of the object, one of which surely was the last before ``node``; none where that is not sure."""
        stands = next((p for p in (node, *self.project.parents(path, node)) if isinstance(p, ast.stmt)), None)
        start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        if stands is not None and not isinstance(stands, COMPOUND):
            found = self._in(path, [call for call in _calls(stands) if _end(call) <= start], receivers, stands)
            if found is not None:
                return found
        for statement in statements_before(self.project, path, node):
            found = self._by(path, statement, receivers)
            if found is not None:
                return found
        return frozenset()

    def _by(self, path: str, statement: ast.stmt, receivers: frozenset[str]) -> Runs | None:
        """What a statement ran last; None where it runs nothing of the kind, and nothing where it may."""
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return None
        if isinstance(statement, ast.If):
            arms = [self._of(path, block, receivers) for block in (statement.body, statement.orelse)]
            if arms == [None, None]:
                return self._in(path, _calls(statement.test), receivers, statement.test)
            return frozenset().union(*(arm or () for arm in arms)) if all(arms) else frozenset()
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            found = self._of(path, statement.body, receivers)
            return found if found is not None else self._in(
                path, [call for item in statement.items for call in _calls(item)], receivers, statement)
        found = self._in(path, _calls(statement), receivers, statement)
        return found if found is None or not isinstance(statement, COMPOUND) else frozenset()

    def _of(self, path: str, block: list[ast.stmt], receivers: frozenset[str]) -> Runs | None:
        for statement in reversed(block):
            found = self._by(path, statement, receivers)
            if found is not None:
                return found
        return None

    def _in(self, path: str, calls: list[ast.Call], receivers: frozenset[str], top: ast.AST) -> Runs | None:
        bound = {name.id for name in walk(top) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        if bound & receivers:
            return frozenset()
        for call in sorted(calls, key=_end, reverse=True):
            if ast.unparse(call.func) in receivers:
                return frozenset({call}) if is_sure(self.project, path, call, top) else frozenset()
            if not self._is_quiet(path, call, receivers):
                return frozenset()
        return None

    def _is_quiet(self, path: str, call: ast.Call, receivers: frozenset[str]) -> bool:
        """Can a call not come to a run of the method?"""
        found, named = self.graph.may_run(path, call)
        given = {ast.unparse(each) for each in (*call.args, *(keyword.value for keyword in call.keywords))}
        if not found:
            return named or isinstance(call.func, ast.Attribute) or given.isdisjoint(receivers)
        seen: dict[ast.AST, ProjectFunction] = {}
        waiting = found
        while waiting:
            each = waiting.pop()
            if each.node is self.leaving.node or len(seen) > _MOST:
                return False
            if each.node not in seen:
                seen[each.node] = each
                waiting += self.graph.callees(each)
        return True


def statements_before(project: Project, path: str, node: ast.AST, *, loops: bool = False) -> Iterator[ast.stmt]:
    """The statements of the same function that surely ran before one, the last first.

    No loop is left for them but with ``loops``: in a later round others of the loop ran in between.
    """
    at: ast.AST = node
    for above in project.parents(path, node):
        if isinstance(at, ast.stmt):
            for block in (getattr(above, field, None) for field in ("body", "orelse", "finalbody")):
                if isinstance(block, list) and at in block:
                    yield from reversed(block[: block.index(at)])
        if isinstance(above, (*FUNCTIONS, ast.ClassDef)) or (isinstance(above, (ast.For, ast.While)) and not loops):
            return
        at = above


def bound_just_before(project: Project, path: str, name: ast.Name) -> ast.expr | None:
    """What a name of a function surely stands for at a place: what the last statement before it that binds it gives it.

    None where that is not sure: where a loop, an arm, a handler or a function in it may have bound it.
    """
    statement = _bound_last(project, path, name)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    plain = isinstance(target, ast.Name) and target.id == name.id
    return statement.value if plain and isinstance(statement, ast.Assign) else None


def still_handed(project: Project, path: str, name: ast.Name) -> ast.arg | None:
    """The parameter that a name surely still is at a place, though the function binds it again further down."""
    scope = _bound_last(project, path, name)
    return next((each for each in parameters_of(scope) if each.arg == name.id), None) if isinstance(
        scope, ast.FunctionDef) and scope is project.scope(path, name) else None


def _bound_last(project: Project, path: str, name: ast.Name) -> ast.stmt | None:
    """The statement that bound a name last before a place, or the function if none did; None where that is not sure."""
    scope = project.scope(path, name)
    if not isinstance(scope, ast.FunctionDef) or any(
            (isinstance(node, ast.NamedExpr) and node.target.id == name.id)
            or (isinstance(node, (ast.Global, ast.Nonlocal)) and name.id in node.names) for node in walk(scope)):
        return None
    at: ast.AST = name
    for above in project.parents(path, name):
        for block in (getattr(above, field, None) for field in _BLOCKS) if isinstance(at, ast.stmt) else ():
            if isinstance(block, list) and at in block:
                for statement in reversed(block[: block.index(at)]):
                    if any(binds(node, name.id) for node in walk(statement)):
                        return statement if isinstance(statement, ast.stmt) else None
        if above is scope:
            return scope
        if not isinstance(above, (ast.expr, ast.keyword, ast.stmt)) or hasattr(above, "handlers") or (
                isinstance(above, (ast.ClassDef, *FUNCTIONS))):
            return None
        # in a loop that never binds it the name is in every round what it was before
        again = [above] if isinstance(above, (ast.For, ast.AsyncFor, ast.While)) else getattr(above, "items", ())
        if any(binds(node, name.id) for part in again for node in walk(part)):
            return None
        at = above
    return None


def is_sure(project: Project, path: str, node: ast.AST, top: ast.AST) -> bool:
    """Does what stands in a statement or an expression ``top`` surely run where that runs to its end?"""
    if node is top:
        return True
    for above in project.parents(path, node):
        if above is top:
            return True
        if isinstance(above, PERHAPS):
            return False
    return False


def _calls(node: ast.AST) -> list[ast.Call]:
    return [each for each in walk(node) if isinstance(each, ast.Call)]


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
