"""Python's order of lookup: where a class, and ``super()`` in it, finds a member."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Kind = TypeVar("Kind")


def linearized(lines: Sequence[Sequence[Kind]]) -> list[Kind]:
    """Python's C3 merge of the orders of all bases and of the bases; just their order where they contradict."""
    left = [list(line) for line in lines if line]
    merged: list[Kind] = []
    while left:
        good = (line[0] for line in left if not any(line[0] in other[1:] for other in left))
        head = next(good, left[0][0])
        merged.append(head)
        left = [rest for line in left if (rest := [each for each in line if each != head])]
    return merged
