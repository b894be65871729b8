"""Pieces of Python that are read one after another (cells, documentation blocks), joined to one module text.

Before each piece stands a comment line that marks it, so that edits cannot blur where a piece begins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from voltfix.records import dataclass
from voltfix.sources.document import LineIndex
from voltfix.sources.legible import Readable


@dataclass(frozen=True)
class Joined:
    """Pieces in readable form; those that are None are no Python and take no part."""

    pieces: tuple[Readable | None, ...]
    sources: tuple[str, ...]

    @cached_property
    def mark(self) -> str:
        """What a marking line begins with; no piece has such a line."""
        mark = "#%% piece "
        while any(mark in source for source in self.sources):
            mark = mark.replace("%%", "%%%", 1)
        return mark

    @cached_property
    def _layout(self) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        """Return the joined text, the numbers of its pieces and where these begin."""
        parts: list[str] = []
        numbers: list[int] = []
        starts: list[int] = []
        length = 0
        for number, piece in enumerate(self.pieces):
            if piece is None:
                continue
            head = f"{self.mark}{number}\n"
            numbers.append(number)
            starts.append(length + len(head))
            parts.append(f"{head}{piece.text}\n")
            length += len(parts[-1])
        return "".join(parts), tuple(numbers), tuple(starts)

    @property
    def text(self) -> str:
        """The module's text."""
        return self._layout[0]

    @property
    def python2(self) -> bool:
        """Is there a piece that only Python 2 reads?"""
        return any(piece is not None and piece.python2 for piece in self.pieces)

    @property
    def barriers(self) -> tuple[int, ...]:
        """Where pieces end and the next mark begins."""
        _, numbers, starts = self._layout
        marks = (start - len(f"{self.mark}{number}\n") for number, start in zip(numbers, starts, strict=True))
        return tuple(marks)[1:]

    def first_lines(self) -> Iterator[tuple[int, int]]:
        """Yield the number of each piece, and the line (from 1) of the joined text that it begins at."""
        text, numbers, starts = self._layout
        index = LineIndex(text)
        for number, start in zip(numbers, starts, strict=True):
            yield number, index.position(start)[0]

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the piece that ``offset`` lies in, and the offset within."""
        _, numbers, starts = self._layout
        at = max(0, bisect_right(starts, offset) - 1)
        piece = self.pieces[numbers[at]]
        assert piece is not None
        return numbers[at], min(max(0, offset - starts[at]), len(piece.text))

    def position(self, number: int, offset: int) -> tuple[int, int]:
        """Return line and column (from 1) of an offset within a piece."""
        piece = self.pieces[number]
        assert piece is not None
        line, column = LineIndex(piece.text).position(offset)
        return line, piece.expanded.original_column(line, column) if piece.expanded else column

    def split(self, text: str) -> dict[int, str]:
        """Return the pieces of an edited text that have changed, restored, by number."""
        bounds = list(re.finditer(rf"^{re.escape(self.mark)}(\d+)\n", text, re.MULTILINE))
        numbers = tuple(int(bound.group(1)) for bound in bounds)
        if numbers != self._layout[1]:
            raise ValueError("the marks between the pieces were lost in editing")
        ends = [bound.start() for bound in bounds[1:]] + [len(text)]
        changed: dict[int, str] = {}
        for number, bound, end in zip(numbers, bounds, ends, strict=True):
            piece = self.pieces[number]
            assert piece is not None
            new = text[bound.end() : end].removesuffix("\n")
            if new != piece.text:
                changed[number] = piece.restore(new)
        return changed


def join(pieces: Sequence[Readable | None], sources: Sequence[str]) -> Joined:
    """Join pieces, each with the text it was made from."""
    return Joined(tuple(pieces), tuple(sources))
