"""Python text made readable to today's parser, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

from voltfix.sources.shields import Shield, shield
from voltfix.sources.syntax import parse
from voltfix.sources.tabs import Expanded


@dataclass(frozen=True)
class Readable:
    """``text`` parses; ``restore`` takes an edited one back to the file's own Python."""

    text: str
    shield: Shield | None = None
    expanded: Expanded | None = None

    def restore(self, text: str) -> str:
        """Return what an edited ``text`` is in the file's own Python."""
        if self.shield is not None:
            text = self.shield.restore(text)
        return self.expanded.restore(text) if self.expanded is not None else text


def make_readable(text: str, *, magics: bool = False) -> Readable | SyntaxError:
    """Find a form of ``text`` that parses: as it is, with stand-ins, or with its tabs expanded too."""
    error = parse(text)
    if not isinstance(error, SyntaxError):
        return Readable(text)
    shielded = shield(text, magics=magics)
    second = parse(shielded.text)
    if not isinstance(second, SyntaxError):
        return Readable(shielded.text, shielded)
    if isinstance(second, IndentationError) and "\t" in text:
        expanded = Expanded(text)
        shielded = shield(expanded.text, magics=magics)
        if not isinstance(parse(shielded.text), SyntaxError):
            return Readable(shielded.text, shielded, expanded)
    return second
