"""The verdict on a change: every function that it touches, and their callers, along the ways through their
conditions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from voltfix.verify.symbolic.closure import Item, calls, closure
from voltfix.verify.symbolic.compare import Difference, differences
from voltfix.verify.symbolic.project import Side, Unit
from voltfix.verify.symbolic.run import Seen, run
from voltfix.verify.symbolic.world import Stopped, World

MAX_PATHS = 32  # ways through a function with plain parameters
MAX_PATHS_MORE = 12  # ... with parameters that require grad, or that are volatile


@dataclass
class Verdict:
    """About one function: "identical", "different" or "not-run", with the difference or the cause."""

    unit: Unit
    verdict: str
    detail: str | None = None
    paths: int = 0


@dataclass
class _Tally:
    complete: int = 0
    raised: int = 0  # ways that end in an exception which the project raises
    vanished: list[str] = field(default_factory=list)  # a volatile error before that does not come after
    volatile_errors: int = 0
    causes: list[str] = field(default_factory=list)
    found: list[Difference] = field(default_factory=list)


Guard = Callable[[], AbstractContextManager[None]]


def verify(item: Item, guard: Guard = nullcontext) -> tuple[str, str | None, list[Verdict]]:
    """(verdict, detail, verdict of each function) of a change; each function runs within ``guard``."""
    for path in item.before.trees:
        if path in item.after.texts and path not in item.after.trees:
            return "different", f"{path}: does not parse after: {item.after.errors[path]}", []
    units = closure(item)
    broken = [f"{path}: {cause}" for side in (item.before, item.after) for path, cause in side.errors.items()]
    if not units and broken:
        return "not-run", broken[0], []
    if not units:
        return "not-run", "nothing that can be run on its own was touched", []
    callers = {
        unit: [other for other in units if other != unit and calls(item, other, unit)] for unit in units
    }
    local = {unit: _guarded(item, unit, guard) for unit in units}
    final = [_judged(unit, local, callers, ()) for unit in units]
    bad = [verdict for verdict in final if verdict.verdict == "different"]
    if bad:
        return "different", bad[0].detail, final
    touched = [verdict for verdict in final if verdict.unit in item.touched] or final
    missing = [verdict for verdict in touched if verdict.verdict == "not-run"]
    if missing:
        return "not-run", missing[0].detail, final
    return "identical", None, final


def _guarded(item: Item, unit: Unit, guard: Guard) -> Verdict:
    try:
        with guard():
            return function_verdict(item, unit)
    except Stopped as stop:
        return Verdict(unit, "not-run", f"{unit.path}: {unit.name or 'module body'}: {stop}")
    except MemoryError:
        return Verdict(unit, "not-run", f"{unit.path}: {unit.name or 'module body'}: used up its memory")


def _judged(
    unit: Unit, local: dict[Unit, Verdict], callers: dict[Unit, list[Unit]], seen: tuple[Unit, ...]
) -> Verdict:
    """A function whose contract is the project's own is judged by what its callers make of it."""
    own = local[unit]
    others = [each for each in callers[unit] if each not in seen]
    if own.verdict == "identical" or not others:
        return own
    above = [_judged(each, local, callers, (*seen, unit)) for each in others]
    if all(each.verdict == "identical" for each in above):
        return Verdict(unit, "identical", "through its callers", own.paths)
    return own


# -- one function ------------------------------------------------------------


def function_verdict(item: Item, unit: Unit) -> Verdict:
    """Run one function before and after along the ways through its conditions; compare."""
    tally, paths = _Tally(), 0
    only_before = _lost_parameters(item, unit)
    variants = [(False, False), (True, False)]
    if _reads_flag(item.before, unit):
        variants.append((False, True))
    for grad, volatile in variants:
        paths += _explore(item, unit, grad, volatile, only_before, tally)
        if tally.found:
            text = tally.found[0].text
            given = (
                " (given parameters that require grad)"
                if grad
                else " (given volatile parameters)"
                if volatile
                else ""
            )
            return Verdict(
                unit, "different", f"{unit.path}: {unit.name or 'module body'}: {text}{given}", paths
            )
    where = f"{unit.path}: {unit.name or 'module body'}: "
    if tally.vanished and not tally.complete:  # it raised whatever happens
        return Verdict(unit, "different", where + tally.vanished[0], paths)
    if tally.complete or ((tally.raised or tally.volatile_errors == paths > 0) and not tally.causes):
        return Verdict(unit, "identical", None, paths)
    return Verdict(unit, "not-run", _cause(unit, tally), paths)


def _cause(unit: Unit, tally: _Tally) -> str:
    where = f"{unit.path}: {unit.name or 'module body'}: "
    return where + (tally.causes[0] if tally.causes else "no way through it came to an end")


def _lost_parameters(item: Item, unit: Unit) -> frozenset[str]:
    """Parameters that the function has on one side only."""

    def names(side: Side) -> set[str]:
        node = side.units.get(unit)
        return (
            {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
            if node is not None
            else set()
        )

    return frozenset(names(item.before) ^ names(item.after))


def _reads_flag(side: Side, unit: Unit) -> bool:
    """Does the function ask a parameter whether it is volatile?"""
    node = side.units.get(unit)
    if node is None:
        return False
    names = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == "volatile"
        and isinstance(each.ctx, ast.Load)
        and isinstance(each.value, ast.Name)
        and each.value.id in names - {"self"}
        for each in ast.walk(node)
    )


def _explore(
    item: Item, unit: Unit, grad: bool, volatile: bool, only_before: frozenset[str], tally: _Tally
) -> int:
    limit = MAX_PATHS_MORE if grad or volatile else MAX_PATHS
    waiting: list[tuple[tuple[Hashable, bool], ...]] = [()]
    known: set[frozenset[tuple[Hashable, bool]]] = set()
    done = 0
    while waiting and done < limit:
        prefix = waiting.pop(0)
        taken = _both(item, unit, grad, volatile, only_before, dict(prefix), tally)
        done += 1
        if tally.found:
            return done
        for place in range(len(prefix), min(len(taken), 12)):
            name, way = taken[place]
            branch = (*taken[:place], (name, not way))
            label = frozenset(branch)
            if label not in known:
                known.add(label)
                waiting.append(branch)
    return done


def _both(
    item: Item,
    unit: Unit,
    grad: bool,
    volatile: bool,
    only_before: frozenset[str],
    decisions: Mapping[Hashable, bool],
    tally: _Tally,
) -> list[tuple[Hashable, bool]]:
    """One way through, before and after; what was decided on it."""

    def old(contagious: bool) -> Seen:
        state = World(True, False, dict(decisions), grad, volatile, contagious, item.device)
        state.flag_readers = item.before.flag_readers
        return run(item.before, unit, state, only_before)

    before = old(True)
    if before.volatile_error and before.uncertain:
        before = old(False)
    joint = {**decisions, **dict(before.taken)}
    state = World(
        item.rest == "legacy", True, joint, grad, volatile and item.rest == "legacy", True, item.device
    )
    state.flag_readers = item.before.flag_readers
    after = run(item.after, unit, state, only_before, grad_enabled=not volatile)
    taken = before.taken + [each for each in after.taken if each[0] not in dict(before.taken)]
    if before.volatile_error:
        tally.volatile_errors += 1
        if after.error is None and not before.uncertain and not taken:
            tally.vanished.append(f"line {before.line}: {before.error} before, no error after")
        return taken
    cause = _incomplete(before, after)
    if cause is not None:
        tally.causes.append(cause)
        return taken
    found = _differences(before, after, grad)
    if found and before.uncertain:
        other = old(False)
        if not other.volatile_error and not _differences(other, after, grad):
            found = []
    tally.complete += before.error is None
    tally.raised += before.error is not None
    tally.found += found
    return taken


def _incomplete(before: Seen, after: Seen) -> str | None:
    """Why this pair of runs says nothing; None where it does."""
    for seen in (before, after):
        if seen.stopped is not None:
            return seen.stopped
    if before.error is not None and not before.own:
        return f"{before.error}: {before.message[:160]}"
    if after.error == "StandInError":
        return after.message
    return None


def _differences(before: Seen, after: Seen, grad: bool) -> list[Difference]:
    """With parameters that require grad only what is lost counts: whether they do is not known."""
    return [each for each in differences(before, after) if not (grad and each.kept)]


__all__ = ["Item", "Verdict", "verify"]
