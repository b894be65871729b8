"""Markdown and reStructuredText: all blocks of Python in a file are one module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from voltfix.model import FileError, Module, Origin
from voltfix.records import dataclass
from voltfix.sources import blocks, decoding
from voltfix.sources.blocks import Block, Syntax
from voltfix.sources.decoding import Decoded
from voltfix.sources.document import Document, LineIndex
from voltfix.sources.joined import Joined, join
from voltfix.sources.legible import Readable, make_readable


@dataclass(frozen=True)
class Blocks:
    """The blocks of Python in a text, and the module that they make."""

    source: str
    found: tuple[Block, ...]
    joined: Joined

    def rewritten(self, text: str) -> str:
        """Return the whole text after an edit of the module's text to ``text``."""
        lines = LineIndex(self.source).lines()
        for number, new in sorted(self.joined.split(text).items(), reverse=True):
            block = self.found[number]
            last = block.first + len(block.lines)
            old = lines[block.first : last]
            usual = next((_newline(line) for line in lines[block.first :] if _newline(line)), "\n")
            newlines = [_newline(line) or usual for line in old]
            fresh = [line + newlines[source] for line, source in blocks.rewritten(block, new)]
            if fresh and not _newline(old[-1]):  # the end of the file, without a newline
                fresh[-1] = fresh[-1].rstrip("\r\n")
            lines[block.first : last] = fresh
        return "".join(lines)

    def origins(self) -> tuple[Origin, ...]:
        """Return where in the whole text the lines of the module's text stand."""
        return tuple(Origin(line, self.found[number].first + 1) for number, line in self.joined.first_lines())

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line and column in the whole text for an offset in the module's text."""
        number, inner = self.joined.locate(offset)
        line, column = self.joined.position(number, inner)
        block = self.found[number]
        at = min(line, len(block.lines)) - 1
        return block.first + line, column + len(block.lines[at].prefix)


def find_blocks(source: str, syntax: Syntax) -> Blocks | SyntaxError:
    """Find the Python in a text; declared as Python, speaking of volatile and not parsing is an error."""
    return from_blocks(source, list(blocks.find([_bare(line) for line in LineIndex(source).lines()], syntax)))


def from_blocks(source: str, found: Sequence[Block]) -> Blocks | SyntaxError:
    """Make a module of blocks found in ``source``."""
    pieces: list[Readable | None] = []
    for block in found:
        readable = make_readable(block.code)
        if isinstance(readable, SyntaxError) and block.declared and "volatile" in block.code:
            readable.lineno = block.first + (readable.lineno or 1)
            return readable
        pieces.append(None if isinstance(readable, SyntaxError) else readable)
    return Blocks(source, tuple(found), join(pieces, [block.code for block in found]))


@dataclass(frozen=True)
class MarkupDocument(Document):
    """A text with blocks of Python: one module, or none."""

    path: str
    modules: tuple[Module, ...]
    decoded: Decoded
    blocks: Blocks

    def render(self, texts: Mapping[int, str]) -> bytes:
        """See ``Document.render``."""
        text = self.blocks.rewritten(texts[0]) if 0 in texts else self.decoded.text
        return self.decoded.encode(text)

    def locate(self, module: int, offset: int) -> tuple[int, int, int | None]:
        """See ``Document.locate``."""
        return (*self.blocks.locate(offset), None)


def load_markdown(path: str, data: bytes) -> Document | FileError:
    """Load a Markdown file."""
    return _load(path, data, "markdown")


def load_rst(path: str, data: bytes) -> Document | FileError:
    """Load a reStructuredText file."""
    return _load(path, data, "rst")


def _load(path: str, data: bytes, syntax: Syntax) -> Document | FileError:
    decoded = decoding.decode(path, data, cookies=False)
    if isinstance(decoded, FileError):
        return decoded
    found = find_blocks(decoded.text, syntax)
    if isinstance(found, SyntaxError):
        return FileError(path, found.lineno, "syntax", found.msg or "invalid syntax")
    kind = "markdown" if syntax == "markdown" else "rst"
    joined = found.joined
    module = Module(path, joined.text, joined.barriers, kind, found.origins(), (), joined.python2)  # type: ignore[arg-type]
    return MarkupDocument(path, (module,) if module.text else (), decoded, found)


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _newline(line: str) -> str:
    return line[len(_bare(line)) :]
