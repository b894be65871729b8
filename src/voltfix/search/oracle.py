"""Candidates are judged by running them: before and after, in all that may call them, and against one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from voltfix.model import Change, Plan, Verification
from voltfix.pipeline.loading import Project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.pipeline.verifying import Verifier, item_of
from voltfix.records import dataclass
from voltfix.search.budget import Budget
from voltfix.search.draft import Draft
from voltfix.search.memory import Memory
from voltfix.verify.plan import Item


@dataclass(frozen=True)
class Trial:
    """A candidate carried out beside the changes that stand."""

    draft: Draft
    change: Change
    texts: Mapping[str, str]
    item: Item


class Oracle:
    """The verifier, asked within a budget, and not twice."""

    def __init__(self, verifier: Verifier, budget: Budget, memory: Memory) -> None:
        self.verifier, self.budget, self.memory = verifier, budget, memory
        self.asked = 0

    def judge(self, items: Sequence[Item]) -> list[Verification | None]:
        """The verdicts, in order; None for what there was no time for."""
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

    def apart(self, one: Trial, others: Sequence[Trial]) -> list[Trial]:
        """Those of the others that do something else than ``one``, on either side."""
        items = []
        for other in others:
            paths = sorted({*one.item.before, *other.item.before})
            first = {path: _text(one, other, path) for path in paths}
            second = {path: _text(other, one, path) for path in paths}
            touched = tuple(dict.fromkeys((*one.item.touched, *other.item.touched)))
            items += [Item("", first, second, touched, one.item.rest), Item("", second, first, touched, one.item.rest)]
        verdicts = self.judge(items)
        return [other for n, other in enumerate(others)
                if any(verdict is None or differs(verdict) for verdict in verdicts[2 * n : 2 * n + 2])]


def _text(mine: Trial, other: Trial, path: str) -> str:
    if path in mine.texts:
        return mine.texts[path]
    return mine.item.after.get(path) or other.item.before[path]


def same(verdict: Verification | None) -> bool:
    """Was it run, and found the same wherever it was?"""
    return verdict is not None and "identical" in (verdict.cpu, verdict.cuda) and not differs(verdict)


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
        try:
            compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return Trial(draft, change, carried.texts, item)
