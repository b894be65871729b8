"""A small, tolerant lexer for Python of every age.

The standard tokenizer refuses Python 2, differs from version to version in how it cuts f-strings, and stops
at the first error. This one cuts any text into tokens, loses no character, and never fails. An f-string is
one token.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

OPENING = "([{"
CLOSING = ")]}"
CODE = frozenset({"name", "number", "string", "op", "magic", "error"})  # kinds that are no space and no comment


class Token(NamedTuple):
    """A piece of text.

    ``kind``: name, number, string, op, comment, newline, continuation, space, magic or error.
    """

    kind: str
    start: int
    end: int


_DEEPEST = 8  # f-strings within f-strings


class _Budget:
    """How much work unfinished f-strings may cost: they are looked at again from every quote inside."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.depth = 0  # of f-strings
        self.nested = 0  # format specifications around this one

    def spend(self) -> bool:
        self.steps -= 1
        return self.steps > 0


_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\f]+)
    | (?P<newline>\r\n|\n|\r)
    | (?P<continuation>\\(?:\r\n|\n|\r))
    | (?P<comment>\#[^\r\n]*)
    | (?P<string>(?i:br|rb|fr|rf|tr|rt|ur|u|b|r|f|t)?(?P<quote>'''|\"\"\"|'|\"))
    | (?P<number>0[xX][\da-fA-F_]+[lL]?|0[oO][0-7_]+[lL]?|0[bB][01_]+[lL]?
        |(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJlL]?)
    | (?P<name>[^\W\d]\w*)
    | (?P<op>\*\*=|//=|>>=|<<=|\.\.\.|:=|->|[-+*/%&|^@=!<>]=|<>|\*\*|//|<<|>>|[^\w\s])
    | (?P<error>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BODIES = {
    "'": re.compile(r"(?:[^\\\r\n']|\\(?:\r\n|.))*'", re.DOTALL),
    '"': re.compile(r'(?:[^\\\r\n"]|\\(?:\r\n|.))*"', re.DOTALL),
    "'''": re.compile(r"(?:[^\\']|\\.|'(?!''))*'''", re.DOTALL),
    '"""': re.compile(r'(?:[^\\"]|\\.|"(?!""))*"""', re.DOTALL),
}
_LINE_SPACE = re.compile(r"[ \t\f]*")
_LINE_REST = re.compile(r"[^\r\n]*")
# IPython's line magics, shell lines and help requests, where a statement could start
_MAGIC = re.compile(r"[%!?][^\r\n]*|[\w.*]+\?\??[ \t]*(?=[\r\n]|\Z)")
_ASSIGNED_MAGIC = re.compile(r"(?:%[A-Za-z]|!)[^\r\n]*")


def lex(text: str, start: int = 0, end: int | None = None, *, magics: bool = False) -> Iterator[Token]:
    """Cut ``text[start:end]`` into tokens that join to it again; ``start`` must not lie inside a string.

    With ``magics``, IPython's ``%magic``, ``!shell`` and ``name?`` lines become tokens of kind ``magic``.
    """
    stop = len(text) if end is None else end
    budget = _Budget(16 * (stop - start) + 1000)
    depth, fresh, assigned = 0, True, False
    while start < stop:
        if magics and depth == 0 and (fresh or assigned):
            hit = (_MAGIC if fresh else _ASSIGNED_MAGIC).match(text, start, stop)
            if hit and hit.end() > start:
                start = yield from _magic(text, start, hit.end(), stop)
                fresh = assigned = False
                continue
        token = _next(text, start, stop, budget)
        yield token
        start = token.end
        if token.kind == "op":
            piece = text[token.start]
            depth = max(0, depth + (piece in OPENING) - (piece in CLOSING))
        if token.kind == "newline":
            fresh = True
        elif token.kind != "space":
            fresh = False
        if token.kind != "space":
            assigned = token.kind == "op" and text[token.start : token.end] == "="


def _magic(text: str, start: int, end: int, stop: int) -> Generator[Token, None, int]:
    """Yield a magic line and, where it ends in a backslash, the lines behind it; return where they end."""
    while text[end - 1] == "\\" and end < stop:
        if end - 1 > start:
            yield Token("magic", start, end - 1)
        newline = _TOKEN.match(text, end - 1, stop)
        assert newline is not None  # the line ended there
        yield Token("continuation", end - 1, newline.end())
        space = _LINE_SPACE.match(text, newline.end(), stop)
        assert space is not None
        if space.group():
            yield Token("space", space.start(), space.end())
        rest = _LINE_REST.match(text, space.end(), stop)
        assert rest is not None
        start, end = rest.span()
        if start == end:
            return end
    yield Token("magic", start, end)
    return end


def _next(text: str, start: int, stop: int, budget: _Budget) -> Token:
    hit = _TOKEN.match(text, start, stop)
    assert hit is not None  # the last alternative takes anything
    kind = hit.lastgroup or "error"
    quote = hit.group("quote")
    if quote is None:
        return Token(kind, start, hit.end())
    prefix = text[start : hit.end() - len(quote)].lower()
    end = None
    if ("f" in prefix or "t" in prefix) and budget.depth < _DEEPEST:
        budget.depth += 1
        end = _formatted_end(text, hit.end(), stop, quote, "r" in prefix, budget)
        budget.depth -= 1
    if end is None:
        body = _BODIES[quote].match(text, hit.end(), stop)
        end = body.end() if body else None
    if end is not None:
        return Token("string", start, end)
    if len(quote) == 3:
        return Token("error", start, stop)
    rest = _LINE_REST.match(text, start, stop)
    assert rest is not None
    return Token("error", start, rest.end())


def _formatted_end(text: str, at: int, stop: int, quote: str, raw: bool, budget: _Budget) -> int | None:
    """Where the f-string whose body starts at ``at`` ends, None when it does not."""
    while at < stop and budget.spend():
        char = text[at]
        if text.startswith(quote, at):
            return at + len(quote)
        if char == "\\":
            if not raw and text.startswith("\\N{", at):
                at = text.find("}", at, stop) + 1 or stop
            else:
                at += 1 if text.startswith("\\{", at) else 2
        elif text.startswith("{{", at):
            at += 2
        elif char == "{":
            inner = _field_end(text, at + 1, stop, quote, budget)
            if inner is None:
                return None
            at = inner
        elif char in "\r\n" and len(quote) == 1:
            return None
        else:
            at += 1
    return None


def _field_end(text: str, at: int, stop: int, quote: str, budget: _Budget) -> int | None:
    """Where the replacement field whose expression starts at ``at`` ends (behind its brace)."""
    depth = 0
    if budget.nested > 4 * _DEEPEST:
        return None
    while at < stop and budget.spend():
        token = _next(text, at, stop, budget)
        piece = text[token.start : token.end]
        if token.kind == "error":
            return None
        if token.kind == "op":
            if piece == "}" and depth == 0:
                return token.end
            if piece in (":", ":=") and depth == 0:
                budget.nested += 1
                end = _spec_end(text, token.start + 1, stop, quote, budget)
                budget.nested -= 1
                return end
            depth += (piece in OPENING) - (piece in CLOSING)
        at = token.end
    return None


def _spec_end(text: str, at: int, stop: int, quote: str, budget: _Budget) -> int | None:
    """Where the format specification that starts at ``at`` ends (behind the brace of its field)."""
    while at < stop and budget.spend():
        if text[at] == "}":
            return at + 1
        if text[at] == "{":
            inner = _field_end(text, at + 1, stop, quote, budget)
            if inner is None:
                return None
            at = inner
        elif text.startswith(quote, at):
            return None
        else:
            at += 1
    return None


def logical_lines(text: str, tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Cut tokens into logical lines, space and comments left out."""
    depth, line = 0, []
    for token in tokens:
        if token.kind == "op":
            piece = text[token.start : token.end]
            depth = max(0, depth + (piece in OPENING) - (piece in CLOSING))
        if token.kind in CODE:
            line.append(token)
        elif token.kind == "newline" and depth == 0 and line:
            yield line
            line = []
    if line:
        yield line
