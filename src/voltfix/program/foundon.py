"""Which classes of the project the method that is asked of an object stands in, where names say what the object is."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, External, ProjectClass, ProjectFunction

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project


def first_with(project: Project, order: Iterable[ProjectClass], name: str) -> ProjectClass | None:
    """The first class of an order that binds a name."""
    return next((cls for cls in order if name in project.names_in(cls.path, cls.node)), None)


def classes_with(project: Project, rebound: Rebound, path: str, node: ast.Attribute) -> tuple[ProjectClass, ...]:
    """The classes that an attribute of an object may be found on; none where that is not known."""
    cls = project.instance(path, node.value)
    found: dict[ast.AST, ProjectClass] = {}
    if cls is None or rebound.is_assigned(node.attr, cls):
        return ()
    for owner in (cls, *project.hierarchy.subclasses(cls)):
        order = project.mro(owner)
        first = first_with(project, [c for c in order if isinstance(c, ProjectClass)], node.attr)
        if first is None or not all(isinstance(above, (ProjectClass, External, Builtin)) for above in order):
            return ()  # a base that nobody can read may be the class of the method
        found[first.node] = first
    return tuple(found.values())


class KnownMethods:
    """The methods that calls run of objects whose class names say; asked for one call at a time, and remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._known: dict[ast.AST, ProjectFunction | None] = {}

    def of(self, path: str, node: ast.expr) -> ProjectFunction | None:
        """The one plain method that ``node`` names; None where it is none, or one of several."""
        if node not in self._known:
            self._known[node] = self._look(path, node) if isinstance(node, ast.Attribute) else None
        return self._known[node]

    def _look(self, path: str, node: ast.Attribute) -> ProjectFunction | None:
        holder = node.value
        if (isinstance(holder, ast.Attribute) and self._rebound.is_patched_at(path, holder)) or (
                isinstance(holder, ast.Name) and self._rebound.is_bound_elsewhere(path, holder)):
            return None
        found = classes_with(self._project, self._rebound, path, node)
        method = self._project.method(found[0], node.attr) if len(found) == 1 else None
        if not isinstance(method, ProjectFunction) or not isinstance(method.node, ast.FunctionDef) or (
                method.node.decorator_list):
            return None
        return method
