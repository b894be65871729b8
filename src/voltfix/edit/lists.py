"""Taking an argument or a parameter out of its list, with the comma, line and comment that go with it."""

from __future__ import annotations

import re
from bisect import bisect_right

from voltfix.edit import elements
from voltfix.edit.draft import Splice
from voltfix.edit.errors import EditError
from voltfix.edit.outline import Outline
from voltfix.edit.statements import ABOUT_FLAG
from voltfix.model import DropArgument, DropParameter, Span
from voltfix.records import dataclass
from voltfix.sources.lexer import CLOSING, OPENING, Token

_SPACE = ("space", "newline", "continuation", "comment")
_SPANS_LINES = re.compile(r"[\r\n\f]")
_AFTER_CLOSING = re.compile(r"[ \t\f)\]}:,;]*\Z")


@dataclass(frozen=True)
class Item:
    """One element of a list; ``comma``: where its comma begins, None for a last one without."""

    start: int
    end: int
    comma: int | None


@dataclass(frozen=True)
class ItemList:
    """A list from behind its opening bracket (``start``) to its closing one (``end``)."""

    start: int
    end: int
    items: tuple[Item, ...]
    tokens: tuple[Token, ...]


def drop_argument(outline: Outline, edit: DropArgument) -> list[Splice]:
    """Take one argument out of a call, in the layout that the call has.

    On one line there is none to keep: both ways come to the same text, and LibCST's import takes a tenth of a second.
    """
    if not _SPANS_LINES.search(outline.text, edit.call.start, edit.call.end):
        try:
            return argument_by_lines(outline, edit)
        except EditError:  # a call inside an f-string, which is one token to the lexer
            splices = elements.drop_argument(outline, edit)
            if splices is None:
                raise
            return splices
    splices = elements.drop_argument(outline, edit)
    return argument_by_lines(outline, edit) if splices is None else splices


def drop_parameter(outline: Outline, edit: DropParameter) -> list[Splice]:
    """Take one parameter out of a def or lambda; a ``*`` or ``/`` that is left without sense goes too."""
    header = _header(outline, edit.function)
    if header is None or not _SPANS_LINES.search(outline.text, header.start, header.end):
        return parameter_by_lines(outline, edit)
    splices = elements.drop_parameter(outline, header, edit.parameter)
    return parameter_by_lines(outline, edit) if splices is None else splices


def _header(outline: Outline, function: Span) -> Span | None:
    """Return where the header of a def stands, from its first word to its colon; a lambda as a whole."""
    statement = outline.by_start.get(function.start)
    if statement is None or outline.text.startswith("lambda", statement.head):
        return function
    body = getattr(statement.node, "body", None)
    if not body:
        return None
    tokens = outline.tokens(statement.head, outline.by_start[outline.span(body[0]).start].start)
    colons = [token for token in tokens if token.kind == "op" and outline.text[token.start] == ":"]
    return Span(statement.head, colons[-1].start + 1) if colons else None


def argument_by_lines(outline: Outline, edit: DropArgument) -> list[Splice]:
    """Take one argument out with its line and the comments about it, read by the lexer alone."""
    statement = outline.around(edit.call)
    tokens = outline.tokens(statement.start, edit.call.end)
    closing = len(tokens) - 1
    if closing < 0 or tokens[closing].end != edit.call.end or outline.text[tokens[closing].start] != ")":
        raise EditError("the call does not end in a parenthesis")
    opening = _partner(outline.text, tokens, closing)
    if tokens[opening].start < edit.call.start:
        raise EditError("the call has no argument list")
    found = _cut(outline.text, tokens[opening].end, tokens[closing].start, tokens[opening + 1 : closing])
    return _drop(outline, found, _position(found, edit.argument))


def parameter_by_lines(outline: Outline, edit: DropParameter) -> list[Splice]:
    """Take one parameter out with its line and the comments about it, read by the lexer alone."""
    found = _parameters(outline, edit.function)
    at = _position(found, edit.parameter)
    splices = _drop(outline, found, at)
    neighbour = _left_over(outline.text, found, at)
    if neighbour is None:
        return splices
    low, high = min(at, neighbour), max(at, neighbour)
    return _drop_run(outline, found, low, high)


def _left_over(text: str, found: ItemList, at: int) -> int | None:
    pieces = [text[item.start : item.end] for item in found.items]
    if at + 1 < len(pieces) and pieces[at + 1] == "/" and at == 0:
        return at + 1
    if at > 0 and pieces[at - 1] == "*" and (at + 1 == len(pieces) or pieces[at + 1].startswith("**")):
        return at - 1
    return None


def _parameters(outline: Outline, function: Span) -> ItemList:
    text = outline.text
    statement = outline.by_start.get(function.start)
    head = statement.head if statement is not None else function.start
    if statement is None or text.startswith("lambda", head):
        return _lambda_parameters(outline, function)
    tokens = outline.tokens(head, function.end)
    brackets = (i for i, t in enumerate(tokens) if t.kind == "op" and text[t.start] == "(")
    opening = next((i for i in brackets if _is_def(text, tokens[:i])), None)
    if opening is None:
        raise EditError("the function has no parameter list")
    closing = _closing(text, tokens, opening)
    return _cut(text, tokens[opening].end, tokens[closing].start, tokens[opening + 1 : closing])


def _is_def(text: str, before: list[Token]) -> bool:
    """Say whether ``def name`` comes before, not still a type parameter list."""
    depth = sum((text[t.start] == "[") - (text[t.start] == "]") for t in before if t.kind == "op")
    return depth == 0 and any(text[t.start : t.end] == "def" for t in before)


def _lambda_parameters(outline: Outline, function: Span) -> ItemList:
    text = outline.text
    if not text.startswith("lambda", function.start):
        raise EditError("no function there")
    tokens = outline.tokens(function.start, function.end)
    depth = nested = 0
    for index, token in enumerate(tokens[1:], 1):
        piece = text[token.start : token.end]
        depth += token.kind == "op" and piece in OPENING
        depth -= token.kind == "op" and piece in CLOSING
        nested += depth == 0 and piece == "lambda"
        if piece == ":" and token.kind == "op" and depth == 0:
            if not nested:
                return _cut(text, tokens[0].end, token.start, tokens[1:index])
            nested -= 1
    raise EditError("the lambda has no body")


def _partner(text: str, tokens: list[Token], closing: int) -> int:
    depth = 0
    for index in range(closing, -1, -1):
        token = tokens[index]
        if token.kind == "op":
            depth += (text[token.start] in CLOSING) - (text[token.start] in OPENING)
            if depth == 0:
                return index
    raise EditError("the parentheses do not match")


def _closing(text: str, tokens: list[Token], opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        token = tokens[index]
        if token.kind == "op":
            depth += (text[token.start] in OPENING) - (text[token.start] in CLOSING)
            if depth == 0:
                return index
    raise EditError("the parentheses do not match")


def _cut(text: str, start: int, end: int, tokens: list[Token]) -> ItemList:
    """Cut what stands between brackets at its commas; a lambda's own commas separate nothing."""
    items: list[Item] = []
    current: list[Token] = []
    depth = lambdas = 0
    for token in tokens:
        piece = text[token.start : token.end]
        if token.kind == "op" and depth == 0 and piece == "," and not lambdas:
            if current:
                items.append(Item(current[0].start, current[-1].end, token.start))
            current = []
            continue
        if token.kind == "op":
            depth += (piece in OPENING) - (piece in CLOSING)
            lambdas -= piece == ":" and depth == 0 and lambdas > 0
        lambdas += token.kind == "name" and piece == "lambda" and depth == 0
        if token.kind not in _SPACE:
            current.append(token)
    if current:
        items.append(Item(current[0].start, current[-1].end, None))
    return ItemList(start, end, tuple(items), tuple(tokens))


def _position(found: ItemList, span: Span) -> int:
    """Return which item ``span`` lies in; parentheses around a value may stand outside of it."""
    at = bisect_right([item.start for item in found.items], span.start) - 1
    if at < 0 or found.items[at].end < span.end or not found.start <= span.start:
        raise EditError("the argument does not stand in that list")
    return at


def _drop(outline: Outline, found: ItemList, at: int) -> list[Splice]:
    return _drop_run(outline, found, at, at)


def _drop_run(outline: Outline, found: ItemList, low: int, high: int) -> list[Splice]:
    """Drop the items from ``low`` to ``high``."""
    if low == 0 and high == len(found.items) - 1:
        return _drop_all(outline, found)
    first, last = found.items[low], found.items[high]
    if outline.starts_line(first.start) and _ends_line(outline, found, last):
        return _drop_lines(outline, found, low, high)
    if high == len(found.items) - 1:
        return _drop_tail(outline, found, low)
    following = found.items[high + 1]
    assert last.comma is not None
    if outline.line_start(following.start) == outline.line_start(last.end) or low == 0:
        return [Splice(first.start, following.start, "")]
    # what follows stands on a line of its own: only the end of this line goes
    comma = found.items[low - 1].comma
    assert comma is not None
    end = last.comma + 1
    comment = _comment_on_line(outline, found, end)
    if comment is not None and ABOUT_FLAG.search(outline.text, comment.start, comment.end):
        end = comment.end
    return [Splice(comma + 1, end, "")]


def _ends_line(outline: Outline, found: ItemList, item: Item) -> bool:
    """Say whether nothing but a comma and a comment stands behind ``item`` on its line."""
    end = item.end if item.comma is None else item.comma + 1
    line_end = outline.line_end(end)
    if line_end > found.end:
        return False
    comment = _comment_on_line(outline, found, end)
    rest = outline.text[end : line_end if comment is None else comment.start]
    return outline.line_end(item.end) == line_end and not rest.strip(" \t\f")


def _comment_on_line(outline: Outline, found: ItemList, offset: int) -> Token | None:
    end = outline.line_end(offset)
    return next((t for t in found.tokens if t.kind == "comment" and offset <= t.start < end), None)


def _drop_all(outline: Outline, found: ItemList) -> list[Splice]:
    comments = [token for token in found.tokens if token.kind == "comment"]
    own_line = {outline.line_start(item.start) for item in found.items}
    kept = [
        outline.text[token.start : token.end]
        for token in comments
        if outline.line_start(token.start) not in own_line
        and not ABOUT_FLAG.search(outline.text, token.start, token.end)
    ]
    if kept:
        return [Splice(found.items[0].start, _with_comma(found.items[-1]), "")]
    return [Splice(found.start, found.end, "")]


def _with_comma(item: Item) -> int:
    return item.end if item.comma is None else item.comma + 1


def _drop_lines(outline: Outline, found: ItemList, low: int, high: int) -> list[Splice]:
    """Drop items that have their lines to themselves, comments on these lines included."""
    first, last = found.items[low], found.items[high]
    start, end = outline.line_start(first.start), outline.next_line(last.end)
    above = outline.line_start(start - 1) if start else 0
    while above >= found.start and _comment_about_flag(outline, found, above):
        start, above = above, outline.line_start(above - 1)
    splices = [Splice(start, end, "")]
    if last.comma is None and low > 0:
        comma = found.items[low - 1].comma
        assert comma is not None
        splices.insert(0, Splice(comma, comma + 1, ""))
    return splices


def _comment_about_flag(outline: Outline, found: ItemList, start: int) -> bool:
    end = outline.line_end(start)
    return any(
        token.kind == "comment"
        and start <= token.start < end
        and outline.starts_line(token.start)
        and "volatile" in outline.text[token.start : token.end]
        for token in found.tokens
    )


def _drop_tail(outline: Outline, found: ItemList, low: int) -> list[Splice]:
    """Drop the last items; a comma behind them stays as the author's own habit."""
    before, last = found.items[low - 1], found.items[-1]
    assert before.comma is not None
    comments = [t for t in found.tokens if t.kind == "comment" and before.comma < t.start < last.end]
    kept = [t for t in comments if not ABOUT_FLAG.search(outline.text, t.start, t.end)]
    if not kept:
        return [Splice(before.end, last.end, "")]
    moved = _comment_behind(outline, found, before, last, kept)
    if moved is not None:
        return moved
    comma = Splice(before.comma, before.comma + 1, "") if last.comma is None else None
    rest = Splice(kept[-1].end, _with_comma(last), outline.newline(last.start) + outline.indent(last.start))
    return [comma, rest] if comma else [rest]


def _comment_behind(
    outline: Outline, found: ItemList, before: Item, last: Item, kept: list[Token]
) -> list[Splice] | None:
    """Move a comment between two arguments behind the closing bracket, where there is room for it."""
    end = outline.line_end(last.end)
    rest = outline.text[_with_comma(last) : end]
    alone = len(kept) == 1 and outline.line_start(kept[0].start) == outline.line_start(before.end)
    if not alone or not _AFTER_CLOSING.match(rest):
        return None
    comment = outline.text[kept[0].start : kept[0].end]
    return [Splice(before.end, last.end, ""), Splice(end, end, f"  {comment}")]
