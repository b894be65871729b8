"""Which names of a function are bound by choices alone: where no arm binds one, whoever reads it gets no further.

``if train: x = a`` and ``elif test: x = b`` leave no ``x`` for anything else, in Python as it was and as it is. Of what
a loop binds, a round before may have left it; of what a ``try`` binds, somebody may catch what is raised.
"""

from __future__ import annotations

import ast

from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import of_node, walk


@of_node
def bound_by_choice(function: ast.AST) -> frozenset[str]:
    """The names of a function that nothing binds but assignments in its body, and in arms of its choices."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return frozenset()
    plain = {id(node) for statement in _straight(function.body) for target in _targets(statement)
             for node in walk(target)}
    elsewhere = {p.arg for p in parameters_of(function)}
    for node in walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in plain:
            elsewhere.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        elif isinstance(node, (ast.alias, *FUNCTIONS, ast.ClassDef, ast.ExceptHandler)):
            elsewhere.add(getattr(node, "asname", None) or (getattr(node, "name", None) or "").partition(".")[0])
        elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
            elsewhere.add(getattr(node, "name", None) or getattr(node, "rest", None) or "")
    return frozenset(node.id for node in walk(function) if isinstance(node, ast.Name) and id(node) in plain and (
        isinstance(node.ctx, ast.Store))) - elsewhere


def _straight(suite: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a suite and of the arms in it, that run once at most."""
    found: list[ast.stmt] = []
    for statement in suite:
        found.append(statement)
        if isinstance(statement, ast.If):
            found += _straight([*statement.body, *statement.orelse])
    return found


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []
