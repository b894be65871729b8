"""Wrong migrations are offered as candidates: none is ever chosen.

What is offered for a golden case: the wrong migration that comes with it, each mistake seeded in the right one, and
behind all of them the right one. ``python tests/search/test_candidates_offered.py`` offers those of all cases, with
``--behind`` in the order in which a search would have them: the right one first.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "verify"))

from golden import CASES, item, names, texts
from mutations import EQUIVALENT, mutants, name_of, seen_by_the_harness

from voltfix.search import Budget, Memory
from voltfix.search.oracle import Oracle
from voltfix.verify.client import verify
from voltfix.verify.plan import Item


def offered(case: str, *, behind: bool) -> list[Item]:
    """The wrong ones, and the right one: in front of them where they stand ``behind`` it."""
    wrong, right = list(_wrong(case)), item(case, texts(CASES / case / "expert"), "expert")
    rights = [right] if right is not None else []
    return [*rights, *wrong] if behind else [*wrong, *rights]


def _wrong(case: str) -> Iterator[Item]:
    if (made := item(case, texts(CASES / case / "wrong"), "wrong")) is not None:
        yield made
    right = texts(CASES / case / "expert")
    for kind, where, changed in mutants(right):
        if (made := item(case, changed, name_of(case, kind, where, changed))) is not None:
            yield made


def chosen(cases: Sequence[str], *, behind: bool = False) -> tuple[Counter[str], list[str]]:
    """How many were offered, what became of it, and the wrong ones that were chosen."""
    equivalent: dict[str, bool] = json.loads(EQUIVALENT.read_text())
    counts, bad = Counter[str](), list[str]()
    oracle = Oracle(lambda items: verify(items, device="cpu", jobs=2), Budget(3600.0), Memory(None))
    for case in cases:
        items = offered(case, behind=behind)
        at = oracle.pick(items, oracle.judge(items)).at
        counts["offered"] += len(items)
        counts["wrong"] += sum(each.id != "expert" and not equivalent.get(each.id, False) for each in items)
        name = items[at].id if at is not None else ""
        counts["none" if at is None else "right" if name == "expert" else "not the expert's"] += 1
        if name not in ("", "expert") and not equivalent.get(name, False) and (
                name == "wrong" or seen_by_the_harness(CASES / case, dict(items[at or 0].after))):
            bad.append(f"{case}: {name}")
    return counts, bad


def test_no_wrong_migration_is_chosen_of_those_that_are_offered():
    counts, bad = chosen(names()[::12])
    assert bad == []
    assert counts["wrong"] > 30
    assert counts["right"] + counts["not the expert's"] > 6  # the right one is, though


if __name__ == "__main__":
    total, found = chosen(names(), behind="--behind" in sys.argv)
    print(dict(total), f"wrong ones chosen: {len(found)}", *found, sep="\n")
    sys.exit(1 if found else 0)
