"""Edits of whole statements, by physical lines: wrap, insert, replace, delete, decorate."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace as replaced
from itertools import pairwise

from voltfix.edit.draft import Splice
from voltfix.edit.errors import EditError
from voltfix.edit.outline import Outline, Statement, is_docstring
from voltfix.model import Decorate, DeleteStatement, InsertStatement, ReplaceStatement, Span, WrapStatements
from voltfix.sources.lexer import Token, lex
from voltfix.sources.syntax import parse

ABOUT_FLAG = re.compile(r"volatil|no[_ -]?grad|gradient|\bgraph\b|\bgrads?\b", re.IGNORECASE)
DIRECTIVE = re.compile(r"#\s*(?:noqa|type:|pylint|pragma|nosec|pyre-|fmt:|isort|voltfix)", re.IGNORECASE)
_COMMENT = re.compile(r"# voltfix: \w+")  # of our own
_ANY_NEWLINE = re.compile(r"\r\n|\n|\r")
# where interpreter and encoding are declared, or a cell begins
_HEAD_LINE = re.compile(r"#!|#.*?coding[:=]|#\s*%%")
_GAP_BEFORE_COMMENT = re.compile(r"[ \t\f]*;?[ \t\f]*")


def wrap(outline: Outline, edit: WrapStatements, barriers: Sequence[int]) -> list[Splice]:
    """Put a ``with`` around statements."""
    first, last = outline.statement(edit.first), outline.statement(edit.last)
    if first.suite is not last.suite or last.index < first.index:
        raise EditError("the block's first and last statement do not stand in one suite")
    if any(first.start < barrier < last.end for barrier in barriers):
        raise EditError("a block cannot reach from one cell into the next")
    lines = _Lines(outline, first, last)
    header = f"with {edit.header}:{lines.newline}{lines.base}{lines.unit}"
    return [*lines.separate(), Splice(first.start, first.start, header), *lines.indented()]


def insert(outline: Outline, edit: InsertStatement) -> list[Splice]:
    """Put lines, or a comment of our own, before or after a statement; comments right above it stay with it."""
    anchor = outline.statement(edit.anchor)
    lines = _Lines(outline, anchor, anchor)
    text = edit.text if _COMMENT.fullmatch(edit.text) else _laid_out(edit.text, lines.base, lines.newline)
    if edit.where == "after":
        return _insert_after(outline, anchor, lines, text)
    if lines.shared_left:
        opening, *others = lines.separate(right=False)
        return [opening, *others, Splice(anchor.start, anchor.start, f"{text}{lines.newline}{lines.base}")]
    place = _above_comments(outline, anchor)
    if place == anchor.start:
        return [Splice(place, place, f"{text}{lines.newline}{lines.base}")]
    return [Splice(place, place, f"{lines.base}{text}{lines.newline}")]


def _insert_after(outline: Outline, anchor: Statement, lines: _Lines, text: str) -> list[Splice]:
    following = outline.following(anchor)
    if following is not None:
        gap = f"{lines.newline}{lines.base}"
        return [*lines.explode(), Splice(anchor.end, following.start, f"{gap}{text}{gap}")]
    end = lines.end()
    return [*lines.explode(), Splice(end, end, f"{lines.newline}{lines.base}{text}")]


def replace(outline: Outline, edit: ReplaceStatement) -> list[Splice]:
    """Put other lines in the place of a statement."""
    statement = outline.statement(edit.span)
    lines = _Lines(outline, statement, statement)
    text = _laid_out(edit.text, lines.base, lines.newline)
    splice = Splice(statement.start, statement.end, text)
    return [splice] if _is_simple(edit.text) else [*lines.separate(), splice]


def delete(outline: Outline, edit: DeleteStatement) -> list[Splice]:
    """Take a statement away with its line; an emptied suite gets ``pass``."""
    statement = outline.statement(edit.span)
    suite = statement.suite
    if suite.owner is not None and len(suite.statements) == 1:
        return _emptied(outline, statement)
    following, previous = outline.following(statement), outline.previous(statement)
    if following is not None:
        return [Splice(statement.start, following.start, "")]
    if previous is not None:
        return [Splice(previous.end, statement.end, "")]
    return _deleted_lines(outline, statement)


def decorate(outline: Outline, edit: Decorate) -> list[Splice]:
    """Put a decorator right above ``def``."""
    statement = outline.statement(edit.function)
    if not isinstance(statement.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        raise EditError("only a function can be decorated")
    if not outline.starts_line(statement.head):
        raise EditError("the function does not begin a line")
    gap = outline.newline(statement.head) + outline.indent(statement.head)
    return [Splice(statement.head, statement.head, f"@{edit.decorator}{gap}")]


class _Lines:
    """Where the lines of a run of statements lie, and what makes them lines of their own."""

    def __init__(self, outline: Outline, first: Statement, last: Statement) -> None:
        self.outline, self.first, self.last = outline, first, last
        self.suite = first.suite
        self.unit = outline.unit(self.suite)
        self.newline = outline.newline(first.start)
        self.inline = outline.inline(self.suite)
        if self.inline:
            self.base = outline.header_indent(self.suite) + self.unit
        else:
            self.base = outline.indent(outline.leftmost(first).start)
        self.shared_left = self.inline or outline.previous(first) is not None

    def explode(self) -> list[Splice]:
        """Give a suite on the line of its header a line of its own."""
        if not self.inline:
            return []
        start = self.suite.statements[0].start
        gap = start - len(_trailing_space(self.outline.text[:start]))
        return [Splice(gap, start, f"{self.newline}{self.base}")]

    def separate(self, *, right: bool = True) -> list[Splice]:
        """Put the run on lines of its own, away from what is before and behind it."""
        outline, gap = self.outline, f"{self.newline}{self.base}"
        splices = self.explode()
        previous = outline.previous(self.first)
        if previous is not None:
            splices.append(Splice(previous.end, self.first.start, gap))
        following = outline.following(self.last)
        if right and following is not None:
            splices.append(Splice(self.last.end, following.start, gap))
        return splices

    def end(self) -> int:
        """Where the lines of the run end: behind its trailing comment and deeper comments below it."""
        outline, text = self.outline, self.outline.text
        following = outline.following(self.last)
        if following is not None:
            return self.last.end
        end = outline.line_end(self.last.end)
        place = outline.next_line(end)
        while place < len(text) and place > end:
            line = text[place : outline.line_end(place)]
            bare = line.strip(" \t\f")
            if bare and not bare.startswith("#"):
                break
            if bare:
                indent = outline.indent(place)
                if len(indent) <= len(self.base) or not indent.startswith(self.base) or self.inline:
                    break
                end = place + len(line)
            place = outline.next_line(place)
        return end

    def indented(self) -> list[Splice]:
        """Move every further line of the run in by one unit; the inside of strings stays where it is.

        But for that of a string that stands as a statement: it is a comment, and moves with what it is about.
        """
        splices = []
        end = self.end()
        for token in self.outline.tokens(self.first.start, end):
            if token.kind in ("newline", "continuation") and token.end < end:
                splices += self._moved_in(token.end, after_backslash=token.kind == "continuation")
            elif token.kind == "string":
                splices += self._moved_along(token)
        return splices

    def _moved_along(self, string: Token) -> list[Splice]:
        """Move the lines of a comment that is a string, all or none: one that hangs further out has its own layout."""
        text = self.outline.text[string.start : string.end]
        starts = [string.start + found.end() for found in _ANY_NEWLINE.finditer(text)]
        lines = [(start, self.outline.text[start : self.outline.line_end(start)]) for start in starts]
        lines = [(start, line) for start, line in lines if line.strip()]
        if not lines or not all(line.startswith(self.base) for _, line in lines) or not self.outline.is_remark(string):
            return []
        return [Splice(place, place, self.unit) for place in (start + len(self.base) for start, _ in lines)]

    def _moved_in(self, start: int, *, after_backslash: bool) -> list[Splice]:
        line = self.outline.text[start : self.outline.line_end(start)]
        bare = line.strip(" \t\f")
        if not bare and not after_backslash:
            return []
        if line.startswith(self.base):
            place = start + len(self.base)
        elif bare.startswith("#") and not after_backslash:
            return []  # code that was commented out from column 0
        else:
            place = start
        return [Splice(place, place, self.unit)]


def without_leaders(outline: Outline, edit: WrapStatements) -> WrapStatements:
    """Return the block without the docstring and ``__future__`` imports that it may not take along."""
    first, last = outline.statement(edit.first), outline.statement(edit.last)
    while _must_lead(first):
        if first is last:
            raise EditError("a docstring or __future__ import cannot be wrapped")
        first = first.suite.statements[first.index + 1]
    return replaced(edit, first=Span(first.start, first.end))


def _must_lead(statement: Statement) -> bool:
    node = statement.node
    return is_docstring(statement) or (
        isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.level == 0)


def _trailing_space(text: str) -> str:
    return text[len(text.rstrip(" \t\f")) :]


def _is_simple(text: str) -> bool:
    tree = parse(text)
    if isinstance(tree, SyntaxError):
        raise EditError(f"the new statement does not parse: {tree.msg}")
    return len(tree.body) == 1 and not hasattr(tree.body[0], "body")


def _laid_out(text: str, base: str, newline: str) -> str:
    """Indent lines written from column 0 by ``base`` (the first one not), with the file's newlines."""
    text = _ANY_NEWLINE.sub(newline, text.rstrip("\r\n"))
    if _has_no_code(text):
        raise EditError("there is no statement to put in")
    parts = []
    for token, after in pairwise([*lex(text), None]):
        assert token is not None
        piece = text[token.start : token.end]
        if token.kind in ("newline", "continuation"):
            blank = after is None or after.kind == "newline"
            piece += "" if blank else base
        parts.append(piece)
    return "".join(parts)


def _has_no_code(text: str) -> bool:
    return not any(token.kind not in ("space", "newline", "comment", "continuation") for token in lex(text))


def _above_comments(outline: Outline, anchor: Statement) -> int:
    """Where a line before ``anchor`` goes: above the comments right above it, at its indentation."""
    place = anchor.start
    start = outline.line_start(anchor.start)
    indent = outline.text[start : anchor.start]
    while start > 0:
        above = outline.line_start(start - 1)
        line = outline.text[above:start]
        if not line.startswith(f"{indent}#") or _HEAD_LINE.match(line):
            break
        if not _is_comment(outline, above):
            break
        start = place = above
    return place


def _is_comment(outline: Outline, offset: int) -> bool:
    """Say whether the line at ``offset`` is a comment, not the inside of a string."""
    before = [each for each in outline.by_start.values() if each.start < offset < each.end]
    inner = max(before, key=lambda each: each.start, default=None)
    start = inner.start if inner is not None else offset
    return any(t.kind == "comment" for t in outline.tokens(start, outline.line_end(offset)) if t.end > offset)


# --- deleting


def _emptied(outline: Outline, statement: Statement) -> list[Splice]:
    splices = [Splice(statement.start, statement.end, "pass")]
    gap, comment = _trailing_comment(outline, statement)
    if comment and _goes_along(comment):
        splices.append(Splice(statement.end, statement.end + len(gap) + len(comment), ""))
    return splices


def _trailing_comment(outline: Outline, statement: Statement) -> tuple[str, str]:
    """Return space (and a stray semicolon) and comment behind a statement, empty if there is none."""
    rest = outline.text[statement.end : outline.line_end(statement.end)]
    gap = _GAP_BEFORE_COMMENT.match(rest)
    space = gap.group() if gap else ""
    comment = rest[len(space) :]
    return space, comment if comment.startswith("#") else ""


def _goes_along(comment: str) -> bool:
    return ABOUT_FLAG.search(comment) is not None or DIRECTIVE.match(comment) is not None


def _deleted_lines(outline: Outline, statement: Statement) -> list[Splice]:
    start = outline.line_start(statement.start)
    end = outline.next_line(statement.end)
    _, comment = _trailing_comment(outline, statement)
    if comment and not _goes_along(comment):
        return [Splice(statement.start, outline.line_end(statement.end) - len(comment), "")]
    above = outline.line_start(start - 1) if start else 0
    while start and _speaks_of_volatile(outline, statement, above):
        start, above = above, outline.line_start(above - 1) if above else 0
    head = _blank_lines_before(outline, start)
    tail = _blank_lines_after(outline, end)
    # of two runs of blank lines that now meet, the shorter one goes; none may be left at the edge of a suite
    if head < start and end < tail:
        if start - head < tail - end:
            start = head
        else:
            end = tail
    elif statement.index == 0 and statement.suite.owner is not None and end < tail:
        end = tail
    return [Splice(start, end, "")]


def _speaks_of_volatile(outline: Outline, statement: Statement, above: int) -> bool:
    line = outline.text[above : outline.line_end(above)]
    indent = outline.indent(statement.start)
    return line.startswith(f"{indent}#") and "volatile" in line and _is_comment(outline, above)


def _blank_lines_before(outline: Outline, offset: int) -> int:
    while offset > 0:
        above = outline.line_start(offset - 1)
        if outline.text[above:offset].strip():
            break
        offset = above
    return offset


def _blank_lines_after(outline: Outline, offset: int) -> int:
    while offset < len(outline.text):
        below = outline.next_line(offset)
        if outline.text[offset:below].strip():
            break
        offset = below
    return offset
