"""Under which names the objects of a class go about, besides that of the class, and where they are called.

Python runs ``__getitem__``, ``__iter__`` or ``__enter__`` of an object where no name says so. Whoever may have the
object may run them, and he has it from the class, from a function that gives one or puts one somewhere, or from an
attribute that such a function sets.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.arguments import argument_for
from voltfix.program.bindings import Local, ProjectClass, ProjectFunction
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import is_read, walk
from voltfix.torchmodel import tables

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


_MOST = 200  # mentions of objects of one class that are gone through
_HOLDING = (ast.Tuple, ast.List, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp)
Place = tuple[str, ast.AST]


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
        self._called: dict[ast.AST, list[tuple[str, ast.Call]]] = {}

    def names(self, cls: ProjectClass) -> GoesBy:
        """The names of what hands on an object of a class, or of one below, or of what was handed on."""
        if cls.node not in self._known:
            self._known[cls.node] = self._follow([cls, *self._project.hierarchy.subclasses(cls)])
        return self._known[cls.node]

    def calls(self, cls: ProjectClass) -> list[tuple[str, ast.Call]]:
        """The calls of what may be an object of a class, as far as it is seen where that is handed; not all of them."""
        if cls.node not in self._called:
            self._called[cls.node] = list(self._called_at([cls, *self._project.hierarchy.subclasses(cls)]))
        return self._called[cls.node]

    def _called_at(self, classes: list[ProjectClass]) -> Iterator[tuple[str, ast.Call]]:
        places: list[Place] = [(each.path, each.node) for cls in classes for each in self._references.of(cls)
                               if each.kind == "call"]
        seen: set[ast.AST] = set()
        while places and len(seen) < _MOST:
            path, node = places.pop()
            if node in seen:
                continue
            seen.add(node)
            above = self._project.parent(path, node)
            if isinstance(above, ast.Call) and above.func is node:
                yield path, above
            else:
                places += self._handed_to(path, node)

    def _handed_to(self, path: str, node: ast.AST) -> Iterator[Place]:
        """Where an object that a place gives is mentioned next: by a name, an attribute, a parameter, a caller."""
        above = self._project.parent(path, node)
        while isinstance(above, _HOLDING) and not (isinstance(above, ast.IfExp) and above.test is node):
            node, above = above, self._project.parent(path, above)
        if isinstance(above, ast.keyword):
            node, above = above.value, self._project.parent(path, above)
        if isinstance(above, ast.Call):
            yield from self._taken(path, above, node)
        elif isinstance(above, ast.Return):
            function = self._around(path, above)
            yield from ((each.path, each.node) for each in self._references.of(function) if each.kind == "call"
                        ) if function is not None else ()
        elif isinstance(above, ast.Assign):
            for target in above.targets:
                yield from self._named(path, target)

    def _taken(self, path: str, call: ast.Call, given: ast.AST) -> Iterator[Place]:
        """The reads of the parameter that an argument of a call is handed to."""
        called = self._project.resolve(path, None, call.func)
        made = self._project.method(called, "__init__") if isinstance(called, ProjectClass) else called
        if not isinstance(made, ProjectFunction):
            return
        filled = int(isinstance(called, ProjectClass) or made.bound)
        taken = {each.arg for each in parameters_of(made.node)
                 if argument_for(call, made.node, each, filled) is given}
        yield from ((made.path, part) for part in walk(made.node) if is_read(part, taken))

    def _named(self, path: str, target: ast.expr) -> Iterator[Place]:
        """The reads of what is assigned to."""
        mentions = self._project.computed(Mentions)
        if isinstance(target, ast.Attribute):
            yield from mentions.of({target.attr}, attributes=True)
        elif isinstance(target, ast.Name):
            scope = self._project.scope(path, target)
            if isinstance(scope, FUNCTIONS):
                yield from ((path, part) for part in walk(scope) if is_read(part, {target.id}))
                return
            for at, part in mentions.of({target.id}):
                bound = self._project.resolve(at, None, part) if isinstance(part, (ast.Name, ast.Attribute)) else None
                if isinstance(bound, Local) and bound.path == path and bound.name == target.id:
                    yield at, part

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
