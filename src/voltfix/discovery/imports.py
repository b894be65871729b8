"""Which file of a project imports which, read from bytes: what can reach what, before anything is parsed.

A module is looked for beside the importing file, then in the folders above it, last anywhere in the project.
A name that fits several files there is *vague*: the analysis has to see all of them, so that it does not take
the one that it sees for the only one, but nothing is concluded from it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from voltfix.program.closure import closure
from voltfix.program.imports import LIBRARIES

# searched for by its first word, which the engine finds fast; what stands before it is looked at afterwards
_IMPORT = re.compile(rb'import\b[ \t]*(\([^)]*\)|(?:[^#\n;\\"]|\\\r?\n)*)')
# a quote may stand before an import in a notebook, a prompt in a doctest
_BEFORE = re.compile(rb'(?:^|[;:])[ \t>"]*(?:from[ \t]+([.\w]+)[ \t]*)?$')
_AS = re.compile(rb"[ \t]as[ \t]+\w+")

_LONGEST = 400  # bytes that may stand before an import on its line

# a module that is asked for by its name: the string, or how it starts; what follows says whether that is all of it
_ASKED = re.compile(
    rb'(?<!def )\b(?:(?:import_module|__import__)[ \t]*\(\s*(?:\w?["\']([.\w]*)(["\']\s*[,)])?)?|load_source[ \t]*\()')

Imported = tuple[int, tuple[str, ...]]  # leading dots, dotted name


def imported(data: bytes) -> set[Imported]:
    """What ``data`` imports; ``from a import b`` yields both ``a`` and ``a.b``, since b may be a module."""
    found: set[Imported] = set()
    for module, names in _clauses(data):
        if module is None:
            for clause in names.split(b","):
                if dotted := _parts(clause):
                    found.add((0, dotted))
            continue
        level = len(module) - len(module.lstrip(b"."))
        base = _parts(module)
        if base:
            found.add((level, base))
        for name in re.findall(rb"\w+", names):
            found.add((level, (*base, name.decode("utf-8", "replace"))))
    return found


@lru_cache(maxsize=4096)
def asked(data: bytes) -> tuple[tuple[Imported, bool], ...]:
    """The modules that are asked for by a name while the program runs: how that starts, and whether that is all."""
    found = {}
    for match in _ASKED.finditer(data) if b"import" in data or b"load_source" in data else ():
        text = match[1] or b""
        names = text.lstrip(b".")
        parts = _parts(names if match[2] else names.rpartition(b".")[0])
        found[len(text) - len(names), parts] = match[2] is not None and bool(parts)
    return tuple(found.items())


@lru_cache(maxsize=4096)
def taken(data: bytes) -> tuple[tuple[bytes, frozenset[bytes] | None], ...]:
    """What is taken from modules, by the last part of their names; None for a star."""
    return tuple((module.rpartition(b".")[2], None if b"*" in names else frozenset(re.findall(rb"\w+", names)))
                 for module, names in _clauses(data) if module)


def _clauses(data: bytes) -> Iterator[tuple[bytes | None, bytes]]:
    """The module behind ``from``, None where there is none, and what is imported, without ``as`` and what follows."""
    for match in _IMPORT.finditer(data):
        line = data.rfind(b"\n", 0, match.start()) + 1
        before = _BEFORE.search(data[max(line, match.start() - _LONGEST) : match.start()])
        if before is not None:
            yield before[1], _AS.sub(b"", match[1])


def _parts(dotted: bytes) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", dotted.decode("utf-8", "replace")))


class Modules:
    """The modules below a root, found by dotted name from the point of view of a file. Paths are absolute.

    ``top``: the folder of the project, which may be a package that is imported by another name than the folder has.
    """

    def __init__(self, root: str, files: Iterable[str], top: str = "") -> None:
        self._root = root
        self._top = top
        self._files: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in files:
            if path.endswith(".py"):
                module = path[:-12] if path.endswith("/__init__.py") else path[:-3]
                self._files[module] = path
                self._by_name.setdefault(os.path.basename(module), []).append(module)

    def targets(self, path: str, data: bytes) -> tuple[set[str], set[str]]:
        """The files that the file at ``path`` imports; and those that a vague name may mean."""
        clear: set[str] = set()
        vague: set[str] = set()
        near_tops: set[str] = set()
        for level, dotted in sorted(imported(data)):
            near = set(self._near(path, level, dotted))
            clear |= near
            if near or level:
                near_tops.add(dotted[0])
            elif dotted[0] not in near_tops:
                found = self._anywhere(dotted)
                (clear if len(found) == 1 else vague).update(found)
                if not found and self._top in self._files and dotted[0] not in LIBRARIES:
                    within = set(self._chain(self._top, dotted[1:]))
                    clear |= {*within, self._files[self._top]} if within else within
        for (level, dotted), whole in asked(data):
            clear.update(self._near(path, level, dotted) if whole else self._below(path, level, dotted))
        return clear - {path}, vague - {path}

    def _below(self, path: str, level: int, dotted: tuple[str, ...]) -> Iterator[str]:
        """All modules whose names start so."""
        if level:
            folder = os.path.dirname(path)
            return (file for module, file in self._files.items() if module.startswith(f"{folder}/"))
        within = "/" + "".join(f"{part}/" for part in dotted)
        return (file for module, file in self._files.items() if within in module)

    def _near(self, path: str, level: int, dotted: tuple[str, ...]) -> Iterator[str]:
        """The module beside the file, or in a folder above, with the packages on the way to it.

        A nearer package of the same name that has no such module is not what Python finds: which folders are on the
        path hangs on where the program is started. What it says counts, too, for a name may be one that it binds.
        """
        folder = os.path.dirname(path)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return self._chain(folder, dotted)
        whole = "/".join(dotted)
        found: list[str] = []
        for above in self._above(folder):
            if f"{above}/{whole}" in self._files:
                return iter((*found, *self._chain(above, dotted)))
            if f"{above}/{dotted[0]}" in self._files and not found:
                found += self._chain(above, dotted)
        return iter(found)

    def _above(self, folder: str) -> Iterator[str]:
        while len(folder) >= len(self._root):
            yield folder
            if folder == os.path.dirname(folder):
                return
            folder = os.path.dirname(folder)

    def _chain(self, base: str, dotted: tuple[str, ...]) -> Iterator[str]:
        for part in dotted:
            base = f"{base}/{part}"
            if base in self._files:
                yield self._files[base]

    def _anywhere(self, dotted: tuple[str, ...]) -> set[str]:
        tail = "/" + "/".join(dotted)
        return {self._files[module] for module in self._by_name.get(dotted[-1], ()) if module.endswith(tail)}


class Graph:
    """Who imports whom."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.importers: dict[str, set[str]] = {}
        self.vague: dict[str, set[str]] = {}

    def add(self, path: str, clear: set[str], vague: set[str]) -> None:
        """Take in a file and what it imports."""
        self.imports[path] = clear
        if vague:
            self.vague[path] = vague
        for target in clear:
            self.importers.setdefault(target, set()).add(path)

    def below(self, paths: Iterable[str]) -> set[str]:
        """``paths`` and everything that they import, directly or not."""
        return closure(paths, self.imports)

    def beside(self, paths: Iterable[str]) -> set[str]:
        """Everything that may meet one of ``paths`` in a program: what their importers import."""
        return self.below(closure(paths, self.importers))

    def joining(self, paths: Iterable[str], known: set[str]) -> set[str]:
        """Other files than those ``known`` that load some of ``paths`` in one program, as none of these does."""
        loaded: dict[str, set[str]] = {}
        for path in paths:
            for each in closure([path], self.importers):
                loaded.setdefault(each, set()).add(path)
        inside = [found for each, found in loaded.items() if each in known]
        return {each for each, found in loaded.items()
                if len(found) > 1 and each not in known and not any(found <= other for other in inside)}
