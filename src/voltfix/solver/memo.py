"""Which questions an interpretation asked of its setting: while the answers stay, so does its outcome.

The rounds run every root again whenever anything changed anywhere: a block planned for one function, a site refused in
another. Most roots never asked about it. The containers here look like those that the machine is handed, and write
down each question with its answer; a run is taken again when all of its questions would be answered as before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, ItemsView, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from voltfix.machine.state import Machine
    from voltfix.program.resolve import Project

K = TypeVar("K")
V = TypeVar("V")
WORTH_SORTING = 10_000  # nodes of diagrams; fewer take no memory worth the time of telling which are needed
_TRIES = 2  # at the last level of precision, in one solve
_PLANS = frozenset({"blocks", "wrapped", "decorated"})  # by what a machine is told of them
_KEPT = 4  # runs of one root: the settings of two rounds, with its own blocks and without


class View(Generic[K, V]):
    """A dictionary less some of its keys, without a copy; the sets of a setting are views with values that are true."""

    def __init__(self, items: Mapping[K, V], hidden: Container[K] = ()) -> None:
        self._items = items
        self._hidden = hidden

    def __contains__(self, key: K) -> bool:
        return key in self._items and key not in self._hidden

    def get(self, key: K) -> V | None:
        """The value, None for keys that are hidden or not there."""
        return None if key in self._hidden else self._items.get(key)

    def whole(self) -> dict[K, V]:
        """A copy of everything."""
        return {key: value for key, value in self._items.items() if key not in self._hidden}


class Recorded(Generic[K, V]):
    """A view that remembers what was looked for in it, and the answers."""

    def __init__(self, view: View[K, V]) -> None:
        self._view: View[K, V] | None = view
        self._answers: dict[K, V | None] = {}
        self._everything: dict[K, V] | None = None

    def _ask(self, key: K) -> V | None:
        if key in self._answers:
            return self._answers[key]
        assert self._view is not None, "the run is over"
        found = self._answers[key] = self._view.get(key)
        return found

    def __contains__(self, key: K) -> bool:
        return self._ask(key) is not None

    def __getitem__(self, key: K) -> V:
        found = self._ask(key)
        if found is None:
            raise KeyError(key)
        return found

    def get(self, key: K, default: Any = None) -> Any:
        """As in a dict; None is no value."""
        found = self._ask(key)
        return default if found is None else found

    def items(self) -> ItemsView[K, V]:
        """As in a dict."""
        if self._everything is None:
            assert self._view is not None, "the run is over"
            self._everything = self._view.whole()
        return self._everything.items()

    def close(self) -> None:
        """Keep the answers, and let go of what they were found in."""
        self._view = None

    def agrees(self, other: View[K, V]) -> bool:
        """Would ``other`` have given the same answers?"""
        if self._everything is not None:
            return self._everything == other.whole()
        return all(_same(found, other.get(key)) for key, found in self._answers.items())


def _same(one: object, two: object) -> bool:
    """Are two answers the same; conditions of blocks are new trees every time, and compared by what they say."""
    if one is two:
        return True
    if one is None or two is None:
        return False
    off, other = getattr(one, "off", None), getattr(two, "off", None)
    if isinstance(off, ast.AST) and isinstance(other, ast.AST):
        return (one.first, one.last) == (two.first, two.last) and ast.dump(off) == ast.dump(other)  # type: ignore[attr-defined]
    return one == two


class Run(NamedTuple):
    """An interpretation that is over; ``machine`` is None where it was too complex."""

    machine: Any
    asked: dict[str, Recorded[Any, Any]]
    cost: int  # what it took of the budget of its solve
    size: int  # how many nodes its diagrams had when it was over
    level: int = 0  # of precision, at which it was begun
    grown: str = ""  # what ran out of its budget when it was looked at more closely
    after: tuple[Run, ...] = ()  # the closer looks that were too complex
    left_out: frozenset[int] = frozenset()  # functions that were not entered, by node id
    heavy: int | None = None  # of one that was too complex: the function in it that took most, by node id

    def agrees(self, setting: Mapping[str, View[Any, Any]]) -> bool:
        """Would it come out the same under ``setting`` (attribute of the machine -> value)?

        A block takes no path away: what was too complex is so whichever are planned.
        """
        return all(answers.agrees(setting[name]) for name, answers in self.asked.items()
                   if self.machine is not None or name not in _PLANS) and all(run.agrees(setting) for run in self.after)


class Runs:
    """The interpretations of a project's roots, by node id.

    A solve takes its own runs again for nothing. Those that an earlier solve of the same modules left save it the time,
    but no budget: it pays for them as if it had made them, and gets them as they were when they were over. Else what a
    solve finds would depend on which ones came before it.
    """

    def __init__(self, _: Project) -> None:
        self._known: dict[int, list[Run]] = {}
        self._left: dict[int, list[Run]] = {}
        self._failed: dict[int, list[Run]] = {}  # at one level each: these hold nothing but what they asked
        self._around: dict[int, list[Run]] = {}  # of these, by function around the root that took it all
        self._paid: set[int] = set()  # attempts that this solve has paid for, by id
        self.levels: dict[int, int] = {}  # of precision, by root, that this solve has come to

    def begin(self) -> None:
        """Begin another solve: what there is was left by the one before."""
        _close(self._left)
        self._known, self._left = {}, self._known
        self._paid, self.levels = set(), {}

    def close(self) -> None:
        """Let go of all of them: there will be no other solve."""
        _close(self._known)
        _close(self._left)
        self._known, self._left, self._failed, self._around = {}, {}, {}, {}

    def drop(self, root: int) -> None:
        """Forget the runs of a root: it is to be looked at in another way."""
        self._known.pop(root, None)
        self._left.pop(root, None)

    def known(self, root: int, setting: Mapping[str, View[Any, Any]]) -> Run | None:
        """A run of this solve that agrees with ``setting``."""
        return _agreeing(self._known.get(root, ()), setting)

    def left(self, root: int, setting: Mapping[str, View[Any, Any]], level: int) -> Run | None:
        """A run that an earlier solve left, begun at the same level of precision, and that agrees."""
        left = self._left.get(root, [])
        run = _agreeing((run for run in left if run.level == level), setting)
        if run is not None:
            left.remove(run)  # once only: where this solve forgets it, it has to make it again, as any other would
            if run.machine is not None:
                run.machine.algebra.rewind(run.size)
        return run

    def failed(self, root: int, setting: Mapping[str, View[Any, Any]], levels: Container[int], last: int,
               left_out: frozenset[int] = frozenset()) -> Run | None:
        """An attempt at one of these levels, of this solve or another, that was too complex and would be again.

        What this solve gave up at the ``last`` level is tried once more where other things are known, and that is all.
        """
        runs = [run for run in self._failed.get(root, ()) if run.level in levels and run.left_out == left_out]
        own = [run for run in runs if id(run) in self._paid and run.level == last]
        return _agreeing(runs, setting) or (own[-1] if len(own) >= _TRIES else None)

    def failed_around(self, outer: int, setting: Mapping[str, View[Any, Any]], level: int,
                      left_out: frozenset[int]) -> Run | None:
        """An attempt, at any root inside a function, in which that function alone was too complex, and would be again.

        What is around a root is run before it, and whichever root is meant it is run alike.
        """
        return _agreeing((run for run in self._around.get(outer, ()) if (run.level, run.left_out) == (level, left_out)),
                         setting)

    def add_failed(self, root: int, run: Run, outer: int = 0) -> None:
        """Remember an attempt that was too complex; ``outer``: so was already this function around the root."""
        self._failed.setdefault(root, []).append(run)
        if outer:
            self._around.setdefault(outer, []).append(run)

    def is_to_pay(self, run: Run) -> bool:
        """Is it the first time that this solve takes a run that was too complex?"""
        new = id(run) not in self._paid
        self._paid.add(id(run))
        return new

    def add(self, root: int, run: Run) -> None:
        """Remember a run as one of this solve."""
        runs = self._known.setdefault(root, [])
        runs.insert(0, run)
        del runs[_KEPT:]


def _close(kept: Mapping[int, list[Run]]) -> None:
    """Let go of the formulas of runs that nobody will look at again."""
    for runs in kept.values():
        for run in runs:
            if run.machine is not None:
                run.machine.algebra.clear()


def _agreeing(runs: Iterable[Run], setting: Mapping[str, View[Any, Any]]) -> Run | None:
    return next((run for run in runs if run.agrees(setting)), None)


def remembering(setting: Mapping[str, View[Any, Any]],
                make: Callable[[Mapping[str, Any]], tuple[Machine | None, int]]) -> Run:
    """A new run, and what it asked.

    ``make`` gets the setting with containers that remember, and answers with a machine that is done, or None, and with
    what that cost.
    """
    asked: dict[str, Recorded[Any, Any]] = {name: Recorded(view) for name, view in setting.items()}
    machine, cost = make(asked)
    for answers in asked.values():
        answers.close()
    if machine is not None:
        finished(machine)
    return Run(machine, asked, cost, 0 if machine is None else machine.algebra.size)


def finished(machine: Machine) -> None:
    """Let go of what only the run itself needed: the heap, the frames, formulas that no record holds."""
    if machine.algebra.size > WORTH_SORTING:
        held = [value for value in vars(machine).values() if isinstance(value, list)]
        formulas = [part for records in held for record in records for part in getattr(record, "__dict__", {}).values()]
        formulas += vars(machine).values()
        kind = type(machine.algebra.true)
        machine.algebra.keep(formula for formula in formulas if isinstance(formula, kind))
    _clear_away(machine)


def given_up(machine: Machine) -> None:
    """Let go of everything: nobody will look at a run that was too complex."""
    _clear_away(machine)
    machine.algebra.clear()


def _clear_away(machine: Machine) -> None:
    for frame in [*getattr(machine, "modules", {}).values(), *getattr(machine, "_alive", ())]:
        frame.env.clear()  # the functions in it refer to it: without this only the garbage collector would find them
        frame.returns.clear()
    machine.liveness.forget()
    for name in ("heap", "modules", "functions_seen", "elements", "iterated", "taken_for", "_activations", "_alive",
                 "_visible"):
        kept = getattr(machine, name, None)
        if isinstance(kept, (dict, list, set)):
            kept.clear()
