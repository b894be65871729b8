"""What a function that stands for another keeps of it: ``wraps`` puts it under ``__wrapped__``, and nowhere else.

``wrapt.decorator`` makes of a function with the parameters ``wrapped, instance, args, kwargs`` a decorator: what that
gives is asked for the attributes of what it decorates, runs the function when it is called, and keeps it likewise.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, ProjectClass, ProjectFunction, ProjectModule
from voltfix.program.built import gives_module, holds_no_object
from voltfix.program.calls import BuiltName, CallGraph
from voltfix.program.mentions import Mentions
from voltfix.program.scopes import FUNCTIONS, decorators

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

WRAPS = External("functools.wraps")
_WRAPT = External("wrapt.decorator")
_BEHIND = "__wrapped__"
_GIVES_NAMES = frozenset({"dir", "getmembers", "getmembers_static"})
_LOOKS_BEHIND = frozenset({_BEHIND, "unwrap"})


def is_behind(project: Project, path: str, given: ast.AST, above: ast.AST | None) -> bool:
    """Is it what ``@wraps(given)`` names: that another function is told to stand for?"""
    if not isinstance(above, ast.Call) or above.args[:1] != [given] or project.resolve(
            path, None, above.func) != WRAPS:
        return False
    around = project.parent(path, above)
    return isinstance(around, FUNCTIONS) and above in getattr(around, "decorator_list", ())


def is_made_by_wrapt(project: Project, decorator: object) -> bool:
    """Is a function of a module made a decorator by ``wrapt``, and by nothing besides?"""
    if not isinstance(decorator, ProjectFunction) or not isinstance(decorator.node, ast.FunctionDef) or (
            project.hierarchy.class_around(decorator.path, decorator.node) is not None):
        return False
    by = list(decorators(decorator.node))
    return len(by) == 1 and by[0][0] is by[0][1] and project.resolve(decorator.path, None, by[0][1]) == _WRAPT


def asks_behind(project: Project) -> bool:
    """May the project ask a function for the one that it stands for?

    To ask whether it has one (``hasattr(f, '__wrapped__')``) gives none. A name that is put together is that one where
    something says so: a text of it, or what gives all names that there are.
    """
    mentions = project.computed(Mentions)
    if any(True for word in _LOOKS_BEHIND for _ in mentions.places(word)):
        return True
    told = [project.parent(path, node) for path in project.paths for node in project.nodes(path)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _BEHIND in node.value]
    if not all(isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "hasattr"
               for call in told):
        return True
    named = any(True for word in _GIVES_NAMES for _ in mentions.places(word))
    return any(built.may_be(_BEHIND) and (named or built.start or built.end or built.texts) and not _is_of_no_function(
        project, built) for built in project.computed(CallGraph).built_names())


def _is_of_no_function(project: Project, built: BuiltName) -> bool:
    """Is a name that is put together asked of a module, a class, or an object of one?"""
    holder = built.holder
    return holder is None or isinstance(project.resolve(built.path, None, holder), (
        External, ProjectModule, ProjectClass)) or project.instance(built.path, holder) is not None or (
        gives_module(project, built.path, holder) or holds_no_object(project, built.path, holder))
