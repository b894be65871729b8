"""What git follows and waits for below the ``.git`` of a checkout: links lead anywhere, a pipe ends never.

git appends to its logs through links, quotes what a link leads to when that is not what it expects there, and opens
pipes. So nothing that it would open there is a link or a pipe, before it is asked for anything.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from voltfix.batch.model import BatchError

_TREES = ("refs", "logs", "info", "worktrees", "reftable", "objects/info", "objects/pack")
_FILES = (
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "AUTO_MERGE",
    "index",
    "packed-refs",
    "shallow",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "objects",
    *(f"objects/{number:02x}" for number in range(256)),
)
_LONGEST = 1 << 16  # of a file that holds a path


def check_checkout(folder: str) -> None:
    """BatchError where something that git opens to read the checkout or bare repository ``folder`` is no plain file."""
    place = os.path.join(folder, ".git")
    if not os.path.exists(place):
        check(folder)
    elif os.path.isdir(place):
        check(place)
    else:
        check(os.path.join(folder, _line(os.path.realpath(place)).removeprefix("gitdir: ")))


def check(git_dir: str) -> None:
    """The same for a folder that git keeps a repository, or one working tree of it, in."""
    _demand(os.path.join(git_dir, "commondir"))
    for place in _places(dict.fromkeys((git_dir, common(git_dir)))):
        _demand(place)


def common(git_dir: str) -> str:
    """The folder with what all working trees share."""
    place = os.path.join(git_dir, "commondir")
    return os.path.normpath(os.path.join(git_dir, _line(place))) if os.path.exists(place) else git_dir


def _places(folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        yield from (os.path.join(folder, name) for name in (*_FILES, *_TREES))
        for name in _TREES:
            for inner, *found in os.walk(os.path.join(folder, name)):
                yield from (os.path.join(inner, entry) for entries in found for entry in entries)


def _demand(place: str) -> None:
    try:
        mode = os.lstat(place).st_mode
    except OSError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise BatchError("git", f"{place} is a link or pipe: put a file in its place")


def _line(place: str) -> str:
    _demand(place)
    with open(place, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(_LONGEST).rstrip("\r\n")
