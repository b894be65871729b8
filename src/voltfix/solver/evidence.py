"""What a decision rests on, in sentences with places: the evidence of reports, JSON and ``explain``.

Blocks say what they cover when they are made. Here is said why a flag, or a read, could go without one: each premise
holds over everything that was interpreted, and where a caller decides, over all callers (``claims``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TYPE_CHECKING

from voltfix.machine.facts import BESIDE, CALLER, CallKey
from voltfix.machine.values import SiteKey
from voltfix.model import Site, SiteKind
from voltfix.program.telling import place
from voltfix.rules import premises
from voltfix.solver.claims import Callers
from voltfix.torchmodel import NON_CONTAGIOUS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project
    from voltfix.solver.fixpoint import Outcome

_SHOWN = 4  # places of one premise
LOSSES = frozenset(name for name, kept in NON_CONTAGIOUS.items() if "target" in kept)


class Premises:
    """Finds what the decisions of one outcome rest on."""

    def __init__(self, project: Project, outcome: Outcome, callers: Callers, private: Container[int] = ()) -> None:
        self.project = project
        self.private = private  # functions all of whose callers were followed, by node id
        self.outcome = outcome
        self.callers = callers
        self.met: dict[SiteKey, dict[tuple[str, ast.AST], str]] = {}  # what its volatile values went into
        self.on: set[SiteKey] = set()  # flags that are true on some path
        for machine in outcome.machines.values():
            self.on |= machine.on
            for key, places in machine.met.items():
                self.met.setdefault(key, {}).update(places)
        # and that only in a no_grad of the author's
        self.inside = self.on.difference(*(machine.in_the_open for machine in outcome.machines.values()))

    def of_flag(self, site: Site, key: SiteKey, call: ast.AST, value: ast.AST | None) -> Iterator[str]:
        """Why a flag, or a write of one, could go without a block."""
        at = place(self.project, site.path, call)
        if site.kind is SiteKind.WRITE and (key not in self.on):
            yield premises.no_graph_to_cut(at)
            return
        if isinstance(value, ast.Constant) and not value.value:
            yield premises.is_default(at, repr(value.value))
            return
        if key not in self.on:
            yield premises.never_on(at)
            yield from self.by_callers(site, call)
            return
        if key in self.inside:
            yield premises.in_no_grad(at)
            yield from self.by_callers(site, call)
            return
        met = self.met.get(key, {})
        if self.is_unasked(site, key, call):
            yield premises.not_asked_for(at)
            yield from self.by_callers(site, call)
        elif not met:
            yield premises.not_computed_with(at)
            yield from self.by_callers(site, call)
            return
        for (path, node), what in list(met.items())[:_SHOWN]:
            yield premises.consumer(place(self.project, path, node), self.name_of(node, what))
        if len(met) > _SHOWN:
            yield premises.more_consumers(at, len(met) - _SHOWN)

    def is_unasked(self, site: Site, key: SiteKey, call: ast.AST) -> bool:
        """Is it a flag of what a function hands back where a parameter asks for it, and does no caller ask?"""
        around = (self.project.function(site.path, above) for above in self.project.parents(site.path, call))
        function = next((each for each in around if each is not None), None)
        if function is None or not self.callers.seen(function):
            return False
        for root, machine in self.outcome.machines.items():
            back = [store for store in machine.stores if store.how == CALLER and key in store.sites]
            if root == id(function.node) and not back:
                return False
            if key in machine.on and (not back or any(self.callers.through(machine, store) is None for store in back)):
                return False
            if key in machine.met or any(key in fact.sites for fact in machine.facts):
                return False
        return id(function.node) in self.outcome.machines

    def users(self, key: SiteKey) -> tuple[tuple[str, ...], bool]:
        """The names of what takes the tensor that a site marks, and whether all of it takes it as labels alone."""
        met = self.met.get(key, {})
        labels = all(what.startswith(BESIDE) and what.removeprefix(BESIDE) in LOSSES for what in met.values())
        names = dict.fromkeys(self.name_of(node, what) for (_, node), what in met.items())
        if names and not labels and self.is_handed_back(key):
            names["callers"] = None
        return tuple(names), labels

    def is_handed_back(self, key: SiteKey) -> bool:
        """Does a function give its volatile tensor to callers not all of which were followed?"""
        return any(store.how == CALLER and key in store.sites for root, machine in self.outcome.machines.items()
                   if root not in self.private for store in machine.stores)

    def name_of(self, node: ast.AST, what: str) -> str:
        """What takes a tensor, as it stands in the code."""
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            text = ast.unparse(node.func)
            return text if text.replace(".", "").replace("_", "").isalnum() else getattr(node.func, "attr", what)
        if isinstance(node, ast.Subscript):
            return "indexing"
        if isinstance(node, (ast.BinOp, ast.AugAssign, ast.UnaryOp, ast.Compare)):
            return f"operator {operator_of(node)}"
        what = what.removeprefix(BESIDE)
        return f"{'an' if what[:1] in 'aeiou' else 'a'} {what}" if what.isalpha() else what

    def of_slips(self, key: SiteKey) -> Iterator[str]:
        """The calls that do not fit what they call, and are handed its volatile tensor."""
        slips = {place: name for machine in self.outcome.machines.values() for place, (name, sites) in
                 machine.unfit.items() if key in sites and id(place[1]) not in machine.entered}
        for (path, node), name in list(slips.items())[:_SHOWN]:
            yield premises.does_not_fit(place(self.project, path, node), name)

    def of_run(self, key: SiteKey, harmless: Iterable[CallKey]) -> Iterator[str]:
        """That the program ran on 0.3: what unknown code gave, and was sent backward, was not volatile."""
        known = set(harmless)
        for path, node in self.met.get(key, {}):
            if (path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) in known:
                yield premises.ran(place(self.project, path, node))

    def by_callers(self, site: Site, node: ast.AST) -> Iterator[str]:
        """Where the callers stand that decide."""
        for above in self.project.parents(site.path, node):
            function = self.project.function(site.path, above)
            if function is not None:
                calls = [place(self.project, path, call) for path, call in self.callers.seen(function)]
                yield from map(premises.called_at, calls[:_SHOWN])
                if calls and not self.callers.only_let_go(function):
                    at = place(self.project, function.path, function.node)
                    yield premises.called_nowhere_else(at, max(len(calls) - _SHOWN, 0))
                return

    def of_wrapper(self, inner: list[Site], where: Callable[[Site], str]) -> Iterator[str]:
        """Why the argument of a function that hands the flag on has no effect of its own left."""
        places = list(dict.fromkeys(map(where, inner)))
        yield from map(premises.decided_inside, places[:_SHOWN])
        if len(places) > _SHOWN:
            yield premises.more_inside(places[_SHOWN], len(places) - _SHOWN)

    def of_read(self, site: Site, node: ast.AST, constant: str | None) -> Iterator[str]:
        """Why a read could become what it became."""
        at = place(self.project, site.path, node)
        yield premises.callers_in_blocks(at) if constant is None else premises.always(at, constant)


def operator_of(node: ast.BinOp | ast.AugAssign | ast.UnaryOp | ast.Compare) -> str:
    """The sign of an operation: ``*``."""
    one = ast.Name("a")
    if isinstance(node, ast.UnaryOp):
        return ast.unparse(ast.UnaryOp(node.op, one)).strip("a ")
    if isinstance(node, ast.Compare):
        return ast.unparse(ast.Compare(one, node.ops[:1], [one])).strip("a ")
    return ast.unparse(ast.BinOp(one, node.op, one)).strip("a ")
