"""What is reached from where, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def closure(starts: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    """``starts``, and everything that the edges lead to from there."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        fresh = edges.get(pending.pop(), set()) - seen
        seen |= fresh
        pending.extend(fresh)
    return seen
