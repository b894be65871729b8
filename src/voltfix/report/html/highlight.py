"""Python in colour, line by line: one pattern finds what five colours are for, the rest stays as it is.

A lexer that names every token takes as long as the analysis of a small project; here most of a text is passed by.
"""

from __future__ import annotations

import keyword
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise

from voltfix.report.hunks import lines_of

MAX_CHARACTERS = 400_000
_QUOTED = "|".join(
    rf"{quote}(?:[^\\{quote[0]}{end}]|\\.|{more})*(?:{quote}|\Z|(?=\n))"
    for quote, end, more in (
        ('"""', "", '"(?!"")'), ("'''", "", "'(?!'')"), ('"', r"\n", "(?!)"), ("'", r"\n", "(?!)"),
    )
)  # fmt: skip
_TOKEN = re.compile(
    rf"""(?P<c>\#[^\n]*)
    |(?P<s>(?<!\w)[rbfuRBFU]{{0,2}}(?:{_QUOTED}))
    |(?P<d>^[ \t]*@[\w.]+)
    |(?P<n>(?<![\w.])(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?j?))
    |(?P<k>\b(?:{"|".join(keyword.kwlist)})\b)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


class Highlighted:
    """A text whose lines can be asked for as HTML."""

    def __init__(self, text: str, escape: Callable[[str], str]) -> None:
        self._escape = escape
        self._lines = lines_of(text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        found = _TOKEN.finditer(text) if len(text) <= MAX_CHARACTERS else iter(())
        self._spans = [(match.start(), match.end(), match.lastgroup or "") for match in found]
        self._begins = [start for start, _, _ in self._spans]

    def depth(self, number: int) -> int:
        """How many columns line ``number`` (from 0) is indented by."""
        line = self._lines[number].expandtabs(4) if number < len(self._lines) else ""
        return len(line) - len(line.lstrip())

    def line(self, number: int, marks: list[range]) -> str:
        """Line ``number`` (from 0) as HTML, the characters in ``marks`` marked."""
        if number >= len(self._lines):
            return ""
        line = self._lines[number].rstrip("\r\n")
        out = []
        for start, end, kind in self._pieces(number, len(line)):
            for first, last, marked in _cut(start, end, marks):
                body = self._escape(line[first:last])
                body = f'<span class="{kind}">{body}</span>' if kind else body
                out.append(f"<mark>{body}</mark>" if marked else body)
        return "".join(out)

    def _pieces(self, number: int, length: int) -> Iterator[tuple[int, int, str]]:
        """The columns of a line in pieces of one colour."""
        offset, at = self._starts[number], 0
        index = max(0, bisect_right(self._begins, offset) - 1)
        while at < length:
            start, end, kind = self._spans[index] if index < len(self._spans) else (offset + length, 0, "")
            start, end, index = max(start - offset, at), min(end - offset, length), index + 1
            if at < min(start, length):
                yield at, min(start, length), ""
                at = min(start, length)
            if end > at:
                yield at, end, kind
                at = end


def _cut(start: int, end: int, marks: list[range]) -> Iterator[tuple[int, int, bool]]:
    """A piece in parts: inside a mark, outside one."""
    edges = {edge for mark in marks for edge in (mark.start, mark.stop) if start < edge < end}
    cuts = [start, *sorted(edges), end]
    for first, last in pairwise(cuts):
        yield first, last, any(first in mark for mark in marks)
