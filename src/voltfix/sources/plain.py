"""Plain Python files, with the interactive sessions in their docstrings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from voltfix.model import FileError, Module
from voltfix.records import dataclass
from voltfix.sources import decoding
from voltfix.sources.decoding import Decoded
from voltfix.sources.document import Document, LineIndex
from voltfix.sources.legible import Readable, make_readable

if TYPE_CHECKING:
    from voltfix.sources.docstrings import Sessions


@dataclass(frozen=True)
class PlainDocument(Document):
    """A Python file: its code, and where there are any, the sessions in its docstrings as a second module."""

    path: str
    modules: tuple[Module, ...]
    decoded: Decoded
    readable: Readable
    sessions: Sessions | None = None

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.modules[0].text)

    def render(self, texts: Mapping[int, str]) -> bytes:
        """See ``Document.render``."""
        if not texts:
            return self.decoded.encode(self.decoded.text)
        text = texts.get(0, self.modules[0].text)
        if 1 in texts and self.sessions is not None:
            text = self.sessions.put_into(text, texts[1])
        return self.decoded.encode(self.readable.restore(text))

    def locate(self, module: int, offset: int) -> tuple[int, int, int | None]:
        """See ``Document.locate``."""
        if module == 1 and self.sessions is not None:
            line, column = self.sessions.locate(offset)
        else:
            line, column = self._lines.position(offset)
        if self.readable.expanded is not None:
            column = self.readable.expanded.original_column(line, column)
        return line, column, None


def _sessions(text: str) -> Sessions | None:
    """The sessions in docstrings; what reads them is imported for a text that may hold one."""
    if ">>>" not in text or "volatile" not in text:
        return None
    from voltfix.sources import docstrings

    return docstrings.find(text)


def load(path: str, data: bytes) -> Document | FileError:
    """Load a Python file."""
    decoded = decoding.decode(path, data)
    if isinstance(decoded, FileError):
        return decoded
    readable = make_readable(decoded.text)
    if isinstance(readable, SyntaxError):
        return FileError(path, readable.lineno, "syntax", readable.msg or "invalid syntax")
    code = Module(path, readable.text, python2=readable.python2)
    sessions = _sessions(readable.text)
    modules = (code,) if sessions is None else (code, sessions.module(path))
    return PlainDocument(path, modules, decoded, readable, sessions)
