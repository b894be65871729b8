"""Python 2's statements, and ``async=``: what keeps a file from loading at all."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence

from voltfix.sources.lexer import CLOSING, CODE, OPENING, Token, lex, logical_lines

_OCTAL = re.compile(r"0([0-7]+)[lL]?$")


def python3(text: str) -> str:
    """``text`` with the statements and literals of Python 2 in the words of Python 3; nothing else changes."""
    tokens = list(lex(text))
    parts: list[tuple[int, int, str]] = []
    for line in logical_lines(text, tokens):
        for statement in _statements(text, line):
            parts += _rewritten(text, statement)
    return _spliced(text, parts)


def tabs_expanded(text: str) -> str:
    """``text`` with its indentation in spaces, eight to a tab, as Python 2 counted them."""
    lines = text.splitlines(keepends=True)
    starts = [len(line) - len(line.lstrip(" \t")) for line in lines]
    return "".join(line[:at].expandtabs(8) + line[at:] for line, at in zip(lines, starts, strict=True))


def renamed_async(text: str) -> str:
    """``text`` with ``async=`` as ``non_blocking=``."""
    tokens = [token for token in lex(text) if token.kind in CODE]
    parts = []
    for token, after in itertools.pairwise(tokens):
        if text[token.start : token.end] == "async" and text[after.start : after.end] == "=":
            parts.append((token.start, token.end, "non_blocking"))
    return _spliced(text, parts)


def compiles(text: str) -> bool:
    """Whether today's Python reads it."""
    try:
        compile(text, "?", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def mended(text: str) -> Iterator[tuple[str, str, str]]:
    """Code, what was done, and the new text: the first that loads is the one."""
    for code, told, made in (
        ("VF203", "async= is called non_blocking=", renamed_async(text)),
        ("VF218", "indentation of tabs and spaces, as Python 2 counted it", tabs_expanded(text)),
        ("VF218", "statements of Python 2 in the words of Python 3", python3(text)),
        ("VF218", "statements of Python 2 in the words of Python 3", python3(tabs_expanded(renamed_async(text)))),
    ):
        if made != text and compiles(made):
            yield code, told, made
            return


def _spliced(text: str, parts: Sequence[tuple[int, int, str]]) -> str:
    pieces, at = [], 0
    for start, end, new in sorted(parts):
        if start < at:
            continue
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _statements(text: str, line: list[Token]) -> Iterator[list[Token]]:
    """The simple statements of a logical line; the head of a compound one is a part of its own."""
    depth, start = 0, 0
    for index, token in enumerate(line):
        piece = text[token.start : token.end]
        if piece in OPENING:
            depth += 1
        elif piece in CLOSING:
            depth -= 1
        elif depth == 0 and (piece == ";" or (piece == ":" and not _is_lambda(text, line[start:index]))):
            yield line[start : index + 1]
            start = index + 1
    if start < len(line):
        yield line[start:]


def _is_lambda(text: str, tokens: Sequence[Token]) -> bool:
    words = [text[token.start : token.end] for token in tokens]
    return words.count("lambda") > words.count(":")


def _rewritten(text: str, tokens: list[Token]) -> Iterator[tuple[int, int, str]]:
    """The splices of one statement."""
    words = [text[token.start : token.end] for token in tokens]
    end = tokens[-1].start if words[-1] in (";", ":") else tokens[-1].end
    body = [token for token in tokens if token.start < end]
    head = words[0]
    if head == "print" and len(body) > 1 and words[1] not in ("=", ".", ",") and not _is_call(words, len(body)):
        yield tokens[0].start, end, _printed(text, body)
        return
    if head == "print" and len(body) == 1:
        yield tokens[0].start, end, "print()"
    if head == "map" and _is_call(words, len(body)):  # it ran at once, and today only when somebody asks
        yield tokens[0].start, tokens[0].start, "list("
        yield end, end, ")"
        return
    if head == "exec" and len(body) > 1 and words[1] not in ("(", "=", "."):
        yield tokens[0].start, end, f"exec({text[body[1].start : end].replace(' in ', ', ')})"
        return
    commas = _commas(text, body)
    if head == "except" and len(commas) == 1:
        yield commas[0].start, commas[0].end, " as"
    elif head == "raise" and len(commas) in (1, 2):
        stop = commas[1].start if len(commas) == 2 else end
        value = text[commas[0].end : stop].strip()
        back = f".with_traceback({text[commas[1].end : end].strip()})" if len(commas) == 2 else ""
        yield commas[0].start, end, f"({value}){back}"
        return
    yield from _literals(text, body)


def _literals(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    yield from _unpacking_lambdas(text, tokens)
    ticks: list[Token] = []
    for token in tokens:
        piece = text[token.start : token.end]
        if piece == "<>":
            yield token.start, token.end, "!="
        elif token.kind == "number" and (octal := _OCTAL.match(piece)) and piece.strip("0lL"):
            yield token.start, token.end, f"0o{octal[1]}"
        elif token.kind == "number" and piece[-1] in "lL":
            yield token.start, token.end, piece[:-1]
        elif token.kind == "string" and piece[:2].lower() == "ur":
            yield token.start, token.start + 2, "r"
        elif piece == "`":
            ticks.append(token)
    for opening, closing in zip(ticks[::2], ticks[1::2], strict=False):
        yield opening.start, opening.end, "repr("
        yield closing.start, closing.end, ")"


def _unpacking_lambdas(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """``lambda (k, v): v`` takes its pair by a name, and hands it on unpacked."""
    words = [text[token.start : token.end] for token in tokens]
    for index in range(len(words) - 1):
        if words[index] != "lambda" or words[index + 1] != "(":
            continue
        closing = _closing(words, index + 1)
        if closing is None or words[closing + 1 : closing + 2] != [":"]:
            continue
        end = _body_end(words, closing + 2)
        names = text[tokens[index + 1].end : tokens[closing].start]
        yield tokens[index + 1].start, tokens[closing + 1].end, f"each: (lambda {names}:"
        yield tokens[end].end, tokens[end].end, ")(*each)"


def _closing(words: Sequence[str], opening: int) -> int | None:
    depth = 0
    for index in range(opening, len(words)):
        depth += (words[index] in OPENING) - (words[index] in CLOSING)
        if depth == 0:
            return index
    return None


def _body_end(words: Sequence[str], start: int) -> int:
    """The last token of an expression: before what closes the brackets around it, or a comma."""
    depth = 0
    for index in range(start, len(words)):
        depth += (words[index] in OPENING) - (words[index] in CLOSING)
        if depth < 0 or (depth == 0 and words[index] in (",", ";")):
            return index - 1
    return len(words) - 1


def _is_call(words: Sequence[str], count: int) -> bool:
    """``print(...)`` and nothing behind it: the same on both, but for a tuple."""
    if words[1] != "(":
        return False
    depth = 0
    for index, word in enumerate(words[1:count], 1):
        depth += (word in OPENING) - (word in CLOSING)
        if depth == 0:
            return index == count - 1
    return False


def _commas(text: str, tokens: Sequence[Token]) -> list[Token]:
    depth, found = 0, []
    for token in tokens:
        piece = text[token.start : token.end]
        depth += (piece in OPENING) - (piece in CLOSING)
        if piece == "," and depth == 0:
            found.append(token)
    return found


def _printed(text: str, body: list[Token]) -> str:
    """``print a, b,`` as a call."""
    rest, more = body[1:], []
    if text[rest[0].start : rest[0].end] == ">>":
        comma = next(iter(_commas(text, rest)), None)
        stop = comma.start if comma is not None else rest[-1].end
        more.append(f"file={text[rest[1].start : stop].strip()}")
        rest = [token for token in rest if comma is not None and token.start >= comma.end]
    if rest and text[rest[-1].start : rest[-1].end] == ",":
        more.append('end=" "')
        rest = rest[:-1]
    inner = ""
    if rest:
        start = rest[0].start
        parts = [(a - start, b - start, new) for a, b, new in _literals(text, rest)]
        inner = _spliced(text[start : rest[-1].end], parts)
    return f"print({', '.join([*filter(None, [inner]), *more])})"
