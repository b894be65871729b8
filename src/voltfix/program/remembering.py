"""Functions whose results are remembered: what one call computed is what the next one gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, ProjectClass, ProjectFunction
from voltfix.program.kept import bindings, filled
from voltfix.program.scopes import decorators, parameters_of
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# decorators of the standard library that say what a function is, and of torch's: none of them keeps a result
_KEEP_NOTHING = ("torch", "abc", "typing", "contextlib", "builtins")


def remembers(project: Project, function: ProjectFunction) -> bool:
    """May a decorator of a function keep what it gives: one of the project that does so, or an unseen one?"""
    for _, made_by in decorators(function.node):
        meant = project.resolve(function.path, None, made_by)
        if isinstance(meant, External) and meant.name.split(".")[0] not in _KEEP_NOTHING:
            return True
        if isinstance(meant, (ProjectFunction, ProjectClass)) and _keeps_results(meant.node):
            return True
    return False


def _keeps_results(decorator: ast.AST) -> bool:
    """Is what a call of something that was handed in gives put into anything?"""
    nodes = walk(decorator)
    given = {parameter.arg for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
             for parameter in parameters_of(node)}
    held = {target.attr for node in nodes for target, value in bindings(node)
            if isinstance(target, ast.Attribute) and isinstance(value, ast.Name) and value.id in given}

    def calls(value: ast.AST) -> bool:
        return any(isinstance(node, ast.Call) and (
            (isinstance(node.func, ast.Name) and node.func.id in given)
            or (isinstance(node.func, ast.Attribute) and node.func.attr in held)) for node in walk(value))

    results = {target.id for node in nodes for target, value in bindings(node)
               if isinstance(target, ast.Name) and calls(value)}
    kept = [(target, value) for node in nodes for target, value in (*bindings(node), *filled(node))
            if not isinstance(target, ast.Name) or (target, value) in list(filled(node))]
    outer = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    return not outer.isdisjoint(results) or any(
        calls(value) or any(isinstance(node, ast.Name) and node.id in results for node in walk(value))
        for _, value in kept)
