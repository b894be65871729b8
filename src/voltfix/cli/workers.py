"""Several projects at a time: what ``-j`` does."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from voltfix.cli import turns
from voltfix.core import forget, migrate
from voltfix.discovery.hits import is_hit
from voltfix.discovery.projects import Job
from voltfix.model import FileError, Options, Result
from voltfix.pipeline.verifying import Verifier
from voltfix.processes import descent

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from voltfix.search import Search

Work = tuple[Job, Options]
_LARGE = 50_000  # bytes of jobs above which their garbage is worth a collection
_WORTH_IT = 100_000  # bytes below which starting processes takes longer than they save


def results(
    todo: Sequence[Work], verifier: Verifier | None, workers: int, search: Search | None = None
) -> Iterator[Result]:
    """The result of every job, in their order.

    A verifier has processes of its own and loads torch but once, so with one the jobs run in turn.
    """
    size = sum(len(data) for job, _ in todo for data in job.files.values())
    workers = min(workers, len(todo))
    if verifier is None and workers > 1 and size >= _WORTH_IT:
        yield from _in_processes(todo, workers)
        return
    for number, (job, options) in enumerate(todo, 1):
        yield migrate(job.files, options, verifier, search)
        if number < len(todo):
            _clear_away(job)


_done = 0  # bytes of the jobs since the last collection


def _clear_away(job: Job) -> None:
    """Let go of what a large job, or several small ones, left behind, before the next one."""
    global _done
    _done += sum(map(len, job.files.values()))
    if _done > _LARGE:
        forget()
        gc.collect()
        _done = 0


def _in_processes(todo: Sequence[Work], workers: int) -> Iterator[Result]:
    with _pool(workers) as pool:
        # the largest first, so that none is left for the end
        order = sorted(range(len(todo)), key=lambda index: -sum(map(len, todo[index][0].files.values())))
        futures = {index: _submitted(pool, todo[index]) for index in order}
        for index, work in enumerate(todo):
            yield _result(futures[index], work)


def _pool(workers: int) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(workers, context, initializer=_settle, initargs=(os.getpid(),))


def _submitted(pool: ProcessPoolExecutor, work: Work) -> Future[Result] | None:
    """The work handed over; None where a process died before it could be, which breaks the pool for all."""
    from concurrent.futures import BrokenExecutor

    try:
        return pool.submit(_migrate, work)
    except BrokenExecutor:
        return None


def _settle(parent: int) -> None:
    """A worker ends with the run that it works for, and does not hold on to that run's place in the queue."""
    turns.let_go()
    descent.die_with(parent)


def _migrate(work: Work) -> Result:
    job, options = work
    result = migrate(job.files, options)
    _clear_away(job)
    return result


def _result(future: Future[Result] | None, work: Work) -> Result:
    """What a process answered; one that dies is an error of its own files.

    A process that dies takes its pool with it, and the work of all others: what was not at fault is done once more, in
    a process for itself.
    """
    from concurrent.futures import BrokenExecutor

    try:
        if future is None:
            return _alone(work)
        try:
            return future.result()
        except BrokenExecutor:
            return _alone(work)
    except Exception as error:
        return _died(work[0], error)


def _alone(work: Work) -> Result:
    with _pool(1) as pool:
        return pool.submit(_migrate, work).result()


def _died(job: Job, error: Exception) -> Result:
    message = f"the process at work on it died ({type(error).__name__}); nothing was changed"
    broken = [path for path in job.shown if is_hit(job.files[path], path)]
    return Result(
        files_scanned=len(job.files),
        errors=tuple(FileError(path, None, "internal", message) for path in broken),
    )
