"""The files around the hits that the analysis has to see: callers of what they define, and what they call.

Volatility crosses files in two ways. A function whose text mentions ``volatile`` hands it to its callers or
takes it from them (``to_var(x, True)`` holds no word to search for), so files that mention its name are read,
and the callers of those again. And what the hits import is where a volatile value flows into. Files that no
chain of imports connects have nothing to do with each other, whatever names they share.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from voltfix.discovery.hits import is_hit, read, wordless
from voltfix.discovery.imports import Graph, Modules, taken
from voltfix.discovery.roots import marked_root
from voltfix.discovery.walk import walk_lazily

MAX_FILES = 20_000
MAX_UNMARKED = 2_000  # where nothing says that a folder is a project: it may be somebody's home
MAX_FILE_BYTES = 1 << 20
MAX_NOTEBOOK_BYTES = 1 << 25  # most of a notebook is pictures
_ROUNDS = 4
# where the text of a cell begins, and where a line of it ends: in a string of its own, or in that of all
_STARTS, _ENDS = re.compile(rb'"source":\s*\[?\s*"'), re.compile(rb'\\n(?:",\s*")?')
_HEAD = 400  # bytes of a line that can hold the name it assigns to

_VOLATILE = re.compile(rb"volatile")
_DEFINITION = re.compile(rb"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M)
_WORD = re.compile(rb"\w+")
_IN_WORDS = frozenset(at for at in range(256) if _WORD.match(bytes([at])))
_LAMBDA = re.compile(rb"^[ \t]*(\w+)[ \t]*=[ \t]*lambda\b")
_RENAMED = re.compile(rb"\w+[ \t]+as[ \t]+(\w+)[ \t]*(?:[,)#\\\r\n]|\Z)")  # by an import; ``with a() as b:`` is none
_GLOBAL = re.compile(rb"^(\w[\w, ]*)=[^=]")
_MARGIN = re.compile(rb"^[^\s#]", re.M)
# names that everything mentions: the class around them is the name to look for
_METHODS = frozenset((b"__init__", b"__call__", b"forward", b"main"))


class Part(NamedTuple):
    """Hits that hang together, and the files around them (absolute path → bytes).

    ``passing``: where some hits hold no volatile site, the sets of files between which volatility may pass, each
    with the files around it; else none.
    """

    hits: dict[str, bytes]
    around: dict[str, bytes]
    passing: tuple[frozenset[str], ...] = ()


class Parts(NamedTuple):
    """A project's hits, by what hangs together; ``complete``: did no cap cut the search short or leave a file out?"""

    parts: list[Part]
    complete: bool


def parts(root: str, hits: Mapping[str, bytes]) -> Parts:
    """The hits below ``root`` with the files that their volatility may come from or go to."""
    most = MAX_FILES if marked_root(root) else MAX_UNMARKED
    python = (path for path in walk_lazily(root) if path.endswith((".py", ".ipynb")))
    listed = list(islice(python, most + 1))
    complete = len(listed) <= most
    listed = list(dict.fromkeys([*hits, *listed[:most]]))
    files = Files(hits)
    modules, graph = Modules(root, listed), Graph()
    for path in listed:
        graph.add(path, *modules.targets(path, files.lines(path)))
    volatile = {path: data for path, data in hits.items() if is_hit(data, path)}
    inner = _groups(graph, files, volatile) if len(volatile) < len(hits) else []
    groups = _groups(graph, files, hits)
    made = [_part(graph, files, group, hits, inner) for group in groups]
    return Parts(made, complete and not files.unread)


class Files:
    """Files read when they are asked for; one that cannot be read, or is very large, counts as empty.

    ``unread``: was there one that is very large? What it calls is not known then.
    """

    def __init__(self, known: Mapping[str, bytes]) -> None:
        self._known = known
        self.unread = False

    def get(self, path: str) -> bytes:
        """The bytes at ``path``."""
        try:
            data = self._known[path] if path in self._known else read(path)
        except OSError:
            return b""
        if len(data) <= (MAX_NOTEBOOK_BYTES if path.endswith(".ipynb") else MAX_FILE_BYTES):
            return data
        self.unread = True
        return b""

    def lines(self, path: str) -> bytes:
        """The bytes at ``path`` with its lines apart: some notebooks are one line, with those of their cells in it."""
        data = self.get(path)
        if not path.endswith(".ipynb"):
            return data
        return _ENDS.sub(b'\\n",\n"', _STARTS.sub(b'"source":\n"', data))


def _groups(graph: Graph, files: Files, hits: Mapping[str, bytes]) -> list[set[str]]:
    """Sets of files between which volatility may pass: hits, and callers of what they define."""
    groups: list[set[str]] = []
    left = set(hits)
    for hit in sorted(hits):
        if hit not in left:
            continue
        group = _passing(graph, files, hit, hits)
        left -= group
        for other in [other for other in groups if not other.isdisjoint(group)]:
            group |= other
            groups.remove(other)
        groups.append(group)
    return _sharing(graph, files, groups)


def _sharing(graph: Graph, files: Files, groups: Iterable[set[str]]) -> list[set[str]]:
    """Groups that import the same file belong together where it holds a function: a block in that serves them all.

    Decided apart, one may write it there and the other once more around its own call.
    """
    out: list[tuple[set[str], set[str]]] = []
    for group in groups:
        below = {path for path in graph.below(group) if _headers(files.lines(path))}
        together = [each for each in out if not below.isdisjoint(each[1])]
        out = [each for each in out if each not in together]
        out.append((group.union(*(g for g, _ in together)), below.union(*(b for _, b in together))))
    return [group for group, _ in out]


def _passing(graph: Graph, files: Files, hit: str, hits: Mapping[str, bytes]) -> set[str]:
    """What volatility may pass to or from, starting at ``hit``, until nothing is added."""
    group = {hit}
    while True:
        near = graph.beside(group)
        found: set[str] = set()
        _add_callers(sorted(near - group), sorted(group), files, found)
        grown = group | found | {path for path in graph.below(group | found) if path in hits}
        if grown == group:
            return group
        group = grown


def _part(graph: Graph, files: Files, group: set[str], hits: Mapping[str, bytes], inner: Iterable[set[str]]) -> Part:
    own = {path: hits[path] for path in sorted(group) if path in hits}
    around = {path: files.get(path) for path in sorted(_needed(graph, group)) if path not in own}
    passing = tuple(frozenset(_needed(graph, small)) for small in inner if not small.isdisjoint(group))
    return Part(own, around, passing)


def _needed(graph: Graph, group: set[str]) -> set[str]:
    """The group and the files around it: what it imports, or may."""
    return graph.below(group) | {path for importer in group for path in graph.vague.get(importer, ())}


def _add_callers(others: Iterable[str], start: Iterable[str], files: Files, found: set[str]) -> None:
    """Files that mention what volatility may be reached through; then what mentions those, and so on."""
    remaining, known = list(others), list(start)
    reach = Reach()
    for path in known:
        reach.add(path, files.lines(path), Flags())
    for _ in range(_ROUNDS):
        if not reach.names and not reach.globals:
            return
        following = Reach(reach.seen | reach.names)
        left = []
        for path in (*known, *remaining):
            following.hand_on(path, reach.handed_on(files.lines(path)))
        for path in known:  # a function beside it that calls it, a table that it stands in
            data = files.lines(path)
            again = words_of(data) & (reach.names | reach.globals.get(stem_of(path), frozenset()))
            if again:
                following.add(path, data, Words(again))
        for path in remaining:
            data = files.lines(path)
            mention = reach.mentioned(data)
            if mention is None:
                left.append(path)
            else:
                found.add(path)
                known.append(path)
                following.add(path, data, mention)
        remaining, reach = left, following


class Reach:
    """Names through which volatility may leave the files seen so far: functions, and globals of a module."""

    def __init__(self, seen: frozenset[bytes] = frozenset()) -> None:
        self.seen = seen
        self.names: frozenset[bytes] = frozenset()
        self.globals: dict[bytes, frozenset[bytes]] = {}

    def add(self, path: str, data: bytes, what: What) -> None:
        """Take in the names around the matches of ``what`` in the file at ``path``."""
        places = [match.start() for match in what.finditer(data)]
        heads = list(_heads(data, places))
        self.names |= (enclosing(data, places, heads) | other_names(data, places)) - self.seen
        self.hand_on(path, assigned_globals(data, places, heads))

    def handed_on(self, data: bytes) -> frozenset[bytes]:
        """The globals that a file imports from their module, so that others find them in this one."""
        found: frozenset[bytes] = frozenset()
        for stem, names in taken(data) if self.globals else ():
            known = self.globals.get(stem, frozenset())
            found |= known if names is None else known & names
        return found

    def hand_on(self, path: str, names: frozenset[bytes]) -> None:
        """Take in what the module at ``path`` hands on."""
        if names:
            stem = stem_of(path)
            self.globals[stem] = self.globals.get(stem, frozenset()) | names

    def mentioned(self, data: bytes) -> Words | None:
        """Finds the names that ``data`` mentions; globals count only beside their module's name."""
        words = words_of(data)
        found = self.names & words
        for stem, names in self.globals.items():
            if stem in words:
                found |= names & words
        return Words(found) if found else None


def stem_of(path: str) -> bytes:
    """The name of a module, without its packages; of an ``__init__`` that of its package."""
    stem = os.fsencode(os.path.basename(path)).rsplit(b".", 1)[0]
    return stem if stem != b"__init__" else os.fsencode(os.path.basename(os.path.dirname(path)))


@lru_cache(maxsize=4096)
def words_of(data: bytes) -> frozenset[bytes]:
    """The words of a file: asked again and again, for ever other names."""
    return frozenset(_WORD.findall(data))


class Words:
    """Finds any of some whole words: a pattern of hundreds of them tries each at every place."""

    FEW = 12  # words that are found sooner one by one than by looking at each word of a file

    def __init__(self, names: Iterable[bytes]) -> None:
        self._names = frozenset(names)

    def finditer(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """As a pattern does."""
        names = self._names
        if len(names) > self.FEW:
            return (match for match in _WORD.finditer(data) if match[0] in names)
        places = sorted(place for name in names for place in _places(data, name))
        return (match for place in places if (match := _WORD.match(data, place)) is not None)


def _places(data: bytes, word: bytes) -> Iterator[int]:
    """Where a whole word stands."""
    at = data.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and data[at - 1] in _IN_WORDS) and not (end < len(data) and data[end] in _IN_WORDS):
            yield at
        at = data.find(word, end)


class Flags:
    """Finds the flags of a file: the word, and calls of Variable that need no word."""

    def finditer(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """As a pattern does."""
        places = {match.start(): match for match in _VOLATILE.finditer(data)}
        for place in wordless(data):
            match = _WORD.match(data, place)
            if match is not None:
                places[place] = match
        return (places[place] for place in sorted(places))


What = Words | Flags | re.Pattern[bytes]


def enclosing(data: bytes, places: Sequence[int], heads: Iterable[bytes]) -> frozenset[bytes]:
    """Names of the functions and classes around each place, and of lambdas whose lines begin as ``heads`` say.

    By indentation alone, so that old syntax is no obstacle; rather one name too many than one too few.
    """
    names: set[bytes] = set()
    headers = _headers(data) if places else ()
    index = 0
    stack: list[tuple[int, bytes]] = []
    for place in places:
        while index < len(headers) and headers[index][0] <= place:
            _, indent, name = headers[index]
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, name))
            index += 1
        names.update(name for _, name in stack if name not in _METHODS)
    names.update(name for head in heads for name in _LAMBDA.findall(head))
    return frozenset(names)


def other_names(data: bytes, places: Iterable[int]) -> frozenset[bytes]:
    """The names that imports give to what stands at ``places``: ``from .tools import wrap as to_input``."""
    found = (_RENAMED.match(data, place) for place in places)
    return frozenset(match[1] for match in found if match is not None)


def assigned_globals(data: bytes, places: Sequence[int], heads: Iterable[bytes]) -> frozenset[bytes]:
    """Names that are assigned at the left margin: by lines that begin like ``heads``, by statements around a place."""
    targets = [target for head in heads for target in _GLOBAL.findall(head)]
    targets += _around(data, places)
    return frozenset(name for target in targets for name in _WORD.findall(target))


@lru_cache(maxsize=1024)
def _headers(data: bytes) -> tuple[tuple[int, int, bytes], ...]:
    """Where functions and classes begin, how far they are indented, and their names."""
    return tuple((m.start(), len(m[1].expandtabs()), m[2]) for m in _DEFINITION.finditer(data))


@lru_cache(maxsize=1024)
def _statements(data: bytes) -> tuple[int, ...]:
    """Where statements begin at the left margin."""
    return tuple(m.start() for m in _MARGIN.finditer(data) if m[0] not in (b")", b"]", b"}"))


def _around(data: bytes, places: Sequence[int]) -> Iterator[bytes]:
    """What is assigned at the left margin by a statement of several lines, in which a place lies."""
    starts = _statements(data) if places else ()
    for number in {bisect_right(starts, place) - 1 for place in places}:
        if number >= 0:
            yield from _GLOBAL.findall(data[starts[number] : starts[number] + _HEAD].split(b"\n", 1)[0])


def _heads(data: bytes, places: Iterable[int]) -> Iterator[bytes]:
    """How each line begins in which a place lies; a line of megabytes with many of them is looked at once."""
    at = start = 0
    last = -1
    for place in places:
        start = data.rfind(b"\n", at, place) + 1 or start
        at = place
        if start != last:
            last = start
            yield data[start : start + _HEAD].split(b"\n", 1)[0]
