"""What is checked of every edited text before anybody sees it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence

from voltfix.edit.conflicts import cover, spans
from voltfix.edit.errors import EditError
from voltfix.edit.neighbours import joined
from voltfix.edit.outline import Outline, outlined
from voltfix.edit.remarks import remarks
from voltfix.model import (
    DropArgument,
    DropParameter,
    Edit,
    ReplaceExpression,
    Span,
    WrapExpression,
    WrapStatements,
)
from voltfix.sources.document import LineIndex
from voltfix.sources.lexer import Token, lex
from voltfix.sources.syntax import parse

_OF_EXPRESSIONS = (DropArgument, DropParameter, ReplaceExpression, WrapExpression)
_ABOUT_VOLATILE = re.compile(r"\s*#.*volatile")


def check(before: str, after: str, edits: Sequence[Edit]) -> list[str]:
    """Return what is wrong with ``after``: it does not compile, or a line that no edit speaks of has changed.

    Lines of a wrapped region may be indented deeper; blank lines next to an edit may go.
    """
    problem = trouble(after)
    if problem is not None and (trouble(before) is None or isinstance(parse(after), SyntaxError)):
        return [f"does not compile: {problem}"]
    return _changed_lines(before, after, edits)


def trouble(text: str) -> str | None:
    """Return why ``text`` does not compile on this interpreter, None if it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<edited>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (RecursionError, MemoryError):
        return "it is nested too deeply"
    except (ValueError, OverflowError) as error:
        return str(error)
    return None


def _changed_lines(before: str, after: str, edits: Sequence[Edit]) -> list[str]:
    """Look for every untouched line of ``before`` in ``after``, in order."""
    index = LineIndex(before)
    try:
        outline = outlined(before)
        edits = joined(outline, (), list(edits))
        touched, wrapped = _touched(outline, index, edits), _wrapped(index, edits)
    except EditError as error:
        return [str(error)]
    olds, news = index.lines(), LineIndex(after).lines()
    # lines are looked for in strings where that matters, since lexing takes longer than all else here
    strays = any(_ABOUT_VOLATILE.match(old) for old in olds)
    strings = _strings(before, [Span(0, len(before))] if strays else _blocks(index, edits))
    inside = _further_lines(index, strings)
    along = _further_lines(index, filter(outline.is_remark, strings))
    at = 0
    for number, old in enumerate(olds, 1):
        if number in touched or not old.strip():
            continue
        loose = number in wrapped and (number not in inside or number in along)
        if _ABOUT_VOLATILE.match(old) and number not in inside:
            continue
        while at < len(news) and not _same(old, news[at], loose):
            at += 1
        if at == len(news):
            return [f"line {number} is not what it was: {old.strip()[:60]!r}"]
        at += 1
    return []


def _same(old: str, new: str, loose: bool) -> bool:
    if old == new or old.rstrip("\r\n") == new.rstrip("\r\n"):
        return True
    return loose and new.strip() == old.strip() and _depth(new) > _depth(old)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _touched(outline: Outline, index: LineIndex, edits: Sequence[Edit]) -> set[int]:
    """Return the lines that an edit may change beyond their indentation."""
    lines: set[int] = set()
    for edit in edits:
        if isinstance(edit, _OF_EXPRESSIONS):
            ranges = [(cover(edit).start, cover(edit).end)]
        elif isinstance(edit, WrapStatements):
            # only the ends may be cut off from their neighbours on the line
            first, last = (_own_lines(outline, span) for span in spans(edit))
            ranges = [(first[0], edit.first.start), (edit.last.end, last[1])]
        else:
            ranges = [_own_lines(outline, span) for span in spans(edit)]
        for start, end in ranges:
            lines.update(range(index.position(start)[0], index.position(end)[0] + 1))
    for remark in remarks(outline.text, edits):
        lines.update(range(index.position(remark.span.start)[0], index.position(remark.span.end)[0] + 1))
    return lines


def _own_lines(outline: Outline, span: Span) -> tuple[int, int]:
    """Return the range of the lines that a statement stands on, those of its neighbours on them included."""
    statement = outline.statement(span)
    first = outline.leftmost(statement)
    start = outline.line_start(first.start)
    if outline.inline(first.suite) and first.suite.owner is not None:
        start = first.suite.statements[0].start
    return start, outline.rightmost(statement).end


def _wrapped(index: LineIndex, edits: Iterable[Edit]) -> set[int]:
    return {line for edit in edits if isinstance(edit, WrapStatements) for line in _lines_of(index, edit)}


def _lines_of(index: LineIndex, edit: WrapStatements) -> range:
    """Return the lines of a block, the comments behind it included."""
    first, last = index.position(edit.first.start)[0], index.position(edit.last.end)[0]
    while last < len(index.starts) and _is_comment_or_blank(index, last + 1):
        last += 1
    return range(first, last + 1)


def _is_comment_or_blank(index: LineIndex, number: int) -> bool:
    start = index.starts[number - 1]
    end = index.starts[number] if number < len(index.starts) else len(index.text)
    line = index.text[start:end].strip()
    return not line or line.startswith("#")


def _blocks(index: LineIndex, edits: Iterable[Edit]) -> list[Span]:
    ends = [*index.starts[1:], len(index.text)]
    return [
        Span(edit.first.start, ends[_lines_of(index, edit)[-1] - 1])
        for edit in edits
        if isinstance(edit, WrapStatements)
    ]


def _strings(text: str, ranges: Iterable[Span]) -> list[Token]:
    """Return the strings that begin in the ranges; a range begins outside of all strings."""
    found: list[Token] = []
    for span in ranges:
        for token in lex(text, span.start):
            if token.start >= span.end:
                break
            if token.kind == "string":
                found.append(token)
    return found


def _further_lines(index: LineIndex, strings: Iterable[Token]) -> set[int]:
    """Return the lines that begin inside of strings."""
    lines: set[int] = set()
    for token in strings:
        lines.update(range(index.position(token.start)[0] + 1, index.position(token.end)[0] + 1))
    return lines
