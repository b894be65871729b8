"""The verdict on a change: every function that it touches, and their callers, along the ways through their
conditions.
"""

from __future__ import annotations

import ast
import heapq
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from voltfix.verify.plan import FAILS, THROUGH
from voltfix.verify.symbolic.closure import callers_of, calls, closure, makers, may_be, may_hold, outermost, readers
from voltfix.verify.symbolic.compare import Difference, differences, has_graph
from voltfix.verify.symbolic.coverage import deciding, watch
from voltfix.verify.symbolic.flags import flags_of
from voltfix.verify.symbolic.neighbours import SAID, Neighbour
from voltfix.verify.symbolic.project import Side, Unit
from voltfix.verify.symbolic.run import Seen, run
from voltfix.verify.symbolic.walking import walk
from voltfix.verify.symbolic.work import Item, Reached, Verdict
from voltfix.verify.symbolic.world import MAX_OPERATIONS, Line, Stopped, World

MAX_PATHS = 32  # ways through a function with plain parameters
HORIZON = 12
MAX_WRAPPED = 3  # runs until it is known which unknowns are plain tensors
MAX_NEAR = 3  # questions before an error that are answered the other way before any others
MAX_READERS = 12  # methods that ask for what another one left on their object
LONG = 3  # so many times as many operations a run may take where none came to its end
MAX_TURNED = 3  # questions of the new text alone that are answered the other way
_NOTHING: Mapping[Hashable, bool] = {}
MAX_PATHS_MORE = 12  # ... with parameters that require grad, or that are volatile
# operations after which no further way is begun, once a way came to its end and the changed lines were reached;
# counted rather than timed, so that a verdict does not depend on the machine
ENOUGH = 2_000
MIXED = 1 / 3  # of that for ways that answer nothing as it was never answered before
PATIENCE = 8  # so many times that where nothing else reaches the changed lines, and where no way comes to its end


_THROUGH = " (given that what is called is the method of that name in this project)"
_ELSEWHERE = " (given that what is called is not the method of that name in this project)"


@dataclass(frozen=True)
class Given:
    """What is assumed in a round of runs: of the parameters, and of the settings of the modules."""

    grad: bool = False
    volatile: bool = False
    open_settings: bool = False
    brief: bool = False  # loops go round as often as shows what one round leaves for the next (``World.brief``)
    long: bool = False  # a run takes more operations (``World.most``)
    short: bool = False  # loops over a known number of things go round four times
    flagged: bool = False  # parameters that the new text has no more are given what they are not by default
    open_options: bool = False
    readers: bool = False  # a parameter that is called is the one network of the project that asks for ``.volatile``
    through: bool = False  # a method of something unknown is the one of that name that was touched
    networks: bool = False  # what is taken for a function by its name has parameters of its own
    filled: bool = False  # containers, modules and objects have what the code asks of them
    state: frozenset[str] = frozenset()  # attributes that other methods leave volatile, and no longer do
    within: bool = False  # the new text is called within no_grad, as what called the old one with a flag does now

    @property
    def guessed(self) -> bool:
        """Does the text say nothing of what is assumed? Then a difference is no alarm."""
        return self.open_options or self.readers or self.networks or self.through or self.filled

    def __str__(self) -> str:
        if self.filled:
            return " (given what is missing here)"
        if self.grad:
            return " (given parameters that require grad)"
        if self.through:
            return _THROUGH
        if self.networks:
            return " (given that what is called has parameters of its own)"
        if self.readers:
            return " (given the network of this project that asks for `.volatile`)"
        if self.open_options:
            return " (given settings that are not what the module sets them to)"
        if self.flagged:
            return " (given the flag that the function no longer takes)"
        return " (given volatile parameters)" if self.volatile else ""


_Way = tuple[tuple[Hashable, bool], ...]  # what was decided, in order


@dataclass
class _Tally:
    reached: Reached
    complete: int = 0
    operations: int = 0
    raised: int = 0  # ways that end in an exception which the project raises
    vanished: list[str] = field(default_factory=list)  # a refusal of 0.3's own before that does not come after
    volatile_errors: int = 0
    asked: dict[Hashable, set[Line | None]] = field(default_factory=dict)  # on which lines something is asked
    assumed: frozenset[Hashable] = frozenset()  # on the last way: what let a guard pass
    avoid: dict[Line | None, bool] = field(default_factory=dict)  # ``World.avoid``, while ways end at errors
    failed: bool = False  # the last way ended at an error
    failing: list[tuple[Seen, Seen]] = field(default_factory=list)  # 0.3 raised for a volatile value
    causes: list[str] = field(default_factory=list)
    met: bool = False  # a method of something unknown may be one that was touched
    doubted: bool = False  # parameters of what is taken for a function by its name would make a difference
    stuck: bool = False  # all ways ended at errors of Python's own
    tired: bool = False  # a run used up its operations before any way came to its end
    cut: bool = False  # a loop was cut short in a brief run
    whole: bool = False  # loops are cut no longer: what brief runs showed was not enough
    late: bool = False  # no time is left for another run
    ends: list[tuple[_Way, str | None, Line | None]] = field(default_factory=list)  # the error that each way ends at
    latent: bool = False  # ``World.latent``
    found: list[Difference] = field(default_factory=list)
    way: tuple[tuple[str, bool], ...] = ()
    supposed: str | None = None  # a difference that rests on what is only supposed, as a sentence
    when: str = ""  # the condition of the way on which that was found


Guard = Callable[[], AbstractContextManager[None]]


def verify(item: Item, guard: Guard = nullcontext) -> tuple[str, str | None, list[Verdict]]:
    """(verdict, detail, verdict of each function) of a change; each function runs within ``guard``."""
    for path in item.before.trees:
        if path in item.after.texts and path not in item.after.trees:
            return "different", f"{path}: does not parse after: {item.after.errors[path]}", []
    watch(item)
    units = closure(item)
    broken = [f"{path}: {cause}" for side in (item.before, item.after) for path, cause in side.errors.items()]
    if not units and broken:
        return "not-run", broken[0], []
    if not units:
        return "not-run", "nothing that can be run on its own was touched", []
    made: dict[Unit, list[Unit]] = {}
    local = item.local
    _run_all(item, units, made, guard)
    for unit, verdict in _states(item, guard):
        local[unit] = verdict
        made[unit] = callers_of(item, unit)
        units += [each for each in (unit, *made[unit]) if each not in units]
    _run_all(item, units, made, guard)
    callers = {
        unit: [each for each in units if each != unit and (each in made.get(unit, ()) or calls(item, each, unit))]
        for unit in units
    }
    final = [local[unit] if item.exact else _judged(item, unit, local, callers) for unit in units]
    bad = [verdict for verdict in final if verdict.verdict == "different"]
    if bad:
        return "different", bad[0].detail, final
    final = [_covered(verdict, item.reached, item.exact, item.quick) for verdict in final]
    mine = {outermost(unit, item) for unit in item.touched}
    touched = [verdict for verdict in final if verdict.unit in mine] or final
    touched += [each for each in final if local[each.unit].verdict == "different" or local[each.unit].possible]
    missing = [verdict for verdict in touched if verdict.verdict == "not-run"]
    if missing:
        return "not-run", missing[0].detail, final
    return "identical", None, final


def _run_all(item: Item, units: list[Unit], made: dict[Unit, list[Unit]], guard: Guard) -> None:
    """Run what was not run yet. ``units`` grows: what is different by itself is judged by those who make objects of its
    class, too."""
    for unit in units:
        if unit not in item.local:
            item.local[unit] = _guarded(unit, partial(function_verdict, item, unit), guard)
        if item.local[unit].verdict == "different" and not item.exact:
            made[unit] = makers(item, unit)
            units += [each for each in made[unit] if each not in units]


def _states(item: Item, guard: Guard) -> list[tuple[Unit, Verdict]]:
    """What those methods do that ask for an attribute in which another one leaves something volatile no longer: the
    verdict on each that is the same by itself, and is not once that was left."""
    found: dict[Unit, list[str]] = {}
    for name, leaver in item.reached.left.items() if not (item.exact or item.quick) else ():
        for unit in readers(item, name, leaver):
            found.setdefault(unit, []).append(name)
    if len(found) > MAX_READERS:
        return []
    told = []
    for unit, names in found.items():
        own = item.local.get(unit)
        if own is not None and own.verdict != "identical":
            continue
        after = _guarded(unit, partial(_with_state, item, unit, names), guard)
        if after.verdict == "different":
            given = f"(given that `{names[0]}` is volatile, as {item.reached.left[names[0]].name} leaves it)"
            told.append((unit, Verdict(unit, "not-run", f"{after.detail} {given}", after.paths, True)))
    return told


def _with_state(item: Item, unit: Unit, names: list[str]) -> Verdict:
    """The ways through a method of an object that has something volatile in these attributes."""
    tally = _Tally(item.reached)
    paths = _Search(item, unit, Given(state=frozenset(names)), _lost_parameters(item, unit), tally).go(PATIENCE)
    if tally.found:
        text = f"{unit.path}: {unit.name}: {tally.found[0].text}{tally.when}"
        return Verdict(unit, "different", text, paths)
    return Verdict(unit, "identical" if tally.complete else "not-run", None, paths)


def _covered(verdict: Verdict, reached: Reached, exact: bool, quick: bool) -> Verdict:
    """Nothing is said about a function whose changed lines no compared run came by."""
    missing = reached.missing(verdict.unit)
    if verdict.verdict != "identical":
        return verdict
    idle, untold = None if exact else reached.unexercised(verdict.unit), reached.untold(verdict.unit)
    if idle is None and untold is not None:
        kind, (_, line) = untold
        idle = f"{SAID[kind].format(f'line {line}')} it would look the same"
    vain = None if quick or exact or missing else reached.vain(verdict.unit)
    if idle is None and vain is not None:
        idle = f"nothing in the block of line {vain[1]} could have a graph in what was run"
    if not missing and idle is None:
        return verdict
    where = f"{verdict.unit.path}: {verdict.unit.name or 'module body'}"
    cause = f"{where}: {idle}"
    if missing:
        cause = f"{where}: {missing[0].line} changed, and no way that was run comes by it"
    return Verdict(verdict.unit, "not-run", cause, verdict.paths)


def _guarded(unit: Unit, work: Callable[[], Verdict], guard: Guard) -> Verdict:
    try:
        with guard():
            return work()
    except Stopped as stop:
        return Verdict(unit, "not-run", f"{unit.path}: {unit.name or 'module body'}: {stop}")
    except MemoryError:
        return Verdict(unit, "not-run", f"{unit.path}: {unit.name or 'module body'}: used up its memory")


def _judged(
    item: Item,
    unit: Unit,
    local: dict[Unit, Verdict],
    callers: dict[Unit, list[Unit]],
    seen: tuple[Unit, ...] = (),
) -> Verdict:
    """A function whose contract is the project's own is judged by what its callers make of it."""
    own, reached = local[unit], item.reached
    others = [each for each in callers[unit] if each not in seen]
    if own.verdict == "identical" or not others:
        return own
    above = [_judged(item, each, local, callers, (*seen, unit)) for each in others]
    if not all(each.verdict == "identical" for each in above):
        return own
    roots = _above(unit, callers)
    right = [each for each in roots if local[each].verdict == "identical"]
    missed, idle = reached.missed(unit, right), reached.unexercised(unit, right)
    if not missed and idle is None:
        return Verdict(unit, "identical", THROUGH, own.paths)
    moved = may_hold(item, roots, unit)
    if own.verdict != "different" or not (moved or (not missed and reached.only_reads(unit))):
        return own  # nothing of it moved out to them
    cause = f"{own.detail}; through its callers {idle}"
    if missed:
        cause = f"{own.detail}, and no way through its callers comes by {missed[0].line}"
    return Verdict(unit, "not-run", cause, own.paths)


def _above(unit: Unit, callers: dict[Unit, list[Unit]]) -> list[Unit]:
    """The callers of a function, and theirs."""
    found: list[Unit] = []
    waiting = [*callers[unit]]
    while waiting:
        each = waiting.pop()
        if each not in found and each != unit:
            found.append(each)
            waiting += callers[each]
    return found


# -- one function ------------------------------------------------------------


def function_verdict(item: Item, unit: Unit) -> Verdict:
    """Run one function before and after along the ways through its conditions; compare."""
    tally, paths = _Tally(item.reached, whole=item.exact), 0
    only_before = _lost_parameters(item, unit)
    searches: dict[Given, _Search] = {}
    for given, patience in _rounds(item, unit, bool(only_before), tally):
        if given not in searches:
            searches[given] = _Search(item, unit, given, only_before, tally)
            if patience == 0:
                searches[given].waiting = list(dict.fromkeys([_failing(tally)[0], ()]))
        paths += searches[given].go(patience)
        if tally.late:
            break
        if tally.found:
            text = f"{unit.path}: {unit.name or 'module body'}: {tally.found[0].text}{given}{tally.when}"
            guessed = given.guessed or (given.volatile and not item.reached.changed(unit))
            given_too = [("(parameters require grad)", given.grad), ("(within no_grad)", given.within)]
            way = (*tally.way, *(each for each in given_too if each[1]))
            return Verdict(unit, "not-run" if guessed else "different", text, paths, given.through, way)
    where = f"{unit.path}: {unit.name or 'module body'}: "
    if tally.supposed is not None:
        possible = tally.supposed.endswith((_THROUGH, _ELSEWHERE))
        return Verdict(unit, "not-run", where + tally.supposed, paths, possible)
    if tally.vanished and not tally.complete:  # it raised whatever happens
        return Verdict(unit, "different", where + tally.vanished[0], paths)
    if tally.volatile_errors == paths:  # it raises on both sides, however it is called
        for before, after in tally.failing:
            item.reached.note(unit, before.reached, after.reached, before.flags)
    empty = item.reached.empty(unit) if tally.stuck and tally.complete and not (item.quick or item.exact) else None
    if empty is not None:  # what was filled in has no weights: it would look the same with any block
        cause = f"without what is missing here nothing in the block of line {empty[1]} could have a graph"
        return Verdict(unit, "not-run", where + cause, paths)
    if tally.complete or ((tally.raised or tally.volatile_errors == paths > 0) and not tally.causes):
        fails = not tally.complete and tally.volatile_errors == paths
        return Verdict(unit, "identical", FAILS if fails else None, paths)
    return Verdict(unit, "not-run", _cause(unit, tally), paths)


def _rounds(item: Item, unit: Unit, lost: bool, tally: _Tally) -> Iterator[tuple[Given, int]]:
    """What is assumed in each round of runs, and how many ways are tried then: one after the other, as those before
    leave something open. What costs least comes first. ``lost``: are there parameters that one side alone has?"""

    def given(**more: Any) -> Given:
        tired, whole = tally.tired, tally.whole
        return Given(
            brief=not whole, long=tired and not whole, short=tired and whole, **{"filled": tally.stuck, **more}
        )

    def told() -> bool:
        return item.quick or (item.reached.untold(unit) is None and item.reached.vain(unit) is None)

    yield given(), 1
    if tally.cut and not tally.tired and (not tally.complete or tally.causes or not told()):
        kept = tally.causes[:], tally.raised
        _look_closer(tally)
        if kept[0]:  # does a way that ends at an error do so where loops are not cut, too? then that is no cause
            before = _failing(tally)
            yield given(), 0
            if tally.ends[-1] == before and told() and not tally.tired:
                (tally.causes, tally.raised), tally.whole, tally.cut = kept, False, False
        if tally.whole:
            yield given(), 1
    if tally.tired:
        yield given(), 1
    ended = any("the code stops at" in each for each in tally.causes)
    ended = ended or (tally.raised > 0 and bool(item.reached.missing(unit)))
    tally.stuck = not tally.complete and ended
    if tally.stuck:
        yield given(), 1
    if item.exact:
        return
    if not tally.complete or tally.latent:  # else nobody saw whether they do
        yield given(grad=True), 1
    if _reads_flag(item.before, unit):
        yield given(volatile=True, within=True), 1
    readers = [each for each in item.before.flag_readers if each.name.endswith(".forward")]
    reading = any(unit not in makers(item, each) for each in readers)  # who makes such a network is not handed one
    lacking = [Given(flagged=True, within=True), Given(flagged=True)] if lost else []
    if tally.supposed is not None:  # nothing that other rounds reach makes it identical
        return
    if reading:
        yield given(readers=True), 1
    for patience, closer in ((1, False), (PATIENCE, False), (PATIENCE, True)):
        if closer and (tally.whole or not tally.cut):
            break
        if closer:
            _look_closer(tally)
        if patience > 1:
            yield given(), patience
        for each in (*lacking, Given(open_settings=True)):
            if tally.complete and _lacking(item.reached, unit):
                yield given(flagged=each.flagged, within=each.within, open_settings=each.open_settings), patience
        if not (tally.complete and _lacking(item.reached, unit)):
            break
    if tally.complete and _lacking(item.reached, unit):
        yield given(open_settings=True, open_options=True), PATIENCE
    if tally.met:
        yield given(through=True), PATIENCE
    if tally.doubted or not told():  # without parameters there no block makes a difference, or none was seen to
        yield given(networks=True), PATIENCE
    if not tally.stuck and item.reached.missing(unit):  # lines that no run came by yet
        tally.stuck = True
        if tally.complete and _lacking(item.reached, unit):
            yield given(open_settings=True), PATIENCE


def _failing(tally: _Tally) -> tuple[_Way, str | None, Line | None]:
    """The first way that ends at an error: what was decided on it, the error and its line."""
    return next((each for each in tally.ends if each[1] is not None), ((), None, None))


def _look_closer(tally: _Tally) -> None:
    """What brief runs showed is not enough: from here on loops go round as they do."""
    tally.whole, tally.raised = True, 0
    tally.causes.clear()


def _lacking(reached: Reached, unit: Unit) -> bool:
    """Is there a changed line that no run came by yet, or a flag that was not both ways?"""
    return bool(reached.missing(unit)) or reached.unexercised(unit) is not None


def _cause(unit: Unit, tally: _Tally) -> str:
    where = f"{unit.path}: {unit.name or 'module body'}: "
    return where + (tally.causes[0] if tally.causes else "no way through it came to an end")


def _lost_parameters(item: Item, unit: Unit) -> frozenset[str]:
    """Parameters that the function has on one side only."""

    def names(side: Side) -> set[str]:
        node = side.units.get(unit)
        return (
            {each.arg for each in walk(node.args) if isinstance(each, ast.arg)}
            if node is not None
            else set()
        )

    return frozenset(names(item.before) ^ names(item.after))


def _reads_flag(side: Side, unit: Unit) -> bool:
    """Does the function ask whether something is volatile?"""
    node = side.units.get(unit)
    return node is not None and any(flag.read for each in side.inside(node) for flag in flags_of(each))


@dataclass
class _Search:
    """The ways through a function under what is assumed in a round of runs. It can be taken up again."""

    item: Item
    unit: Unit
    given: Given
    only_before: frozenset[str]
    tally: _Tally
    done: int = 0
    near: int = 0
    operations: int = 0
    complete: int = 0
    waiting: list[_Way] = field(default_factory=lambda: [()])
    # ways on which nothing is answered as it was never before: others for the answers together
    mixing: list[_Way] = field(default_factory=list)
    # ways that are turned at a condition before what is still missing
    pressing: list[tuple[int, int, _Way]] = field(default_factory=list)
    known: set[frozenset[tuple[Hashable, bool]]] = field(default_factory=set)
    answers: set[tuple[Hashable, bool]] = field(default_factory=set)  # on which line, or where there is none to what

    def go(self, patience: int) -> int:
        """Try ways, ``patience`` times as many while changed lines were not reached (0: one); how many it were."""
        tally, given, first = self.tally, self.given, self.done
        limit = MAX_PATHS_MORE if given.grad or given.volatile else MAX_PATHS
        enough = ENOUGH * limit // MAX_PATHS
        while ((self.waiting or self.mixing) and self.done < limit) or (self.pressing and self.done < 2 * limit):
            lacking = _lacking(tally.reached, self.unit)
            often = 1 if self.waiting else MIXED
            if lacking and not given.grad and tally.supposed is None:
                often = patience
            if self.operations > enough * (often if tally.complete or tally.supposed is not None else PATIENCE):
                break
            pressed = self.pressing and (lacking or not self.complete or not (self.waiting or self.mixing))
            queue = self.waiting or self.mixing
            rank, _, prefix = heapq.heappop(self.pressing) if pressed else (0, 0, queue.pop(0))
            if rank < 0:  # wherever that line asks: a loop is not to end at the same error again
                tally.avoid.update(dict.fromkeys(tally.asked.get(prefix[-1][0], ()), prefix[-1][1]))
            else:
                tally.avoid.clear()
            start, complete = tally.operations, tally.complete
            taken = _both(self.item, self.unit, given, self.only_before, prefix, tally)
            self.operations += tally.operations - start
            self.complete += tally.complete - complete
            self.done += 1
            if tally.found or tally.late or (tally.tired and not (given.short or given.long)):
                break
            self._turn(prefix, taken, deciding(self.item, self.unit) if lacking else {}, limit)
            if patience == 0:
                break
        return self.done - first

    def _turn(self, prefix: _Way, taken: list[tuple[Hashable, bool]], lines: dict[Line, int], limit: int) -> None:
        """Note the ways that leave this one at something that it decided."""
        tally = self.tally
        horizon = 3 * HORIZON if self.given.open_settings else HORIZON  # where lines are missing, look further
        for place in range(len(prefix), len(taken)):
            name, way = taken[place]
            if name in tally.assumed:
                continue
            ranks = [lines[at] for at in tally.asked.get(name, ()) if at is not None and at in lines]
            order = min(ranks, default=None)
            if tally.failed and not self.complete and place >= len(taken) - MAX_NEAR and self.near < limit:
                order = len(taken) - MAX_NEAR - 1 - place  # an error: what was asked last comes first
                self.near += order == -MAX_NEAR
            if place >= horizon and order is None:
                continue
            branch = (*taken[:place], (name, not way))
            label = frozenset(branch)
            if label in self.known:
                continue
            self.known.add(label)
            if order is None:
                answers = {(name if at is None else at, not way) for at in tally.asked.get(name, ()) or (None,)}
                (self.mixing if answers <= self.answers else self.waiting).append(branch)
                self.answers |= answers
            else:
                heapq.heappush(self.pressing, (order, -len(self.known) if order < 0 else len(self.known), branch))


def _both(
    item: Item,
    unit: Unit,
    given: Given,
    only_before: frozenset[str],
    prefix: _Way,
    tally: _Tally,
) -> list[tuple[Hashable, bool]]:
    """One way through, before and after; what was decided on it."""
    return _Sides(item, unit, given, only_before, prefix, tally).compared()


class _Sides:
    """One way through a unit, before and after: how each side is run, and what the tally takes from it."""

    def __init__(
        self, item: Item, unit: Unit, given: Given, only_before: frozenset[str], prefix: _Way, tally: _Tally
    ) -> None:
        self.item, self.unit, self.given, self.only_before = item, unit, given, only_before
        self.prefix, self.tally = prefix, tally
        self.decisions: Mapping[Hashable, bool] = dict(prefix)
        self.through = given.through
        self.ran = False  # is the program taken for one that ran on 0.3?
        self.wrapped: frozenset[str] = frozenset()  # what is taken for plain tensors

    def old(self, contagious: bool, wrapped: frozenset[str] = frozenset()) -> Seen:
        """The text before; ``contagious``: what unknown code gives for something volatile is volatile."""
        item, given = self.item, self.given
        legacy = not item.exact
        state = World(legacy, item.exact, dict(self.decisions), given.grad, given.volatile, contagious, item.device)
        state.flagged = given.state
        return run(item.before, self.unit, self._prepared(state, wrapped), self.only_before)

    def new(
        self,
        before: Seen,
        wrapped: frozenset[str] = frozenset(),
        neighbour: Neighbour | None = None,
        other: Mapping[Hashable, bool] = _NOTHING,
    ) -> Seen:
        """The text after, or a near miss of it, on the way that the text before took."""
        item, given = self.item, self.given
        legacy, joint = item.rest == "legacy", {**self.decisions, **dict(before.taken), **other}
        state = World(legacy, True, joint, given.grad, given.volatile and legacy, not self.ran, item.device)
        state.variables = set(before.variables)
        if not item.quick:
            state.watched, state.neighbour = item.reached.watched(), neighbour
        return run(
            item.after, self.unit, self._prepared(state, wrapped), self.only_before, grad_enabled=not given.within)

    def _prepared(self, state: World, wrapped: frozenset[str]) -> World:
        item, given = self.item, self.given
        state.open_settings, state.open_options = given.open_settings, given.open_options
        state.flag_readers = item.before.flag_readers if given.readers else frozenset()
        state.networks, state.exact = given.networks, item.exact
        state.may, state.through = dict(may_be(item, self.unit)), self.through
        state.short, state.brief, state.wrapped, state.turned = given.short, given.brief, wrapped, given.flagged
        state.most = MAX_OPERATIONS * (LONG if given.long else 1)
        state.filled, state.avoid = given.filled, self.tally.avoid
        return state

    def compared(self) -> list[tuple[Hashable, bool]]:
        """What was decided on the way."""
        before, after, taken = self._run()
        if before.volatile_error:
            self._note_raised(before, after, taken)
            return taken
        if before.refused and before.stopped is None and after.stopped is None and after.error is None:
            # a program that ran never came this way: what has no graph was not asked for one
            if not taken:
                self.tally.vanished.append(_vanished(before))
            return taken
        cause = _incomplete(before, after)
        if cause is not None:
            self.tally.causes.append(cause)
            self.tally.tired = self.tally.tired or (not self.tally.complete and "operations" in cause)
            if not _cut(before, after):
                return taken
        found = _differences(before, after, self.given.grad)
        if (found and before.unheld and before.error is not None) or not self._says_something(before, after, found):
            return taken  # who ran the program came by its guard: of a way that ends there, nothing is known
        if found and before.uncertain:
            other = self.old(False, self.wrapped)
            if not other.volatile_error and not _differences(other, after, self.given.grad):
                found = []
        if not found and not self.given.grad and not self.given.within:
            _try_neighbours(
                before, after, self.item.reached, lambda neighbour: self.new(before, self.wrapped, neighbour))
        if cause is None:
            self.tally.complete += before.error is None
            self.tally.raised += before.error is not None
        if found:
            self._blame(found, before, after, taken)
        return taken

    def _run(self) -> tuple[Seen, Seen, list[tuple[Hashable, bool]]]:
        """Both sides, and what was decided on them; what was come by is noted."""
        before = self.old(True)
        if before.volatile_error and (before.uncertain or before.mixed):
            self.ran = True  # a program that ran sent nothing volatile backward: what is unknown gave other things
            before = self.old(False)
        after = self.new(before)
        tally = self.tally
        asked = before.taken + after.taken  # what is taken for plain tensors is asked less
        if _differences(before, after, self.given.grad):
            tally.latent = tally.latent or before.latent or after.latent
            before, after, self.wrapped = _as_tensors(
                before, after, lambda plain: self.old(not self.ran, plain), self.new)
        tally.operations += before.operations + after.operations
        tally.latent = tally.latent or before.latent or after.latent
        tally.reached.entered |= after.entered
        tally.reached.needed |= after.needed
        tally.cut, tally.late = tally.cut or before.cut or after.cut, tally.late or before.late or after.late
        tally.ends.append((self.prefix, before.error, before.line))
        tally.assumed, tally.failed = before.assumed | after.assumed, before.error is not None
        for seen in (after, before):
            for name, lines in seen.asked.items():
                tally.asked.setdefault(name, set()).update(lines)
        known: dict[Hashable, bool] = {}
        for name, way in (*before.taken, *after.taken, *asked):
            known.setdefault(name, way)
        return before, after, list(known.items())

    def _note_raised(self, before: Seen, after: Seen, taken: list[tuple[Hashable, bool]]) -> None:
        """On 0.3 this way raised for something volatile, so the flag was not on there."""
        self.tally.volatile_errors += 1
        self.tally.reached.flags.setdefault(self.unit, set()).update(before.flags)
        if self.given.volatile:
            self.tally.reached.turned.setdefault(self.unit, set()).update(before.flags)
        if after.error is None and not before.uncertain and not taken:
            self.tally.vanished.append(_vanished(before))
        before.world = after.world = None  # nothing else is asked of them
        self.tally.failing.append((before, after))

    def _says_something(self, before: Seen, after: Seen, found: list[Difference]) -> bool:
        """Note what was met; False where nobody calls it so: who calls what trains has no block around it."""
        given, tally = self.given, self.tally
        if not given.within and before.doubts != after.doubts:
            tally.doubted = True
        tally.met = tally.met or bool(before.met | after.met)
        if given.volatile:
            tally.reached.turned.setdefault(self.unit, set()).update(before.flags)
        if (given.within or given.flagged) and (found if given.flagged else _trains(before)):
            return False
        if not (given.guessed or given.volatile or given.flagged or given.grad):
            for name in before.left - after.left:
                tally.reached.left.setdefault(name, self.unit)
        if not given.through:  # what may be called closes nothing
            tally.reached.note(self.unit, before.reached, after.reached, before.flags)
        return True

    def _blame(
        self, found: list[Difference], before: Seen, after: Seen, taken: list[tuple[Hashable, bool]]
    ) -> None:
        """A difference, or one that hangs on what is only supposed of things that are missing."""
        grad, tally = self.given.grad, self.tally
        supposed = _as_variables(taken)
        if supposed is None and not self.through and before.met | after.met:
            self.through = True
            again = self.old(not self.ran, self.wrapped)
            if _same(again, self.new(again, self.wrapped), grad):
                supposed = _ELSEWHERE
            self.through = False
        supposed = supposed or _apart(
            before, after, lambda ways: self.new(before, self.wrapped, None, ways), grad)
        if supposed is not None:
            tally.supposed = tally.supposed or f"{found[0].text}{self.given}{_condition(taken)}{supposed}"
            return
        tally.found += found
        tally.when, tally.way = _condition(taken), tuple(_named(taken))


def _vanished(before: Seen) -> str:
    where = f"{before.where(before.line)}: " if before.line else ""
    return f"{where}{before.error} before, no error after"


def _as_variables(taken: Iterable[tuple[Hashable, bool]]) -> str | None:
    """The unknowns that are Variables already on this way, where the code makes Variables of plain tensors itself: who
    hands those over decides on volatility."""
    for key, way in taken:
        if not isinstance(key, tuple) or key[0] != "isinstance" or not isinstance(key[1], str):
            continue  # of what a network gave it is no supposition
        if (key[2], way) in (("Variable", True), ("Tensor", False)):
            return f" (given that {key[1]} is a Variable already)"
    return None


def _apart(
    before: Seen, after: Seen, answered: Callable[[Mapping[Hashable, bool]], Seen], grad: bool
) -> str | None:
    """The questions that only one side each asked, where other answers to those of the new text would make both do the
    same: whether they are one question in two spellings, nobody knows here. As text; None where that is not so."""
    first, second = dict(before.taken), dict(after.taken)
    mine, other = [each for each in first if each not in second], [each for each in second if each not in first]
    if not mine or not other:
        return None
    for number in range(1, 1 << min(len(other), MAX_TURNED)):
        turned = {each: not second[each] for place, each in enumerate(other) if number >> place & 1}
        again = answered(turned)
        if _incomplete(before, again) is None and not _differences(before, again, grad):
            asked = [", ".join(_asked(keys)) or "a value" for keys in (mine, other)]
            return f" (before and after were asked different questions: {asked[0]}; {asked[1]})"
    return None


def _try_neighbours(before: Seen, after: Seen, reached: Reached, run_as: Callable[[Neighbour], Seen]) -> None:
    """Near misses of a way that is the same on both sides: each has to be told from it somewhere."""
    for neighbour in sorted(after.matters):
        if not reached.neighbours.get(neighbour, False):
            other = run_as(neighbour)
            if other.stopped is not None or any(differences(before, other)):
                reached.neighbours[neighbour] = True
            elif (other if neighbour[0] == "out" else run_as(("weigh", neighbour[1]))).kept:
                reached.neighbours[neighbour] = False  # somebody has that graph, and nobody saw it


def _named(taken: Iterable[tuple[Hashable, bool]]) -> Iterator[tuple[str, bool]]:
    """The conditions of a way that ask for what has a name."""
    for key, way in taken:
        kind, *rest = key if isinstance(key, tuple) else (key,)
        if kind == "true" and isinstance(rest[0], str):
            yield rest[0], way
        elif kind == "eq" and isinstance(rest[0], str) and isinstance(rest[1], str):
            yield f"{rest[0]} == {rest[1]}", way


def _condition(taken: Iterable[tuple[Hashable, bool]]) -> str:
    """The condition of a way, as far as it asks for what has a name: ``, when use_cuda and not args.finetune``."""
    said = [text for key, way in taken if (text := _spelled(key, way))]
    return f", when {' and '.join(said[:4])}" if said else ""


def _asked(keys: Iterable[Hashable]) -> list[str]:
    return [text for key in keys if (text := _spelled(key, True))]


def _spelled(key: Hashable, way: bool) -> str:
    """An answer to a question about something that has a name, as the text would have it; "" for any other."""
    kind, *rest = key if isinstance(key, tuple) else (key,)
    name = rest[0] if rest else ""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return ""
    if kind == "true":
        return name if way else f"not {name}"
    if kind == "none":
        return f"{name} is {'' if way else 'not '}None"
    if kind == "eq" and isinstance(rest[1], str) and len(rest[1]) < 30:
        return f"{name} {'==' if way else '!='} {rest[1]}"
    return ""


_NAME = re.compile(r"[A-Za-z_][\w.\[\]']*")


def _trains(before: Seen) -> bool:
    """Did a run make a graph that somebody has, or send something backward?"""
    before.settle()
    for event in before.events:
        wanted = zip(event.graph, event.wanted, strict=True)
        if event.sink == "backward" or any(made and asked for made, asked in wanted):
            return True
    return has_graph(before.result) or any(map(has_graph, before.objects.values()))


def _as_tensors(
    before: Seen,
    after: Seen,
    old: Callable[[frozenset[str]], Seen],
    new: Callable[[Seen, frozenset[str]], Seen],
) -> tuple[Seen, Seen, frozenset[str]]:
    """Both runs once more, with what the legacy code makes Variables of as plain tensors on both sides: there
    ``Variable(x)`` and ``x`` are the same; and what was so taken. The runs as they were where those come to no end."""
    wrapped: frozenset[str] = frozenset()
    again = before
    for _ in range(MAX_WRAPPED):
        if again.wrapped <= wrapped:
            break
        wrapped |= again.wrapped
        again = old(wrapped)
    if not wrapped or again.volatile_error:
        return before, after, frozenset()
    other = new(again, wrapped)
    return (again, other, wrapped) if _incomplete(again, other) is None else (before, after, frozenset())


def _cut(before: Seen, after: Seen) -> bool:
    """Do both end at the same error of Python's own? Up to there a way can be compared."""
    if before.stopped is not None or after.stopped is not None or before.error in (None, "StandInError"):
        return False
    return (before.error, before.message) == (after.error, after.message)


def _incomplete(before: Seen, after: Seen) -> str | None:
    """Why this pair of runs says nothing; None where it does."""
    for seen in (before, after):
        if seen.stopped is not None:
            return seen.stopped
    if before.error is not None and not before.own:
        return _stopped_at(before)
    if after.error == "StandInError":
        return after.message
    return None


def _same(before: Seen, after: Seen, grad: bool) -> bool:
    """Does this pair of runs say that both do the same, as far as they come?"""
    told = _incomplete(before, after) is None or _cut(before, after)
    return told and not before.volatile_error and not _differences(before, after, grad)


def _stopped_at(before: Seen) -> str:
    """Where an error that is not the author's ended a run, in words."""
    if before.error == "StandInError":
        return before.message
    where = before.where(before.line) if before.line else "its beginning"
    return f"the code stops at {where}, on stand-ins or by itself: {before.message[:120] or before.error}"


def _differences(before: Seen, after: Seen, grad: bool) -> list[Difference]:
    """With parameters that require grad only what is lost counts: whether they do is not known."""
    return [each for each in differences(before, after) if not (grad and each.kept)]


__all__ = ["Item", "Verdict", "verify"]
