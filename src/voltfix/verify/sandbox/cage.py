"""Shuts the door behind a child process, layer by layer; says which layers hold."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from voltfix.verify.sandbox import hooks, landlock, namespaces, seccomp

_NO_NEW_PRIVILEGES = 38
_NOT_DUMPABLE = 4
_CAPABILITIES = 0x20080522  # the version of the structure
# each of these by itself keeps a child from the memory and the environment of every other process
_APART = ("seccomp", "Landlock", "user namespace")
_LOOSER = "the driver opens files as it goes; the working directory is empty"


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
    layers |= namespaces.states()
    layers["root directory"] = _root(folder, limits)
    layers |= _limits(limits, mapped)
    layers["capabilities"] = _privileges()
    gc.freeze()
    layers["Landlock"] = landlock.install(limits.accelerator)
    layers["seccomp"] = seccomp.install(result, limits.accelerator)
    layers["audit hook"] = hooks.install()
    return layers


def missing(layers: Mapping[str, str]) -> list[str]:
    """The layers that ought to hold and do not. Landlock is one where the kernel has it."""
    return [name for name, state in layers.items() if state not in ("active", landlock.NOT_HERE, _LOOSER)]


def refusal(layers: Mapping[str, str], weak: bool) -> str | None:
    """Why nothing is to be run behind these layers, or None. ``weak``: somebody said that less will do."""
    gone = missing(layers)
    if not gone:
        return None
    if not any(layers.get(name) == "active" for name in _APART):
        return f"no sandbox here ({', '.join(gone)}): nothing keeps other processes' secrets from what would be run"
    return None if weak else f"no sandbox here ({', '.join(gone)})"


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


def _root(folder: str, limits: Limits) -> str:
    """The empty folder becomes the whole file system."""
    os.chdir(folder)
    if limits.accelerator:
        return _LOOSER
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


def _privileges() -> str:
    """Give up every capability, in the user namespace too, and the way to new ones; close the memory to others."""
    sys.setrecursionlimit(600)
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "prctl") or not hasattr(libc, "capset"):
        return f"not available on {sys.platform}"
    libc.prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    none = struct.pack("=6I", *[0] * 6)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.capset(struct.pack("=Ii", _CAPABILITIES, 0), none):
        return os.strerror(ctypes.get_errno())
    return "active"
