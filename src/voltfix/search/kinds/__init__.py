"""The kinds of candidates: one file each, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator

from voltfix.search.draft import Draft
from voltfix.search.group import Group
from voltfix.search.kinds import alone, around, handed, kept, leaving, training
from voltfix.search.scene import Scenes

MOST = 8  # candidates of one change
_KINDS = (around.drafts, training.drafts, handed.drafts, kept.drafts, leaving.drafts, alone.drafts, around.wider)


def drafts(scenes: Scenes, group: Group) -> list[Draft]:
    """What might be done about a refused change: the likeliest first, none twice."""
    found: dict[object, Draft] = {}
    for draft in _all(scenes, group):
        found.setdefault(frozenset((path, frozenset(edits)) for path, edits in draft.edits), draft)
    kept = list(found.values())[:MOST]
    lone = [draft for draft in found.values() if draft.strategy == "drop" and draft not in kept]
    return [*kept[: MOST - len(lone)], *lone]  # without the flag alone nobody knows whether a block matters


def _all(scenes: Scenes, group: Group) -> Iterator[Draft]:
    for kind in _KINDS:
        yield from kind(scenes, group)
