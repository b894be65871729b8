"""Text under edit: replacements of ranges, and where other places move to through them."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeVar

from voltfix.edit.errors import EditError
from voltfix.model import Span

T = TypeVar("T")


class Splice(NamedTuple):
    """Put ``text`` in the place of ``start`` to ``end``; an insertion where these are equal."""

    start: int
    end: int
    text: str


def merged(splices: Iterable[Splice]) -> list[Splice]:
    """Sort splices by place, insertions at one place in the order given; overlapping ones raise EditError."""
    ordered = sorted(splices, key=lambda splice: (splice.start, splice.end))
    for before, after in pairwise(ordered):
        if after.start < before.end:
            raise EditError("two edits overlap")
    return ordered


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """Carry out ``splices`` (sorted, disjoint)."""
    parts, at = [], 0
    for splice in splices:
        parts += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, text[at:]])


class Shifts:
    """Where places move to through splices (sorted, disjoint)."""

    def __init__(self, splices: Sequence[Splice]) -> None:
        self._splices = splices
        self._starts = [splice.start for splice in splices]
        self._before = [0, *accumulate(len(splice.text) - (splice.end - splice.start) for splice in splices)]

    def moved(self, span: Span, *, grow: bool) -> Span:
        """Where ``span`` lies afterwards.

        What is inserted exactly at one of its ends becomes part of it with ``grow``, and stays outside without.
        """
        return Span(self._moved(span.start, take=not grow), self._moved(span.end, take=grow))

    def _moved(self, offset: int, *, take: bool) -> int:
        """Move one offset; ``take`` says whether insertions right at it come before it."""
        index = bisect_left(self._starts, offset)
        if index and self._splices[index - 1].end > offset:  # inside what is replaced
            return self._splices[index - 1].start + self._before[index - 1]
        while take and index < len(self._splices) and self._splices[index][:2] == (offset, offset):
            index += 1
        return offset + self._before[index]


def relocated(edit: T, shifts: Shifts, *, grow: bool) -> T:
    """Return ``edit`` with every span in it moved through splices."""
    fields = dataclasses.fields(edit)  # type: ignore[arg-type]
    spans = {field.name: getattr(edit, field.name) for field in fields}
    changes = {name: shifts.moved(value, grow=grow) for name, value in spans.items() if isinstance(value, Span)}
    return dataclasses.replace(edit, **changes) if changes else edit  # type: ignore[type-var]


class Claims:
    """Ranges that are spoken for, with a quick answer to whether one touches any of them."""

    _SIZE = 512  # characters of a bucket
    _WIDE = 64  # buckets: longer ranges are few, and looked at one by one

    def __init__(self) -> None:
        self._buckets: dict[int, list[Span]] = {}
        self._wide: list[Span] = []

    def add(self, span: Span) -> None:
        """Speak for a range."""
        numbers = self._numbers(span)
        for spans in [self._wide] if len(numbers) > self._WIDE else [self._buckets.setdefault(n, []) for n in numbers]:
            spans.append(span)

    def touch(self, span: Span) -> bool:
        """Does a range share a character with one that is spoken for?"""
        numbers = self._numbers(span)
        near = self._buckets.values() if len(numbers) > self._WIDE else [self._buckets.get(n, ()) for n in numbers]
        return any(
            span.start < other.end and other.start < span.end for spans in (self._wide, *near) for other in spans
        )

    def _numbers(self, span: Span) -> range:
        return range(span.start // self._SIZE, span.end // self._SIZE + 1)
