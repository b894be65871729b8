"""What today's Python does not parse, line by line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.rules import obstacles
from voltfix.sources.shields import shield

_WORD = re.compile(r"\w+|[<>`]+")
_STARTS = {  # what a statement begins with -> what it is, and how it is written today
    "print": ("a print statement", "print(...)"),
    "exec": ("an exec statement", "exec(...)"),
    "except": ("except E, e", "except E as e"),
    "raise": ("raise E, text", "raise E(text)"),
}


def unparsed(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, column (from 1) and message of each thing that keeps ``text`` from parsing; nothing where it parses.

    ``async`` is left out: VF203 says so. Where more is wrong than old syntax, the first error is named.
    """
    error = _error(text)
    if error is None:
        return
    shielded = shield(text).text
    if _error(shielded) is not None:
        line = error.lineno or 1
        if "async" not in "".join(text.splitlines()[line - 1 : line]):
            yield line, error.offset or 1, obstacles.does_not_parse(error.msg, "")
        return
    pairs = zip(text.splitlines(), shielded.splitlines(), strict=True)
    for number, (old, new) in enumerate(pairs, 1):
        places = [at for at, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
        if places:
            yield from _described(number, old, places[0])


def _described(number: int, line: str, at: int) -> Iterator[tuple[int, int, str]]:
    if line[max(at - 4, 0) : at + 5].find("async") >= 0:
        return
    for start, (what, today) in _STARTS.items():
        place = line.rfind(start, 0, at + len(start))
        if place >= 0 and not line[place + len(start) : place + len(start) + 1].isalnum():
            yield number, place + 1, obstacles.does_not_parse(what, today)
            return
    found = _WORD.search(line, at)
    yield number, at + 1, obstacles.does_not_parse(found[0] if found else line.strip(), "")


def _error(text: str) -> SyntaxError | None:
    """The first error of today's parser."""
    try:
        compile(text, "?", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return SyntaxError("cannot be parsed")
    return None
