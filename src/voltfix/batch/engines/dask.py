"""A Dask cluster: a worker runs each task in a slot of its own thread; a lost worker costs time alone.

The scheduler gives the tasks of a lost worker to others. Where that happens too often to one task, Dask gives
it up (``KilledWorker``); it is sent once more, and then recorded as ``worker-lost``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from voltfix.batch.engines import EngineError, Event
from voltfix.batch.engines.client import Slot
from voltfix.batch.model import Outcome, Started, Task, failed

AHEAD = 2  # tasks per worker thread that are out at a time
RETRIES = 2
_CONNECT = "20s"
_here = threading.local()


def work(task: Task) -> Outcome:
    """Run one task on a worker."""
    slot: Slot | None = getattr(_here, "slot", None)
    if slot is None:
        slot = _here.slot = Slot()
    return slot.run(task)


def outcomes(tasks: Iterable[Task], address: str, retries: int = RETRIES) -> Iterator[Event]:
    """Run the tasks on the cluster at ``address``; EngineError where there is none, or it goes away."""
    distributed: Any = import_module("distributed")

    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise EngineError(f"there is no Dask scheduler at {address} ({error})") from None
    try:
        yield from _Window(client, iter(tasks), retries).events()
    finally:
        client.close()


class _Window:
    """The tasks that are out, by future; results come back as they finish."""

    def __init__(self, client: Any, source: Iterator[Task], retries: int) -> None:
        distributed: Any = import_module("distributed")
        self._client = client
        self._source = source
        self._retries = retries
        self._out: dict[Any, tuple[Task, int]] = {}
        self._completed = distributed.as_completed(loop=client.loop)

    def events(self) -> Iterator[Event]:
        yield from self._fill()
        while self._out:
            future = next(self._completed)
            task, tries = self._out.pop(future)
            outcome = self._outcome(future, task, tries)
            future.release()
            if outcome is None:
                self._submit(task, tries + 1)
                continue
            yield outcome
            yield from self._fill()

    def _fill(self) -> Iterator[Event]:
        """Send tasks until the window is full; it grows and shrinks with the cluster."""
        room = AHEAD * max(1, sum(self._client.nthreads().values()))
        while len(self._out) < room:
            task = next(self._source, None)
            if task is None:
                return
            self._submit(task, 0)
            yield Started(task.repository.name)

    def _submit(self, task: Task, tries: int) -> None:
        future = self._client.submit(work, task, pure=False, retries=self._retries)
        self._out[future] = (task, tries)
        self._completed.add(future)

    def _outcome(self, future: Any, task: Task, tries: int) -> Outcome | None:
        """The outcome, or None for a task that is to be sent again."""
        if future.status == "finished":
            outcome: Outcome = future.result()
            return outcome
        if self._client.status != "running" or future.status in ("cancelled", "lost"):
            raise EngineError("the Dask scheduler went away")
        error = future.exception()
        if tries < 1:
            return None
        cause = "worker-lost" if type(error).__name__ == "KilledWorker" else "internal-error"
        return failed(task, cause, f"{type(error).__name__}: {error}")
