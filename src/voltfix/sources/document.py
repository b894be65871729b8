"""What a loaded file offers: its modules, where things are in it, and its bytes after a rewrite."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import field

from voltfix.model import Module
from voltfix.records import dataclass

_NEWLINE = re.compile(r"\r\n|\n|\r")


class Document(ABC):
    """One file that holds Python. ``modules`` parse with ast; rendered unchanged it gives the same bytes."""

    path: str
    modules: tuple[Module, ...]

    @abstractmethod
    def render(self, texts: Mapping[int, str]) -> bytes:
        """Return the file's bytes with new texts for the modules of these indexes; the others stay.

        Raises UnicodeEncodeError where a new text holds what the file's encoding lacks.
        """

    @abstractmethod
    def locate(self, module: int, offset: int) -> tuple[int, int, int | None]:
        """Return line, column (both from 1, columns in characters) and notebook cell (from 1, else None)."""


@dataclass(frozen=True)
class LineIndex:
    """Lines of a text and the offsets where they begin; a line ends at CRLF, LF or CR."""

    text: str
    starts: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        starts = (0, *(hit.end() for hit in _NEWLINE.finditer(self.text)))
        object.__setattr__(self, "starts", starts)

    def lines(self) -> list[str]:
        """Return the lines with their newlines; there is always a last one, empty after a final newline."""
        ends = (*self.starts[1:], len(self.text))
        return [self.text[start:end] for start, end in zip(self.starts, ends, strict=True)]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of ``offset``, both from 1, in characters."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1
