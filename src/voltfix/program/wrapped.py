"""What a local name was made by, where a statement further down asks for it: ``t = x.repeat(2)``, then ``Variable(t)``.

On 0.3 a Variable was made of plain tensors alone. So what its data was made by, and what was written into that in
between, had no graph: where the one is come to, so is the other, unless it raises.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping

from voltfix.program.scopes import FUNCTIONS, PERHAPS
from voltfix.program.walking import of_node, walk

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_CATCHES = (ast.Try, ast.With, *([ast.TryStar] if sys.version_info >= (3, 11) else []))
_SUITES = ("body", "orelse")


@of_node
def made_by(function: ast.AST) -> Mapping[ast.Name, frozenset[ast.AST]]:
    """By a name that a statement surely asks for: the calls that made what it stands for, and its methods since then.

    None of a name that another function may bind, and none in a body that catches what is raised.
    """
    found: dict[ast.Name, frozenset[ast.AST]] = {}
    if not isinstance(function, ast.FunctionDef) or any(isinstance(node, _CATCHES) for node in walk(function)):
        return found
    shared = {name for node in walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    for suite in _suites(function.body):
        for at, statement in enumerate(suite):
            target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
            if isinstance(statement, ast.Assign) and isinstance(target, ast.Name) and target.id not in shared:
                for asked, calls in _asked(target.id, suite[at + 1 :]):
                    found[asked] = frozenset((*_making(statement.value), *calls))
    return found


def _suites(suite: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The suites of a body, but not those of functions and classes in it."""
    yield suite
    for statement in suite:
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            for name in _SUITES:
                yield from _suites(getattr(statement, name, []))


def _asked(name: str, following: list[ast.stmt]) -> Iterator[tuple[ast.Name, list[ast.AST]]]:
    """The places that are surely come to where a name is read before it is bound again, and what was called on it."""
    calls: list[ast.AST] = []
    for statement in following:
        nodes = list(walk(statement))
        if isinstance(statement, _SIMPLE):
            yield from ((node, list(calls)) for node in _surely(statement)
                        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load))
        if any(isinstance(node, (*_LEAVES, *FUNCTIONS, ast.ClassDef)) or (
                isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
                for node in nodes) or _others_have(name, nodes):
            return
        calls += (node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                  and isinstance(node.func.value, ast.Name) and node.func.value.id == name)


def _others_have(name: str, nodes: list[ast.AST]) -> bool:
    """Does anybody else get what a name stands for, but its own methods, of which nobody takes the result?

    He has it even where the Variable is never made of it: something raises before.
    """
    asked = [node.value.func.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
             and isinstance(node.value.func, ast.Attribute)]
    return any(isinstance(node, ast.Name) and node.id == name and node not in asked for node in nodes)


def _surely(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a simple statement that are evaluated wherever it runs to its end."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, PERHAPS):
            yield node
            waiting += ast.iter_child_nodes(node)


def _making(value: ast.expr) -> Iterator[ast.AST]:
    """A call, and those of which it is a method, one after the other."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        yield value
        value = value.func.value
