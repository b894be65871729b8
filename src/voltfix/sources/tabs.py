"""Indentation that mixes tabs and spaces as Python 2 allowed: a tab goes to the next multiple of eight."""

from __future__ import annotations

import re
from functools import cached_property

from voltfix.records import dataclass
from voltfix.sources.alignment import opcodes
from voltfix.sources.document import LineIndex
from voltfix.sources.lexer import lex

_INDENT = re.compile(r"[ \t]*")


@dataclass(frozen=True)
class Expanded:
    """A text whose indentation was turned into spaces; ``original`` is what it was."""

    original: str

    @cached_property
    def text(self) -> str:
        """The text with spaces for tabs in the indentation of all lines that begin outside of strings."""
        kept = _string_lines(self.original)
        lines = LineIndex(self.original).lines()
        return "".join(line if at in kept else _expanded(line) for at, line in enumerate(lines))

    def restore(self, text: str) -> str:
        """Give the lines of an edited text the indentation they had, new ones that of their neighbours.

        The last line as deep as a new one says how tabs and spaces are mixed there; where none was, the last line.
        """
        old, new, originals = (LineIndex(each).lines() for each in (self.text, text, self.original))
        kept = _string_lines(text)
        result: list[str] = []
        tabs = False
        by_width: dict[int, str] = {}
        for tag, i1, i2, j1, j2 in opcodes([line.strip() for line in old], [line.strip() for line in new]):
            if tag != "equal" and i1 < len(originals) and originals[i1].strip():
                tabs = _uses_tabs(originals[i1])
            ahead = min(i2 + 1, len(originals))  # what a new line stands before is as deep as it was
            by_width |= {_width(old[i]): _indent(originals[i]) for i in range(i1, ahead if tag == "insert" else i2)
                         if originals[i].strip() and not originals[i].lstrip().startswith("#")}
            for at in range(j1, j2):
                source = i1 + at - j1 if tag == "equal" else None
                tabs = _uses_tabs(originals[source]) if source is not None else tabs
                if at in kept or (source is not None and old[source] == new[at]):
                    result.append(originals[source] if source is not None else new[at])
                elif source is None and _width(new[at]) in by_width:
                    result.append(by_width[_width(new[at])] + new[at].lstrip(" "))
                else:
                    result.append(_compressed(new[at]) if tabs else new[at])
        return "".join(result)

    def original_column(self, line: int, column: int) -> int:
        """Turn a column of the text (line and column from 1) into one of the original."""
        here, there = self._line_pairs[line - 1]
        return max(1, column - here) if column > here else min(column, there + 1)

    @cached_property
    def _line_pairs(self) -> list[tuple[int, int]]:
        pairs = []
        for new, old in zip(LineIndex(self.text).lines(), LineIndex(self.original).lines(), strict=True):
            pairs.append((len(new) - len(old), len(old)))
        return pairs


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found.group() if found else ""


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _expanded(line: str) -> str:
    width = len(_indent(line))
    return line[:width].expandtabs(8) + line[width:]


def _compressed(line: str) -> str:
    bare = line.lstrip(" ")
    tabs, spaces = divmod(len(line) - len(bare), 8)
    return "\t" * tabs + " " * spaces + bare


def _uses_tabs(line: str) -> bool:
    return line.startswith("\t")


def _string_lines(text: str) -> set[int]:
    """Return the lines (from 0) that begin inside a string."""
    index = LineIndex(text)
    lines: set[int] = set()
    for token in lex(text):
        if token.kind == "string":
            lines.update(range(index.position(token.start)[0], index.position(token.end)[0]))
    return lines
