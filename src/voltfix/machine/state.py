"""The abstract machine: heap, path condition, grad mode, and the facts that operations leave behind.

State is never copied at a branch. Every update is guarded by ``pc``, the path condition: where the current path is
taken. So after an ``if`` both sides' effects stand side by side, told apart by their guards.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from typing import Any

from voltfix import deadline
from voltfix.domains.conditions import Algebra, Formula, OutOfBudget
from voltfix.domains.precision import EXACT, Precision
from voltfix.machine.absent import ABSENT
from voltfix.machine.facts import (
    BESIDE,
    AttributeWrite,
    CallKey,
    Conflict,
    Fact,
    Passed,
    Store,
    VolatileRead,
    VolatileWrite,
)
from voltfix.machine.liveness import Liveness
from voltfix.machine.values import (
    Abstract,
    Bound,
    Cell,
    ClassValue,
    Const,
    Frame,
    Function,
    Partial,
    Plain,
    Ref,
    SiteKey,
    Truth,
    Value,
    choose,
    is_switch,
    is_word,
    on_paths,
    single,
)
from voltfix.program.chosen import bound_by_choice
from voltfix.program.leaving import Leaving

Leaf = tuple[Formula, Cell]
STEPS = "too many steps"
MAX_LOOSE = 8  # conditions that nothing repeats, in where a graph is reached, and in where something may require grad
DEPTH_LEAVES = 4  # containers in containers in which tensors are looked for
DEPTH_EXPOSED = 2  # containers in containers that unknown code is taken to change


class Machine:
    """Heap, path condition and records; the evaluation itself is in the subclasses."""

    BUDGET = 60_000  # evaluations of one root
    NODES = 250_000  # nodes of its diagrams: what time and memory go to
    STEADY = 10  # nodes an evaluation: where half of them came faster than that, the other half would not do either

    def __init__(self, precision: Precision = EXACT) -> None:
        self.precision = precision
        self.until: float | None = None
        self.grown = ""  # what ran out of its budget when it was looked at more closely
        self.algebra = Algebra()
        self.algebra.limit = int(self.NODES * precision.nodes)
        if precision is EXACT:
            self.algebra.limit //= 2
            self.algebra.more = lambda: self.NODES // 2 if self.steps * self.STEADY > self.NODES // 2 else 0
        if precision.atoms != EXACT.atoms:
            self.algebra.forget_past(precision.atoms, lambda atom: atom in self.texts or atom in self.deciding)
        self._blank = Cell("", self.algebra.false, self.algebra.false)
        self.heap: dict[int, Cell] = {}
        self.at_top: set[int] = set()  # cells that modules made: every function finds them there
        self.by_root: set[int] = set()  # cells that the root made itself, where it is a module
        self.calls = 0  # depth of functions that are run
        self.seen_as: dict[int, set[int]] = {}  # by container: the data that stands for what was read from it
        self.pc: Formula = self.algebra.true
        self.off_planned: Formula = self.algebra.false
        self.off_existing: Formula = self.algebra.false
        self.off_by_torch: Formula = self.algebra.false  # of that, what torch does itself: 0.3 did it too
        self.facts: list[Fact] = []
        self.liveness = Liveness(self.heap, self.algebra.false, self.wider)
        self.conflicts: list[Conflict] = []
        self.granted: list[tuple[ast.AST, ...]] = []  # where gradients were asked of what is not volatile on some path
        self.reads: list[VolatileRead] = []
        self.passed: list[Passed] = []
        self.stores: list[Store] = []
        self.writes: list[VolatileWrite] = []
        self.attribute_writes: list[AttributeWrite] = []
        self.state_atoms: set[int] = set()  # "what an earlier call left on self is volatile"
        self.raised: Formula = self.algebra.false  # where 0.3 raised, for gradients were asked of something volatile
        self.thrown: Formula = self.algebra.false  # paths that functions of the project left by an exception
        self.catching = 0  # depth of what goes on after an exception: only there it matters who left by one
        self.raising: list[Conflict] = []  # at what, and through which sites
        self.operations = 0
        self.changes = 0  # of what was there before: cells, names of enclosing frames
        self.dead: set[int] = set()  # statements of arms that no path takes
        self.deciding: set[int] = set()  # atoms that volatility depends on, as far as it was met
        self.wrapped: frozenset[int] = frozenset()  # expressions that run under no_grad, or are detached, by node id
        self.lazy = 0  # depth of generator expressions that run later, elsewhere
        self.put_off: set[int] = set()  # calls of the root that make a generator or a loader, by node id
        self.outside: dict[int, set[str]] = {}  # what from outside of the project calls of the root run, by node id
        self.away = 0  # depth of functions that another thread runs: no block of this one is there
        self.steps = 0
        self.atoms: dict[object, int] = {}
        self.asked_of: dict[Ref, list[int]] = {}  # by thing, the atoms of what is asked of it
        self.texts: dict[
            int, list[tuple[str, bool]]
        ] = {}  # atom -> expressions of the root that test it, exactly bool?
        # tests of the root that hang on several atoms, with what they ask: as a whole that can be asked again
        self.asked_whole: dict[Formula, tuple[str, bool]] = {}
        self.opaque: set[int] = set()
        self.resized: set[int] = set()  # cells in which something was put, or out of which it was taken, by now
        self.taken_for: dict[Formula, Formula] = {}  # conditions that hang on too much, and what stands for them
        self.visited: set[int] = set()
        self.refused: frozenset[SiteKey] = frozenset()
        self.unset: Container[SiteKey] = frozenset()  # flags that are off by default, and that no call sets
        # calls that stand for themselves (see ``solver.parting``), by node ids of the call and of what it enters
        self.parted: Mapping[tuple[int, int], tuple[str, str]] = {}
        self.harmless_calls: frozenset[CallKey] = frozenset()
        self.trusted: frozenset[CallKey] = frozenset()  # unknown calls whose result is taken to be volatile as well
        self.may_trust: set[CallKey] = set()  # those that are given something with a graph, too, and are no losses
        self.variables: set[SiteKey] = set()  # calls that made a Variable
        self.flagged: frozenset[SiteKey] = frozenset()  # those whose result is taken to be volatile, to see what of it
        self.handed_on: frozenset[SiteKey] = frozenset()  # of those, the ones that unknown code was given
        self.inlined: set[int] = set()  # functions that were interpreted in place, by node id
        self.entered: dict[int, set[int]] = {}  # by which calls, all by node id
        self.ran_here: set[int] = set()  # those that ran where they were called, in the same thread
        # calls of the one method of that name in the project, on something unknown, that say no more, by node id: where
        # they stand, and where the method was asked for
        self.by_guess: dict[int, tuple[str, ast.Call, set[tuple[str, ast.Attribute]]]] = {}
        self.asked_as: dict[int, tuple[str, ast.Attribute]] = {}  # cell -> where something unknown was asked for it
        self.shared: set[int] = set()  # containers that other threads have
        # functions made here that find something volatile under a name around them, with its sites, by node id
        self.captured: dict[int, tuple[Function, frozenset[SiteKey]]] = {}
        # calls that on some path run what nobody has seen, by node id; True: what is not just a parameter of the root
        self.unresolved: dict[int, bool] = {}
        self.need_graphs: set[int] = set()  # those that are given no graph, and may need one of their own, by node id
        # calls with a star: how many positions it filled at most, None where that is not known, by node id
        self.starred: dict[int, int | None] = {}
        self.asked_of_data: dict[int, list[str]] = {}  # what ``getattr`` asked plain data for, by node id
        # calls that hand something volatile to no parameter: path and call -> whom they call, the sites
        self.unfit: dict[tuple[str, ast.AST], tuple[str, set[SiteKey]]] = {}
        # all that the stars of the call handed over when it was last evaluated, by node id
        self.under_stars: dict[int, list[Value]] = {}
        # what of Python's protocols was asked of unknown things, and whether of more than parameters of the root
        self.may_calls: dict[str, dict[int, bool]] = {}
        self.on: set[SiteKey] = set()  # flags that are true on some path
        self.in_the_open: set[SiteKey] = set()  # and outside of the author's own no_grad
        self.met: dict[SiteKey, dict[tuple[str, ast.AST], str]] = {}  # by site, what its volatile values went into
        self.met_beside: dict[SiteKey, set[SiteKey]] = {}  # and the refused sites of what went into the same
        self.given: set[int] = set()  # classes whose objects code that nobody has seen was given, by node id
        self.own_parameters: dict[str, tuple[Formula, bool | None]] = {}  # of the root: where true, what the default is
        # what was called by its name on an object, where that was inside a block: a network may lie there
        self.parts_ran: dict[tuple[int, str], Formula] = {}
        self.hooked = False  # does a forward hook compute with weights?
        self.watched = False  # may one keep what layers are given and make?
        self.hooks_ask = False  # may one ask for the flag of what layers are given?
        self.inside = False  # is the root called in a block, with nothing but what is volatile?
        self.leaving: Leaving | None = None  # what bodies leave of weights for others to read
        self.reentered: set[int] = set()  # conditional blocks that run where grad mode is off already

    def records(self) -> tuple[list[Any], ...]:
        """The lists of what operations left behind."""
        return (self.facts, self.conflicts, self.reads, self.stores, self.writes, self.attribute_writes, self.raising,
                self.passed)

    def noted(self) -> tuple[int, ...]:
        """How much was recorded up to now."""
        return tuple(len(found) for found in self.records())

    def forget_since(self, known: tuple[int, ...]) -> None:
        """Forget what was recorded since ``noted`` said that."""
        for found, count in zip(self.records(), known, strict=True):
            del found[count:]

    def shows(self, site: SiteKey) -> bool:
        """Could anything that ran, or is to run, tell that what was made at ``site`` is volatile?"""
        return site in self.handed_on or any(site in found.sites for records in self.records() for found in records
                                             if not isinstance(found, VolatileWrite))

    def note_may_call(self, node: ast.AST, name: str, cell: Cell) -> None:
        """Something unknown was iterated, or asked for an item: an object of the project's may be behind it."""
        if not self.importing and cell.origin != "data":
            asked = self.may_calls.setdefault(name, {})
            asked[id(node)] = asked.get(id(node), False) or cell.origin != "param"

    def note_given(self, *things: Abstract) -> None:
        """Objects of the project's classes went where nobody looks: what Python calls on them may be called."""
        for thing in things:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if cell is not None and cell.owner is not None:
                self.given.update(id(cls.node) for cls in cell.owner.order if isinstance(cls, ClassValue))

    def note_met(self, frame: Frame, node: ast.AST, text: str, leaves: list[Leaf], beside: list[Leaf]) -> None:
        """Remember what the volatile values of a site went into, and beside which that refused flags alone made so."""
        for guard, cell in leaves:
            if cell.sites and self.meets(guard, cell.vol):
                left = self.left_among(site for there, other in beside if other.vol.is_false and other is not cell and (
                    not there.excludes(self.pc)) for site in other.sites)
                for site in cell.sites:
                    self.met.setdefault(site, {}).setdefault((frame.path, node), text or "call")
                    if left:
                        self.met_beside.setdefault(site, set()).update(left)

    # --- bookkeeping -------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Count one evaluation; raise OutOfBudget after too many."""
        self.steps += 1
        if not self.steps & 127 or self.steps > self.BUDGET:
            deadline.check(self.until)
            if self.steps > self.BUDGET:
                raise OutOfBudget(STEPS)

    def atom(self, key: object) -> Formula:
        """The atom of that key, made at its first use."""
        number = self.atoms.get(key)
        if number is None:
            number = self.atoms[key] = self.algebra.fresh()
            for part in key if isinstance(key, tuple) else ():
                if isinstance(part, Ref):
                    self.asked_of.setdefault(part, []).append(number)
        return self.algebra.atom(number)

    def unknown_truth(self) -> Formula:
        """A condition that nothing is known of and that no expression repeats."""
        number = self.algebra.fresh()
        self.opaque.add(number)
        return self.algebra.atom(number)

    @contextmanager
    def narrowed(self, condition: Formula) -> Iterator[None]:
        """Follow only the paths where ``condition`` holds; afterwards those that stayed outside join again."""
        before = self.pc
        inside = self.pc = before & condition
        try:
            yield
        finally:
            self.pc = before if self.pc is inside else self.pc | (before & ~condition)

    @contextmanager
    def grad_off(self, planned: Formula, existing: Formula | None = None) -> Iterator[None]:
        """Run with grad mode off where ``planned`` (or ``existing``) holds, in addition to where it is off already."""
        saved = self.off_planned, self.off_existing
        self.off_planned = self.off_planned | planned
        if existing is not None:
            self.off_existing = self.off_existing | existing
        try:
            yield
        finally:
            self.off_planned, self.off_existing = saved

    # --- heap --------------------------------------------------------------------------------------------------------

    def new(self, kind: str, **parts: object) -> Value:
        """A value that refers to a new cell."""
        cell = self._blank.but(kind=kind, **parts)
        number = len(self.heap)
        self.heap[number] = cell
        made = single(Ref(number), self.algebra)
        if self.importing:
            self.at_top.add(number)
            self.may_be_filled(number)
        elif self.of_module is not None and not self.calls:
            self.by_root.add(number)
        return made

    of_module: Frame | None = None  # the root, where it is a module's top level: functions find what is made there
    around = 0  # a function around the root, which runs before it, by node id
    inner: tuple[Frame, ast.AST] | None = None  # its activation, and what it defines: the root, or what is around that
    importing = False  # at the top level of a module that is no root: little is called
    unbound = False  # in a statement there that binds nothing: nothing is

    def unknown(self, text: str = "", vol: Formula | None = None, **parts: object) -> Value:
        """Something that may be anything, a tensor that requires grad included."""
        false = self.algebra.false
        vol = false if vol is None else vol
        return self.new("unknown", vol=vol, req=~vol, text=text, **parts)

    def data(self, text: str = "") -> Value:
        """Something unknown that no gradient belongs to, but whose parts conditions may ask about."""
        return self.new("unknown", text=text, origin="data")

    def prune(self, value: Value) -> Value:
        """The alternatives that the current path can meet."""
        if len(value) < 2:
            return value
        left = tuple((guard, thing) for guard, thing in value if not guard.excludes(self.pc))
        if len(left) == 1:
            return ((self.algebra.true, left[0][1]),)
        return left or value

    def const(self, value: object) -> Value:
        """A Python constant."""
        return single(Const(value), self.algebra)

    def answer(self) -> Value:
        """True or False, and nobody knows which: what a name keeps of it says the same as often as it is asked."""
        return self.truth(self.algebra.atom(self.algebra.fresh()))

    def plain(self) -> Value:
        """Anonymous data."""
        return single(Plain(), self.algebra)

    def widened(self) -> Formula:
        """A condition that stands for one that was given up."""
        number = self.algebra.fresh()
        self.algebra.blurred.add(number)
        return self.algebra.atom(number)

    def truth(self, formula: Formula, exact: bool = True) -> Value:
        """A truth value."""
        return single(Truth(formula, exact), self.algebra)

    def update(self, ref: Ref, guard: Formula, **parts: object) -> None:
        """Change a cell where ``guard`` and the path condition hold; formulas and attribute values are merged."""
        cell = self.heap[ref.cell]
        where = self.pc & guard
        self.merge(ref.cell, where, parts)
        if cell.stands_for:
            self.hand_on(cell, where, parts)

    def merge(self, number: int, where: Formula, parts: Mapping[str, object]) -> None:
        """Give a cell other parts where ``where`` holds."""
        cell = self.heap[number]
        merged: dict[str, object] = {}
        for name, value in parts.items():
            old = getattr(cell, name)
            merged[name] = self.algebra.ite(where, value, old) if isinstance(value, Formula) else value
            self.changes += name not in ("fresh", "idle", "exact") and merged[name] is not old
        if "vol" in parts:
            merged["worded"] = None
        self.heap[number] = cell.but(**merged)

    def hand_on(self, cell: Cell, where: Formula, parts: Mapping[str, object]) -> None:
        """What becomes of a cell that stands for several becomes of one of them, nobody knows of which.

        Those may stand for others again, several of them for the same one: each is changed once, after all that stand
        for it (which were made later), wherever one of these may have been.
        """
        shared = {name: value for name, value in parts.items() if isinstance(value, Formula)}
        if not shared:
            return
        given = parts.get("sites")
        new = given - cell.sites if isinstance(given, frozenset) else frozenset()
        reached = dict.fromkeys(cell.stands_for, (where, new))
        waiting = [-number for number in reached]
        heapify(waiting)
        while waiting:
            number = -heappop(waiting)
            where, new = reached.pop(number)
            where, inner = where & self.unknown_truth(), self.heap[number]
            self.merge(number, where, {**shared, "sites": inner.sites | new})
            for other in inner.stands_for:
                if other in reached:
                    before, known = reached[other]
                    reached[other] = before | where, known | (new - inner.sites)
                else:
                    reached[other] = where, new - inner.sites
                    heappush(waiting, -other)

    def set_attr(self, ref: Ref, guard: Formula, name: str, value: Value) -> None:
        """Assign an attribute of a cell where ``guard`` and the path condition hold."""
        cell = self.heap[ref.cell]
        old = cell.attr(name)
        where = self.pc & guard
        if old is None:
            old = (
                self.const(None) if cell.owner is not None else self.unknown(f"{cell.text}.{name}" if cell.text else "")
            )
        new = self.limited(choose(where, value, old))
        attrs = (*tuple((k, v) for k, v in cell.attrs if k != name), (name, new))
        self.changes += 1
        self.heap[ref.cell] = cell.but(attrs=attrs)

    def open_up(self, values: Iterable[Value]) -> None:
        """Others have the containers among values from now on: one that was empty may hold what nobody saw put in."""
        self.liveness.opened(values)
        for number, _ in [*self.liveness.numbered(values)]:
            self.may_be_filled(number)

    def open_functions(self, values: Iterable[Value]) -> None:
        """Others have the functions among values from now on, and run them when they like: hooks, listeners.

        That a method computes nothing itself (``register_forward_hook``, ``apply``) says nothing of what it is given.
        """
        self.open_up([((guard, thing),) for value in values for guard, thing in value
                      if isinstance(thing, (Function, Bound, Partial))])

    def may_be_filled(self, number: int) -> None:
        """A list that was made empty may hold what nobody saw put in: one that is empty and not ``exact``."""
        cell = self.heap[number]
        if cell.kind == "list" and not cell.items:
            self.heap[number] = cell.but(exact=False)

    def havoc(self, values: Iterable[Value], depth: int = 0) -> None:
        """Unknown code has containers and objects in its hands: their numbers, words and switches may be others now."""
        for value in values:
            for guard, thing in value:
                cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
                if isinstance(thing, Ref) and cell is not None and cell.worded is not None:
                    self.heap[thing.cell] = cell.but(worded=None)  # it may put under one word what lies under another
                if not isinstance(thing, Ref) or cell is None or cell.kind not in ("list", "dict", "object"):
                    continue
                inner = {id(v): v for _, v in (*cell.attrs, *cell.items)}
                loose = {key: choose(self.pc & guard, new, old) for key, old in inner.items()
                         if (new := self.loosened(old)) is not None}
                if loose:
                    self.changes += 1
                    attrs = tuple((name, loose.get(id(v), v)) for name, v in cell.attrs)
                    items = tuple((where, loose.get(id(v), v)) for where, v in cell.items)
                    self.heap[thing.cell] = cell.but(attrs=attrs, items=items)
                if depth < DEPTH_EXPOSED:
                    self.havoc(inner.values(), depth + 1)

    def loosened(self, value: Value) -> Value | None:
        """A value of the same kind of which nothing is known; None of what is no number, word or switch."""
        if is_switch(value):
            return self.truth(self.algebra.atom(self.algebra.fresh()))
        return self.data() if is_word(value) else None

    def assign(self, frame: Frame, name: str, value: Value, outer: bool = False, sure: bool = False) -> None:
        """Bind a name on the current path; ``outer``: in the frame of an enclosing function or module; ``sure``: every
        path that comes to the rest of the suite comes by this."""
        old = frame.env.get(name)
        if old is not None and (frame.made_inner or name in frame.rounds):
            frame.past[name] = self.limited(choose(self.unknown_truth(), old, frame.past.get(name, old)))
        self.changes += outer
        if outer:
            self.open_up([value])  # other functions find it there
        alone = all(w is None or w.implies(self.pc) for w in (frame.suspended, frame.leaving))
        if not outer and name in bound_by_choice(frame.node):
            missing = frame.unbound.get(name) if old is not None else frame.suspended
            frame.unbound[name] = (missing or self.algebra.false) & ~self.pc
        if old is None or (alone and not outer):
            frame.env[name] = value
        else:
            held = choose(self.pc, value, old)
            if sure and not outer and self.is_coarse and not self.pc.is_false and len(held) <= EXACT.alternatives:
                frame.env[name] = held
                frame.bound[name] = frame.suite, value, held
                return
            frame.env[name] = self.limited(held)
        frame.bound.pop(name, None)

    @property
    def is_coarse(self) -> bool:
        """Are conditions forgotten: may the current path not tell what a name holds on it alone?"""
        return self.precision.atoms < EXACT.atoms

    @contextmanager
    def in_suite(self, frame: Frame) -> Iterator[None]:
        """Run a suite to which not all paths come that go on behind it."""
        frame.suites_begun += 1
        frame.suites.append(frame.suites_begun)
        try:
            yield
        finally:
            number = frame.suites.pop()
            for name in [name for name, known in frame.bound.items() if known[0] == number]:
                held = frame.bound.pop(name)[2]
                if frame.env.get(name) is held:
                    frame.env[name] = self.limited(held)

    def bound_here(self, frame: Frame, name: str, held: Value) -> Value:
        """Of what a name holds on all paths, what the current ones have bound it to, as far as their suites say so."""
        known = frame.bound.get(name)
        return known[1] if known is not None and known[2] is held and (
            not known[0] or known[0] in frame.suites) else held

    @contextmanager
    def suspend(self, frame: Frame, paths: Formula) -> Iterator[None]:
        """Run with ``paths`` of the activation waiting elsewhere."""
        saved = frame.suspended
        frame.suspended = paths if saved is None else saved | paths
        try:
            with self.in_suite(frame):
                yield
        finally:
            frame.suspended = saved

    def gather(self, frame: Frame, before: Formula | None) -> None:
        """A round of a loop is over, or a ``try``: the paths that left it early are back, and wait no longer.

        ``before``: those that waited as it began. Others are on their way out of what is around it: of a loop's round,
        or with an exception that somebody may catch.
        """
        waiting = before or self.algebra.false
        for loop in frame.loops:
            waiting = waiting | loop.broke | loop.continued
        if self.catching:
            waiting = waiting | self.failed | self.thrown
        frame.leaving = None if waiting.is_false else waiting

    def loose(self, atoms: frozenset[int]) -> frozenset[int]:
        """Those of the atoms that nothing repeats, and that no volatility hangs on and the current path does not."""
        return frozenset(atoms.intersection(self.opaque) - self.deciding - self.pc.support())

    def wider(self, formula: Formula) -> Formula:
        """Where a formula can hold at most, if it hangs on many conditions that nothing repeats."""
        support = formula.support()
        if len(support) <= MAX_LOOSE:
            return formula
        gone = self.loose(support)
        return formula if len(gone) <= MAX_LOOSE else formula.without(gone)

    @abstractmethod
    def is_numbers(self, value: Value) -> bool:
        """Is there nothing but numbers (see ``joining``)?"""
        ...

    @abstractmethod
    def limited(self, value: Value) -> Value:
        """The value itself, or one joined cell where it has too many alternatives (see ``joining``)."""
        ...

    def may_require(self, value: Value) -> Formula:
        """Where a value, or a part of it, may require grad: a number has no graph and gets none, an object may."""
        out = self.algebra.false
        for guard, thing in value:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if cell is not None and cell.kind in ("tensor", "unknown"):
                out = self.wider(out | (guard & cell.req))
            elif not isinstance(thing, (Const, Truth, Plain)):
                out = self.wider(out | guard)
        return out

    # --- what is known of values -------------------------------------------------------------------------------------

    def leaves(self, values: Iterable[Value], depth: int = 0) -> list[Leaf]:
        """The tensors and unknown things in values and in what they contain, with their guards."""
        found: list[Leaf] = []
        for value in values:
            for guard, thing in value:
                if not isinstance(thing, Ref):
                    continue
                cell = self.heap[thing.cell]
                if self.freezes and cell.kind in ("module", "object", "unknown"):
                    found += [(guard & inner, leaf) for inner, leaf in self.switched_weights(cell)]
                if cell.kind in ("tensor", "unknown"):
                    found.append((guard, cell))
                elif depth < DEPTH_LEAVES and cell.kind in ("list", "dict", "object"):
                    for presence, item in cell.items:
                        found += [(guard & presence & inner, leaf) for inner, leaf in self.leaves([item], depth + 1)]
                    if cell.kind == "object":
                        for _, item in cell.attrs:
                            found += [(guard & inner, leaf) for inner, leaf in self.leaves([item], depth + 1)
                                      if not leaf.vol.is_false]
        return found

    failed: Formula  # paths of this activation that ended in an exception of the author's
    freezes = False  # does the project write ``.volatile`` of parameters anywhere?

    def switched_weights(self, cell: Cell) -> list[Leaf]:
        """The parameters of a network, where they are volatile for a while and go on requiring grad."""
        weights = cell.attr("<weights>") or ()
        found = [(guard, self.heap[thing.cell]) for guard, thing in weights if isinstance(thing, Ref)]
        return [(guard, leaf) for guard, leaf in found if not (leaf.vol & leaf.req).is_false]

    def volatility(self, *values: Value) -> Formula:
        """Where one of the values (or something in one) is volatile."""
        return self.volatile_in(values)

    def volatile_in(self, values: Iterable[Value], depth: int = 0) -> Formula:
        """As that of all ``leaves``, from the parts up: guards of what is not volatile make no formulas."""
        out = self.algebra.false
        for value in values:
            for guard, thing in value:
                cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
                if cell is None:
                    continue
                inside = self.algebra.false
                if self.freezes and cell.kind in ("module", "object", "unknown"):
                    inside = self.volatility_among(self.switched_weights(cell))
                if cell.kind in ("tensor", "unknown"):
                    inside = inside | cell.vol
                elif depth < DEPTH_LEAVES and cell.kind in ("list", "dict", "object"):
                    for presence, item in cell.items:
                        inside = inside | (presence & self.volatile_in([item], depth + 1))
                    if cell.kind == "object":
                        inside = inside | self.volatile_in((item for _, item in cell.attrs), depth + 1)
                out = out | (guard & inside)
        return out

    def volatility_among(self, leaves: list[Leaf]) -> Formula:
        """Where one of the leaves is volatile."""
        return self.algebra.any([guard & cell.vol for guard, cell in leaves])

    def requires(self, *values: Value) -> Formula:
        """Where one of the values may require grad."""
        return self.requires_among(self.leaves(values))

    def requires_among(self, leaves: list[Leaf]) -> Formula:
        """Where one of the leaves may require grad: at most there, where that hangs on much that nothing repeats."""
        out = self.algebra.false
        for guard, cell in leaves:
            out = self.wider(out | (guard & cell.req))
        return out

    def sites_of(self, *values: Value) -> frozenset[SiteKey]:
        """The sites that the volatility of the values comes from, less those that were refused."""
        return self.sites_among(self.leaves(values))

    def sites_among(self, leaves: list[Leaf]) -> frozenset[SiteKey]:
        """As ``sites_of``, of leaves."""
        sites: frozenset[SiteKey] = frozenset()
        for guard, cell in leaves:
            if cell.sites and not cell.sites <= sites and self.meets(guard, cell.vol):
                sites |= cell.sites
        return sites - self.left_among(sites) if sites else sites

    def meets(self, guard: Formula, vol: Formula) -> bool:
        """Can something be there on the current path, and be volatile? Formulas are made only where both depend."""
        if vol.is_true or guard.is_true:
            return not self.pc.excludes(guard & vol)
        return not vol.is_false and not (guard & self.pc).excludes(vol)

    def left_among(self, sites: Iterable[SiteKey]) -> frozenset[SiteKey]:
        """Those of the sites that were refused: their flag stays, and has no effect today."""
        return frozenset(site for site in sites if site in self.refused)

    def origins(self, *values: Value) -> frozenset[SiteKey]:
        """The sites that made the values volatile on 0.3, those that were refused included."""
        return self.origins_among(self.leaves(values))

    def origins_among(self, leaves: list[Leaf]) -> frozenset[SiteKey]:
        """As ``origins``, of leaves."""
        left: frozenset[SiteKey] = frozenset()
        for guard, cell in leaves:
            if cell.sites and not guard.excludes(self.pc):
                left |= self.left_among(cell.sites)
        return left | self.sites_among(leaves)

    def assumed_of(self, *values: Value) -> frozenset[CallKey]:
        """The calls whose result was taken to be volatile on the way to the values."""
        return self.assumed_among(self.leaves(values))

    def assumed_among(self, leaves: list[Leaf]) -> frozenset[CallKey]:
        """As ``assumed_of``, of leaves."""
        assumed: frozenset[CallKey] = frozenset()
        for guard, cell in leaves:
            if cell.assumed and not cell.assumed <= assumed and self.meets(guard, cell.vol):
                assumed |= cell.assumed
        return assumed

    def nothing_in(self, values: Sequence[Value]) -> Formula:
        """Where something in the values is None that is a Variable elsewhere, and no other Variable is there."""
        absent = self.algebra.any(self.absent_in(values, 0))
        return absent if absent.is_false else absent & ~self.algebra.any(guard for guard, _ in self.leaves(values))

    def nothing(self, values: Iterable[Value]) -> Value:
        """What comes of computing on nothing; it knows where the values come from that are there on other paths."""
        return self.new("nothing", sites=self.origins(*values))

    def is_nothing(self, thing: Abstract) -> bool:
        """Is it None where there is a Variable elsewhere, or computed from that?"""
        return thing == ABSENT or (isinstance(thing, Ref) and self.heap[thing.cell].kind == "nothing")

    def ask_of_nothing(self, node: ast.AST, frame: Frame, values: Iterable[Value]) -> None:
        """Gradients are asked of what was taken for nothing: it was something."""
        for guard, thing in (row for value in values for row in value):
            if isinstance(thing, Ref) and self.is_nothing(thing) and not (self.pc & guard).is_false:
                self.conflicts.append(Conflict(frame.path, node, self.heap[thing.cell].sites, frozenset()))

    def absent_in(self, values: Iterable[Value], depth: int) -> list[Formula]:
        """Where something in the values is None that is a Variable elsewhere."""
        found = []
        for value in values:
            for guard, thing in value:
                if self.is_nothing(thing):
                    found.append(guard)
                elif isinstance(thing, Ref) and depth < DEPTH_EXPOSED and self.heap[thing.cell].kind == "list":
                    rows = self.heap[thing.cell].items
                    found += [guard & there & g for there, v in rows for g in self.absent_in([v], depth + 1)]
        return found

    def only_plain(self, values: Iterable[Value]) -> bool:
        """Can nothing in the values be a Variable?"""
        return not self.leaves(values)

    # --- operations --------------------------------------------------------------------------------------------------

    def check_cut(self, node: ast.AST, frame: Frame, leaves: list[Leaf], vol: Formula | None = None,
                  number: int = 0) -> None:
        """A part of something unknown that was read inside a block has no graph: using it where one is wanted shows.

        ``vol``, ``number``: of the result of the operation that uses it, if nothing but that can matter.
        """
        for guard, cell in leaves:
            if cell.cut is not None:
                lost = self.pc & guard & cell.cut & cell.req & ~self.off_planned
                lost = lost if vol is None else lost & ~vol
                if not lost.is_false:
                    self.facts.append(Fact((*frame.chain, node), self.algebra.false, lost, self.algebra.true,
                                           text="read inside a block", number=number))

    def record(self, node: ast.AST, frame: Frame, need: Formula, forbid: Formula, *values: Value, text: str = "",
               assumed: frozenset[CallKey] = frozenset(), blocked: str = "", alone: bool = True) -> frozenset[int]:
        """Leave a fact, unless it asks nothing; the result is what a value made here remembers of its making.

        ``alone``: whatever becomes of its result, it wants its graph. Else nothing but the result can matter.
        """
        forbid = forbid & ~self.off_existing
        need = need & ~self.off_existing
        parents = frozenset() if alone else self.liveness.made_of(on_paths(value, self.pc) for value in values)
        if need.is_false and forbid.is_false:
            return parents
        if self.away and not need.implies(self.off_planned):
            blocked = "other-thread"
        sites = self.sites_of(*values) if not need.is_false else frozenset()
        off = self.algebra.true if id(node) in self.wrapped else self.off_planned
        assumed = assumed | self.assumed_of(*values)
        # a volatile result leads on to no graph, where that it is volatile is known and not taken for granted
        known = need if self.precision is EXACT and not assumed else self.algebra.false
        number = 0 if alone else self.liveness.number(parents, known)
        self.facts.append(Fact((*frame.chain, node), need, forbid, off, sites, assumed, text, blocked, self.lazy,
                               number))
        return frozenset() if alone else frozenset({number})

    def note_put_off(self, node: ast.AST, frame: Frame) -> None:
        """A call gives something that runs later, as somebody goes over it."""
        if frame.is_root:
            self.put_off.add(id(node))

    def run_hooks(self, node: ast.AST, frame: Frame, vol: Formula, values: Sequence[Value]) -> None:
        """A network may run: what its hooks compute with weights has a graph, though its input is volatile."""
        met = self.pc & vol
        if not met.is_false and (self.hooked or (
                self.leaving is not None and self.leaving.hook_leaves((*frame.chain, node)))):
            self.record(node, frame, met, met, *values, text="call", blocked="forward-hook")

    def note_passed(self, node: ast.AST, frame: Frame, given: Sequence[Value], known: bool = False,
                    bodies: tuple[tuple[str, ast.AST], ...] = ()) -> None:
        """Layers may run: hooks may ask for the flag of what they are given, and today for grad mode.

        ``known``: it is a layer, or an object, that is called: it is given these itself.
        """
        if not self.hooks_ask:
            return
        off = self.off_planned | self.off_existing
        agree = [self.agrees(value, off) for value in given]
        if not bodies and not self.leaves(given):  # what is computed of nothing is not volatile
            agree = [(self.pc & off).is_false]
        self.passed.append(Passed(frame.path, node, all(agree[:1] if known else agree), all(agree),
                                  not (self.pc & off).is_false, self.origins(*given), bodies))

    def agrees(self, value: Value, off: Formula) -> bool:
        """Is each tensor in a value volatile where grad mode is off, and nowhere else?"""
        return all((self.pc & guard & ((cell.vol & ~off) | (~cell.vol & off))).is_false
                   for guard, cell in self.leaves([value]) if cell.origin != "data")

    def operate(self, node: ast.AST, frame: Frame, inputs: list[Value], *, others: list[Value] | None = None,
                parameters: bool = False, differentiable: bool = True, kind: str = "tensor",
                assumed: frozenset[CallKey] = frozenset(), text: str = "", key: Value = ()) -> Value:
        """One torch operation: ``inputs`` pass volatility on, ``others`` (targets, indices) do not.

        ``parameters``: it has weights of its own. The result is volatile where an input is, and may require grad where
        an input or a weight does and no input is volatile. ``key``: one of the inputs that no gradient goes to.
        """
        leaves = self.leaves(inputs)
        spared = self.leaves(others) if others else []
        beside = [*leaves, *spared]
        self.note_met(frame, node, text, leaves, beside)
        self.note_met(frame, node, f"{BESIDE}{text}", spared, beside)
        if not parameters and not leaves:
            return self.plain()  # nothing in it can be a Variable
        nothing = self.nothing_in(inputs)
        if not (self.pc & nothing).is_false:
            with self.narrowed(~nothing):
                made_there = self.operate(node, frame, inputs, others=others, parameters=parameters,
                                          differentiable=differentiable, kind=kind, assumed=assumed, text=text,
                                          key=key)
            return choose(~nothing, made_there, self.nothing(inputs))
        self.operations += 1
        vol = self.always_here(self.volatility_among(leaves))
        learns = self.leaves(each for each in inputs if each is not key) if key else leaves
        req = self.algebra.true if parameters else self.requires_among(learns)
        if parameters:
            self.run_hooks(node, frame, vol, inputs)
        if not differentiable:
            req = self.algebra.false
        first = len(self.liveness.parents)
        made = self.record(node, frame, self.pc & vol & req, self.pc & req & ~vol, *inputs, text=text,
                           assumed=assumed, alone=False)
        if differentiable:
            self.check_cut(node, frame, leaves, vol, max((n for n in made if n > first), default=0))
        else:
            made = self.liveness.constructed()
        if differentiable and not parameters:  # a module may give what it keeps
            made = self.liveness.note_result(made, first, (cell for _, cell in leaves),
                                             own=isinstance(node, ast.BinOp) or is_new_by_adding(node, inputs))
        idle = not parameters and (self.pc & vol & req).is_false and self.are_idle(leaves)
        return self.new(kind, vol=vol, req=req & ~vol, sites=self.origins_among(leaves), origin="call", made=made,
                        doubt=self.doubts_among(leaves), idle=idle,
                        known=all(cell.known for _, cell in leaves),
                        assumed=self.assumed_among(leaves) | (assumed if not vol.is_false else frozenset()))

    def always_here(self, formula: Formula) -> Formula:
        """A formula, or true where it holds on every path that comes here: on others nobody has what is made here."""
        return self.algebra.true if not self.pc.is_false and self.pc.implies(formula) else formula

    def are_idle(self, leaves: list[Leaf]) -> bool:
        """Did nothing ask for a block yet for what is volatile among leaves?"""
        volatile = [cell for _, cell in leaves if not cell.vol.is_false]
        return bool(volatile) and all(cell.idle for cell in volatile)

    def doubts_among(self, leaves: list[Leaf]) -> frozenset[CallKey]:
        """The unknown calls, given something that may have a graph too, that leaves come from."""
        return frozenset(key for _, cell in leaves for key in cell.doubt)

    whole: tuple[ast.AST, Formula, Value] | None = None  # a call that is made on each of several values: all of them

    def surely_volatile(self, node: ast.AST, values: Sequence[Value]) -> bool:
        """Is whatever comes to ``node`` volatile, on every path that leads there?

        Then it is no evidence that the program ran: the line was never come to, or something on the way there is not
        what it looks like, a network that cures what it is given, and nothing says which.
        """
        at = self.pc
        asked = {thing for value in values for _, thing in value}
        if self.whole is not None and self.whole[0] is node and asked <= {thing for _, thing in self.whole[2]}:
            _, at, together = self.whole
            values = [together]
        return not at.is_false and self.algebra.blurred.isdisjoint(at.support()) and at.implies(
            self.volatility(*values))

    def certain(self) -> bool:
        """Is the current path one that no condition of the author's can have kept from running?"""
        if not self.algebra.blurred.isdisjoint(self.pc.support()):
            return False
        return all(atom in self.opaque or atom not in self.texts for atom in self.pc.support())

    def demand(self, node: ast.AST, frame: Frame, *values: Value) -> None:
        """Gradients are asked of the values: where one is volatile, 0.3.0 raised and the path ends."""
        leaves = self.leaves(values)
        self.ask_of_nothing(node, frame, values)
        vol, assumed = self.volatility_among(leaves), self.assumed_among(leaves)
        self.check_cut(node, frame, leaves)
        self.liveness.mark(self.pc, values)
        self.raised = self.raised | (self.pc & vol)
        unseen = any("call" in self.met.get(site, {}).values() for site in self.sites_among(leaves)) or any(
            cell.kind == "unknown" and not (guard & self.pc & cell.vol).is_false for guard, cell in leaves)
        if not (self.pc & vol).is_false:
            self.raising.append(Conflict(frame.path, node, self.sites_among(leaves), assumed, unseen))
        self.record(node, frame, self.algebra.false, self.pc & ~vol, text="backward")
        always, chain = self.pc.implies(vol) and not self.pc.is_false, (*frame.chain, node)
        if not (self.pc & ~vol).is_false:
            self.granted.append(chain)
        if assumed or (always and self.certain()) or self.surely_volatile(node, values):
            self.conflicts.append(Conflict(frame.path, node, self.sites_among(leaves), assumed, unseen, chain))
            return
        self.pc = self.pc & ~vol


def is_new_by_adding(node: ast.AST, inputs: Sequence[Value]) -> bool:
    """Is it ``0 += y`` (or ``-=`` ...)? A number takes nothing in place: what comes of it is as new as of ``0 + y``."""
    return isinstance(node, ast.AugAssign) and bool(inputs) and all(isinstance(thing, Const) for _, thing in inputs[0])
