"""Which objects can be called: of a class that nothing gives a ``__call__``, ``x(...)`` raises, whatever it has.

``forward`` is run by the ``__call__`` that a class inherits from ``nn.Module``. A trainer with a method of that name
is none: its ``forward`` runs where it is written out, and nowhere else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, ProjectClass
from voltfix.program.mentions import Mentions, stores
from voltfix.program.references import Reference, References

if TYPE_CHECKING:
    from voltfix.program.bindings import ProjectFunction
    from voltfix.program.resolve import Project

_CALLED = "__call__"
# what makes an object one that can be called, after it was made; what puts a function where a call of another runs it
_GIVEN_LATER = (_CALLED, "__bases__", "__class__", "forward")
_TELLING = frozenset({"isinstance", "issubclass", "super"})


def is_of_the_project(project: Project, cls: ProjectClass) -> bool:
    """Is all that an object of a class, or of one below it, can do written in the project?"""
    return all(
        (isinstance(above, ProjectClass) and not above.node.decorator_list and not above.node.keywords)
        or above == Builtin("object")
        for below in (cls, *project.hierarchy.subclasses(cls)) for above in project.mro(below))


class Callable:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[ast.ClassDef, bool] = {}
        bound, mentions = project.computed(stores), project.computed(Mentions)
        self._any = project.for_others or any(name in bound or mentions.is_written(name) for name in _GIVEN_LATER)

    def runs_when_called(self, method: ProjectFunction) -> bool:
        """May calling an object run its ``forward``: is there an object that has it and can be called?"""
        cls = self.project.hierarchy.class_around(method.path, method.node)
        return self._any or cls is None or self._may_be_called(cls)

    def _may_be_called(self, cls: ProjectClass) -> bool:
        if cls.node not in self._known:
            family = (cls, *self.project.hierarchy.subclasses(cls))
            self._known[cls.node] = not is_of_the_project(self.project, cls) or any(map(self._has_call, family)) or any(
                self._goes_away(each, family)
                for below in family for each in self.project.computed(References).of(below))
        return self._known[cls.node]

    def _has_call(self, cls: ProjectClass) -> bool:
        """May a class have a ``__call__``? Where classes had no common base, Python asked ``__getattr__`` for it."""
        return any(self.project.method(cls, name) is not None for name in (_CALLED, "__getattr__", "__metaclass__"))

    def _goes_away(self, reference: Reference, family: tuple[ProjectClass, ...]) -> bool:
        """Is a class handed on, so that others may be made of it, with other bases?"""
        above = self.project.parent(reference.path, reference.node)
        if reference.kind == "base":
            return all(above is not below.node for below in family)
        if reference.kind in ("import", "call", "maybe-call") or (
                isinstance(above, ast.Attribute) and above.value is reference.node):
            return False
        told = self.project.resolve(reference.path, None, above.func) if isinstance(above, ast.Call) else None
        return not (isinstance(told, Builtin) and told.name in _TELLING)
