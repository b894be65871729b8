"""Which classes of the project the method that is asked of an object stands in, where names say what the object is."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from voltfix.program.bindings import Ambiguous, Builtin, External, Local, ProjectClass, ProjectFunction

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
    if cls is None or rebound.is_assigned(node.attr, cls) or node.attr in project.computed(names_below_any):
        return ()
    for owner in (cls, *project.hierarchy.subclasses(cls)):
        order = project.mro(owner)
        first = first_with(project, [c for c in order if isinstance(c, ProjectClass)], node.attr)
        if first is None or not (all(map(_is_readable, order)) or _in_one_line(order[:order.index(first)])):
            return ()  # a base that nobody can read may be the class of the method, and not one that comes after it
        found[first.node] = first
    return tuple(found.values())


def _is_readable(above: object) -> bool:
    return isinstance(above, (ProjectClass, External, Builtin))


def _in_one_line(below: Iterable[object]) -> bool:
    """Do classes have one base each? Then what comes after them is the next, whatever that has above it."""
    return all(isinstance(each, ProjectClass) and len(each.node.bases) == 1 for each in below)


def names_below_any(project: Project) -> frozenset[str]:
    """The names that classes bind of which a base is a value, or may be a class of the project: it may be any."""
    return frozenset(name for cls in project.classes()
                     if any(isinstance(each, Local) or (isinstance(each, ProjectClass) and each is not above)
                            for above in project.mro(cls)
                            for each in (above.candidates if isinstance(above, Ambiguous) else (above,)))
                     for each in (cls, *project.hierarchy.subclasses(cls))
                     for above in project.mro(each) if isinstance(above, ProjectClass)
                     for name in project.names_in(above.path, above.node))


def plain_methods(project: Project, rebound: Rebound, path: str, node: ast.expr) -> list[ProjectFunction]:
    """The methods that ``node`` may name of an object whose class names say; none where one is not known, or not plain.
    """
    holder = node.value if isinstance(node, ast.Attribute) else None
    if holder is None or (isinstance(holder, ast.Attribute) and rebound.is_patched_at(path, holder)) or (
            isinstance(holder, ast.Name) and rebound.is_bound_elsewhere(path, holder)):
        return []
    assert isinstance(node, ast.Attribute)
    found = [project.method(each, node.attr) for each in classes_with(project, rebound, path, node)]
    plain = [each for each in found if isinstance(each, ProjectFunction) and isinstance(each.node, ast.FunctionDef)
             and not each.node.decorator_list]
    return plain if len(plain) == len(found) else []


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
        found = plain_methods(self._project, self._rebound, path, node)
        return found[0] if len(found) == 1 else None
