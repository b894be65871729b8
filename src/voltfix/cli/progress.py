"""A progress bar for long work: on stderr, on a terminal alone, gone when the work is done."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY = 1.0  # seconds of work before a bar is worth its flicker
Advance = Callable[[str], None]


def wanted(quiet: bool) -> bool:
    """Is there a person who would see it?"""
    return not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(total: int, shown: bool, in_process: bool = True) -> Iterator[Advance]:
    """Yield what is to be called, with a name, when a piece of the work is done.

    ``in_process`` allows a thread, so that the bar comes in the middle of a piece too; where processes are forked
    from this one there is none, and the bar comes with the first piece that ends late.
    """
    if not shown:
        yield lambda name: None
        return
    bar = _Bar(total)
    timer = threading.Timer(DELAY, bar.start) if in_process else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield bar.advance
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()
        bar.stop()


class _Bar:
    """A bar that starts late, if at all."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._name = ""
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._bar: Progress | None = None

    def advance(self, name: str) -> None:
        """One piece more is done."""
        self._done, self._name = self._done + 1, name
        if self._done < self._total and time.monotonic() - self._began > DELAY:
            self.start()
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done, name=self._name)

    def start(self) -> None:
        """Show it, if it is not shown."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._bar is not None:
                return
            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[name]}", markup=False),
            )
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            bar.add_task("", total=self._total, completed=self._done, name=self._name)
            bar.start()
            self._bar = bar

    def stop(self) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.stop()
