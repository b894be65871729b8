"""Decorators that make a function of a function: what they give has what functions have, and no other attribute.

A decorator may put an object in the place of what it decorates. One of the project does not where each of its returns
gives the function that it was handed, or one that it defines (``wraps`` leaves that a function). What a name makes of
it that nobody binds is left out of account: Python raises at that name.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.behind import WRAPS, is_made_by_wrapt
from voltfix.program.bindings import Local, ProjectFunction, Unknown
from voltfix.program.mentions import Mentions, names_of_functions, stores
from voltfix.program.scopes import Function, decorators
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


def stays_function(project: Project, path: str, node: Function) -> bool:
    """Is a function still one when its decorators have had it?"""
    return all(_keeps(project, path, each, called) for each, called in decorators(node))


def _keeps(project: Project, path: str, decorator: ast.expr, called: ast.expr) -> bool:
    """Does a decorator make a function of a function?"""
    meant = project.resolve(path, None, called)
    if decorator is called or meant == WRAPS:
        return meant == WRAPS or _gives_function(project, meant)
    made = _given_by(project, meant)
    return bool(made) and all(_gives_function(project, project.resolve(at, None, each)) for at, each in made)


def _gives_function(project: Project, maker: object) -> bool:
    """Does a function give nothing but the one that it is handed first, or one that it defines?"""
    if is_made_by_wrapt(project, maker):
        return True
    return all(_is_function(project, maker, at, each) for at, each in _given_by(project, maker)) and bool(
        _given_by(project, maker))


def _given_by(project: Project, maker: object) -> list[tuple[str, ast.expr]]:
    """What the returns of a plain function give; none where that is not all that it may give."""
    if not isinstance(maker, ProjectFunction) or not isinstance(maker.node, ast.FunctionDef) or (
            maker.node.decorator_list or project.hierarchy.class_around(maker.path, maker.node) is not None):
        return []
    inner = [node for node in walk(maker.node) if project.scope(maker.path, node) is maker.node]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inner):
        return []
    return [(maker.path, node.value) for node in inner if isinstance(node, ast.Return) and node.value is not None]


def _is_function(project: Project, maker: object, path: str, given: ast.expr) -> bool:
    """Is what a decorator returns the function that it was handed, or one of its own?"""
    if isinstance(given, ast.Lambda):
        return True
    meant = project.resolve(path, None, given) if isinstance(given, ast.Name) else None
    if isinstance(meant, ProjectFunction):
        return all(project.resolve(meant.path, None, called) == WRAPS for _, called in decorators(meant.node))
    assert isinstance(maker, ProjectFunction)
    first = [*maker.node.args.posonlyargs, *maker.node.args.args][:1]
    return isinstance(meant, Local) and meant.parameter is not None and meant.parameter in first and all(
        isinstance(each, ast.Call) and _is_bound_by_nobody(project, meant.path, each.func) for each in meant.values)


def _is_bound_by_nobody(project: Project, path: str, called: ast.expr) -> bool:
    """Is it a name that neither the project nor Python binds (``profile``, which a tool puts there as it runs)?"""
    return isinstance(called, ast.Name) and project.resolve(path, None, called) == Unknown() and not (
        called.id in project.computed(names_of_functions) or called.id in project.computed(stores)
        or project.computed(Mentions).is_written(called.id))
