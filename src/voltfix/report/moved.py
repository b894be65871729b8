"""Where sites stand once their files were written: what was rewritten above them has moved them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from voltfix.model import SiteResult
from voltfix.sources.alignment import opcodes

_NEAR = 40  # lines of one rewritten stretch that are held against each other
Lines = dict[int | None, list[str]]  # by cell of a notebook; None: of the file
_NEWLINE = re.compile(r"\r\n|\n|\r")
# ``line 3``, ``lines 3-5, 8``, ``a.py: line 3``, ``cell 2, line 3``, ``a.py:3``, ``a.ipynb:cell 2:3``
_LINES = re.compile(
    r"(?:(?P<file>[^\s:(]+\.\w+): ?)?(?:cell (?P<cell>\d+)[,:] ?)?(?:\blines? |(?<=:))(?P<lines>\d+(?:(?:-|, )\d+)*)"
)


@functools.lru_cache(maxsize=64)
def lines_of(path: str, data: bytes) -> Lines:
    """The lines of a file as reports count them: in a notebook those of each cell."""
    text = data.decode("utf-8-sig", "replace")
    if not path.endswith(".ipynb"):
        return {None: _NEWLINE.split(text)}
    try:
        return {number: _NEWLINE.split(source) for number, source in enumerate(_cells(json.loads(text)), 1)}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _cells(document: Mapping[str, object]) -> Iterator[str]:
    sheets = document.get("worksheets")
    found = document.get("cells") or [cell for sheet in (sheets if isinstance(sheets, list) else ())
                                      for cell in sheet.get("cells", ())]
    for cell in found if isinstance(found, list) else ():
        source = cell.get("source", cell.get("input", ""))
        yield source if isinstance(source, str) else "".join(source)


class Landing:
    """The rows of a run with the lines of the new files, in their sentences too. ``sources``: old and new bytes."""

    def __init__(self, sources: Mapping[str, tuple[bytes, bytes]]) -> None:
        self.sources = sources
        self.moves: dict[tuple[str, int | None], _Moves] = {}

    def landed(self, row: SiteResult) -> SiteResult:
        """The row with ``line`` as it is in the new file, and ``original_line`` as it was."""
        known = replace(row, original_line=row.line)
        moves = self._moves(row.path, row.cell)
        return replace(
            known if moves is None else moves.moved(known),
            message=self.renumbered(row.message, row.path),
            evidence=tuple(self.renumbered(sentence, row.path) for sentence in row.evidence),
        )

    def renumbered(self, sentence: str, path: str) -> str:
        """A sentence with the new numbers of the lines that it names; ``path`` is that of its row."""

        def said(match: re.Match[str]) -> str:
            file = self._meant(sentence[: match.end("file")]) or match["file"] if match["file"] else path
            moves = self._moves(file, int(match["cell"]) if match["cell"] else None)
            if moves is None:
                return match[0]
            numbers = re.sub(r"\d+", lambda number: str(moves.line(int(number[0])) or number[0]), match["lines"])
            numbers = re.sub(r"\b(\d+)-\1\b", r"\1", numbers)
            before = match[0][: match.start("lines") - match.start()]
            return f"{before.replace('lines ', 'line ') if numbers.isdecimal() else before}{numbers}"

        return _LINES.sub(said, sentence) if any(char.isdigit() for char in sentence) else sentence

    def _meant(self, said: str) -> str | None:
        """The file whose path is the end of what was said: it may hold spaces, or have lost its front."""
        _, dots, cut = said.rpartition("...")
        found = [p for p in self.sources if said.endswith(f" {p}") or said == p or (dots and cut and p.endswith(cut))]
        return found[0] if len(found) == 1 else None

    def _moves(self, path: str, cell: int | None) -> _Moves | None:
        if path not in self.sources:
            return None
        key = (path, cell)
        if key not in self.moves:
            old, new = (lines_of(path, data).get(cell, []) for data in self.sources[path])
            self.moves[key] = _Moves(old, new)
        return self.moves[key]


class _Moves:
    """What became of each line of a text."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old, self.new = old, new
        self.steps = list(opcodes([line.strip() for line in old], [line.strip() for line in new]))

    def moved(self, row: SiteResult) -> SiteResult:
        """The row at its place in the new text."""
        line = self._standing(row.line) or self._behind(row.line)
        if line is None:
            return row
        deeper = _depth(self.new[line - 1]) - _depth(self.old[row.line - 1])
        columns = [max(column + deeper, 1) for column in (row.column, row.end_column)]
        down = row.end_line - row.line
        if self._standing(row.line) is None:
            columns = [_depth(self.new[line - 1]) + 1] * 2
        if self.new[line - 1].strip() != self.old[row.line - 1].strip():  # what is pointed at is gone
            columns = [min(column, len(self.new[line - 1]) + 1) for column in columns]
            down = 0
        return replace(row, line=line, end_line=line + down, column=columns[0],
                       end_column=max(columns) if not down else columns[1])  # fmt: skip

    def line(self, number: int) -> int | None:
        """The new number of a line; that of the likest where it was rewritten."""
        return self._likest(number) or self._behind(number)

    def _step(self, number: int) -> tuple[str, int, int, int, int] | None:
        """The step that a line belongs to."""
        return next((step for step in self.steps if step[1] <= number - 1 < step[2]), None)

    def _likest(self, number: int) -> int | None:
        """The new line that is like an old one, where there is one in its place."""
        if (step := self._step(number)) is None:
            return None
        tag, first, _, start, end = step
        if tag == "equal":
            return start + number - first
        text = self.old[number - 1].strip()
        among = range(start, min(end, start + _NEAR))
        likest = max(among, key=lambda at: _alike(text, self.new[at].strip()), default=None)
        return None if likest is None else likest + 1

    def _standing(self, number: int) -> int | None:
        """The new number of a line that is not gone: no other old line is more like it."""
        step, line = self._step(number), self._likest(number)
        if step is None or line is None or step[0] == "equal":
            return line
        like = _alike(self.old[number - 1].strip(), self.new[line - 1].strip())
        others = range(step[1], min(step[2], step[1] + _NEAR))
        nearer = any(_alike(self.old[each].strip(), self.new[line - 1].strip()) > like for each in others)
        return None if nearer else line

    def _behind(self, number: int) -> int | None:
        """The first new line behind the place of an old one that is not empty; the last one where there is none."""
        if (step := self._step(number)) is None or not self.new:
            return None
        filled = (at for at in range(step[4], len(self.new)) if self.new[at].strip())
        return next(filled, len(self.new) - 1) + 1


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:400], other[:400]).ratio()


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
