"""Plain Python files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from voltfix.model import FileError, Module
from voltfix.sources import decoding
from voltfix.sources.decoding import Decoded
from voltfix.sources.document import Document, LineIndex
from voltfix.sources.syntax import parse


@dataclass(frozen=True)
class PlainDocument(Document):
    """A Python file: one module."""

    path: str
    modules: tuple[Module, ...]
    decoded: Decoded

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.modules[0].text)

    def render(self, texts: Mapping[int, str]) -> bytes:
        """See ``Document.render``."""
        return self.decoded.encode(texts.get(0, self.modules[0].text))

    def locate(self, module: int, offset: int) -> tuple[int, int, int | None]:
        """See ``Document.locate``."""
        return (*self._lines.position(offset), None)


def load(path: str, data: bytes) -> Document | FileError:
    """Load a Python file."""
    decoded = decoding.decode(path, data)
    if isinstance(decoded, FileError):
        return decoded
    tree = parse(decoded.text)
    if isinstance(tree, SyntaxError):
        return FileError(path, tree.lineno, "syntax", tree.msg or "invalid syntax")
    return PlainDocument(path, (Module(path, decoded.text),), decoded)
