"""Text under edit: replacements of ranges, and where other places move to through them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import pairwise
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


def moved(span: Span, splices: Sequence[Splice], *, grow: bool) -> Span:
    """Where ``span`` lies after ``splices``.

    What is inserted exactly at one of its ends becomes part of it with ``grow``, and stays outside without.
    """
    return Span(_moved(span.start, splices, take=not grow), _moved(span.end, splices, take=grow))


def _moved(offset: int, splices: Sequence[Splice], *, take: bool) -> int:
    """Move one offset; ``take`` says whether insertions right at it come before it."""
    shift = 0
    for splice in splices:
        if splice.start > offset or (splice.start == offset and not (take and splice.end == offset)):
            break
        if splice.end > offset:  # inside what is replaced
            return splice.start + shift
        shift += len(splice.text) - (splice.end - splice.start)
    return offset + shift


def relocated(edit: T, splices: Sequence[Splice], *, grow: bool) -> T:
    """Return ``edit`` with every span in it moved through ``splices``."""
    fields = dataclasses.fields(edit)  # type: ignore[arg-type]
    spans = {field.name: getattr(edit, field.name) for field in fields}
    changes = {name: moved(value, splices, grow=grow) for name, value in spans.items() if isinstance(value, Span)}
    return dataclasses.replace(edit, **changes) if changes else edit  # type: ignore[type-var]
