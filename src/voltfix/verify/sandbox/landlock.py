"""Landlock: no file, no port, no process outside can be reached from here on, by the kernel's own list of accesses.

With an accelerator, whose driver opens files and devices as it goes, no file can be made, removed or cut.
"""

from __future__ import annotations

import ctypes
import os
import struct

NOT_HERE = "not in this kernel"
_CREATE, _RESTRICT = 444, 446  # the same numbers on every machine
_VERSION = 1
_FILES = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # accesses that each version added
_MAKING = ((1 << 13) - 1 & ~0b1111) | 1 << 13 | 1 << 14  # all but execute, write, read, list; and ioctl
_NETWORK_SINCE, _NETWORK = 4, 0b11  # bind, connect
_SCOPES_SINCE, _SCOPES = 6, 0b11  # abstract sockets and signals end at the border


def version() -> int:
    """The kernel's version of Landlock; 0 where it has none, or was started without it."""
    try:
        return max(0, int(ctypes.CDLL(None).syscall(_CREATE, None, 0, _VERSION)))
    except (OSError, AttributeError):
        return 0


def rules(known: int, accelerator: bool) -> bytes:
    """``struct landlock_ruleset_attr``, as far as a version knows it: what is denied, and nothing that is allowed."""
    files = sum(bits for since, bits in _FILES.items() if known >= since)
    words = [files & _MAKING if accelerator else files]
    if known >= _NETWORK_SINCE:
        words.append(_NETWORK)
    if known >= _SCOPES_SINCE:
        words.append(_SCOPES)
    return struct.pack(f"={len(words)}Q", *words)


def install(accelerator: bool) -> str:
    """Deny it all to this thread and what it starts; there must be no new privileges before. "active", or why not."""
    known = version()
    if not known:
        return NOT_HERE
    libc = ctypes.CDLL(None, use_errno=True)
    raw = rules(known, accelerator)
    ruleset = libc.syscall(_CREATE, raw, ctypes.c_size_t(len(raw)), 0)
    if ruleset < 0:
        return os.strerror(ctypes.get_errno())
    done = libc.syscall(_RESTRICT, ruleset, 0)
    cause = "active" if done == 0 else os.strerror(ctypes.get_errno())
    os.close(ruleset)
    return cause
