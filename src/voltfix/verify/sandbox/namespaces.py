"""Namespaces of Linux: a process tree, a network and privileges that end at its own border.

``enter`` is called once, where the runner starts, before torch is loaded: only a process with one thread may leave
its user namespace, and a process namespace begins with the next fork. The runner goes on as the first process of the
new one, so that whatever ends it ends all that it started; the process that was there before waits for it and does
nothing else.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

from voltfix.processes import descent

_FLAGS = {
    "user namespace": 0x10000000,
    "process namespace": 0x20000000,
    "network namespace": 0x40000000,
    "ipc namespace": 0x08000000,
}
_BEGINS_WITH_A_FORK = "process namespace"
_STATES: dict[str, str] = {}


def enter() -> None:
    """Go on in new namespaces, as far as the system lets us; what became of each is told by ``states``."""
    descent.die_with()
    if _STATES or not hasattr(os, "fork"):
        return
    _STATES.update(_left(list(_FLAGS)))
    if _STATES[_BEGINS_WITH_A_FORK] != "active":
        return
    child = os.fork()
    if not child:
        descent.die_with()
        return
    os._exit(_waited_for(child))


def states() -> dict[str, str]:
    """For each namespace "active", or why not; called in a child, which leaves those that it still can."""
    if _STATES:
        return dict(_STATES)
    found = _left([name for name in _FLAGS if name != _BEGINS_WITH_A_FORK])
    return {**found, _BEGINS_WITH_A_FORK: "not entered when the runner started"}


def _left(names: list[str]) -> dict[str, str]:
    """Leave the namespaces of these names, one by one."""
    found: dict[str, str] = {}
    try:
        unshare = ctypes.CDLL(None, use_errno=True).unshare
    except (OSError, AttributeError):
        return dict.fromkeys(names, f"not available on {sys.platform}")
    user, group = os.geteuid(), os.getegid()
    for name in names:
        found[name] = "active" if unshare(_FLAGS[name]) == 0 else os.strerror(ctypes.get_errno())
        if found[name] == "active" and name == "user namespace":
            _stay(user, group)
    return found


def _stay(user: int, group: int) -> None:
    """Be called as before in the new user namespace; what asks for its name is answered, no right comes with it."""
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with contextlib.suppress(OSError), open(f"/proc/self/{file}", "w") as handle:
            handle.write(text)


def _waited_for(child: int) -> int:
    """The exit code of the runner, which is also ours; a signal that ended it ends us."""
    while True:
        try:
            status = os.waitpid(child, 0)[1]
            break
        except (InterruptedError, KeyboardInterrupt):
            continue
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status) & 0xFF
