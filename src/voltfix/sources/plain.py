"""Plain Python files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from voltfix.model import FileError, Module
from voltfix.sources import decoding
from voltfix.sources.decoding import Decoded
from voltfix.sources.document import Document, LineIndex
from voltfix.sources.readable import Readable, make_readable


@dataclass(frozen=True)
class PlainDocument(Document):
    """A Python file: one module."""

    path: str
    modules: tuple[Module, ...]
    decoded: Decoded
    readable: Readable

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.modules[0].text)

    def render(self, texts: Mapping[int, str]) -> bytes:
        """See ``Document.render``."""
        text = self.readable.restore(texts[0]) if 0 in texts else self.decoded.text
        return self.decoded.encode(text)

    def locate(self, module: int, offset: int) -> tuple[int, int, int | None]:
        """See ``Document.locate``."""
        line, column = self._lines.position(offset)
        if self.readable.expanded is not None:
            column = self.readable.expanded.original_column(line, column)
        return line, column, None


def load(path: str, data: bytes) -> Document | FileError:
    """Load a Python file."""
    decoded = decoding.decode(path, data)
    if isinstance(decoded, FileError):
        return decoded
    readable = make_readable(decoded.text)
    if isinstance(readable, SyntaxError):
        return FileError(path, readable.lineno, "syntax", readable.msg or "invalid syntax")
    return PlainDocument(path, (Module(path, readable.text),), decoded, readable)
