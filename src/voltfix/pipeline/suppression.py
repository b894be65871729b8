"""``# voltfix: skip`` at the end of a line (``skip[VF101]``: that rule alone), ``skip-file`` at the top of a file."""

from __future__ import annotations

import re

from voltfix.model import Module, Site, Span

FIRST_LINES = 10
_SKIP = re.compile(r"#\s*voltfix:\s*skip(?:\[(?P<codes>[^\]\n]*)\]|(?![-\w\[]))")
_SKIP_FILE = re.compile(r"(?:#|<!--|\.\.)\s*voltfix:\s*skip-file\b")


def skips_file(text: str) -> bool:
    """Whether the first lines of ``text`` ask to leave the whole file alone."""
    return any(_SKIP_FILE.search(line) for line in text.split("\n", FIRST_LINES)[:FIRST_LINES])


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
        return self._whole or any(
            (codes is None or code in codes) and self._line_start(span.start) <= mark < self._line_end(span.end)
            for mark, codes in self._marks
        )

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        end = self._text.find("\n", offset)
        return len(self._text) if end < 0 else end


def _codes(match: re.Match[str]) -> frozenset[str] | None:
    """The rules that a comment names; None: all of them."""
    if match["codes"] is None:
        return None
    return frozenset(code.strip().upper() for code in match["codes"].split(","))
