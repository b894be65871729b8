"""What a method is for the objects of a class and of the classes below it: which bodies one call may run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import ProjectClass, ProjectFunction
from voltfix.program.classes import receiver_name
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_MOST = 4  # classes that are told apart


class Body(NamedTuple):
    """The method that is run for an object of a class."""

    cls: ast.ClassDef
    path: str
    node: ast.FunctionDef


class Below:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[ast.AST, str], tuple[Body, ...]] = {}

    def bodies(self, owner: ast.ClassDef, name: str) -> tuple[Body, ...]:
        """For each class that an object of ``owner`` may be of, the method that is run; none where not all are read."""
        key = (owner, name)
        if key not in self._known:
            self._known[key] = tuple(self._bodies(owner, name))
        return self._known[key]

    def _bodies(self, owner: ast.ClassDef, name: str) -> list[Body]:
        cls = next((each for each in self._project.classes() if each.node is owner), None)
        family = [cls, *self._project.hierarchy.subclasses(cls)] if cls is not None else []
        if len(family) > _MOST or not all(map(self._is_read, family)):
            return []
        methods = [(each.node, self._project.method(each, name)) for each in family]
        found = [Body(node, method.path, method.node) for node, method in methods
                 if isinstance(method, ProjectFunction) and isinstance(method.node, ast.FunctionDef)
                 and not method.node.decorator_list]
        if len(found) < len(methods) or cls is None:
            return []
        own = self._members(cls)
        only_below = {name for each in family for name in self._members(each)} - own
        return found if not any(self._asks(body.node, only_below) for body in found) else []

    def _members(self, cls: ProjectClass) -> set[str]:
        return {name for each in self._project.mro(cls) if isinstance(each, ProjectClass)
                for name in self._project.names_in(each.path, each.node)}

    @staticmethod
    def _asks(body: ast.FunctionDef, names: set[str]) -> bool:
        """Does a body ask its object for one of the names, or hand the object on to who may?

        What runs it takes the object for one of the upper class.
        """
        own = receiver_name(body)
        seen = [node for node in walk(body) if isinstance(node, ast.Name) and node.id == own]
        asked = [node for node in walk(body) if isinstance(node, ast.Attribute) and node.value in seen]
        return len(asked) < len(seen) or any(node.attr in names for node in asked)

    def _is_read(self, cls: ProjectClass) -> bool:
        """Do no classes that nobody here can read come before one of the project's in the order of lookup?"""
        order = [isinstance(above, ProjectClass) for above in self._project.mro(cls)]
        return order == sorted(order, reverse=True) and not cls.node.keywords and not cls.node.decorator_list
