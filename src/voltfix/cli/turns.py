"""Two runs that write into one tree take turns: the second waits, and says so.

The lock is on the folder itself, so nothing is left behind by whatever ends a run. A run has its roots to itself and
shares the folders above, so that one on a part of a tree and one on the whole of it see each other; only those that are
this user's alone, for in any other somebody else could keep everybody waiting. Nobody waits for ever: not every lock is
that of a voltfix.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile

from voltfix.discovery.roots import ancestors

PATIENCE = 600.0  # seconds
_AGAIN = 60.0  # seconds after which a run says once more that it waits
_held: list[int] = []  # by this process; those that it forks have them, too, until they let go


class StillTakenError(Exception):
    """Somebody else has a folder, and did not let go of it in time."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.folder = folder
        self.message = (
            f"something still holds a lock on it after {PATIENCE:g} seconds, another voltfix perhaps;"
            " nothing was done, run again when that is over"
        )


@contextmanager
def turn(roots: Iterable[str]) -> Iterator[None]:
    """Have these folders for a block, as soon as nobody else has; StillTakenError where that takes too long."""
    own = {os.path.realpath(root) for root in roots}
    above = {folder for root in own for folder in takewhile(_is_ours, ancestors(os.path.dirname(root)))}
    try:
        # in one order for everybody, so that no two wait for each other
        for folder in sorted(own | above):
            with suppress(OSError):  # a file system without locks, a folder that cannot be read
                fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                _held.append(fd)
                _lock(fd, folder, fcntl.LOCK_EX if folder in own else fcntl.LOCK_SH)
        yield
    finally:
        let_go()


def let_go() -> None:
    """Give up the turn, as far as this process has it."""
    while _held:
        os.close(_held.pop())


def _is_ours(folder: str) -> bool:
    try:
        about = os.stat(folder)
    except OSError:
        return False
    return about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _lock(fd: int, folder: str, kind: int) -> None:
    from voltfix.cli.show import say

    began = told = time.monotonic()
    while not _taken(fd, kind):
        now = time.monotonic()
        if now - began > PATIENCE:
            raise StillTakenError(folder)
        if told == began or now - told > _AGAIN:
            told = now
            left = PATIENCE - (now - began)
            say(f"another voltfix is at work in {folder}; waiting for it, {left:.0f} seconds at most")
        time.sleep(0.1)


def _taken(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
