"""Where jobs run. An engine turns tasks into events, in the order in which they happen.

It takes a task from the iterator only when it has room for it (back pressure), yields ``Started`` when it
hands a task out, and exactly one ``Outcome`` for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from voltfix.batch.model import Outcome, Started, Task

Event = Started | Outcome
Engine = Callable[[Iterable[Task]], Iterator[Event]]


class EngineError(Exception):
    """The engine as a whole cannot go on; started again, the batch goes on where it was."""
