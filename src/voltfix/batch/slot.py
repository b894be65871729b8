"""A slot: a process with everything imported that forks a child for each repository, and watches over it.

    python -m voltfix.batch.slot        reads tasks from stdin, answers each on stdout

A child that takes too long or too much memory is killed with all that it started; one that dies costs its own
repository alone. When stdin ends, as it does when the coordinator dies, the slot kills its child and goes.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
from typing import Any

from voltfix.batch import job, verifier
from voltfix.batch.frames import read_frame, write_frame
from voltfix.batch.model import Outcome, Task, failed
from voltfix.core import migrate
from voltfix.processes import descent
from voltfix.report.data import Report

POLL = 0.1  # seconds between two looks at the memory in use
_PAGE = os.sysconf("SC_PAGE_SIZE")


def serve() -> None:
    """Answer tasks until stdin ends."""
    # unbuffered: watching stdin while a child runs must not miss what a buffer holds
    descent.die_with()
    descent.adopt()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-c is the coordinator's to see; then stdin ends
    tasks = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    descent.silence()
    _warm_up()
    while True:
        try:
            task = read_frame(_Exactly(tasks))
        except EOFError:
            return
        verifier.ready(task)
        outcome = run_in_child(task, tasks.fileno())
        verifier.after(outcome)
        write_frame(answers, outcome)


class _Exactly:
    """An unbuffered stream whose ``read(n)`` gives all n bytes."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def read(self, size: int, /) -> bytes:
        parts = []
        while size and (part := self._raw.read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _warm_up() -> None:
    """Import what every job needs before the first fork, by doing a job's work on a sample."""
    done = migrate({"sample.py": verifier.SAMPLE})
    sources = {path: (verifier.SAMPLE, data) for path, data in done.outputs.items()}
    job.artifacts(Report(sites=done.sites, changed=tuple(sources), sources=sources), b"")
    gc.collect()
    gc.freeze()  # so that collections in the children leave the shared pages alone


def run_in_child(task: Task, lifeline: int | None) -> Outcome:
    """Run the job in a forked child within its limits.

    ``lifeline`` becomes readable when the coordinator dies.
    """
    try:
        if task.scratch is not None:
            os.makedirs(task.scratch, exist_ok=True)
        folder = tempfile.mkdtemp(prefix=f"voltfix-{task.repository.name[:40]}-", dir=task.scratch)
    except OSError as error:
        return failed(task, "disk-full", f"there is no scratch folder: {error.strerror}")
    reader, writer = os.pipe()
    tie, held = os.pipe()  # `held` closes with this process, however it ends
    others = frozenset(descent.children())  # such as the runner, which outlives jobs
    child = os.fork()
    if not child:
        os.close(reader)
        os.close(held)
        _be_child(task, folder, writer, tie)
    os.close(writer)
    os.close(tie)
    try:
        return _watch(task, child, reader, lifeline)
    finally:
        os.close(reader)
        os.close(held)
        descent.end_group(child)
        descent.end_all(but=others)
        _remove(folder)


def _be_child(task: Task, folder: str, writer: int, tie: int) -> None:
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        threading.Thread(target=_die_with, args=(tie,), daemon=True).start()
        outcome = job.run(task, folder)
        with os.fdopen(writer, "wb") as stream:
            write_frame(stream, outcome)
    finally:
        os._exit(0)


def _die_with(tie: int) -> None:
    """End this process, and all that it started, with the slot: nobody else would see to its limits."""
    os.read(tie, 1)
    os.killpg(0, signal.SIGKILL)


def _watch(task: Task, child: int, reader: int, lifeline: int | None) -> Outcome:
    limits = task.settings
    deadline = time.monotonic() + limits.seconds
    watched = [reader] if lifeline is None else [reader, lifeline]
    parts: list[bytes] = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return failed(task, "time-limit", f"took longer than {limits.seconds:g} seconds")
        ready, _, _ = select.select(watched, [], [], min(POLL, left))
        if lifeline in ready:
            # the coordinator never speaks while a task runs, so this is its end
            raise EOFError
        if reader in ready:
            part = os.read(reader, 1 << 20)
            if not part:
                return _answer(task, child, b"".join(parts))
            parts.append(part)
        elif resident(child) > limits.memory << 20:
            return failed(task, "memory-limit", f"used more than {limits.memory} MiB of memory")


def _answer(task: Task, child: int, data: bytes) -> Outcome:
    if len(data) > 8:
        outcome: Outcome = pickle.loads(data[8:])
        return outcome
    _, status = os.waitpid(child, 0)
    how = f"by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"with {os.WEXITSTATUS(status)}"
    return failed(task, "crash", f"the process ended {how} without an answer")


def resident(process: int) -> int:
    """Bytes of memory that a process and its descendants hold; 0 where the system does not say."""
    total, pending = 0, [process]
    while pending:
        pid = pending.pop()
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{pid}/statm", "rb") as file:
                fields = file.read().split()
            # without what is shared with files or with the slot that it was forked from
            total += (int(fields[1]) - int(fields[2])) * _PAGE
            with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
                pending += map(int, file.read().split())
    return total


def _remove(folder: str) -> None:
    """Delete a scratch folder, also one whose code took the write permission off its folders."""

    def permit(function: Any, path: str, _: Any) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)
            os.chmod(path, 0o700)
            function(path)

    shutil.rmtree(folder, onerror=permit)


if __name__ == "__main__":
    with contextlib.suppress(EOFError, BrokenPipeError):
        serve()
    sys.exit(0)
