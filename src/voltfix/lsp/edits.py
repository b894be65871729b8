"""From voltfix's rows and texts to the positions and edits of the protocol (lines from 0, UTF-16 columns)."""

from __future__ import annotations

from lsprotocol import types

from voltfix.model import SiteResult
from voltfix.report.hunks import hunks, lines_of


def utf16(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def site_range(row: SiteResult, text: str) -> types.Range:
    """Where a row's site is."""
    lines = lines_of(text)

    def position(line: int, column: int) -> types.Position:
        before = lines[line - 1][: column - 1] if line <= len(lines) else ""
        return types.Position(line - 1, utf16(before))

    return types.Range(position(row.line, row.column), position(row.end_line, row.end_column))


def text_edits(before: str, after: str) -> list[types.TextEdit]:
    """Whole-line edits that make ``after`` of ``before``."""
    lines = lines_of(before)

    def start_of(line: int) -> types.Position:
        if line < len(lines) or not lines or lines[-1].endswith("\n"):
            return types.Position(line, 0)
        return types.Position(len(lines) - 1, utf16(lines[-1]))

    return [
        types.TextEdit(range=types.Range(start_of(first), start_of(last)), new_text=text)
        for first, last, text in hunks(before, after)
    ]
