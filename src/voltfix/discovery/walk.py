"""The walk: from the paths of the command line to the files that may hold Python."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from voltfix.discovery.ignore import SKIPPED_FOLDERS, Rules, compile_rules, ignored, read_rules, rules_above

PATIENCE = 10.0  # seconds of processor time that a walk gives the rules of the folders it meets
SUFFIXES = (".py", ".pyi", ".ipynb", ".md", ".rst")


class Problem(NamedTuple):
    """Something that could not be read. ``kind`` is one of ``FileError``'s."""

    path: str
    kind: str
    message: str


class Walk(NamedTuple):
    """The files below the paths asked for, in a stable order, and what could not be looked into."""

    files: list[str]
    problems: list[Problem]


class _Clock:
    """The processor time that rules took so far, and what they may take; then they count no more."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def __enter__(self) -> None:
        self._began = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.left -= time.process_time() - self._began


def walk(
    paths: Sequence[str], exclude: Sequence[str] = (), base: str | None = None, seconds: float | None = None
) -> Walk:
    """Find the files below ``paths``; a file that is named itself is taken whatever its name is.

    ``exclude`` holds patterns in .gitignore's language, relative to ``base`` (the working directory).
    Symbolic links that the walk meets are not followed: what they point to is either walked itself, or not
    part of what was asked for. Rules that take more than PATIENCE, or ``seconds`` if that is less, are dropped,
    and a problem says so: what .gitignore files say is then not heeded, and ``exclude`` ends the walk.
    """
    allowed = PATIENCE if seconds is None else min(seconds, PATIENCE)
    clocks = _Clock(allowed), _Clock(allowed)
    rules = compile_rules(os.path.abspath(base or "."), exclude) if exclude else None
    found: dict[str, None] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            where = f"; seen from {os.getcwd()}" if isinstance(error, FileNotFoundError) else ""
            problems.append(Problem(path, "unreadable", describe(error) + where))
            continue
        if stat.S_ISDIR(mode):
            found.update(dict.fromkeys(_below(path, rules, problems, clocks)))
        elif stat.S_ISREG(mode):
            found[path] = None
        else:
            problems.append(Problem(path, "unreadable", "is neither a file nor a folder"))
    return Walk(_once(found) if len(paths) > 1 else list(found), problems)


def walk_lazily(folder: str) -> Iterator[str]:
    """The files below ``folder`` (absolute), found as they are asked for; what cannot be read is left out."""
    return _below(folder, None, [], (_Clock(PATIENCE), _Clock(PATIENCE)))


def describe(error: Exception) -> str:
    """What went wrong, in the words of the operating system and without the path."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _once(found: dict[str, None]) -> list[str]:
    """Each file once, even when it was asked for under two names (``a.py ./a.py``)."""
    seen: dict[str, str] = {}
    for path in found:
        seen.setdefault(os.path.normpath(path), path)
    return list(seen.values())


def _below(
    top: str, exclude: Rules | None, problems: list[Problem], clocks: tuple[_Clock, _Clock]
) -> Iterator[str]:
    """The candidates below the folder ``top``, folder by folder, each folder's files sorted by name."""
    absolute = os.path.abspath(top)
    always = (exclude,) if exclude and (absolute + "/").startswith(exclude.base) else ()
    ours, theirs = clocks
    with theirs:
        around = tuple(rules_above(absolute)) if theirs.left > 0 else ()
    pending: list[tuple[str, str, tuple[Rules, ...]]] = [(top, absolute, around)]
    told = False

    def left_out(path: str, folder: bool, chain: tuple[Rules, ...]) -> bool:
        if always:
            with ours:
                if ignored(path, folder, always):
                    return True
        if not chain or theirs.left <= 0:
            return False
        with theirs:
            return ignored(path, folder, chain)

    while pending:
        folder, absolute, chain = pending.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=_name)
        except OSError as error:
            problems.append(Problem(folder, "unreadable", describe(error)))
            continue
        if theirs.left > 0 and any(entry.name == ".gitignore" for entry in listed):
            with theirs:
                own = read_rules(absolute)
            chain = (*chain, own) if own else chain
        folders = []
        for entry in listed:
            if always and ours.left <= 0:
                said = "the patterns to exclude take too long here; what comes after was not looked at"
                problems.append(Problem(folder, "unreadable", said))
                return
            if theirs.left <= 0 and not told:
                told = True
                said = "the rules of its .gitignore files take too long; from here on they were not heeded"
                problems.append(Problem(folder, "unreadable", said))
            name = entry.name
            if name.endswith(SUFFIXES) and entry.is_file(follow_symlinks=False):
                if not left_out(f"{absolute}/{name}", False, chain):
                    yield entry.path
            elif name not in SKIPPED_FOLDERS and entry.is_dir(follow_symlinks=False):
                inside = f"{absolute}/{name}"
                if not left_out(inside, True, chain):
                    folders.append((entry.path, inside, chain))
        pending.extend(reversed(folders))


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
