"""Slots on this machine, each served by a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from itertools import islice

from voltfix.batch.engines import Event
from voltfix.batch.engines.client import Slot
from voltfix.batch.model import Outcome, Started, Task, failed


def outcomes(tasks: Iterable[Task], processes: int) -> Iterator[Event]:
    """Run the tasks in ``processes`` slots. Closing the iterator ends the slots and what they run."""
    source = iter(tasks)
    todo: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    slots = [Slot() for _ in range(processes)]
    threads = [threading.Thread(target=_serve, args=(slot, todo, done), daemon=True) for slot in slots]
    for thread in threads:
        thread.start()
    running = 0
    try:
        # tasks are handed out here, so that one thread alone works on the journal behind `source`
        for task in islice(source, processes):
            todo.put(task)
            running += 1
            yield Started(task.repository.name)
        while running:
            outcome = done.get()
            running -= 1
            following = next(source, None)
            if following is not None:
                todo.put(following)
                running += 1
            yield outcome
            if following is not None:
                yield Started(following.repository.name)
    finally:
        for _ in threads:
            todo.put(None)
        for slot in slots:
            slot.close()


def _serve(slot: Slot, todo: queue.SimpleQueue[Task | None], done: queue.SimpleQueue[Outcome]) -> None:
    while (task := todo.get()) is not None:
        try:
            done.put(slot.run(task))
        except Exception as error:  # a thread that dies silently would let the batch wait for ever
            done.put(failed(task, "internal-error", f"{type(error).__name__}: {error}"))
