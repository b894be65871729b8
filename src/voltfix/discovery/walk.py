"""The walk: from the paths of the command line to the files that may hold Python."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from voltfix.discovery.ignore import SKIPPED_FOLDERS, Rules, compile_rules, ignored, read_rules, rules_above
from voltfix.discovery.tracked import Index, git_root

PATIENCE = 10.0  # seconds of processor time that a walk gives the rules of the folders it meets
_UNSEEN = 20_000  # names that are looked at in folders that are left out
_MARKS = frozenset({".git", ".gitignore"})
_ENVIRONMENT = frozenset({"pyvenv.cfg", "conda-meta"})
SUFFIXES = (".py", ".pyi", ".ipynb", ".md", ".rst")


class Problem(NamedTuple):
    """Something that could not be read. ``kind`` is one of ``FileError``'s."""

    path: str
    kind: str
    message: str


class Walk(NamedTuple):
    """The files below the paths asked for, in a stable order, and what could not be looked into.

    ``left``: files and folders that .gitignore names where no index of git says what is the project's.
    """

    files: list[str]
    problems: list[Problem]
    left: Sequence[str] = ()


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

    ``exclude`` holds patterns in .gitignore's language, relative to ``base`` (the working directory). What git
    tracks is taken whatever .gitignore says, as git does it.
    Symbolic links that the walk meets are not followed: what they point to is either walked itself, or not
    part of what was asked for. Rules that take more than PATIENCE, or ``seconds`` if that is less, are dropped,
    and a problem says so: what .gitignore files say is then not heeded, and ``exclude`` ends the walk.
    """
    allowed = PATIENCE if seconds is None else min(seconds, PATIENCE)
    clocks = _Clock(allowed), _Clock(allowed)
    rules = compile_rules(os.path.abspath(base or "."), exclude) if exclude else None
    found: dict[str, None] = {}
    problems: list[Problem] = []
    left: list[str] = []
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            where = f"; seen from {os.getcwd()}" if isinstance(error, FileNotFoundError) else ""
            problems.append(Problem(path, "unreadable", describe(error) + where))
            continue
        if stat.S_ISDIR(mode):
            found.update(dict.fromkeys(_below(path, rules, problems, clocks, left)))
        elif stat.S_ISREG(mode):
            found[path] = None
        else:
            problems.append(Problem(path, "unreadable", "is neither a file nor a folder"))
    files = _once(found) if len(paths) > 1 else list(found)
    return Walk(files, problems, left)


def walk_lazily(folder: str) -> Iterator[str]:
    """The files below ``folder`` (absolute), found as they are asked for; what cannot be read is left out."""
    return _below(folder, None, [], (_Clock(PATIENCE), _Clock(PATIENCE)), [])


def unseen(left: Iterable[str]) -> Iterator[str]:
    """The files that were left out, and those in folders that were: as many as are found fast."""
    pending, seen = list(reversed(list(left))), 0
    while pending and seen < _UNSEEN:
        path = pending.pop()
        if path.endswith(SUFFIXES) and os.path.isfile(path):
            seen += 1
            yield path
            continue
        try:
            with os.scandir(path) as entries:
                listed = sorted(islice(entries, _UNSEEN - seen), key=_name)
        except OSError:
            continue
        seen += len(listed)
        if _ENVIRONMENT.isdisjoint(map(_name, listed)):
            pending.extend(entry.path for entry in reversed(listed) if _may_hold(entry))


def _may_hold(entry: os.DirEntry[str]) -> bool:
    if entry.name.endswith(SUFFIXES) and entry.is_file(follow_symlinks=False):
        return True
    return entry.name not in SKIPPED_FOLDERS and entry.is_dir(follow_symlinks=False)


def describe(error: Exception) -> str:
    """What went wrong, in the words of the operating system and without the path."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _once(found: dict[str, None]) -> list[str]:
    """Each file once, even when it was asked for under two names (``a.py ./a.py``)."""
    seen: dict[str, str] = {}
    for path in found:
        seen.setdefault(os.path.normpath(path), path)
    return list(seen.values())


class _Folder(NamedTuple):
    """A folder to look into: its path as asked for, and absolute; the rules that hold in it, and who tracks what.

    ``ignored``: only what git tracks is taken in it.
    """

    path: str
    absolute: str
    chain: tuple[Rules, ...]
    repository: Index | None
    ignored: bool = False


def _below(
    top: str, exclude: Rules | None, problems: list[Problem], clocks: tuple[_Clock, _Clock], left: list[str]
) -> Iterator[str]:
    """The candidates below the folder ``top``, folder by folder, each folder's files sorted by name."""
    start = os.path.abspath(top)
    always = (exclude,) if exclude and (start + "/").startswith(exclude.base) else ()
    ours, theirs = clocks
    with theirs:
        around = tuple(rules_above(start)) if theirs.left > 0 else ()
    root = git_root(start)
    pending = [_Folder(top, start, around, Index(root) if root is not None else None)]
    told = False

    def excluded(path: str, folder: bool) -> bool:
        if not always:
            return False
        with ours:
            return ignored(path, folder, always)

    def is_ignored(path: str, folder: bool, within: _Folder) -> bool:
        if within.ignored:
            return True
        if not within.chain or theirs.left <= 0:
            return False
        with theirs:
            return ignored(path, folder, within.chain)

    while pending:
        within = pending.pop()
        try:
            with os.scandir(within.path) as entries:
                listed = sorted(entries, key=_name)
        except OSError as error:
            problems.append(Problem(within.path, "unreadable", describe(error)))
            continue
        marks = {entry.name for entry in listed if entry.name in _MARKS}
        if ".git" in marks and within.absolute != root:
            within = within._replace(repository=Index(within.absolute))
        if theirs.left > 0 and ".gitignore" in marks:
            with theirs:
                own = read_rules(within.absolute)
            within = within._replace(chain=(*within.chain, own) if own else within.chain)
        folders = []
        for entry in listed:
            if always and ours.left <= 0:
                said = "the patterns to exclude take too long here; what comes after was not looked at"
                problems.append(Problem(within.path, "unreadable", said))
                return
            if theirs.left <= 0 and not told:
                told = True
                said = "the rules of its .gitignore files take too long; from here on they were not heeded"
                problems.append(Problem(within.path, "unreadable", said))
            name = entry.name
            is_file = name.endswith(SUFFIXES) and entry.is_file(follow_symlinks=False)
            if not is_file and (name in SKIPPED_FOLDERS or not entry.is_dir(follow_symlinks=False)):
                continue
            inside = f"{within.absolute}/{name}"
            if excluded(inside, not is_file):
                continue
            left_out = is_ignored(inside, not is_file, within)
            repository = within.repository
            if left_out and not (repository is not None and repository.tracks(inside, folder=not is_file)):
                if repository is None or not repository.speaks_of(start):
                    left.append(entry.path)
            elif is_file:
                yield entry.path
            else:
                folders.append(_Folder(entry.path, inside, within.chain, repository, left_out))
        pending.extend(reversed(folders))


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
