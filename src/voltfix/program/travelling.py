"""Under which names the objects of a class go about, besides that of the class.

Python runs ``__getitem__``, ``__iter__`` or ``__enter__`` of an object where no name says so. Whoever may have the
object may run them, and he has it from the class, from a function that gives one or puts one somewhere, or from an
attribute that such a function sets.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import ProjectClass, ProjectFunction
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk
from voltfix.torchmodel import tables

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


class GoesBy(NamedTuple):
    """Names of functions that hand an object on, and of attributes that may hold one."""

    functions: frozenset[str]
    attributes: frozenset[str]


class Travelling:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._references = project.computed(References)
        self._known: dict[ast.AST, GoesBy] = {}

    def names(self, cls: ProjectClass) -> GoesBy:
        """The names of what hands on an object of a class, or of one below, or of what was handed on."""
        if cls.node not in self._known:
            self._known[cls.node] = self._follow([cls, *self._project.hierarchy.subclasses(cls)])
        return self._known[cls.node]

    def _follow(self, waiting: list[ProjectClass | ProjectFunction]) -> GoesBy:
        functions: set[str] = set()
        attributes: set[str] = set()
        seen: set[ast.AST] = {each.node for each in waiting}
        while waiting:
            for reference in self._references.of(waiting.pop()):
                around = self._around(reference.path, reference.node)
                if reference.kind in ("import", "base") or around is None or around.node in seen:
                    continue
                seen.add(around.node)
                attributes |= {part.attr for part in walk(around.node)
                               if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)}
                if _hands_on(around.node):
                    functions.add(around.qualname.rsplit(".", 1)[-1])
                    waiting.append(around)
        return GoesBy(frozenset(functions), frozenset(attributes))

    def _around(self, path: str, node: ast.AST) -> ProjectFunction | None:
        """The function of a name that a mention stands in."""
        above = next((each for each in self._project.parents(path, node)
                      if isinstance(each, FUNCTIONS) and not isinstance(each, ast.Lambda)), None)
        return self._project.function(path, above) if above is not None else None


def _hands_on(node: ast.AST) -> bool:
    """Does a function give something back, or put something into a container?"""
    return any((isinstance(part, ast.Return) and part.value is not None) or isinstance(part, (ast.Yield, ast.YieldFrom))
               or (isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store))
               or (isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
                   and part.func.attr in tables.PUTTING | tables.STORING)
               for part in walk(node))
