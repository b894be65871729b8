"""What is reached from where, step by step."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def closure(starts: Iterable[Node], edges: Mapping[Node, set[Node]]) -> set[Node]:
    """``starts``, and everything that the edges lead to from there."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        fresh = edges.get(pending.pop(), set()) - seen
        seen |= fresh
        pending.extend(fresh)
    return seen
