"""Objects that nobody is handed: what they keep is asked for by their own methods, and by who made them, alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, ProjectClass
from voltfix.program.classes import receiver_name
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_SHOWS_ALL = frozenset({"__dict__", "__getstate__", "__reduce__", "__class__"})


def is_sheltered(project: Project, cls: ProjectClass) -> bool:
    """Are objects of a class only ever asked for something, by a name for what made them, or as ``self``?

    Its class is all the project's, and no other is below it; the class is only named to make objects, and it is here
    that they are made.
    """
    if project.for_others:
        return False
    family = project.hierarchy.family(cls)
    if any(not isinstance(above, ProjectClass) and above != Builtin("object") for above in project.mro(cls)) or any(
            each.node.decorator_list or each.node.keywords for each in family) or project.hierarchy.subclasses(cls):
        return False
    if not all(map(_asks_itself, family)):
        return False
    named = [reference for each in family for reference in project.computed(References).of(each)
             if reference.kind not in ("import", "base")]
    return bool(named) and all(
        reference.kind == "call" and isinstance(reference.node, ast.Call)
        and _is_asked(project, reference.path, reference.node) for reference in named)


def _asks_itself(cls: ProjectClass) -> bool:
    """Do the methods of a class only ask their object for something?"""
    for method in cls.node.body:
        own = receiver_name(method)
        asked = [node.value for node in walk(method) if isinstance(node, ast.Attribute) and node.attr not in _SHOWS_ALL]
        if any(isinstance(node, ast.Name) and node.id == own and node not in asked for node in walk(method)):
            return False
        if isinstance(method, (ast.Assign, ast.AnnAssign)) and any(isinstance(n, ast.Lambda) for n in walk(method)):
            return False
    return True


def _is_asked(project: Project, path: str, made: ast.Call) -> bool:
    """Is what a call makes asked for something at once, or by a name of a function that is bound to it alone?"""
    above = project.parent(path, made)
    if isinstance(above, ast.Attribute):
        return above.attr not in _SHOWS_ALL
    scope = project.scope(path, made)
    target = above.targets[0] if isinstance(above, ast.Assign) and len(above.targets) == 1 else None
    if not isinstance(target, ast.Name) or not isinstance(scope, FUNCTIONS) or (
            len(project.definitions(path, scope, target.id)) != 1):
        return False
    uses = [node for node in walk(scope) if isinstance(node, ast.Name) and node.id == target.id and node is not target]
    return all(isinstance(up := project.parent(path, use), ast.Attribute) and up.attr not in _SHOWS_ALL for use in uses)
