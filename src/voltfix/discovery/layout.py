"""What stands around the places of one file, read from its bytes: asked for again and again, for ever other words.

By lines and indentation alone, so that old syntax is no obstacle; rather one name too many than one too few.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from voltfix.discovery.hits import wordless

WORD, _VOLATILE = re.compile(rb"\w+"), re.compile(rb"volatile")
_IN_WORDS = frozenset(at for at in range(256) if WORD.match(bytes([at])))
_DEFINITION = re.compile(rb"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M)
_LAMBDA = re.compile(rb"^[ \t]*(\w+)[ \t]*=[ \t]*lambda\b.*", re.M)
_RENAMED = re.compile(rb"\w+[ \t]+as[ \t]+(\w+)[ \t]*(?:[,)#\\\r\n]|\Z)")  # by an import; ``with a() as b:`` is none
# where a statement begins at the left margin, and the globals that it assigns
_MARGIN = re.compile(rb"^(?:(\w[\w, ]*)=[^=\n]|[^\s#)\]}])", re.M)
# names that everything mentions: the class around them is the name to look for
_METHODS = frozenset((b"__init__", b"__call__", b"forward", b"main"))

_NOTHING: frozenset[bytes] = frozenset()


class Around(NamedTuple):
    """What some places of a file may be reached through.

    ``names``: of functions and classes around, of lambdas on the same line, and what imports call what stands there;
    ``globals``: what the statement around assigns at the left margin.
    """

    names: frozenset[bytes] = _NOTHING
    globals: frozenset[bytes] = _NOTHING


class Layout:
    """One file: its words, and what stands around each."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._known: dict[bytes, Around] = {}

    @cached_property
    def words(self) -> frozenset[bytes]:
        """The words of the file."""
        return frozenset(WORD.findall(self.data))

    @cached_property
    def headers(self) -> tuple[tuple[int, int, bytes], ...]:
        """Where functions and classes begin, how far they are indented, and their names."""
        return tuple((m.start(), len(m[1].expandtabs()), m[2]) for m in _DEFINITION.finditer(self.data))

    @cached_property
    def flags(self) -> frozenset[int]:
        """Where the file has its flags: the word, and calls of Variable that need no word."""
        return frozenset({*(match.start() for match in _VOLATILE.finditer(self.data)), *wordless(self.data)})

    def around_words(self, words: frozenset[bytes]) -> Around:
        """What stands around each of these words, wherever the file says it."""
        missing = words.difference(self._known)
        if missing:
            places: dict[bytes, list[int]] = {word: [] for word in missing}
            for place, word in whole_words(self.data, missing):
                places[word].append(place)
            self._known |= {word: self.around(found) for word, found in places.items()}
        return _together(self._known[word] for word in words)

    def around(self, places: Iterable[int]) -> Around:
        """What stands around these places."""
        places = list(places)
        starts, inside = self._regions
        renamed = {match[1] for place in places if (match := _RENAMED.match(self.data, place)) is not None}
        found = {bisect_right(starts, place) - 1 for place in places}
        return _together((*(inside[at] for at in found), Around(frozenset(renamed))))

    @cached_property
    def _regions(self) -> tuple[list[int], list[Around]]:
        """Where something else begins to stand around a place, and what."""
        changes: dict[int, list[tuple[str, frozenset[bytes]]]] = {0: []}
        for start, names in self._enclosing():
            changes.setdefault(start, []).append(("around", names))
        for match in _MARGIN.finditer(self.data):
            names = frozenset(WORD.findall(match[1] or b""))
            changes.setdefault(match.start(), []).append(("globals", names))
        for match in _LAMBDA.finditer(self.data) if b"lambda" in self.data else ():
            changes.setdefault(match.end(), []).insert(0, ("line", _NOTHING))
            changes.setdefault(match.start(), []).append(("line", frozenset({match[1]})))
        now = {"around": _NOTHING, "globals": _NOTHING, "line": _NOTHING}
        starts = sorted(changes)
        inside = []
        for start in starts:
            now.update(changes[start])
            inside.append(Around(now["around"] | now["line"], now["globals"]))
        return starts, inside

    def _enclosing(self) -> Iterator[tuple[int, frozenset[bytes]]]:
        """From each header on, the functions and classes that lines below it may lie in."""
        stack: list[tuple[int, bytes]] = []
        for start, indent, name in self.headers:
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, name))
            yield start, frozenset(name for _, name in stack if name not in _METHODS)


def _together(found: Iterable[Around]) -> Around:
    names: set[bytes] = set()
    bound: set[bytes] = set()
    for each in found:
        names |= each.names
        bound |= each.globals
    return Around(frozenset(names), frozenset(bound))


_FEW = 12  # words that are found sooner one by one than by looking at each word of a file


def whole_words(data: bytes, words: frozenset[bytes]) -> Iterator[tuple[int, bytes]]:
    """Where any of some whole words stands, and which: a pattern of hundreds of them tries each at every place."""
    if len(words) > _FEW:
        return ((match.start(), word) for match in WORD.finditer(data) if (word := match[0]) in words)
    return ((place, word) for word in words for place in _places(data, word))


def _places(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and data[at - 1] in _IN_WORDS) and not (end < len(data) and data[end] in _IN_WORDS):
            yield at
        at = data.find(word, end)
