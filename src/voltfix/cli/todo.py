"""``--todo``: a ``# TODO(voltfix): reason`` comment above each statement that a person has to look at."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from voltfix import core
from voltfix.model import Options, Result, Span
from voltfix.pipeline.suggesting import Look
from voltfix.pipeline.verifying import Verifier
from voltfix.program.positions import Offsets

if TYPE_CHECKING:
    from voltfix.search import Search

MARK = "# TODO(voltfix): "


def migrate_with_todos(
    files: Mapping[str, bytes], options: Options, verifier: Verifier | None, search: Search | None = None
) -> Result:
    """As ``core.migrate``, with a comment at each refusal; a statement that has one already gets no second.

    The comments come first and the fixes after them, so that no place has to be found again. Rows keep the
    lines of the files as they were.
    """
    plain = core.migrate(files, options, verifier, search)
    commented = _commented(files, options, plain)
    if not commented:
        return plain
    fixed = core.migrate({**files, **commented}, options, verifier, search)
    if [(row.status, row.reason) for row in fixed.sites] != [(row.status, row.reason) for row in plain.sites]:
        return plain  # a comment changes nothing that is decided; where it seems to, leave it out
    return replace(plain, outputs={**commented, **fixed.outputs})


def _commented(files: Mapping[str, bytes], options: Options, result: Result) -> dict[str, bytes]:
    """The files with comments at their refusals."""
    look = Look(dict(files), options, result)
    notes: dict[str, dict[int, str]] = {}
    for row in result.sites:
        decision = look.decision(row) if row.status == "refused" else None
        if decision is None:
            continue
        path = decision.site.path
        text = look.project.module(path).text
        start = _line_above(text, decision.site.node)
        if start is not None and not _has_mark(text, start):
            notes.setdefault(path, {})[start] = f"{row.reason}: {_one_line(row.message)}"
    texts = {path: _insert(look.project.module(path).text, found) for path, found in notes.items()}
    return look.project.render(texts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _line_above(text: str, span: Span) -> int | None:
    """The start of the line that a comment can stand above: that of the innermost statement around ``span``.

    Where a comment there would end up in a string, that of the next statement further out.
    """
    tree = ast.parse(text)
    offsets = Offsets(text)
    around = [offsets.span(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    around = [own for own in around if own.start <= span.start and span.end <= own.end]
    meaning = ast.dump(tree)
    for own in sorted(around, key=lambda own: own.end - own.start):
        line = text.rfind("\n", 0, own.start) + 1
        if _has_mark(text, line) or _means(_insert(text, {line: ""}), meaning):
            return line
    return None


def _means(text: str, meaning: str) -> bool:
    try:
        return ast.dump(ast.parse(text)) == meaning
    except SyntaxError:
        return False


def _has_mark(text: str, start: int) -> bool:
    return MARK in text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]


def _insert(text: str, notes: Mapping[int, str]) -> str:
    for start in sorted(notes, reverse=True):
        line = text[start : text.find("\n", start) if "\n" in text[start:] else len(text)]
        indent = line[: len(line) - len(line.lstrip())]
        newline = "\r\n" if line.endswith("\r") else "\n"
        text = f"{text[:start]}{indent}{MARK}{notes[start]}{newline}{text[start:]}"
    return text
