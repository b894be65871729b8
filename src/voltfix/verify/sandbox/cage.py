"""Shuts the door behind a child process, layer by layer; says which layers hold."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import sys
from dataclasses import dataclass

from voltfix.verify.sandbox import hooks, seccomp

_NEW_NAMESPACES = {"user namespace": 0x10000000, "network namespace": 0x40000000, "ipc namespace": 0x08000000}
_NO_NEW_PRIVILEGES = 38
_NOT_DUMPABLE = 4


@dataclass(frozen=True)
class Limits:
    """What a child may use: seconds of CPU time, bytes of memory beyond what it has now."""

    cpu_seconds: int = 10
    memory: int = 1 << 30
    accelerator: bool = False  # CUDA maps memory and opens devices as it goes: two layers are looser


def enter(result: int, folder: str, limits: Limits) -> dict[str, str]:
    """Lock this process up. ``result``: the one descriptor it may write to; ``folder``: an empty directory.

    Gives, for each layer, "active" or why it is not. Not to be undone.
    """
    mapped = _mapped()  # now: below, /proc is out of reach
    layers = {"environment": _environment(), "descriptors": _descriptors(result)}
    layers |= _namespaces()
    layers["root directory"] = _root(folder, limits)
    layers |= _limits(limits, mapped)
    _privileges()
    gc.freeze()
    layers["seccomp"] = seccomp.install(result, limits.accelerator)
    layers["audit hook"] = hooks.install()
    return layers


def _environment() -> str:
    os.environ.clear()
    return "active"


def _descriptors(result: int) -> str:
    """Close everything but the result pipe; standard streams lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        if stream != result:
            os.dup2(null, stream)
    os.closerange(3, result)
    os.closerange(result + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return "active"


def _namespaces() -> dict[str, str]:
    libc = ctypes.CDLL(None, use_errno=True)
    found = {}
    for name, flag in _NEW_NAMESPACES.items():
        failed = not hasattr(libc, "unshare") or libc.unshare(flag) != 0
        found[name] = os.strerror(ctypes.get_errno()) if failed else "active"
    return found


def _root(folder: str, limits: Limits) -> str:
    """The empty folder becomes the whole file system."""
    os.chdir(folder)
    if limits.accelerator:
        return "the driver opens files as it goes; the working directory is empty"
    try:
        os.chroot(folder)
    except OSError as error:
        return error.strerror or "not permitted"
    os.chdir("/")
    return "active"


def _limits(limits: Limits, mapped: int) -> dict[str, str]:
    wanted = {
        "file size": (resource.RLIMIT_FSIZE, 0),
        "core": (resource.RLIMIT_CORE, 0),
        "CPU time": (resource.RLIMIT_CPU, _cpu_now() + limits.cpu_seconds),
        "processes": (resource.RLIMIT_NPROC, 0 if not limits.accelerator else 256),
    }
    if not limits.accelerator:
        wanted["memory"] = (resource.RLIMIT_AS, mapped + limits.memory)
        wanted["open files"] = (resource.RLIMIT_NOFILE, 8)
    found = {}
    for name, (kind, value) in wanted.items():
        try:
            resource.setrlimit(kind, (value, value))
            found["limit: " + name] = "active"
        except (OSError, ValueError) as error:
            found["limit: " + name] = str(error)
    return found


def _cpu_now() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return int(used.ru_utime + used.ru_stime) + 1


def _mapped() -> int:
    """Bytes of address space in use."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm") as handle:
        return int(handle.read().split()[0]) * resource.getpagesize()
    return 16 << 30


def _privileges() -> None:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        libc.prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    sys.setrecursionlimit(600)
