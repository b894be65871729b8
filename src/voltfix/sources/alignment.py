"""Which lines of a text are still there in its new version: difflib, kept from taking hours."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TypeVar

Opcode = tuple[str, int, int, int, int]
Line = TypeVar("Line", str, bytes)

# difflib takes the product of equal lines: 1 s for 3,000 that are all the same, an hour for 200,000
MAX_PRODUCT = 4_000_000


def opcodes(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Opcode]:
    """Yield what ``SequenceMatcher.get_opcodes`` does; in very long texts a coarser answer, but a right one."""
    head = shared(old, new)
    tail = shared(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if head:
        yield ("equal", 0, head, 0, head)
    for tag, i1, i2, j1, j2 in _between(old[head:old_end], new[head:new_end]):
        yield (tag, i1 + head, i2 + head, j1 + head, j2 + head)
    if tail:
        yield ("equal", old_end, len(old), new_end, len(new))


def grouped(old: Sequence[Line], new: Sequence[Line], context: int = 3) -> Iterator[list[Opcode]]:
    """What ``SequenceMatcher.get_grouped_opcodes`` does: the changes, each with lines of context around it."""
    found = list(opcodes(old, new))
    group: list[Opcode] = []
    for place, operation in enumerate(found):
        tag, i1, i2, j1, j2 = operation
        before = (tag, i1, min(i2, i1 + context), j1, min(j2, j1 + context))  # a change that ends here
        after = (tag, max(i1, i2 - context), i2, max(j1, j2 - context), j2)  # one that begins there
        if tag != "equal":
            group.append(operation)
        elif place == 0:
            group.append(after)
        elif place == len(found) - 1:
            group.append(before)
        elif i2 - i1 > 2 * context:
            yield [*group, before]
            group = [after]
        else:
            group.append(operation)
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _between(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Opcode]:
    if len(old) * len(new) <= MAX_PRODUCT:
        yield from SequenceMatcher(None, old, new, False).get_opcodes()
        return
    i = j = 0
    for i2, j2, size in _runs(_rising(old, new), len(old), len(new)):
        if i < i2 or j < j2:
            yield ("replace" if i < i2 and j < j2 else "delete" if i < i2 else "insert", i, i2, j, j2)
        if size:
            yield ("equal", i2, i2 + size, j2, j2 + size)
        i, j = i2 + size, j2 + size


def _rising(old: Sequence[Line], new: Sequence[Line]) -> list[tuple[int, int]]:
    """As many places of lines that both hold as come in the same order in both.

    The n-th of the same lines is taken for the n-th: each is one of a kind.
    """
    places = {line: place for place, line in enumerate(_numbered(new))}
    pairs = [(place, places[line]) for place, line in enumerate(_numbered(old)) if line in places]
    least: list[int] = []  # of all rising runs of one length the least place that one ends at, and that pair
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(least, place)
        before.append(ends[length - 1] if length else -1)
        least[length : length + 1] = [place]
        ends[length : length + 1] = [number]
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _runs(pairs: Iterable[tuple[int, int]], old: int, new: int) -> Iterator[tuple[int, int, int]]:
    """Pairs that follow each other in both as one run: where it starts, its length; last the ends of the texts."""
    start: tuple[int, int] | None = None
    size = 0
    for i, j in pairs:
        if start is not None and (start[0] + size, start[1] + size) == (i, j):
            size += 1
            continue
        if start is not None:
            yield (*start, size)
        start, size = (i, j), 1
    if start is not None:
        yield (*start, size)
    yield old, new, 0


def _numbered(lines: Sequence[Line]) -> Iterator[tuple[Line, int]]:
    seen: Counter[Line] = Counter()
    for line in lines:
        seen[line] += 1
        yield line, seen[line]


def shared(one: Sequence[Line], other: Sequence[Line]) -> int:
    """How many items (of texts: characters) two sequences begin with together."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
