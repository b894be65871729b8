"""What a method may ask its object for: what an object keeps, and a method never asks for, is not in its results."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import Builtin, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.hooks import registers_hooks
from voltfix.program.mentions import Mentions, names_of_functions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project
    from voltfix.program.scopes import Function

# what hands the object, or all that is in it, to code that does not name what it asks for
_ANSWERS_ALL = ("__getattr__", "__getattribute__")
_ALL = frozenset({"__dict__", "__getstate__", "apply", *_ANSWERS_ALL})
_MOST = 120  # functions that one method is followed through


class Words(NamedTuple):
    """The attributes that a method may ask for, of whatever; ``every``: any at all."""

    names: frozenset[str]
    every: bool


class Asking:
    """Answers for the methods of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.graph = project.computed(CallGraph)
        self._known: dict[Function, Words] = {}
        self._handed: dict[str, bool] = {}
        self._hooked = registers_hooks(project)

    def may_ask(self, path: str, node: Function, name: str) -> bool:
        """May running a method ask its object for what it keeps under a name?"""
        if node not in self._known:
            self._known[node] = self._words(path, node)
        words = self._known[node]
        return words.every or name in words.names or self._asked_out_of_sight(name)

    def _asked_out_of_sight(self, name: str) -> bool:
        """Is it asked for by a function that may be called without being named: a lambda, one that is handed about?"""
        if name not in self._handed:
            asked = self.project.computed(Mentions).of({name}, attributes=True)
            self._handed[name] = any(self._may_be_handed(path, node) for path, node in asked)
        return self._handed[name]

    def _may_be_handed(self, path: str, node: ast.AST) -> bool:
        function = self.project.function(path, self.project.scope(path, node))
        if function is None:
            return False  # at the top level of a module or a class, where it is run once
        around = [each for each in self.project.parents(path, function.node) if isinstance(each, FUNCTIONS)]
        return bool(around) or isinstance(function.node, ast.Lambda) or any(
            each.kind in ("value", "maybe") for each in self.project.computed(References).of(function))

    def _words(self, path: str, node: Function) -> Words:
        """The attributes that the method names, and all functions that it may come to."""
        method = self.project.function(path, node)
        cls = self.project.hierarchy.class_around(path, node)
        if self._hooked or method is None or cls is None:
            return Words(frozenset(), every=True)
        family = self.project.hierarchy.family(cls)
        if any(self._methods(family, name) for name in _ANSWERS_ALL):
            return Words(frozenset(), every=True)
        names: set[str] = set()
        seen: dict[Function, ProjectFunction] = {}
        waiting = [method]
        while waiting:
            each = waiting.pop()
            if each.node in seen:
                continue
            seen[each.node] = each
            asked = {part.attr for part in walk(each.node) if isinstance(part, ast.Attribute)}
            if len(seen) > _MOST or asked & _ALL or self._hands_on(each, family) or self._puts_together(each):
                return Words(frozenset(), every=True)
            waiting += [*self.graph.callees(each), *self._named(each), *(
                found for name in asked - names for found in self._methods(family, name))]
            names |= asked
        return Words(frozenset(names), every=False)

    def _methods(self, family: list[ProjectClass], name: str) -> list[ProjectFunction]:
        """What the classes of an object run, or hand on, where it is asked for a name."""
        found = (self.project.method(cls, name) for cls in family)
        return [each for each in found if isinstance(each, ProjectFunction)]

    def _named(self, function: ProjectFunction) -> list[ProjectFunction]:
        """The functions that one names, whatever it does with them."""
        names = self.project.computed(names_of_functions)
        found = (self.project.resolve(function.path, None, part) for part in walk(function.node)
                 if isinstance(part, ast.Name) and part.id in names)
        return [each for each in found if isinstance(each, ProjectFunction)]

    def _hands_on(self, function: ProjectFunction, family: list[ProjectClass]) -> bool:
        """Does a method of the object do anything with it but ask it for what has a name?"""
        cls = self.project.hierarchy.class_around(function.path, function.node)
        if cls is None or all(cls.node is not each.node for each in family):
            return False
        own = receiver_name(function.node)
        return any(isinstance(part, ast.Name) and part.id == own and not self._only_asks(function, part)
                   for part in walk(function.node))

    def _only_asks(self, function: ProjectFunction, own: ast.Name) -> bool:
        above = self.project.parent(function.path, own)
        if isinstance(above, ast.Call) and above.func is not own:
            return self.project.resolve(function.path, None, above.func) == Builtin("super")
        return isinstance(above, ast.Attribute)

    def _puts_together(self, function: ProjectFunction) -> bool:
        """Does it ask for anything by a string, or run what a string says?"""
        return any((isinstance(part, ast.Name) and part.id in ("getattr", "vars", "eval", "exec", "attrgetter"))
                   or (isinstance(part, ast.Attribute) and part.attr in ("attrgetter", "methodcaller"))
                   for part in walk(function.node))
