"""Candidates are judged by running them: before and after, in all that may call them, and against one another."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from voltfix.model import Change, Plan, Verification, file_of
from voltfix.pipeline.loading import Project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.pipeline.verifying import Verifier, item_of
from voltfix.records import dataclass
from voltfix.search.budget import Budget
from voltfix.search.draft import Draft
from voltfix.search.memory import Memory
from voltfix.search.order import in_order
from voltfix.search.telling import fails_as_before, several, shows_nothing, untried
from voltfix.verify.plan import Item

_TOO_LONG = "ran longer than"
_EARLY = re.compile(r": (the code stops at |more than \d+ operations)")


@dataclass(frozen=True)
class Trial:
    """A candidate carried out beside the changes that stand."""

    draft: Draft
    change: Change
    texts: Mapping[str, str]
    item: Item


class Picked(NamedTuple):
    """Which candidate is taken; where none is, why."""

    at: int | None
    doubt: str = ""


class Oracle:
    """The verifier, asked within a budget, and not twice."""

    def __init__(self, verifier: Verifier, budget: Budget, memory: Memory) -> None:
        self.verifier, self.budget, self.memory = verifier, budget, memory
        self.asked = 0

    def judge(self, items: Sequence[Item]) -> list[Verification | None]:
        """The verdicts, in order; None for what there was no time for.

        Where the first runs too long, the others would, too.
        """
        first = self._judged(items[:1])
        if any(each is not None and _TOO_LONG in (each.detail or "") for each in first):
            return [*first, *(None for _ in items[1:])]
        return [*first, *self._judged(items[1:])]

    def judge_changes(self, items: Sequence[Item]) -> list[Verification | None]:
        """The verdicts on changes of the same texts, each for itself.

        Where running a function of those texts ends before it comes to anything, it does so for each change that has to
        run it: that is found out once.
        """
        found: list[Verification | None] = []
        while len(found) < len(items):
            item = items[len(found)]
            stopped = next((each for each in found if each is not None and _stops(each, item)), None)
            if stopped is None and found and not any(each is not None and _ends_early(each) for each in found):
                return [*found, *self.judge(items[len(found) :])]
            found += [stopped] if stopped is not None else self._judged([item])
            if found[-1] is not None and _TOO_LONG in (found[-1].detail or ""):
                return [*found, *(None for _ in items[len(found) :])]
        return found

    def _judged(self, items: Sequence[Item]) -> list[Verification | None]:
        names = [self.memory.name(item) for item in items]
        found = [self.memory.get(name) for name in names]
        open_ = [n for n, verdict in enumerate(found) if verdict is None]
        if open_ and self.budget:
            with self.budget:
                fresh = self.verifier([replace(items[n], id=f"s{n}") for n in open_])
            self.asked += len(open_)
            for n, verdict in zip(open_, fresh, strict=True):
                self.memory.put(names[n], verdict)
                found[n] = verdict
        return found

    def pick(
        self, items: Sequence[Item], verdicts: Sequence[Verification | None],
        shown: Callable[[int], bool] = lambda n: True, narrower: Callable[[int, int], bool] = lambda n, other: False,
    ) -> Picked:
        """The first that does the same as before, if all were run and no other that does is different from it.

        ``shown``: does that say anything of it? What is the same in each of its functions goes before what is so only
        through their callers; what changes the order of statements is no migration. ``narrower``: is one the other
        with narrower blocks? Of such two that do the same as before the narrower one is taken, and what else the wider
        one changes is no doubt: nothing asks for it.
        """
        right = [n for n, verdict in enumerate(verdicts) if same(verdict) and not fails(verdict)]
        ranked = sorted(right, key=lambda n: _through(verdicts[n]))
        best = next((n for n in ranked if in_order(items[n]) and shown(n)), None)
        if best is None:
            return Picked(None, fails_as_before() if not right and any(map(same, verdicts)) else shows_nothing())
        for n in ranked:
            nearer = _through(verdicts[n]) <= _through(verdicts[best])
            if nearer and narrower(n, best) and in_order(items[n]) and shown(n):
                best = n
        if None in verdicts:
            return Picked(None, untried())
        doubt = self.apart(items[best], [items[n] for n in right if n != best and not narrower(best, n)])
        return Picked(None if doubt else best, doubt)

    def apart(self, one: Item, others: Sequence[Item]) -> str:
        """Why one of the others may do something else than ``one``, on either side; empty where none does."""
        items = []
        for other in others:
            paths = sorted({*one.before, *other.before})
            first, second = ({path: _text(*pair, path) for path in paths} for pair in ((one, other), (other, one)))
            if first == second:
                continue
            touched = tuple(dict.fromkeys((*one.touched, *other.touched)))
            items += [Item("", first, second, touched, one.rest), Item("", second, first, touched, one.rest)]
        verdicts = self.judge(items)
        if any(verdict is not None and differs(verdict) for verdict in verdicts):
            return several()
        return untried() if None in verdicts else ""


def _ends_early(verdict: Verification) -> bool:
    """Does running end at what no candidate is about?"""
    return verdict.tier is None and _EARLY.search(verdict.detail or "") is not None


def _stops(verdict: Verification, item: Item) -> bool:
    """Does running end early in a function that an item has to run, too?"""
    return _ends_early(verdict) and any(
        (verdict.detail or "").startswith(f"{file_of(path)}: {name or 'module body'}: ") for path, name in item.touched)


def _text(mine: Item, other: Item, path: str) -> str:
    found = mine.after.get(path)
    return other.before[path] if found is None else found


def _through(verdict: Verification | None) -> int:
    return verdict.through if verdict is not None else 0


def same(verdict: Verification | None) -> bool:
    """Was it run, and found the same wherever it was?"""
    return verdict is not None and "identical" in (verdict.cpu, verdict.cuda) and not differs(verdict)


def fails(verdict: Verification | None) -> bool:
    """Is it the same only because it raises as before, whatever happens? A program that ran never came there."""
    return verdict is not None and verdict.fails > 0


def lent(verdict: Verification | None) -> str:
    """What is not in view and got the tensor, in a trial that found nothing different: what it does is not seen."""
    return verdict.lent if verdict is not None else ""


def differs(verdict: Verification) -> bool:
    """Was it found different somewhere?"""
    return "different" in (verdict.cpu, verdict.cuda)


def trial(project: Project, plan: Plan, change: Change, draft: Draft, around: Surroundings) -> Trial | None:
    """A candidate beside the changes of a plan; None where it cannot be carried out beside them."""
    from voltfix.pipeline.carrying import carry_out

    carried = carry_out(project, [*plan.changes, change])
    if carried.failures:
        return None
    mine = {decision.site for decision in change.decisions}
    behind = {d.site.path for d in plan.left if not d.kept and d.site not in mine}
    item = item_of(project, change, carried.texts, behind, around)
    for path, text in item.after.items():
        if text == item.before.get(path):
            continue  # as it was: whoever runs it finds out what today's Python says of it
        try:
            compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return Trial(draft, change, carried.texts, item)
