"""The files around the hits that the analysis has to see: callers of what they define, and what they call.

Volatility crosses files in two ways. A function whose text mentions ``volatile`` hands it to its callers or
takes it from them (``to_var(x, True)`` holds no word to search for), so files that mention its name are read,
and the callers of those again. And what the hits import is where a volatile value flows into. Files that no
chain of imports connects have nothing to do with each other, whatever names they share.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from voltfix.discovery.hits import is_hit, read
from voltfix.discovery.imports import Graph, Modules, taken
from voltfix.discovery.layout import Around, Layout
from voltfix.discovery.roots import imported_from, marked_root
from voltfix.discovery.walk import walk_lazily

MAX_FILES = 20_000
MAX_UNMARKED = 2_000  # where nothing says that a folder is a project: it may be somebody's home
MAX_FILE_BYTES = 1 << 20
MAX_NOTEBOOK_BYTES = 1 << 25  # most of a notebook is pictures
_ROUNDS = 4
# where the text of a cell begins, and where a line of it ends: in a string of its own, or in that of all
_STARTS, _ENDS = re.compile(rb'"source":\s*\[?\s*"'), re.compile(rb'\\n(?:",\s*")?')
_KEPT = 4_096  # files that are not read again

_NONE: frozenset[bytes] = frozenset()


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
    modules, graph = Modules(imported_from(root), listed, root), Graph()
    for path in listed:
        graph.add(path, *modules.targets(path, files.layout(path).data))
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
        self._layouts: dict[str, Layout] = {}
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

    def layout(self, path: str) -> Layout:
        """The file at ``path`` with its lines apart: some notebooks are one line, with those of their cells in it."""
        if (found := self._layouts.get(path)) is None:
            data = self.get(path)
            if path.endswith(".ipynb"):
                data = _ENDS.sub(b'\\n",\n"', _STARTS.sub(b'"source":\n"', data))
            if len(self._layouts) == _KEPT:
                del self._layouts[next(iter(self._layouts))]
            found = self._layouts[path] = Layout(data)
        return found


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
        below = {path for path in graph.below(group) if files.layout(path).headers}
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
    """The group and the files around it: what it imports, or may, and what loads it together."""
    found = graph.below(group) | {path for importer in group for path in graph.vague.get(importer, ())}
    return found | graph.joining(group, found)


def _add_callers(others: Iterable[str], start: Iterable[str], files: Files, found: set[str]) -> None:
    """Files that mention what volatility may be reached through; then what mentions those, and so on."""
    remaining, known = list(others), list(start)
    reach = Reach()
    for path in known:
        layout = files.layout(path)
        reach.add(path, layout.around(layout.flags))
    for _ in range(_ROUNDS):
        if not remaining or not (reach.names or reach.globals):
            return
        following = Reach(reach.seen | reach.names)
        left = []
        for path in (*known, *remaining):
            following.hand_on(path, reach.handed_on(files.layout(path).data))
        for path in known:  # a function beside it that calls it, a table that it stands in
            layout = files.layout(path)
            again = layout.words & (reach.names | reach.globals.get(stem_of(path), _NONE))
            following.add(path, layout.around_words(again))
        for path in remaining:
            layout = files.layout(path)
            mentioned = reach.mentioned(layout.words)
            if not mentioned:
                left.append(path)
            else:
                found.add(path)
                known.append(path)
                following.add(path, layout.around_words(mentioned))
        remaining, reach = left, following


class Reach:
    """Names through which volatility may leave the files seen so far: functions, and globals of a module."""

    def __init__(self, seen: frozenset[bytes] = frozenset()) -> None:
        self.seen = seen
        self.names: frozenset[bytes] = frozenset()
        self.globals: dict[bytes, set[bytes]] = {}

    def add(self, path: str, around: Around) -> None:
        """Take in what stands around places of the file at ``path``."""
        self.names |= around.names - self.seen
        self.hand_on(path, around.globals)

    def handed_on(self, data: bytes) -> frozenset[bytes]:
        """The globals that a file imports from their module, so that others find them in this one."""
        found: set[bytes] = set()
        for stem, names in taken(data) if self.globals else ():
            known = self.globals.get(stem, _NONE)
            found |= known if names is None else known & names
        return frozenset(found)

    def hand_on(self, path: str, names: frozenset[bytes]) -> None:
        """Take in what the module at ``path`` hands on."""
        if names:
            self.globals.setdefault(stem_of(path), set()).update(names)

    def mentioned(self, words: frozenset[bytes]) -> frozenset[bytes]:
        """The names that are among the words of a file; globals count only beside their module's name."""
        return self.names & words | {
            name for stem in words.intersection(self.globals) for name in self.globals[stem] & words}


def stem_of(path: str) -> bytes:
    """The name of a module, without its packages; of an ``__init__`` that of its package."""
    stem = os.fsencode(os.path.basename(path)).rsplit(b".", 1)[0]
    return stem if stem != b"__init__" else os.fsencode(os.path.basename(os.path.dirname(path)))
