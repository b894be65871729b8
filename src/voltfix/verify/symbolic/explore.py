"""The verdict on a change: every function that it touches, and their callers, along the ways through their
conditions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from voltfix.verify.symbolic.compare import Difference, differences
from voltfix.verify.symbolic.project import Side, Unit
from voltfix.verify.symbolic.run import Seen, run
from voltfix.verify.symbolic.world import Stopped, World

MAX_PATHS = 32  # ways through a function with plain parameters
MAX_PATHS_MORE = 12  # ... with parameters that require grad, or that are volatile
MAX_UNITS = 24


@dataclass
class Verdict:
    """About one function: "identical", "different" or "not-run", with the difference or the cause."""

    unit: Unit
    verdict: str
    detail: str | None = None
    paths: int = 0


@dataclass
class Item:
    """What is to be judged: two sides, the functions touched; ``rest``: what volatile flags left after
    mean.
    """

    before: Side
    after: Side
    touched: tuple[Unit, ...]
    rest: str = "today"  # "today": nothing; "legacy": what they meant (sites that are refused stay behind)
    device: str = "cpu"


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
        unit: [other for other in units if other != unit and _calls(item, other, unit)] for unit in units
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


# -- which functions ------------------------------------------------------------


def closure(item: Item) -> list[Unit]:
    """The touched functions that can be run, and whoever calls them, as far up as the project goes."""
    present = set(item.before.units) & set(item.after.units)
    start: list[Unit] = []
    names: set[str] = set()
    for touched in item.touched:
        unit = _outermost(touched, item)
        if not unit.name:
            names |= _changed_globals(item, unit.path)
            if _has_body(item.before, unit.path) and _has_body(item.after, unit.path):
                start.append(unit)
        else:
            names.add(_mention(unit.name))
            if unit in present:
                start.append(unit)
    found = list(dict.fromkeys(start))
    for _ in range(4):
        names |= _aliases(item, names)
        more = [
            u
            for u in sorted(present, key=str)
            if u not in found and names & (_names(item.before, u) | _names(item.after, u))
        ]
        if not more:
            break
        found += more
        names = {_mention(unit.name) for unit in more} - _VAGUE
    bodies = [Unit(path, "") for path in item.before.trees if path in item.after.trees]
    bodies = [
        u
        for u in bodies
        if u not in found and _has_body(item.before, u.path) and _has_body(item.after, u.path)
    ]
    wanted = {_mention(unit.name) for unit in found if unit.name} - _VAGUE
    found += [u for u in bodies if wanted & _names(item.before, u)]
    return found[:MAX_UNITS]


def _aliases(item: Item, names: set[str]) -> set[str]:
    """Other names that modules and classes give to what is called one of ``names``."""
    found: set[str] = set()
    for tree in [*item.before.plain_trees.values(), *item.after.plain_trees.values()]:
        for each in ast.walk(tree):
            if isinstance(each, (ast.Import, ast.ImportFrom)):
                found |= {alias.asname for alias in each.names if alias.asname and alias.name in names}
        for body in [tree.body, *(each.body for each in ast.walk(tree) if isinstance(each, ast.ClassDef))]:
            for statement in body:
                if isinstance(statement, ast.Assign) and names & _mentioned(statement.value):
                    found |= {each.id for each in statement.targets if isinstance(each, ast.Name)}
    return found


def _mentioned(node: ast.AST) -> set[str]:
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in ast.walk(node)
        if isinstance(each, (ast.Name, ast.Attribute))
    }


_VAGUE = frozenset(["forward", "__call__", "__init__", "step", "run", "main"])


def _mention(name: str) -> str:
    """What code that uses this function says: its name, or that of its class."""
    *owner, last = name.split(".")
    return owner[-1] if last == "__init__" and owner else last


def _outermost(unit: Unit, item: Item) -> Unit:
    known = set(item.before.units) | set(item.after.units)
    parts = unit.name.replace(".<locals>", "").split(".")
    for end in range(len(parts), 0, -1):
        shorter = Unit(unit.path, ".".join(parts[:end]))
        if shorter in known:
            return shorter
    return Unit(unit.path, unit.name if unit.name in ("",) else "")


def _names(side: Side, unit: Unit) -> set[str]:
    found: set[str] = set()
    nodes: Iterable[ast.AST]
    if unit.name:
        node = side.units.get(unit)
        nodes = ast.walk(node) if node is not None else ()
    else:
        nodes = _body(side, unit.path)
    for each in nodes:
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)
    return found


def _body(side: Side, path: str) -> Iterator[ast.AST]:
    tree = side.plain_trees.get(path)
    for statement in tree.body if tree is not None else ():
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from ast.walk(statement)


def _calls(item: Item, caller: Unit, callee: Unit) -> bool:
    name = _mention(callee.name)
    return (
        bool(name)
        and name not in ("forward",)
        and name in _names(item.before, caller) | _names(item.after, caller)
    )


def _has_body(side: Side, path: str) -> bool:
    """Does the module do more than define things?"""
    from voltfix.verify.symbolic.project import _defines

    tree = side.plain_trees.get(path)
    return tree is not None and any(
        not _defines(each) and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in tree.body
    )


def _changed_globals(item: Item, path: str) -> set[str]:
    """Names that the module's body binds differently before and after."""

    def bound(side: Side) -> dict[str, str]:
        tree = side.plain_trees.get(path)
        found = {}
        for each in tree.body if tree is not None else ():
            if isinstance(each, ast.Assign):
                for target in each.targets:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name):
                            found[name.id] = ast.dump(each.value)
        return found

    old, new = bound(item.before), bound(item.after)
    return {name for name in set(old) | set(new) if old.get(name) != new.get(name)}


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
