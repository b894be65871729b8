"""Which objects a function in a class is handed to: what Python calls of them, and what no object of the class has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, ProjectClass, ProjectFunction
from voltfix.program.classes import receiver_name
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_ANSWERS_ALL = ("__getattr__", "__getattribute__", "__slots__")
_COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match,
             ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MAYBE_NOT = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def is_of_the_project(project: Project, cls: ProjectClass) -> bool:
    """Is all that an object of a class, or of one below it, can do written in the project?"""
    return all(
        (isinstance(above, ProjectClass) and not above.node.decorator_list and not above.node.keywords)
        or above == Builtin("object")
        for below in (cls, *project.hierarchy.subclasses(cls)) for above in project.mro(below))


def takes_no_object(project: Project, rebound: Rebound, function: ProjectFunction) -> bool:
    """Is a function in a class one that never gets an object of the class first, for it would raise at once?

    It always asks its first parameter for something that no object of the class has: ``Class.f(net)`` is how it is
    called, ``obj.f()`` is not.
    """
    owner = project.hierarchy.class_around(function.path, function.node)
    name = receiver_name(function.node)
    if owner is None or name is None or getattr(function.node, "decorator_list", None):
        return False
    if not is_of_the_project(project, owner):
        return False
    family = [cls for below in (owner, *project.hierarchy.subclasses(owner)) for cls in project.mro(below)
              if isinstance(cls, ProjectClass)]
    known = {bound for cls in family for bound in project.names_in(cls.path, cls.node)}
    if not known.isdisjoint(_ANSWERS_ALL):
        return False
    return any(not asked.startswith("__") and asked not in known and not rebound.is_set(asked)
               for asked in _always_asked(function, name))


def _always_asked(function: ProjectFunction, name: str) -> Iterator[str]:
    """The attributes of a parameter that whoever gets into the function reads before anything can end it."""
    for statement in () if isinstance(function.node, ast.Lambda) else function.node.body:
        if isinstance(statement, _COMPOUND):
            if any(isinstance(node, (ast.Return, ast.Raise)) or _binds(node, name) for node in ast.walk(statement)):
                return
            continue
        yield from _asked_in(statement, name)
        if isinstance(statement, (ast.Return, ast.Raise)) or any(_binds(node, name) for node in walk(statement)):
            return


def _asked_in(statement: ast.stmt, name: str) -> Iterator[str]:
    """The attributes read in a statement wherever that runs at all."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _MAYBE_NOT):
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name and (
                isinstance(node.ctx, ast.Load)):
            yield node.attr
        waiting += ast.iter_child_nodes(node)


def _binds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
