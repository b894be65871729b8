"""Which functions a parameter that is called may be: ``map_structure(lambda part: part + 1, parts)``.

Where each mention of a function of the project is a call of it that hands over a lambda, or a function by its name, the
parameter is one of those, or code from outside, and no object of the project's. What a lambda does stands in who hands
it over. Callers that nobody has seen hand over what they like; what they run so no function of the project runs.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for, calls_of
from voltfix.program.bindings import Builtin, External, ProjectFunction
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


def functions_handed(project: Project, path: str, called: ast.expr) -> list[ProjectFunction] | None:
    """The functions of the project that are handed over by name for a parameter which is called; None: or others."""
    bound = project.resolve(path, None, called) if isinstance(called, ast.Name) else None
    parameter = project.handed_as(bound)
    if parameter is None:
        return None
    function = _of_parameter(project, path, called, parameter)
    if function is None:
        return None
    mentions = [each for each in project.computed(References).of(function) if each.kind != "import"]
    if not mentions or not all(isinstance(each.node, ast.Call) for each in mentions):
        return None
    found: list[ProjectFunction] = []
    for at, call, filled in calls_of(project, function):
        if any(isinstance(a, ast.Starred) for a in call.args[:1]) or any(k.arg is None for k in call.keywords):
            return None
        given = argument_for(call, function.node, parameter, filled)
        meant = project.resolve(at, None, given) if isinstance(given, (ast.Name, ast.Attribute)) else None
        if isinstance(meant, ProjectFunction):
            found.append(meant)
        elif not isinstance(given, ast.Lambda) and not isinstance(meant, (External, Builtin)):
            return None
    return found


def _of_parameter(project: Project, path: str, called: ast.expr, parameter: ast.arg) -> ProjectFunction | None:
    """The plain function, which stands in no class, that has a parameter by its place and calls it."""
    around = next((each for each in project.parents(path, called) if isinstance(each, FUNCTIONS)), None)
    function = project.function(path, around) if around is not None else None
    if function is None or not isinstance(function.node, ast.FunctionDef) or function.node.decorator_list or (
            parameter not in (*function.node.args.posonlyargs, *function.node.args.args)) or (
            project.hierarchy.class_around(path, function.node) is not None) or (
            len(project.definitions(path, function.node, parameter.arg)) != 1):
        return None
    return function
