"""Memory of a process that forks often, on huge pages: a fork copies the page tables of all that torch allocated.

Linux 6.1 and later; elsewhere nothing is done.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

_HUGE = 2 << 20
_COLLAPSE = 25  # MADV_COLLAPSE


def collapse() -> int:
    """Put what this process has in memory of its own on huge pages; says how many there were."""
    if not sys.platform.startswith("linux"):
        return 0
    done = 0
    with contextlib.suppress(OSError, ValueError, AttributeError), open("/proc/self/maps") as handle:
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for line in handle.read().splitlines():
            span, access, _, _, inode = line.split()[:5]
            if access != "rw-p" or inode != "0":
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            for place in range(-(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE, _HUGE):
                done += madvise(place, _HUGE, _COLLAPSE) == 0
    return done
