"""Two runs that write into one tree take turns: the second waits, and says so.

The lock is on the folder itself, so nothing is left behind by whatever ends a run. A run has its roots to itself and
shares all folders above, so that one on a part of a tree and one on the whole of it see each other.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from voltfix.discovery.roots import ancestors


@contextmanager
def turn(roots: Iterable[str]) -> Iterator[None]:
    """Have these folders for a block, as soon as nobody else has."""
    own = {os.path.realpath(root) for root in roots}
    held: list[int] = []
    try:
        # in one order for everybody, so that no two wait for each other
        for folder in sorted(own.union(*(ancestors(root) for root in own))):
            with suppress(OSError):  # a file system without locks, a folder that cannot be read
                fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                held.append(fd)
                _lock(fd, folder, fcntl.LOCK_EX if folder in own else fcntl.LOCK_SH)
        yield
    finally:
        for fd in held:
            os.close(fd)


def _lock(fd: int, folder: str, kind: int) -> None:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        from voltfix.cli.show import say

        say(f"another voltfix is at work in {folder}; waiting for it")
        fcntl.flock(fd, kind)
