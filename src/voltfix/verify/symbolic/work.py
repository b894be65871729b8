"""What is to be judged, and what has been found out about it: the data of the symbolic tier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from voltfix.verify.symbolic.neighbours import Neighbour
from voltfix.verify.symbolic.project import Mark, Side, Unit
from voltfix.verify.symbolic.world import Place


@dataclass
class Verdict:
    """About one function: "identical", "different" or "not-run", with the difference or the cause."""

    unit: Unit
    verdict: str
    detail: str | None = None
    paths: int = 0
    possible: bool = False  # rests on a call that is only possible: it counts for what may be called, too
    way: tuple[tuple[str, bool], ...] = ()  # how the named conditions were answered where a difference was found


@dataclass(frozen=True)
class FlagPlace:
    """A place of the old text that decides volatility: the value of a flag, or a read of one."""

    mark: Mark
    line: str  # as a reader is told
    read: bool
    constant: bool | None  # what the text says by itself
    given: bool = True  # it is handed on as a flag, read or not
    off: bool = False  # it stands in the author's own ``torch.no_grad()``, which stays


Told = tuple[Mark, bool, bool]  # of a flag in a run: where, whether it was on, whether the run chose that


@dataclass(frozen=True)
class Hunk:
    """Consecutive changed lines of a function: the statements to which they belong, before and after."""

    unit: Unit
    line: str  # as a reader is told
    before: frozenset[Mark]
    after: frozenset[Mark]
    flags: tuple[FlagPlace, ...] = ()  # that the old lines hold
    modes: tuple[Place, ...] = ()  # the grad modes that the new lines make


@dataclass
class Reached:
    """The statements that compared runs came by, and the hunks that there are (None: not looked for yet)."""

    hunks: tuple[Hunk, ...] | None = None
    entries: dict[Unit, Hunk] = field(default_factory=dict)  # the first statement of each function
    # what the runs of each function came by, before and after
    runs: dict[Unit, tuple[set[Mark], set[Mark]]] = field(default_factory=dict)
    flags: dict[Unit, set[Told]] = field(default_factory=dict)  # what the flags were in them
    # what they were where arguments are volatile, compared or not: who answers as before does not depend on them
    turned: dict[Unit, set[Told]] = field(default_factory=dict)
    # the flags that were on in runs of each function that were compared to their end
    on: dict[Unit, set[Mark]] = field(default_factory=dict)

    # every statement of what is touched, before; and those that runs came by in which a flag was on that goes
    statements: dict[Unit, frozenset[Mark]] = field(default_factory=dict)
    lighted: set[Mark] = field(default_factory=set)

    # near misses of what is compared (``neighbours.py``): those that matter, and whether they were told apart
    neighbours: dict[Neighbour, bool] = field(default_factory=dict)
    # attributes in which a run left something volatile that no longer is, and what ran
    left: dict[str, Unit] = field(default_factory=dict)
    # what is not in view and got something in runs of a function that was volatile, and no longer is (``lending.py``)
    lent: dict[Unit, str] = field(default_factory=dict)
    # the lines that made a graph after, and none before, whether or not somebody has it at the end
    grown: set[str] = field(default_factory=set)
    # the grad modes that were entered as blocks, and those in which something would have had a graph otherwise
    entered: set[Place] = field(default_factory=set)
    needed: set[Place] = field(default_factory=set)

    def watched(self) -> frozenset[Place]:
        """The grad modes that changed lines make."""
        return frozenset(place for hunk in self.hunks or () for place in hunk.modes)

    def untold(self, unit: Unit) -> Neighbour | None:
        """A near miss of a function that matters and that no run could tell from the right text."""
        modes = {place for hunk in self.changed(unit) for place in hunk.modes}
        return next((each for each, told in self.neighbours.items() if not told and each[1] in modes), None)

    def empty(self, unit: Unit) -> Place | None:
        """A grad mode of a function that no run needed: without it, too, nothing would have had a graph."""
        modes = [place for hunk in self.changed(unit) for place in hunk.modes]
        return next((place for place in modes if not self.neighbours.get(("out", place), False)), None)

    def idle(self, unit: Unit) -> str | None:
        """A flag that a function loses, where it gets no grad mode.

        One in a block of the author's own needs none, where nobody out of sight gets what is made there.
        """
        hunks, seen = self.changed(unit), unit not in self.lent
        flags = [flag.line for hunk in hunks for flag in hunk.flags
                 if not flag.read and flag.constant is not False and not (flag.off and seen)]
        return flags[0] if flags and not any(hunk.modes for hunk in hunks) else None

    def alone(self, unit: Unit) -> str:
        """A flag of a function that was on in runs of that function alone: no run of who calls it shows what becomes of
        what it made; "" where there is none."""
        others = {mark for run, told in self.flags.items() if run != unit for mark, on, _ in told if on}
        flags = [flag for hunk in self.changed(unit) for flag in hunk.flags if flag.given]
        return next((flag.line for flag in flags if flag.constant is not False and flag.mark not in others), "")

    def lit(self, unit: Unit) -> list[Unit]:
        """The functions that were run to their end with every flag on that a function loses."""
        flags = [flag.mark for hunk in self.changed(unit) for flag in hunk.flags
                 if flag.given and not flag.read and flag.constant is not False]
        return [run for run, marks in self.on.items() if flags and marks.issuperset(flags)]

    def vain(self, unit: Unit) -> Place | None:
        """A grad mode of a function of whose modes no run needed one: what is in them never could have a graph."""
        modes = [place for hunk in self.changed(unit) for place in hunk.modes if place in self.entered]
        return modes[0] if modes and self.needed.isdisjoint(modes) else None

    def vacant(self, unit: Unit) -> list[Place]:
        """The grad modes of a function that runs entered, and in which nothing would have had a graph otherwise."""
        modes = dict.fromkeys(place for hunk in self.changed(unit) for place in hunk.modes)
        return [place for place in modes if place in self.entered and place not in self.needed]

    def dark(self, unit: Unit) -> list[Place]:
        """The statements of a function, before, that no run came by in which a flag was on that goes."""
        return sorted({mark[:2] for mark in self.statements.get(unit, frozenset()) - self.lighted})

    def note(self, run: Unit, before: Iterable[Mark], after: Iterable[Mark], flags: Iterable[Told] = (),
             ended: bool = False) -> None:
        """A run of ``run`` that was compared came by these statements, and the flags on its way were so.

        ``ended``: it came to its end.
        """
        flags = list(flags)
        if ended:
            self.on.setdefault(run, set()).update(mark for mark, on, _ in flags if on)
        before, going = set(before), {flag.mark for hunk in self.hunks or () for flag in hunk.flags}
        if any(on and (mark in going or not going) for mark, on, _ in flags):
            self.lighted |= before
        old, new = self.runs.setdefault(run, (set(), set()))
        old.update(before)
        new.update(after)
        self.flags.setdefault(run, set()).update(flags)

    def unexercised(self, unit: Unit, runs: Iterable[Unit] | None = None) -> str | None:
        """What the flags of a function's changed lines never were in these runs (None: in any), as a sentence."""
        among = self.flags if runs is None else runs
        told = [each for run in among for each in self.flags.get(run, ())]
        for flag in (flag for hunk in self.changed(unit) for flag in hunk.flags):
            seen = {on for mark, on, _ in told if mark == flag.mark}
            chosen = any(chose for mark, _, chose in told if mark == flag.mark)
            turned = {on for mark, on, _ in self.turned.get(unit, ()) if mark == flag.mark}
            settled = not chosen and turned <= seen and (unit in self.turned or not unit.name)
            if flag.read and len(seen) < 2 and not (seen and settled):
                return f"`.volatile` was never {'True' if True not in seen else 'False'} ({flag.line})"
            if not flag.read and flag.constant is not False and True not in seen:
                return f"the flag was never on ({flag.line})"
            if not flag.read and flag.constant is None and chosen and False not in seen:
                return f"the flag was never off ({flag.line})"
        return None

    def only_reads(self, unit: Unit) -> bool:
        """Do the changed lines of a function ask for flags, and decide none?"""
        flags = [flag for hunk in self.changed(unit) for flag in hunk.flags]
        return bool(flags) and all(flag.read for flag in flags)

    def changed(self, unit: Unit) -> list[Hunk]:
        """The hunks of a function."""
        return [hunk for hunk in self.hunks or () if hunk.unit == unit]

    def missing(self, unit: Unit) -> list[Hunk]:
        """The hunks of a function that no run came by, on neither side."""
        return [hunk for hunk in self.changed(unit) if not self._seen(hunk, self.runs)]

    def unmet(self, unit: Unit) -> list[Mark]:
        """The flags of a function's changed lines that no run came by, though it may have come by another such line."""
        met = {mark for told in self.flags.values() for mark, _, _ in told}
        return [flag.mark for hunk in self.changed(unit) for flag in hunk.flags if flag.mark not in met]

    def missed(self, unit: Unit, runs: Iterable[Unit]) -> list[Hunk]:
        """What of a function the runs of these others did not come by: its hunks; where it has none, all of it."""
        parts = self.changed(unit) or ([self.entries[unit]] if unit in self.entries else [])
        others = list(runs)
        return [hunk for hunk in parts if not self._seen(hunk, others)]

    def _seen(self, hunk: Hunk, runs: Iterable[Unit]) -> bool:
        marks = [self.runs[each] for each in runs if each in self.runs]
        return any(hunk.before & old or hunk.after & new for old, new in marks)


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
    quick: bool = False  # near misses are not tried
    exact: bool = False  # both sides are of today, and every operation is compared
    # what is known of each function already, and what was reached: shared by the items of one pair of texts
    local: dict[Unit, Verdict] = field(default_factory=dict)
    reached: Reached = field(default_factory=Reached)

    def others(self, touched: tuple[Unit, ...]) -> Item:
        """Another change to the same texts: no function is run twice."""
        return replace(self, touched=touched)
