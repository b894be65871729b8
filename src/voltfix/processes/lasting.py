"""What a process loads for its whole life: looking for garbage among it takes a third of loading torch, and as much as
that again at its end. None of it is ever garbage."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from typing import NoReturn


@contextlib.contextmanager
def for_life() -> Iterator[None]:
    """Load in the block what stays until this process ends; garbage is looked for in what comes later alone."""
    looked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if looked:
            gc.enable()


def end(code: int) -> NoReturn:
    """End this process, whose client waits for that, without taking apart what it loaded."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
