"""What is to be judged, and what has been found out about it: the data of the symbolic tier."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from voltfix.verify.symbolic.project import Mark, Side, Unit


@dataclass
class Verdict:
    """About one function: "identical", "different" or "not-run", with the difference or the cause."""

    unit: Unit
    verdict: str
    detail: str | None = None
    paths: int = 0


@dataclass(frozen=True)
class Hunk:
    """Consecutive changed lines of a function: the statements to which they belong, before and after."""

    unit: Unit
    line: str  # as a reader is told
    before: frozenset[Mark]
    after: frozenset[Mark]


@dataclass
class Reached:
    """The statements that compared runs came by, and the hunks that there are (None: not looked for yet)."""

    hunks: tuple[Hunk, ...] | None = None
    before: set[Mark] = field(default_factory=set)
    after: set[Mark] = field(default_factory=set)

    def missing(self, unit: Unit) -> list[Hunk]:
        """The hunks of a function that no run came by, on neither side."""
        mine = [hunk for hunk in self.hunks or () if hunk.unit == unit]
        return [hunk for hunk in mine if not (hunk.before & self.before or hunk.after & self.after)]


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
    # what is known of each function already, and what was reached: shared by the items of one pair of texts
    local: dict[Unit, Verdict] = field(default_factory=dict)
    reached: Reached = field(default_factory=Reached)

    def others(self, touched: tuple[Unit, ...]) -> Item:
        """Another change to the same texts: no function is run twice."""
        return replace(self, touched=touched)
