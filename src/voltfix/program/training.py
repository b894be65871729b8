"""Which calls may send gradients, though nothing says what they run: by a possible edge to a function that trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import External, ProjectFunction, ProjectModule, is_one_of
from voltfix.program.built import may_have
from voltfix.program.calls import BuiltName, CallGraph, attributes_of, fits, is_property
from voltfix.program.flow import called_at
from voltfix.program.mentions import Mentions
from voltfix.program.rebound import Rebound
from voltfix.program.references import Reference, References

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# from outside: what runs a function that it is given, and what gives one back that runs it
RUN_BY = frozenset({"builtins.map", "builtins.filter", "builtins.sorted"})
GIVEN_BACK = frozenset({"functools.partial", "functools.partialmethod"})


class Value(NamedTuple):
    """A function that trains and is a value somewhere: what may call it.

    ``calls``: those to which it was followed. ``away``: any call of an unknown thing, too; as an attribute under one
    of ``words``, or under any (None).
    """

    function: ProjectFunction
    calls: frozenset[ast.Call]
    away: bool
    words: frozenset[str] | None


class Training:
    """Answers for the calls of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self.project = project
        self.rebound = rebound
        self.graph = project.computed(CallGraph)
        self._values: list[Value] | None = None
        self._known: dict[ast.Call, bool] = {}

    def may_send(self, path: str, call: ast.Call) -> bool:
        """May a call that was not looked into run a function of the project that sends gradients?"""
        if call not in self._known:
            found, named = self.graph.targets(path, call)
            self._known[call] = any(map(self.graph.trains, found)) or (not named and any(self._values_at(path, call)))
        return self._known[call]

    def _values_at(self, path: str, call: ast.Call) -> Iterator[Value]:
        """The functions that train and that a call of something unknown may run."""
        asked: frozenset[str] | None = None
        for value in self._of_project() if self._values is None else self._values:
            if not (fits(value.function.node, call, 0) or fits(value.function.node, call, 1)):
                continue
            if call in value.calls:
                yield value
            elif value.away:
                asked = attributes_of(self.project, self.rebound, path, call.func)
                if value.words is None or asked is None or not value.words.isdisjoint(asked):
                    yield value

    def _of_project(self) -> list[Value]:
        mentions = self.project.computed(Mentions)
        self._values = []
        for function in self.project.functions():
            name = function.qualname.rsplit(".", 1)[-1]
            built = [each for each in self.graph.built_names() if each.may_be(name)]
            if not (built or self._is_value(mentions, name)) or is_property(function.node) or (
                    not self.graph.trains(function)):
                continue
            references = self.project.computed(References).of(function)
            handed = [each for each in references if each.kind == "value" and not self._is_for_others(each)]
            followed = [called_at(self.project, each.path, each.node) for each in handed]
            asked = [(called_at(self.project, each.path, each.node), self._is_known(each))
                     for each in built if may_have(self.project, each, function)]
            calls = frozenset(call for each in (*followed, *(found for found, _ in asked)) if each is not None
                              for _, call in each.calls)
            by_name = (None, True) in asked  # of an object that nobody knows, anything could be asked for
            if calls or by_name or None in followed:
                words = None if by_name else self.graph.attributes_with(function, handed)
                self._values.append(Value(function, calls, by_name or None in followed, words))
        return self._values

    def _is_known(self, built: BuiltName) -> bool:
        """Does the project say what a built name is asked of?"""
        if built.holder is None or isinstance(self.project.resolve(built.path, None, built.holder), ProjectModule):
            return True
        table = self.project.table(built.path)
        scope = table.owner.get(built.node) if table is not None else None
        return scope is not None and self.project.hierarchy.instance(built.path, scope, built.holder) is not None

    def _is_value(self, mentions: Mentions, name: str) -> bool:
        """Is anything of that name mentioned and not called there?"""
        return any(
            isinstance(node, ast.expr) and not (isinstance(above := self.project.parent(path, node), ast.Call)
                                                and above.func is node)
            for _, path, node in mentions.places(name))

    def _is_for_others(self, reference: Reference) -> bool:
        """Is a function handed to code from outside, which calls it itself? ``partial`` gives it back."""
        above = self.project.parent(reference.path, reference.node)
        if isinstance(above, ast.keyword):
            above = self.project.parent(reference.path, above)
        if not isinstance(above, ast.Call) or above.func is reference.node:
            return False
        called = self.project.resolve(reference.path, None, above.func)
        return is_one_of(called, RUN_BY) or (isinstance(called, External) and not is_one_of(called, GIVEN_BACK))
