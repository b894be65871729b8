"""The verdict on a change: every function that it touches, and their callers, along the ways through their
conditions.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from voltfix.verify.plan import FAILS, THROUGH
from voltfix.verify.symbolic.closure import callers_of, calls, closure, makers, may_hold, outermost, readers
from voltfix.verify.symbolic.coverage import deciding, watch
from voltfix.verify.symbolic.flags import flags_of
from voltfix.verify.symbolic.neighbours import SAID
from voltfix.verify.symbolic.opaque import out_of_sight
from voltfix.verify.symbolic.project import Side, Unit
from voltfix.verify.symbolic.rewrite import REFUSED
from voltfix.verify.symbolic.sides import Sides
from voltfix.verify.symbolic.skipping import statement_at
from voltfix.verify.symbolic.tally import WITH_METHOD, WITHOUT_METHOD, Given, Tally, Way
from voltfix.verify.symbolic.veiled import veiled
from voltfix.verify.symbolic.walking import walk
from voltfix.verify.symbolic.work import Item, Reached, Verdict
from voltfix.verify.symbolic.world import Line, Stopped

MAX_PATHS = 32  # ways through a function with plain parameters
HORIZON = 12
MAX_NEAR = 3  # questions before an error that are answered the other way before any others
MAX_READERS = 12  # methods that ask for what another one left on their object
MAX_PAST = 12  # statements that runs go past
MAX_PATHS_MORE = 12  # ... with parameters that require grad, or that are volatile
# operations after which no further way is begun, once a way came to its end and the changed lines were reached;
# counted rather than timed, so that a verdict does not depend on the machine
ENOUGH = 2_000
MIXED = 1 / 3  # of that for ways that answer nothing as it was never answered before
PATIENCE = 8  # so many times that where nothing else reaches the changed lines, and where no way comes to its end


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
    _run_all(item, units, made, guard)
    states = dict(_states(item, guard))
    for unit in states:
        made[unit] = callers_of(item, unit)
        units += [each for each in (unit, *made[unit]) if each not in units]
    _run_all(item, units, made, guard)
    local = {**item.local, **states}  # other changes to the same texts may leave other states
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
            left = f"(`{names[0]}` is volatile, as {item.reached.left[names[0]].name} leaves it)"
            told.append((unit, replace(after, detail=f"{after.detail} {left}")))
    return told


def _with_state(item: Item, unit: Unit, names: list[str]) -> Verdict:
    """The ways through a method of an object that has something volatile in these attributes."""
    tally = Tally(item.reached)
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
    tally, paths = Tally(item.reached, whole=item.exact), 0
    only_before = _lost_parameters(item, unit)
    searches: dict[Given, _Search] = {}
    for given, patience in _rounds(item, unit, bool(only_before), tally):
        if given not in searches:
            searches[given] = _Search(item, unit, given, only_before, tally)
            if patience == 0:
                ended = tally.ends[-1] if given.past else _failing(tally)  # what is gone past stands on the last way
                searches[given].waiting = list(dict.fromkeys([ended[0], ()]))
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
        possible = tally.supposed.endswith((WITH_METHOD, WITHOUT_METHOD))
        return Verdict(unit, "not-run", where + tally.supposed, paths, possible)
    if tally.vanished and not tally.complete:  # it raised whatever happens
        return Verdict(unit, "different", where + tally.vanished[0], paths)
    if tally.volatile_errors == paths:  # it raises on both sides, however it is called
        for before, after in tally.failing:
            item.reached.note(unit, before.reached, after.reached, before.flags)
    empty = item.reached.empty(unit) if tally.stuck and tally.complete and not (item.quick or item.exact) else None
    if empty is not None:  # what was filled in has no weights: it would look the same with any block
        cause = f"without what is missing here nothing in the block of line {empty[1]} could have a graph"
        if empty not in item.reached.entered:  # nobody came there
            cause = tally.causes[0] if tally.causes else f"no way that was tried comes by line {empty[1]}"
        return Verdict(unit, "not-run", where + cause, paths)
    unmet = tally.stuck and tally.complete and not (tally.mattered or item.quick or item.exact)
    idle = item.reached.idle(unit) if unmet and not item.reached.missing(unit) else None
    if idle is not None:  # ... or without any
        cause = f"without what is missing here nothing that is volatile by {idle} meets what could have a graph"
        return Verdict(unit, "not-run", where + cause, paths)
    stuck = [each for each in tally.causes if each not in tally.gone]
    raises = tally.raised > 0 and tally.raised == tally.surely
    if tally.complete or ((raises or tally.volatile_errors == paths > 0) and not stuck):
        fails = not tally.complete and tally.volatile_errors == paths
        return Verdict(unit, "identical", FAILS if fails else None, paths)
    return Verdict(unit, "not-run", _cause(unit, tally), paths)


def _rounds(item: Item, unit: Unit, lost: bool, tally: Tally) -> Iterator[tuple[Given, int]]:
    """What is assumed in each round of runs, and how many ways are tried then: one after the other, as those before
    leave something open. What costs least comes first. ``lost``: are there parameters that one side alone has?"""

    def given(**more: Any) -> Given:
        tired, whole = tally.tired, tally.whole
        told = {"filled": tally.stuck, "onward": tally.onward, "lean": tally.waits and not item.exact, **more}
        if tally.past:  # whatever else is assumed, ways would end where those did
            return Given(brief=True, long=True, past=tally.past, **told)
        return Given(brief=not whole, long=tired and not whole, short=tired and whole, **told)

    def told() -> bool:
        return item.quick or (item.reached.untold(unit) is None and item.reached.vain(unit) is None)

    yield given(), 1
    if given().lean:  # what modules compute may have left nothing for other ways, or ended each of them
        if not tally.complete:
            _begin_again(tally)
            tally.tired = False
        yield given(), 1
    if tally.cut and not tally.tired and (not tally.complete or tally.causes or not told()):
        kept = tally.causes[:], tally.raised, tally.surely
        _look_closer(tally)
        if kept[0]:  # does a way that ends at an error do so where loops are not cut, too? then that is no cause
            before = _failing(tally)
            yield given(), 0
            if tally.ends[-1] == before and told() and not tally.tired:
                (tally.causes, tally.raised, tally.surely), tally.whole, tally.cut = kept, False, False
        if tally.whole:
            yield given(), 1
    if tally.tired:
        yield given(), 1
    ended = any("the code stops at" in each for each in tally.causes)
    ended = ended or (not tally.complete and any(REFUSED in each for each in tally.causes) and bool(veiled(item)))
    ended = ended or (tally.raised > tally.surely and not tally.complete)
    ended = ended or (tally.raised > 0 and bool(item.reached.missing(unit)))
    if not ended and tally.raised and _lacking(item.reached, unit):
        yield given(grad=True), 1  # it may have ended for want of a graph alone
        ended = _lacking(item.reached, unit)
    ended = ended or (tally.tired and any(error is not None for _, error, _ in tally.ends))
    tally.stuck = not tally.complete and ended
    if tally.stuck:
        yield given(), 1
    if item.exact:
        return
    if tally.stuck and not unit.name and item.before.cells(unit.path) and (
        not tally.complete or _lacking(item.reached, unit)
    ):
        tally.onward = True  # whoever reads a notebook runs what stands behind a cell that ends at an error
        yield given(), 1
        tally.onward = tally.complete > 0
    if tally.stuck and not tally.complete:
        yield from _past(item, unit, tally)
    if not tally.complete or tally.latent:  # else nobody saw whether they do
        yield given(grad=True), 1
    if _reads_flag(item.before, unit):
        yield given(volatile=True, within=True), 1
    readers = [each for each in item.before.flag_readers if each.name.endswith(".forward")]
    reading = any(unit not in makers(item, each) for each in readers)  # who makes such a network is not handed one
    lacking = [Given(open_settings=True)]
    if lost:
        lacking = [Given(flagged=True, within=True), Given(flagged=True), *lacking,
                   Given(flagged=True, open_settings=True)]
    if tally.supposed is not None:  # nothing that other rounds reach makes it identical
        return
    if reading:
        yield given(readers=True), 1
    past = tally.past
    for patience, closer in ((1, False), (PATIENCE, False), (PATIENCE, True)):
        if closer and (tally.whole or not tally.cut):
            break
        if closer:
            _look_closer(tally)
            tally.past = 0  # loops may come by the changed lines as they go round, and past nothing
        if patience > 1:
            yield given(), patience
        for each in lacking:
            if tally.complete and _lacking(item.reached, unit):
                yield given(flagged=each.flagged, within=each.within, open_settings=each.open_settings), patience
        if not (tally.complete and _lacking(item.reached, unit)):
            break
    tally.past = past
    if tally.complete and _lacking(item.reached, unit):  # no loop that was run goes round as often as a counter says
        yield given(open_settings=True, open_counts=True), PATIENCE
    if tally.complete and _defines(item.before, unit) and _lacks(item.reached, unit, tally):
        yield given(idle=True), PATIENCE
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
    if tally.stuck and (not tally.complete or _lacks(item.reached, unit, tally)) and out_of_sight(item):
        tired, tally.tired = tally.tired, False
        yield Given(brief=True, long=True, filled=True, opaque=True, past=len(tally.skips[0])), PATIENCE
        tally.tired = tired


def _past(item: Item, unit: Unit, tally: Tally) -> Iterator[tuple[Given, int]]:
    """Rounds that go past the statements at which ways end that have nothing to do with graphs, one after the other.
    They are brief: how often a loop goes round is not known where things are missing."""
    kept, tally.tired, turned, lean = tally.tired, False, False, tally.waits
    if tally.stop is None:  # loops that go round as they do took too long
        yield Given(brief=True, long=True, filled=True, lean=lean), 0
    while not tally.complete:
        if len(tally.skips[0]) < MAX_PAST and _goes_past(item, unit, tally):
            turned = False
        elif turned or not tally.skips[0]:
            break
        else:  # other ways may come by, or end at what can be gone past
            turned = True
        yield Given(brief=True, long=True, filled=True, lean=lean, past=len(tally.skips[0])), int(turned)
    for patience in (1, PATIENCE):
        if tally.complete and (patience > 1 or not turned) and (patience == 1 or _lacking(item.reached, unit)):
            yield Given(brief=True, long=True, filled=True, lean=lean, past=len(tally.skips[0])), patience
    tally.tired = kept
    tally.past = len(tally.skips[0]) if tally.complete else 0


def _goes_past(item: Item, unit: Unit, tally: Tally) -> bool:
    """Have the next runs go past the statement that the last one ended at; False where it is none of those."""
    if tally.stop is None:
        return False
    found = [
        statement_at(side.plain_trees[path], line) if path in side.plain_trees else None
        for side, (path, line) in zip((item.before, item.after), tally.stop, strict=True)
    ]
    if found[0] is None or found[1] is None or ast.dump(found[0].node) != ast.dump(found[1].node):
        return False
    number, own = len(tally.skips[0]), {item.before.units.get(unit), item.after.units.get(unit)}
    hunks, marks = item.reached.hunks or (), []
    changed = {mark for hunk in hunks for mark in hunk.before}, {mark for hunk in hunks for mark in hunk.after}
    for place, (side, passed) in enumerate(zip((item.before, item.after), found, strict=True)):
        assert passed is not None
        mark = tally.stop[place][0], passed.node.lineno, passed.node.col_offset
        if mark in changed[place]:
            return False  # what changed has to be run
        side.guard(mark[0], passed)
        mine = any(passed.node in side.inside(each) for each in own if each is not None)
        marks.append((mark, passed.inside and not mine))
    if marks[0][0] in tally.skips[0]:
        return False  # it had a graph, or something volatile
    for place, (mark, leaves) in enumerate(marks):
        tally.skips[place][mark] = (number, leaves)
    tally.gone.update([tally.last] if tally.last is not None else [])
    return True


def _failing(tally: Tally) -> tuple[Way, str | None, Line | None]:
    """The first way that ends at an error: what was decided on it, the error and its line."""
    return next((each for each in tally.ends if each[1] is not None), ((), None, None))


def _look_closer(tally: Tally) -> None:
    """What brief runs showed is not enough: from here on loops go round as they do."""
    tally.whole = True
    _begin_again(tally)


def _begin_again(tally: Tally) -> None:
    """What runs ended at says nothing of those that come now."""
    tally.raised, tally.surely = 0, 0
    tally.causes.clear()


def _lacking(reached: Reached, unit: Unit) -> bool:
    """Is there a changed line that no run came by yet, or a flag that was not both ways?"""
    return bool(reached.missing(unit)) or reached.unexercised(unit) is not None


def _lacks(reached: Reached, unit: Unit, tally: Tally) -> bool:
    """Is there a changed line that no run came by yet, a flag that was not both ways, or a block that nobody needed?"""
    told = _lacking(reached, unit) or reached.empty(unit) is not None
    return told or (not tally.mattered and reached.idle(unit) is not None)


def _defines(side: Side, unit: Unit) -> bool:
    """Does the function define others?"""
    node = side.units.get(unit)
    inside = side.inside(node) if node is not None else ()
    return any(isinstance(each, ast.FunctionDef) and each is not node for each in inside)


def _cause(unit: Unit, tally: Tally) -> str:
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
    tally: Tally
    done: int = 0
    near: int = 0
    operations: int = 0
    complete: int = 0
    waiting: list[Way] = field(default_factory=lambda: [()])
    # ways on which nothing is answered as it was never before: others for the answers together
    mixing: list[Way] = field(default_factory=list)
    # ways that are turned at a condition before what is still missing
    pressing: list[tuple[int, int, Way]] = field(default_factory=list)
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
            taken = Sides(self.item, self.unit, given, self.only_before, prefix, tally).compared()
            self.operations += tally.operations - start
            self.complete += tally.complete - complete
            self.done += 1
            if tally.found or tally.late or (tally.tired and not (given.short or given.long)):
                break
            self._turn(prefix, taken, deciding(self.item, self.unit) if lacking else {}, limit)
            if patience == 0:
                break
        return self.done - first

    def _turn(self, prefix: Way, taken: list[tuple[Hashable, bool]], lines: dict[Line, int], limit: int) -> None:
        """Note the ways that leave this one at something that it decided."""
        tally = self.tally
        horizon = 3 * HORIZON if self.given.open_settings else HORIZON  # where lines are missing, look further
        # once a way came to its end, what decides a line that is missing comes before what an error may hang on
        decided = tally.complete and any(
            at in lines for name, _ in taken[len(prefix) :] for at in tally.asked.get(name, ()))
        near = tally.failed and not decided and (lines or not self.complete)
        for place in range(len(prefix), len(taken)):
            name, way = taken[place]
            if name in tally.assumed:
                continue
            ranks = [lines[at] for at in tally.asked.get(name, ()) if at is not None and at in lines]
            order = min(ranks, default=None)
            if near and place >= len(taken) - MAX_NEAR and self.near < limit:
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


__all__ = ["Item", "Verdict", "verify"]
