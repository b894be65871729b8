"""Programs that never meet, decided one by one: what one of them computes is nothing to another.

Two scripts, or notebooks, may import the same library and still never run in one process. A site in a file that one
program alone loads hangs on nothing but that program. Programs that share a file with a site, or into which something
is written, are decided together: what is written there serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from voltfix.model import Change, Decision, Look, Plan, Site

Paths = frozenset[str]
Decide = Callable[[], Plan]


def sharing(programs: Iterable[Paths], paths: Iterable[str]) -> list[Paths]:
    """The programs, with those in one that have one of ``paths``."""
    found = list(programs)
    for path in sorted(paths):
        having = [each for each in found if path in each]
        if len(having) > 1:
            found = [each for each in found if path not in each] + [frozenset().union(*having)]
    return found


def decide_apart(
    programs: Iterable[Paths], sites: Sequence[Site], open_part: Callable[[Paths], Decide | None]
) -> Plan | None:
    """One plan for programs that never meet; None where they have to be looked at together.

    ``open_part`` answers with what decides the sites of one, or None: alone it has other sites than in the whole.
    """
    at = {site.path for site in sites}
    found = sharing(programs, at)
    parts: dict[Paths, Decide] = {}
    plans: dict[Paths, Plan] = {}
    while len(found) > 1:
        asked = [each for each in found if not at.isdisjoint(each)]
        for each in asked:
            part = open_part(each) if each not in parts else parts[each]
            if part is None:
                return None
            parts[each] = part
        for each in asked:
            if each not in plans:
                plans[each] = parts[each]()
        written = {path for each in asked for change in plans[each].changes for path, edits in change.edits if edits}
        joined = sharing(found, written)
        if len(joined) == len(found):
            return replace(together([plans[each] for each in asked]), apart=True)
        found = joined
    return None


def together(plans: Iterable[Plan]) -> Plan:
    """The plans of groups that nothing volatile passes between; what two of them see is decided once."""
    changes: list[Change] = []
    left: list[Decision] = []
    looked: list[Look] = []
    seen: set[tuple[str, int]] = set()
    apart = False
    for plan in plans:
        fresh = [c for c in plan.changes if seen.isdisjoint(_key(d) for d in c.decisions)]
        changes += [replace(change, id=f"c{at}") for at, change in enumerate(fresh, len(changes) + 1)]
        left += [decision for decision in plan.left if _key(decision) not in seen]
        looked += plan.looked
        seen |= {_key(d) for c in fresh for d in c.decisions} | {_key(d) for d in plan.left}
        apart |= plan.apart
    return Plan(tuple(changes), tuple(left), tuple(looked), apart)


def _key(decision: Decision) -> tuple[str, int]:
    return decision.site.path, decision.site.span.start
