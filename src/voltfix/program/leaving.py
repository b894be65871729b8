"""Methods that leave on their object what they compute from weights alone, where somebody reads it afterwards.

Volatility reaches what a ``forward`` computes from its arguments. What it computes from weights has its graph, whatever
comes in: ``self.penalty = self.fc.weight.norm()``. A block around the call would take that graph away from whoever
reads ``net.penalty`` later. Who runs the network himself first reads what that run left.

The same holds of what a hook leaves on the module that it is given, and a function of a table on its arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.between import COMPOUND, Between, Runs, statements_before
from voltfix.program.bindings import Ambiguous, ProjectClass, ProjectFunction
from voltfix.program.built import holds_no_object
from voltfix.program.calls import CallGraph, fits, is_property
from voltfix.program.classes import receiver_name
from voltfix.program.hooks import forward_hooks
from voltfix.program.kept import Kept, bindings, filled, kept_as
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.remembering import remembers
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import root_of, walk
from voltfix.program.weights import OfWeights
from voltfix.torchmodel.tables import RESHUFFLING, STORING, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# a body, the class of the object that it knows as its own, and the name that it has for it
Run = tuple[ProjectFunction, "ProjectClass | None", "str | None"]


class Left(NamedTuple):
    """What a body leaves that is made of weights: on its object, and in globals."""

    body: OfWeights
    kept: list[Kept]
    names: list[str]


class Leaving:
    """Answers for the functions of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.graph = project.computed(CallGraph)
        self._known: dict[tuple[ast.AST, str | None], list[Runs]] = {}
        self._calls: dict[ast.Call, bool] = {}
        self._bodies: dict[tuple[ast.AST, ast.AST | None, str | None], Left] = {}
        self._by_hooks: list[tuple[ProjectFunction, Runs]] | None = None
        self._valued: list[ProjectFunction] | None = None

    def may_leave(self, path: str, call: ast.Call) -> bool:
        """May a call run a body of the project that leaves a graph of weights for others to read?"""
        if call not in self._calls:
            run, named = self.graph.may_run(path, call)
            found = [runs for each in run for runs in self.reads(each)]
            if not named and not isinstance(call.func, ast.Attribute):
                found += [runs for each in self._of_tables() if fits(each.node, call, 0)
                          for given in parameters_of(each.node) for runs in self.reads(each, given.arg)]
            self._calls[call] = any(not runs or call in runs for runs in found) or self.hook_leaves((call,))
        return self._calls[call]

    def hook_leaves(self, calls: tuple[ast.AST, ...]) -> bool:
        """May a hook leave a graph of weights, where a layer runs by these calls, the outermost first?"""
        return self.leaving_hook(calls) is not None

    def leaving_hook(self, calls: tuple[ast.AST, ...]) -> ProjectFunction | None:
        """A hook that may leave a graph of weights, where a layer runs by these calls, the outermost first."""
        if self._by_hooks is None:
            hooks = [self.project.function(path, body) for path, body in forward_hooks(self.project)]
            self._by_hooks = [(each, runs) for each in hooks if each is not None
                              for given in parameters_of(each.node)[-3:] for runs in self.reads(each, given.arg)]
        return next((hook for hook, runs in self._by_hooks if not runs or not runs.isdisjoint(calls)), None)

    def reads(self, function: ProjectFunction, own: str | None = None) -> list[Runs]:
        """Of each read of what a body leaves on its ``own``: the calls by which the reader surely ran it before."""
        key = (function.node, own)
        if key not in self._known:
            owner = self.project.hierarchy.class_around(function.path, function.node) if own is None else None
            self._known[key] = [] if owner is None and own is None else list(self._reads(owner, function, own))
        return self._known[key]

    def _of_tables(self) -> list[ProjectFunction]:
        """The functions that are values somewhere: an entry of a table is called by nobody's name."""
        if self._valued is None:
            references = self.project.computed(References)
            self._valued = [each for each in self.project.functions()
                            if self.project.hierarchy.class_around(each.path, each.node) is None
                            and any(_may_keep(node) for node in walk(each.node))
                            and any(reference.kind == "value" for reference in references.of(each))
                            and any(OfWeights(self.project, None, each, own=given.arg).keeps()
                                    for given in parameters_of(each.node))]
        return self._valued

    def _reads(self, owner: ProjectClass | None, function: ProjectFunction, own: str | None) -> Iterator[Runs]:
        run = self._run_by((function, owner, own))
        bodies = [each for each, _, _ in run]
        left: list[tuple[Kept, ProjectClass | None]] = []
        in_globals: set[str] = set()
        for each, of, known_as in run:
            body, kept_there, in_globals_there = self._left(of, each, known_as)
            left += [(kept, of if known_as is None else None) for kept in kept_there]
            in_globals.update(in_globals_there)
            if remembers(self.project, each) and body.gives():
                yield frozenset()  # what is asked for later is what this run made
        between = Between(self.project, self.graph, function)
        for kept, of in dict.fromkeys(left):
            for path, node, holder in self._asked(kept, of):
                yield from self._before(path, node, holder, kept, bodies, between)
        mentions = self.project.computed(Mentions)
        for name in in_globals:
            yield from (frozenset[ast.Call]() for path, node in mentions.of({name})
                        if self._takes(path, node) and not self._is_in(path, node, bodies))

    def _left(self, of: ProjectClass | None, function: ProjectFunction, own: str | None) -> Left:
        """What a body leaves on what it knows as ``own``, and in globals."""
        key = (function.node, of.node if of is not None else None, own)
        if key not in self._bodies:
            body = OfWeights(self.project, of, function, own=own)
            self._bodies[key] = Left(body, list(body.left()), list(body.left_in_globals()))
        return self._bodies[key]

    def _asked(self, kept: Kept, of: ProjectClass | None) -> Iterator[tuple[str, ast.expr, ast.expr]]:
        """The places that may ask for what is kept, with what they ask for it."""
        mentions = self.project.computed(Mentions)
        for path, node in mentions.of({kept.name}, attributes=True) if kept.name else mentions.attributes(
                kept.may_be if kept.says() else _of_layers):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and self._asks(
                    of, path, node, node.value, sure=not kept.says()):
                yield path, node, node.value
        for path, text in mentions.asked_for_any(kept.may_be) if kept.says() else ():
            call = self.project.parent(path, text)
            if isinstance(call, ast.Call):
                yield path, call, call.args[0]
        for built in self.graph.built_names():
            above = self.project.parent(built.path, built.node)
            if built.holder is None or not kept.may_be_asked(built) or (
                    isinstance(above, ast.Call) and above.func is built.node):
                continue
            if not holds_no_object(self.project, built.path, built.holder) and self._asks(
                    of, built.path, built.node, built.holder, sure=not kept.says()):
                yield built.path, built.node, built.holder

    def _takes(self, path: str, node: ast.AST) -> bool:
        """Does a place read what a name of a module holds, and neither fill nor empty it, nor ask for data alone?"""
        above = self.project.parent(path, node)
        gone = isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load)
        quiet = isinstance(above, ast.Attribute) and above.attr in STORING | RESHUFFLING | WITHOUT_GRAPH
        return isinstance(getattr(node, "ctx", None), ast.Load) and not gone and not quiet

    def _run_by(self, first: Run) -> list[Run]:
        """A body, and the methods that it calls on its own object or on what that holds, each with its class."""
        found = {first[0].node: first}
        waiting = [first]
        while waiting:
            method, of, _ = waiting.pop()
            fresh: list[Run] = []
            if of is not None:
                fresh += [(each, of, None) for each in _own_calls(self.project, of, method)]
                fresh += self._of_parts(method)
            fresh = [each for each in fresh if each[0].node not in found]
            found |= {each[0].node: each for each in fresh}
            waiting += fresh
        return list(found.values())

    def _of_parts(self, function: ProjectFunction) -> Iterator[Run]:
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
                        yield each, of, None

    def _asks(self, owner: ProjectClass | None, path: str, node: ast.expr, holder: ast.expr, sure: bool) -> bool:
        """May a read be one of an object of the class, and ask for more than data? ``sure``: and is it known to be?"""
        above = self.project.parent(path, node)
        if isinstance(above, ast.Compare) or (isinstance(above, ast.Attribute) and above.attr in WITHOUT_GRAPH):
            return False
        if sure and isinstance(node, ast.Attribute) and not (isinstance(above, ast.BinOp) or (
                isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load) and not above.attr.endswith("_"))):
            return False  # shared, not computed with
        known = self.project.instance(path, holder)
        if known is None or owner is None:
            return not sure or isinstance(node, ast.Attribute)
        return any(cls.node is owner.node for cls in self.project.hierarchy.family(known))

    def _is_in(self, path: str, node: ast.AST, bodies: list[ProjectFunction]) -> bool:
        return any(above is each.node for above in self.project.parents(path, node) for each in bodies)

    def _before(self, path: str, node: ast.expr, holder: ast.expr, kept: Kept, run: list[ProjectFunction],
                between: Between) -> Iterator[Runs]:
        around = self.project.function(path, self.project.scope(path, node))
        inside = around is not None and any(each.node is around.node for each in run)
        if inside and around is not None:
            if any(_stores(each, kept) for each in statements_before(self.project, path, node, loops=True)
                   if not isinstance(each, COMPOUND)):
                return  # it reads what this run has just put there
            if _stores(around.node, kept):
                yield frozenset()  # what another run put there
        root = root_of(holder)
        own = receiver_name(around.node) if around is not None else None
        if around is None or not isinstance(root, ast.Name) or root.id != own or is_property(around.node) or (
                self.project.hierarchy.class_around(path, around.node) is None):
            if not inside:
                yield between.last_run(path, node, _prefixes(holder))
            return
        ran = between.last_run(path, node, _prefixes(holder) - {root.id})
        callers = [each for each in self.project.computed(References).of(around) if each.kind != "import"]
        if ran or (not callers and holder is not root):
            yield ran
            return
        for each in callers:
            if isinstance(each.node, ast.Call) and not self._is_in(each.path, each.node, run):
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


def _stores(node: ast.AST, kept: Kept) -> bool:
    """Does a statement put anything under that name?"""
    return any(
        kept_as(part) == kept for each in walk(node) for target, _ in bindings(each)
        for part in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,)))


def _of_layers(name: str) -> bool:
    """Is it what a layer calls a weight of its own?"""
    return name in ("weight", "bias")


def _may_keep(node: ast.AST) -> bool:
    return isinstance(node, ast.Global) or any(kept_as(target) for target, _ in (*bindings(node), *filled(node)))
