"""What a process loads for its whole life: looking for garbage among it takes a third of loading torch, and as much as
that again at its end. None of it is ever garbage."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


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
