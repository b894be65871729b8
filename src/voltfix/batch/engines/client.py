"""The near side of a slot: starts the process, hands it tasks, starts another when it dies."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import cast

from voltfix.batch.frames import read_frame, write_frame
from voltfix.batch.model import Outcome, Task, failed
from voltfix.processes.ambient import command


class Slot:
    """One slot; for one thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, task: Task) -> Outcome:
        """Run a task. A slot that dies with it makes the repository fail."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_frame(process.stdin, task)
            return cast(Outcome, read_frame(process.stdout))
        except (EOFError, OSError):
            self.close()
            return failed(task, "crash", f"the slot ended with {process.returncode}")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                command("voltfix.batch.slot"),
                cwd=os.path.abspath(os.sep),  # not the user's folder: that is what the slot works on
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        return self._process

    def close(self) -> None:
        """End the slot and what it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
