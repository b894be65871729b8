"""The files around the hits that the analysis has to see.

Callers of what the hits define, and what they call.

Volatility crosses files in two ways. A function whose text mentions ``volatile`` hands it to its callers or
takes it from them (``to_var(x, True)`` holds no word to search for), so files that mention its name are
read, and the callers of those again. And what the hits import is where a volatile value flows into. Both
are found by searching bytes: too many files cost time, never a wrong answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from voltfix.discovery.hits import read
from voltfix.discovery.walk import walk

MAX_FILES = 20_000
MAX_FILE_BYTES = 1 << 20
_ROUNDS = 4

_VOLATILE = re.compile(rb"volatile")
_DEFINITION = re.compile(rb"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M)
_LAMBDA = re.compile(rb"^[ \t]*(\w+)[ \t]*=[ \t]*lambda\b")
_GLOBAL = re.compile(rb"^(\w[\w, ]*)=[^=]")
_IMPORT = re.compile(
    rb"^[ \t>]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*(\([^)]*\)|[^#\n;]*)|import[ \t]+([^#\n;]+))", re.M
)
# names that everything mentions: the class around them is the name to look for
_METHODS = frozenset((b"__init__", b"__call__", b"forward", b"main"))


class Context(NamedTuple):
    """Files of the project beside the hits (absolute path → bytes); ``complete``.

    False where a cap cut the search.
    """

    files: dict[str, bytes]
    complete: bool


def related(root: str, hits: Mapping[str, bytes]) -> Context:
    """The files below ``root`` that the hits' volatility may come from or go to. Keys are absolute paths."""
    listed = [path for path in walk([root]).files if path.endswith((".py", ".ipynb"))]
    complete = len(listed) <= MAX_FILES
    listed = listed[:MAX_FILES]
    others = [path for path in listed if path not in hits]
    found: dict[str, bytes] = {}
    _add_callers(others, hits, found)
    _add_imported(root, others, hits, found)
    return Context(found, complete)


def _add_callers(others: Iterable[str], hits: Mapping[str, bytes], found: dict[str, bytes]) -> None:
    """Files that mention what volatility may be reached through; then what mentions those, and so on."""
    remaining = list(others)
    reach = Reach()
    for path, known in hits.items():
        reach.add(path, known, _VOLATILE)
    for _ in range(_ROUNDS):
        if not reach.names and not reach.globals:
            return
        following = Reach(reach.seen | reach.names)
        left = []
        for path in remaining:
            data = _read(path)
            mention = None if data is None else reach.mentioned(data)
            if data is not None and mention is not None:
                found[path] = data
                following.add(path, data, mention)
            else:
                left.append(path)
        remaining, reach = left, following


class Reach:
    """Names through which volatility may leave the files seen so far: functions, and globals of a module."""

    def __init__(self, seen: frozenset[bytes] = frozenset()) -> None:
        self.seen = seen
        self.names: frozenset[bytes] = frozenset()
        self.globals: dict[bytes, frozenset[bytes]] = {}
        self._pattern: re.Pattern[bytes] | None = None

    def add(self, path: str, data: bytes, what: re.Pattern[bytes]) -> None:
        """Take in the names around the matches of ``what`` in the file at ``path``."""
        self.names |= enclosing(data, what) - self.seen
        stem = os.fsencode(os.path.basename(path)).rsplit(b".", 1)[0]
        names = assigned_globals(data, what)
        if names:
            self.globals[stem] = self.globals.get(stem, frozenset()) | names

    def mentioned(self, data: bytes) -> re.Pattern[bytes] | None:
        """A pattern for the names that ``data`` mentions; globals count only beside their module's name."""
        if self._pattern is None:
            self._pattern = any_of(self.names)
        patterns = [self._pattern] if self._pattern.search(data) else []
        for stem, names in self.globals.items():
            if stem in data and (pattern := any_of(names)).search(data) and any_of([stem]).search(data):
                patterns.append(pattern)
        return re.compile(b"|".join(pattern.pattern for pattern in patterns)) if patterns else None


def any_of(names: Iterable[bytes]) -> re.Pattern[bytes]:
    """A pattern for any of the names as a whole word; for none, one that never matches."""
    words = b"|".join(map(re.escape, sorted(names)))
    return re.compile(rb"\b(?:" + words + rb")\b" if words else rb"(?!)")


def _read(path: str) -> bytes | None:
    try:
        data = read(path)
    except OSError:
        return None
    return data if len(data) <= MAX_FILE_BYTES else None


def enclosing(data: bytes, what: re.Pattern[bytes]) -> frozenset[bytes]:
    """Names of the functions and classes around each match of ``what``.

    By indentation alone, so that old syntax is no obstacle; rather one name too many than one too few.
    """
    headers = [(m.start(), len(m[1].expandtabs()), m[2]) for m in _DEFINITION.finditer(data)]
    names: set[bytes] = set()
    index = 0
    stack: list[tuple[int, bytes]] = []
    for match in what.finditer(data):
        while index < len(headers) and headers[index][0] <= match.start():
            _, indent, name = headers[index]
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, name))
            index += 1
        names.update(name for _, name in stack if name not in _METHODS)
        names.update(_LAMBDA.findall(_line_to(data, match)))
    return frozenset(names)


def assigned_globals(data: bytes, what: re.Pattern[bytes]) -> frozenset[bytes]:
    """Names that are assigned at the left margin on lines that match ``what``."""
    targets = (target for match in what.finditer(data) for target in _GLOBAL.findall(_line_to(data, match)))
    return frozenset(name for target in targets for name in re.findall(rb"\w+", target))


def _line_to(data: bytes, match: re.Match[bytes]) -> bytes:
    return data[data.rfind(b"\n", 0, match.start()) + 1 : match.end()]


def _add_imported(
    root: str, others: Iterable[str], hits: Mapping[str, bytes], found: dict[str, bytes]
) -> None:
    """What the files in hand import from the project, and what that imports, to the end."""
    by_stem: dict[str, list[str]] = {}
    for path in others:
        stem = os.path.basename(path)[:-3]
        if stem == "__init__":
            stem = os.path.basename(os.path.dirname(path))
        by_stem.setdefault(stem, []).append(path)
    pending = [*hits.values(), *found.values()]
    while pending:
        for dotted in imported(pending.pop()):
            for path in by_stem.get(dotted[-1], ()):
                if path not in found and _fits(path, dotted) and (data := _read(path)) is not None:
                    found[path] = data
                    pending.append(data)


def imported(data: bytes) -> set[tuple[str, ...]]:
    """The dotted names that ``data`` imports, as tuples.

    ``from a import b`` yields both ``a`` and ``a.b``.
    """
    found: set[tuple[str, ...]] = set()
    for match in _IMPORT.finditer(data):
        if match[1] is not None:
            base = tuple(part for part in match[1].decode("utf-8", "replace").split(".") if part)
            if base:
                found.add(base)
            for name in re.findall(rb"(\w+)(?:[ \t]+as[ \t]+\w+)?", match[2]):
                found.add((*base, name.decode("utf-8", "replace")))
        else:
            for clause in match[3].decode("utf-8", "replace").split(","):
                dotted = tuple(part for part in clause.split(" as ")[0].strip().split(".") if part)
                if dotted:
                    found.add(dotted)
    return found


def _fits(path: str, dotted: tuple[str, ...]) -> bool:
    """Whether the module ``dotted`` may be the file ``path``: its folders end like the name does."""
    folder, file = os.path.split(path)
    module = folder if file == "__init__.py" else os.path.join(folder, file[:-3])
    return module.split(os.sep)[-len(dotted) :] == list(dotted)
