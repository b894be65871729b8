"""Which lines of a text are still there in its new version: difflib, kept from taking hours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

Opcode = tuple[str, int, int, int, int]

# difflib takes the product of equal lines: 1 s for 3,000 that are all the same, an hour for 200,000
MAX_PRODUCT = 4_000_000


def opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """Yield what ``SequenceMatcher.get_opcodes`` does; in very long texts a coarser answer, but a right one."""
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if head:
        yield ("equal", 0, head, 0, head)
    for tag, i1, i2, j1, j2 in _matcher(old[head:old_end], new[head:new_end]).get_opcodes():
        yield (tag, i1 + head, i2 + head, j1 + head, j2 + head)
    if tail:
        yield ("equal", old_end, len(old), new_end, len(new))


def grouped(old: Sequence[str], new: Sequence[str], context: int = 3) -> Iterator[list[Opcode]]:
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


def _matcher(old: Sequence[str], new: Sequence[str]) -> SequenceMatcher[str] | SequenceMatcher[tuple[str, int]]:
    if len(old) * len(new) <= MAX_PRODUCT:
        return SequenceMatcher(None, old, new, False)
    # the n-th of the same lines is taken for the n-th: each is one of a kind
    return SequenceMatcher(None, list(_numbered(old)), list(_numbered(new)), False)


def _numbered(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for line in lines:
        seen[line] += 1
        yield line, seen[line]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
