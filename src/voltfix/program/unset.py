"""Flags that are parameters which no call in the project sets: they are what their default says."""

from __future__ import annotations

import ast

from voltfix.program.arguments import calls_of, default_of
from voltfix.program.bindings import ProjectFunction
from voltfix.program.calls import fits, sets
from voltfix.program.resolve import Project
from voltfix.program.scopes import binds, parameters_of
from voltfix.program.walking import walk


def unset_parameter(project: Project, function: ProjectFunction, value: ast.expr) -> str | None:
    """The parameter that an expression of a function is, off by default and handed over by no call; None: another.

    Whether all calls are known is for whoever asks.
    """
    asked = value.id if isinstance(value, ast.Name) else ""
    parameter = next((p for p in parameters_of(function.node) if p.arg == asked), None)
    default = default_of(function.node, parameter) if parameter is not None else None
    if parameter is None or not isinstance(default, ast.Constant) or default.value or (
            binds_again(function.node, parameter)):
        return None
    handed = any(fits(function.node, call, filled) and sets(function.node, call, filled, frozenset({parameter.arg}))
                 for _, call, filled in calls_of(project, function))
    return None if handed else parameter.arg


def binds_again(function: ast.AST, parameter: ast.arg) -> bool:
    """Is the parameter's name bound in the function, in whatever way, but by the parameter?"""
    return any(
        (isinstance(node, ast.arg) and node is not parameter and node.arg == parameter.arg)
        or (isinstance(node, (ast.Global, ast.Nonlocal)) and parameter.arg in node.names)
        or (node is not function and binds(node, parameter.arg))
        for node in walk(function))
