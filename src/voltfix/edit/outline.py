"""The statements of a text, their suites and lines, in character offsets."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import field
from functools import cached_property, lru_cache

from voltfix.edit.errors import EditError
from voltfix.model import Span
from voltfix.records import dataclass
from voltfix.sources.document import LineIndex
from voltfix.sources.lexer import Token, lex
from voltfix.sources.syntax import shared

_INDENT = re.compile(r"[ \t\f]*")
_SAME_LINE = re.compile(r"(?:[ \t\f]|\\(?:\r\n|\n|\r))*;(?:[ \t\f]|\\(?:\r\n|\n|\r))*\Z")
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (*_FUNCTION, ast.ClassDef)


@dataclass(eq=False)
class Statement:
    """One statement; ``start`` counts decorators in, ``head`` does not."""

    node: ast.stmt
    start: int
    head: int
    end: int
    suite: Suite
    index: int


@dataclass(eq=False)
class Suite:
    """The statements of one block. ``owner`` is the statement it belongs to, None at module level."""

    owner: Statement | None
    node: ast.AST
    statements: list[Statement] = field(default_factory=list)


class Outline:
    """Parsed once per text. Raises EditError for a text that does not parse.

    ``exact`` is off for a text that has been edited already: a statement may then have grown at its end.
    """

    def __init__(self, text: str, *, exact: bool = True) -> None:
        tree = shared(text)
        if isinstance(tree, SyntaxError):
            raise EditError(f"line {tree.lineno}: {tree.msg}")
        self.text = text
        self.exact = exact
        self.tree = tree
        self._starts = LineIndex(text).starts
        self._ascii = text.isascii()
        self.by_start: dict[int, Statement] = {}
        self.top = self._suite(None, tree, tree.body)

    def close(self) -> None:
        """Let go of the statements; they and their suites hold each other."""
        for each in self.by_start.values():
            each.suite.statements.clear()
        self.by_start.clear()

    # --- offsets

    def offset(self, line: int, column: int) -> int:
        """Turn a position of ast (line from 1, column in UTF-8 bytes) into a character offset."""
        start = self._starts[line - 1]
        if self._ascii:
            return start + column
        piece = self.text[start : start + column]
        if piece.isascii():
            return start + column
        return start + len(piece.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Return what ``node`` covers (its own parentheses and decorators not)."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return Span(self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))

    def line_start(self, offset: int) -> int:
        """Return where the physical line of ``offset`` begins."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return where the physical line of ``offset`` ends, its newline not included."""
        end = self.next_line(offset)
        while end > offset and self.text[end - 1] in "\r\n":
            end -= 1
        return end

    def next_line(self, offset: int) -> int:
        """Return where the line after that of ``offset`` begins (the end of the text for the last)."""
        at = bisect_right(self._starts, offset)
        return self._starts[at] if at < len(self._starts) else len(self.text)

    # --- style

    def newline(self, offset: int) -> str:
        """Return the newline of the line at ``offset``, of the one before if it has none."""
        for place in (offset, max(0, self.line_start(offset) - 1)):
            found = self.text[self.line_end(place) : self.next_line(place)]
            if found:
                return found
        return "\n"

    def indent(self, offset: int) -> str:
        """Return the indentation of the physical line of ``offset``, without form feeds."""
        found = _INDENT.match(self.text, self.line_start(offset))
        return found.group().rpartition("\f")[2] if found else ""

    def starts_line(self, offset: int) -> bool:
        """Say whether nothing but space stands before ``offset`` on its line."""
        return not self.text[self.line_start(offset) : offset].strip(" \t\f")

    def unit(self, suite: Suite) -> str:
        """Return by how much one block is indented deeper than another, around ``suite``."""
        while suite.owner is not None:
            unit = self._own_unit(suite)
            if unit:
                return unit
            suite = suite.owner.suite
        return self._default_unit

    @cached_property
    def _default_unit(self) -> str:
        """The unit of most blocks of the file; of several that are as frequent, the first one's."""
        seen: dict[int, Suite] = {id(each.suite): each.suite for each in self.by_start.values()}
        blocks = sorted((s for s in seen.values() if s.owner is not None), key=lambda s: s.statements[0].start)
        units = Counter(unit for block in blocks if (unit := self._own_unit(block)))
        return max(units, key=lambda unit: units[unit], default="    ")

    def _own_unit(self, suite: Suite) -> str:
        assert suite.owner is not None
        first = suite.statements[0].start
        outer, inner = self.header_indent(suite), self.indent(first)
        if not self.starts_line(first) or not inner.startswith(outer):
            return ""
        return inner[len(outer) :]

    def header_indent(self, suite: Suite) -> str:
        """Return the indentation of the header of ``suite``."""
        assert suite.owner is not None
        if isinstance(suite.node, ast.match_case):
            return self.indent(self.offset(suite.node.pattern.lineno, 0))
        return self.indent(suite.owner.head)

    # --- statements

    def statement(self, span: Span) -> Statement:
        """Return the statement that ``span`` covers; raises EditError where there is none."""
        found = self.by_start.get(span.start)
        if found is None or (self.exact and found.end != span.end):
            line = bisect_right(self._starts, span.start)
            raise EditError(f"line {line}: no statement covers {span.start}..{span.end}")
        if self.text.startswith("elif", found.start):
            raise EditError("an elif is no statement of its own")
        return found

    def around(self, span: Span) -> Statement:
        """Return the innermost statement around ``span``."""
        suite, found = self.top, None
        while True:
            at = bisect_right([each.start for each in suite.statements], span.start) - 1
            inner = suite.statements[at] if at >= 0 else None
            if inner is None or inner.end < span.end:
                break
            found = inner
            deeper = [s for s in self._suites(inner) if s.statements[0].start <= span.start]
            deeper = [s for s in deeper if span.end <= s.statements[-1].end]
            if not deeper:
                break
            suite = deeper[-1]
        if found is None:
            raise EditError(f"no statement around {span.start}..{span.end}")
        return found

    def shares_line(self, first: Statement, second: Statement) -> bool:
        """Say whether two neighbours stand on one line, a semicolon between them."""
        return _SAME_LINE.match(self.text, first.end, second.start) is not None

    def previous(self, statement: Statement) -> Statement | None:
        """Return the statement before this one on its line."""
        if statement.index == 0:
            return None
        before = statement.suite.statements[statement.index - 1]
        return before if self.shares_line(before, statement) else None

    def following(self, statement: Statement) -> Statement | None:
        """Return the statement behind this one on its line."""
        rest = statement.suite.statements[statement.index + 1 :]
        return rest[0] if rest and self.shares_line(statement, rest[0]) else None

    def leftmost(self, statement: Statement) -> Statement:
        """Return the first statement of the line that this one stands on."""
        while (before := self.previous(statement)) is not None:
            statement = before
        return statement

    def rightmost(self, statement: Statement) -> Statement:
        """Return the last statement of the line that this one stands on."""
        while (behind := self.following(statement)) is not None:
            statement = behind
        return statement

    def inline(self, suite: Suite) -> bool:
        """Say whether ``suite`` stands on the line of its header (``if c: y = net(x)``)."""
        return suite.owner is not None and not self.starts_line(suite.statements[0].start)

    def is_remark(self, string: Token) -> bool:
        """Say whether a string stands as a statement and nobody can ask for it: it is no docstring."""
        statement = self.by_start.get(string.start)
        if statement is None or not isinstance(statement.node, ast.Expr) or is_docstring(statement):
            return False
        value = statement.node.value
        if not isinstance(value, ast.Constant) or not isinstance(value.value, str | bytes):
            return False
        try:  # one literal, not several
            return bool(ast.literal_eval(self.text[string.start : string.end]) == value.value)
        except (SyntaxError, ValueError):
            return False

    def tokens(self, start: int, end: int) -> list[Token]:
        """Cut a range that begins outside of strings into tokens."""
        return list(lex(self.text, start, end))

    # --- building

    def _suite(self, owner: Statement | None, node: ast.AST, body: list[ast.stmt]) -> Suite:
        suite = Suite(owner, node)
        pending = [(suite, body)]
        while pending:  # not recursive: nesting may be deep
            suite_, nodes = pending.pop()
            for index, each in enumerate(nodes):
                statement = self._statement(each, suite_, index)
                suite_.statements.append(statement)
                self.by_start[statement.start] = self.by_start[statement.head] = statement
                for holder, inner in _bodies(each):
                    deeper = Suite(statement, holder)
                    self._inner.setdefault(id(each), []).append(deeper)
                    pending.append((deeper, inner))
        return suite

    @cached_property
    def _inner(self) -> dict[int, list[Suite]]:
        return {}

    def _suites(self, statement: Statement) -> list[Suite]:
        return self._inner.get(id(statement.node), [])

    def _statement(self, node: ast.stmt, suite: Suite, index: int) -> Statement:
        span = self.span(node)
        start = span.start
        if isinstance(node, _BLOCKS) and node.decorator_list:
            start = self.text.rfind("@", 0, self.span(node.decorator_list[0]).start)
        return Statement(node, start, span.start, span.end, suite, index)


@lru_cache(maxsize=4)
def outlined(text: str) -> Outline:
    """Return the outline of a text as it was written: edits and the guard ask for that of the same text."""
    return Outline(text)


def forget() -> None:
    """Let go of the outlines that were asked for last."""
    outlined.cache_clear()


def is_docstring(statement: Statement) -> bool:
    """Say whether a statement is the docstring of what it stands in."""
    node, holder = statement.node, statement.suite.node
    return (
        statement.index == 0
        and isinstance(holder, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _bodies(node: ast.stmt) -> list[tuple[ast.AST, list[ast.stmt]]]:
    """Return the suites below a statement, in the order of the text, each with the node that holds it."""
    found: list[tuple[ast.AST, list[ast.stmt]]] = []
    body = getattr(node, "body", None)
    if body:
        found.append((node, body))
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        found.append((part, part.body))
    for name in ("orelse", "finalbody"):
        rest = getattr(node, name, None)
        if rest:
            found.append((node, rest))
    return found
