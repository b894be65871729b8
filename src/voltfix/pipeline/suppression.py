"""``# voltfix: skip`` at the end of a line (``skip[VF101]``: that rule alone, ``skip[VF1]``: those that begin so), and
``skip-file`` at the top of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from voltfix.model import Module, Site, Span

FIRST_LINES = 10
_SKIP = re.compile(r"#\s*voltfix:\s*skip(?:\[(?P<codes>[^\]\n]*)\]|(?![-\w\[]))")
# a word behind the colon; a word that is one of voltfix's without a colon; or none behind it
_ADDRESSED = re.compile(r"#\s*voltfix(?::[ \t]*[-\w]*(?:\[[^\]\n]*\]?)?|[ \t]+(?:skip|skip-file)\b(?:\[[^\]\n]*\]?)?)")
_MARKED = re.compile(r"#\s*voltfix:\s*check\b")  # by --unsafe-fixes
_SKIP_FILE = re.compile(r"(?:#|<!--|\.\.)\s*voltfix:\s*skip-file\b")


def skips_file(text: str) -> bool:
    """Whether the first lines of ``text`` ask to leave the whole file alone."""
    return any(_SKIP_FILE.search(line) for line in text.split("\n", FIRST_LINES)[:FIRST_LINES])


def unknown(text: str) -> Iterator[tuple[int, str]]:
    """Comments to voltfix that say nothing that it knows, and so leave nothing alone: line, and what stands there."""
    for number, line in enumerate(text.split("\n"), 1) if "voltfix" in text else ():
        for match in _ADDRESSED.finditer(line):
            if not (_SKIP.match(match[0]) or _SKIP_FILE.match(match[0]) or _MARKED.match(match[0])):
                yield number, match[0].strip()


def skips_line(line: str) -> bool:
    """Whether a line that cannot be parsed ends in a comment that asks to leave it alone, whatever the rule."""
    return any(_codes(match) is None for match in _SKIP.finditer(line))


class Suppressed:
    """Answers whether a site of one module stands on a line that asks to be left alone."""

    def __init__(self, module: Module, whole_file: bool = False) -> None:
        self._whole = whole_file or skips_file(module.text)
        self._marks = (
            [(match.start(), _codes(match)) for match in _SKIP.finditer(module.text)]
            if "voltfix" in module.text
            else []
        )
        self._text = module.text

    def __contains__(self, site: Site) -> bool:
        return self.covers(site.kind.value, site.node)

    def covers(self, code: str, span: Span) -> bool:
        """Is a finding of that rule at ``span`` to be left alone?"""
        first, last = self._line_start(span.start), self._line_end(span.end)
        here = [codes for mark, codes in self._marks if first <= mark < last]
        return self._whole or any(codes is None or any(map(code.startswith, codes)) for codes in here)

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        end = self._text.find("\n", offset)
        return len(self._text) if end < 0 else end


def _codes(match: re.Match[str]) -> frozenset[str] | None:
    """The rules that a comment names; None: all of them."""
    if match["codes"] is None:
        return None
    return frozenset(filter(None, (code.strip().upper() for code in match["codes"].split(","))))
