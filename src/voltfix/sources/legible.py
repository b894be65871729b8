"""Python text made readable to today's parser, and the way back."""

from __future__ import annotations

from voltfix.records import dataclass
from voltfix.sources.shields import Shield, shield
from voltfix.sources.syntax import check
from voltfix.sources.tabs import Expanded


@dataclass(frozen=True)
class Readable:
    """``text`` parses; ``restore`` takes an edited one back to the file's own Python."""

    text: str
    shield: Shield | None = None
    expanded: Expanded | None = None

    @property
    def python2(self) -> bool:
        """Does only Python 2 read it as it was?"""
        return self.expanded is not None or (self.shield is not None and self.shield.python2)

    def restore(self, text: str) -> str:
        """Return what an edited ``text`` is in the file's own Python."""
        if self.shield is not None:
            text = self.shield.restore(text)
        return self.expanded.restore(text) if self.expanded is not None else text


def make_readable(text: str, *, magics: bool = False) -> Readable | SyntaxError:
    """Find a form of ``text`` that parses: as it is, with stand-ins, or with its tabs expanded too."""
    if check(text) is None:
        return Readable(text)
    shielded = shield(text, magics=magics)
    second = check(shielded.text)
    if second is None:
        return Readable(shielded.text, shielded)
    if isinstance(second, IndentationError) and "\t" in text:
        expanded = Expanded(text)
        shielded = shield(expanded.text, magics=magics)
        if check(shielded.text) is None:
            return Readable(shielded.text, shielded, expanded)
    return second
