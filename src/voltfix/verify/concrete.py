"""The concrete tier: run the user's own ``drive()`` against two versions of the code.

The code runs with the user's rights, in child processes of this one: it is what the user asked to run.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from voltfix.processes.ambient import command
from voltfix.verify.differences import compare_traces, could_not_run, not_on_device

Semantics = Literal["legacy", "today"]
SECONDS = 300.0


@dataclass(frozen=True)
class Verdict:
    """Whether two versions do the same, on one device.

    ``differences`` are sentences; ``tolerances`` name what was compared less strictly than bit for bit, and
    why; ``detail`` says why nothing could be run.
    """

    status: Literal["identical", "different", "not-run"]
    device: str = "cpu"
    differences: tuple[str, ...] = ()
    tolerances: tuple[str, ...] = ()
    detail: str | None = None


class Runner:
    """A process that has torch loaded and runs jobs in forks of itself; made once for many comparisons.

    Use it as a context manager. ``python`` is the interpreter that has torch.
    """

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()

    def run(
        self, folder: Path, drive: Path, semantics: Semantics, device: str, seconds: float = SECONDS
    ) -> dict[str, Any]:
        """The trace of one run; ``{"crash": why}`` where there is none."""
        with tempfile.TemporaryDirectory(prefix="voltfix-") as scratch:
            out = Path(scratch) / "trace.json"
            job = {
                "folder": str(folder),
                "drive": str(drive),
                "semantics": semantics,
                "device": device,
                "out": str(out),
                "seconds": seconds,
            }
            status = self._ask(job)
            if out.exists():
                with contextlib.suppress(json.JSONDecodeError):
                    found: dict[str, Any] = json.loads(out.read_text())
                    return found
            return {"crash": status}

    def has(self, device: str) -> bool:
        """Can torch use this device here? Where torch cannot be loaded at all, runs say so themselves."""
        return device == "cpu" or self._ask({"ask": device}) == "yes"

    def _ask(self, job: dict[str, Any]) -> str:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._process = None
            return f"the process for running code ended ({process.wait()}); is torch installed there?"
        status: str = json.loads(answer)["status"]
        return status

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                command("voltfix.verify.job", python=self._python),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        return self._process


def compare(
    before: Path,
    after: Path,
    drive: Path,
    semantics: Semantics = "legacy",
    device: str = "cpu",
    runner: Runner | None = None,
    seconds: float = SECONDS,
) -> Verdict:
    """Run ``drive()`` of a file against two versions and compare what they do.

    ``before`` and ``after`` are folders, or files (then the folder around each is put on the path).
    ``semantics`` says what ``before`` means: PyTorch 0.3 (``legacy``) or today's torch. ``after`` always
    runs on today's torch.
    """
    with contextlib.ExitStack() as stack:
        serving = runner or stack.enter_context(Runner())
        first, second = stack.enter_context(_folders(before, after))
        one = serving.run(first, drive, semantics, device, seconds)
        two = serving.run(second, drive, "today", device, seconds)
    return verdict_of(one, two, semantics, device)


def verdict_of(one: dict[str, Any], two: dict[str, Any], semantics: str, device: str) -> Verdict:
    """The verdict on two traces."""
    trouble = could_not_run(one, two) or not_on_device(one, two, device)
    if trouble:
        return Verdict("not-run", device, detail=trouble)
    differences, tolerances = compare_traces(one, two, legacy=semantics == "legacy")
    return Verdict("different" if differences else "identical", device, differences, tolerances)


@contextlib.contextmanager
def _folders(before: Path, after: Path) -> Iterator[tuple[Path, Path]]:
    """The folders to put on the path. A single file is seen under the name of ``before`` in both runs."""
    if before.is_dir() or after.is_dir():
        yield before, after
        return
    with tempfile.TemporaryDirectory(prefix="voltfix-") as scratch:
        pair = Path(scratch) / "before", Path(scratch) / "after"
        for folder, file in zip(pair, (before, after), strict=True):
            folder.mkdir()
            for other in file.resolve().parent.iterdir():
                if other.name != before.name:
                    (folder / other.name).symlink_to(other)
            (folder / before.name).write_bytes(file.read_bytes())
        yield pair
