"""The source line of a site with a caret below it, as compilers show it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from voltfix.model import SiteResult
from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.moved import lines_of

_TAB = 4
_WITH_SOURCE = ("would-fix", "refused")


def snippet(report: Report, row: SiteResult, path: str) -> Iterator[str]:
    """``--> train.py:12:5``, the line and a caret; the place alone where the line is gone, or not at hand."""
    place = f"{printable(path)}{f':cell {row.cell}' if row.cell is not None else ''}:{row.line}:{row.column}"
    source = source_line(report, row) if row.status in _WITH_SOURCE else None
    gutter = " " * len(str(row.line))
    yield f"{gutter}--> {place}"
    if source is None:
        return
    end = row.end_column - 1 if row.end_line == row.line else len(source)
    start = row.column - 1
    before, marked, after = (_shown(part) for part in (source[:start], source[start:end], source[end:]))
    room = None if report.width is None else report.width - len(gutter) - 5
    text, at, length = _clipped(before, marked, after, room)
    yield f"{gutter} |"
    yield f"{row.line} | {text}".rstrip()
    yield f"{gutter} | {' ' * at}{'^' * max(length, 1)}"


def source_line(report: Report, row: SiteResult) -> str | None:
    """The line that a row speaks of, as it is on disk after the run."""
    data = report.originals.get(row.path)
    if report.mode == "write" and row.path in report.sources:
        data = report.sources[row.path][1]
    lines = lines_of(row.path, data).get(row.cell, []) if data is not None else []
    return lines[row.line - 1] if 0 < row.line <= len(lines) else None


def _shown(text: str) -> str:
    """With tabs as spaces and nothing that steers a terminal."""
    return printable(text.replace("\t", " " * _TAB))


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: two for each wide character."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _clipped(before: str, marked: str, after: str, room: int | None) -> tuple[str, int, int]:
    """The line in ``room`` columns, with what is marked in sight; where the mark starts and how long it is."""
    line = before + marked + after
    if room is None or cells(line) <= room:
        return line, cells(before), cells(marked)
    room = max(room, 20)
    marked = _cut(marked, room - 6)
    if cells(before) + cells(marked) > room - 3:
        before = "..." + _cut(before[::-1], max(room - cells(marked) - 6, 0))[::-1]
    left = room - cells(before) - cells(marked)
    if cells(after) > left:
        after = _cut(after, max(left - 3, 0)) + "..."
    return before + marked + after, cells(before), cells(marked)


def _cut(text: str, room: int) -> str:
    """As much of a text as fits."""
    while cells(text) > room:
        text = text[: max(len(text) - max((cells(text) - room) // 2, 1), 0)]
    return text
