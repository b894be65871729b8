"""Processes that end with those that started them, and with all that they started themselves. Linux; elsewhere no more
than pipes and process groups do."""

from __future__ import annotations

import contextlib
import os
import signal
import time

_DEATH_SIGNAL = 1  # prctl
_ADOPT = 36
_ROUNDS = 200


def die_with(parent: int | None = None) -> None:
    """Let the system kill this process when the thread that started it ends; ``parent``: whose child it has to be."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:  # too late: it has gone already
        os._exit(1)


def adopt() -> None:
    """Become the parent of what descendants leave behind, so that ``end_all`` finds it."""
    _prctl(_ADOPT, 1)


def _prctl(what: int, value: int) -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def end_group(leader: int) -> None:
    """End a child with all that is in the process group that it leads, and take leave of it."""
    for _ in range(2):  # a child that has just been forked leads no group yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(leader, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(leader, 0)


def end_all(but: frozenset[int] = frozenset()) -> None:
    """End all children of this process, those that it was left by others too, until there are none."""
    for _ in range(_ROUNDS):
        left = [pid for pid in children() if pid not in but]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)


def children(process: int | None = None) -> list[int]:
    """The children of a process; none where the system does not say."""
    found: list[int] = []
    folder = f"/proc/{process or os.getpid()}/task"
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def silence() -> None:
    """Point the standard streams at nothing: what repositories make tools say is not an answer."""
    sink = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(sink, descriptor)
