"""Methods that leave on their object what they compute from weights alone, where somebody reads it afterwards.

Volatility reaches what a ``forward`` computes from its arguments. What it computes from weights has its graph, whatever
comes in: ``self.penalty = self.fc.weight.norm()``. A block around the call would take that graph away from whoever
reads ``net.penalty`` later. Who runs the network himself first reads what that run left.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.between import COMPOUND, Between, Runs, statements_before
from voltfix.program.bindings import Ambiguous, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph, is_property
from voltfix.program.classes import receiver_name
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.walking import root_of, walk
from voltfix.program.weights import OfWeights
from voltfix.torchmodel.tables import RESHUFFLING, STORING, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

class Leaving:
    """Answers for the methods of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.graph = project.computed(CallGraph)
        self._known: dict[ast.AST, list[Runs]] = {}
        self._calls: dict[ast.Call, bool] = {}

    def may_leave(self, path: str, call: ast.Call) -> bool:
        """May a call run a method of the project that leaves a graph of weights for others to read?"""
        if call not in self._calls:
            run = self.graph.may_run(path, call)[0]
            self._calls[call] = any(not runs or call in runs for each in run for runs in self.reads(each))
        return self._calls[call]

    def reads(self, function: ProjectFunction) -> list[Runs]:
        """Of each read of what a method leaves: the calls by which the reader surely ran the object before."""
        if function.node not in self._known:
            owner = self.project.hierarchy.class_around(function.path, function.node)
            self._known[function.node] = [] if owner is None else list(self._reads(owner, function))
        return self._known[function.node]

    def _reads(self, owner: ProjectClass, function: ProjectFunction) -> Iterator[Runs]:
        run = self._run_by(owner, function)
        bodies = [each for each, _ in run]
        mentions = self.project.computed(Mentions)
        left = [(name, of) for each, of in run for name in OfWeights(self.project, of, each).left()]
        for name, of in dict.fromkeys(left):
            yield from (frozenset[ast.Call]() for _ in mentions.asked_for(name))
            for path, node in mentions.of({name}, attributes=True):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and (
                        self._asks(of, path, node)):
                    yield from self._before(path, node, bodies, Between(self.project, self.graph, function))
        for name in {name for each, of in run for name in OfWeights(self.project, of, each).left_in_globals()}:
            yield from (frozenset[ast.Call]() for path, node in mentions.of({name})
                        if self._takes(path, node) and not any(
                            above is each.node for above in self.project.parents(path, node) for each in bodies))

    def _takes(self, path: str, node: ast.AST) -> bool:
        """Does a place read what a name of a module holds, and neither fill nor empty it, nor ask for data alone?"""
        above = self.project.parent(path, node)
        gone = isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load)
        quiet = isinstance(above, ast.Attribute) and above.attr in STORING | RESHUFFLING | WITHOUT_GRAPH
        return isinstance(getattr(node, "ctx", None), ast.Load) and not gone and not quiet

    def _run_by(self, owner: ProjectClass, function: ProjectFunction) -> list[tuple[ProjectFunction, ProjectClass]]:
        """A method, and those that it calls on its own object or on what that holds, each with its class."""
        found = {function.node: (function, owner)}
        waiting = [(function, owner)]
        while waiting:
            method, of = waiting.pop()
            fresh = [(each, of) for each in _own_calls(self.project, of, method)]
            fresh += self._of_parts(method)
            fresh = [pair for pair in fresh if pair[0].node not in found]
            found |= {pair[0].node: pair for pair in fresh}
            waiting += fresh
        return list(found.values())

    def _of_parts(self, function: ProjectFunction) -> Iterator[tuple[ProjectFunction, ProjectClass]]:
        """The methods that a method may call on what its object holds: ``self.critic.note(...)``."""
        own = receiver_name(function.node)
        for node in walk(function.node):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and isinstance(called, ast.Attribute) and (
                    isinstance(called.value, ast.Attribute)
                    and isinstance(root := root_of(called), ast.Name) and root.id == own):
                for each in self.graph.targets(function.path, node)[0]:
                    of = self.project.hierarchy.class_around(each.path, each.node)
                    if of is not None:
                        yield each, of

    def _asks(self, owner: ProjectClass, path: str, node: ast.Attribute) -> bool:
        """May a read be one of an object of the class, and ask for more than data?"""
        above = self.project.parent(path, node)
        if isinstance(above, ast.Compare) or (isinstance(above, ast.Attribute) and above.attr in WITHOUT_GRAPH):
            return False
        known = self.project.instance(path, node.value)
        return known is None or any(cls.node is owner.node for cls in self.project.hierarchy.family(known))

    def _before(self, path: str, node: ast.Attribute, run: list[ProjectFunction], between: Between) -> Iterator[Runs]:
        around = self.project.function(path, self.project.scope(path, node))
        inside = around is not None and any(each.node is around.node for each in run)
        if inside and around is not None and any(
                store.attr == node.attr for each in statements_before(self.project, path, node)
                if not isinstance(each, COMPOUND) for store in _stores(each)):
            return  # it reads what this run has just put there
        root = root_of(node)
        own = receiver_name(around.node) if around is not None else None
        if around is None or not isinstance(root, ast.Name) or root.id != own or is_property(around.node) or (
                self.project.hierarchy.class_around(path, around.node) is None):
            if not inside:
                yield between.last_run(path, node, _prefixes(node.value))
            return
        if inside and any(store.attr == node.attr for store in _stores(around.node)):
            yield frozenset()  # what another run put there
        ran = between.last_run(path, node, _prefixes(node.value) - {root.id})
        callers = [each for each in self.project.computed(References).of(around) if each.kind != "import"]
        if ran or (not callers and node.value is not root):
            yield ran
            return
        for each in callers:
            if isinstance(each.node, ast.Call) and not any(
                    above is other.node for above in self.project.parents(each.path, each.node) for other in run):
                of = each.node.func.value if isinstance(each.node.func, ast.Attribute) else None
                yield between.last_run(each.path, each.node, _prefixes(of)) if of is not None else frozenset()


def _prefixes(node: ast.expr) -> frozenset[str]:
    """``net.l1``, and ``net``, which runs what it holds."""
    found = {ast.unparse(node)}
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        found.add(ast.unparse(node))
    return frozenset(found)


def _own_calls(project: Project, owner: ProjectClass, function: ProjectFunction) -> Iterator[ProjectFunction]:
    """The methods that a method calls on its own object, and properties that it reads, as any class below has them."""
    own = receiver_name(function.node)
    for node in walk(function.node):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
            found = project.hierarchy.on_instance(owner, node.attr)
            above = project.parent(function.path, node)
            for each in found.candidates if isinstance(found, Ambiguous) else (found,):
                if isinstance(each, ProjectFunction) and (
                        is_property(each.node) or (isinstance(above, ast.Call) and above.func is node)):
                    yield each


def _stores(node: ast.AST) -> list[ast.Attribute]:
    return [each for each in walk(node) if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)]
