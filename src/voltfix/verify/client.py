"""The side without torch: starts the runner in a process of its own, hands it items, keeps it for the next
call.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from typing import Any, cast

from voltfix.ambient import command
from voltfix.model import DeviceVerdict, Verification
from voltfix.verify.plan import Item, Outcome, outcome_from_json

# what the runner needs of the user's environment: where its libraries are, which GPUs it may see
_KEPT = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SYSTEMROOT", "LANG")
_START = 120.0  # seconds in which torch has to load
NO_TORCH = "torch is not installed"


class RunnerError(RuntimeError):
    """The runner could not be started, or died."""


class Client:
    """A running ``python -m voltfix.verify --serve``; torch is loaded once for its life."""

    def __init__(self, python: str = "") -> None:
        self.python = python
        self.process: subprocess.Popen[str] | None = None
        self._lent = False  # to forked children, whose own child the runner is not: they cannot poll it

    def alive(self) -> bool:
        """Whether the runner is up; to be asked in the process that started it."""
        return self.process is not None and self.process.poll() is None

    def lend(self) -> None:
        """Let children that are forked from now on ask this process's runner, one at a time."""
        self._lent = True

    def kill(self) -> None:
        """End the runner at once, whatever it is at; the next question starts another."""
        if self.process is not None:
            self.process.kill()
        self.close()

    def ask(self, items: Sequence[Item], device: str, jobs: int, timeout: float) -> dict[str, Any]:
        """The runner's report on ``items``. Raises RunnerError."""
        try:
            process = self._started()
        except OSError as error:
            raise RunnerError(f"the runner could not be started: {error}") from None
        request = {
            "items": [item.to_json() for item in items],
            "device": device,
            "jobs": jobs,
            "timeout": timeout,
        }
        limit = _START + 2 * (timeout + 1) * len(items) + 120.0
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._line(process, limit)
        except OSError as error:
            self.close()
            raise RunnerError(f"the runner died: {error}") from None
        if not line:
            cause = self._last_words(process)
            self.close()
            raise RunnerError(f"the runner died: {cause}")
        return cast(dict[str, Any], json.loads(line))

    def _started(self) -> subprocess.Popen[str]:
        if self.process is None or (not self._lent and self.process.poll() is not None):
            self._lent = False
            environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
            environment.update(
                OMP_NUM_THREADS="1",
                PYTHONDONTWRITEBYTECODE="1",
                PYTHONIOENCODING="utf-8",
                # a fork copies the page tables of all that torch has allocated: on huge pages they are half the size
                GLIBC_TUNABLES="glibc.malloc.hugetlb=1",
            )
            self.process = subprocess.Popen(
                command("voltfix.verify", "--serve", python=self.python),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=os.path.abspath(os.sep),
                text=True,
                encoding="utf-8",
            )
        return self.process

    def _line(self, process: subprocess.Popen[str], limit: float) -> str:
        assert process.stdout is not None
        until = time.monotonic() + limit
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(max(0.0, until - time.monotonic())):
                self.close()
                raise RunnerError(f"the runner did not answer within {limit:.0f} seconds")
            return process.stdout.readline()

    def _last_words(self, process: subprocess.Popen[str]) -> str:
        with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
            _, errors = process.communicate(timeout=5)
            lines = [line for line in errors.splitlines() if line.strip()]
            return lines[-1] if lines else f"exit code {process.returncode}"
        return "no reason given"

    def close(self) -> None:
        """End the runner."""
        process, self.process = self.process, None
        self._lent = False
        if process is None:
            return
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_CLIENT = Client()
atexit.register(_CLIENT.close)


def shared() -> Client:
    """The client that ``verify`` asks where it is given none."""
    return _CLIENT


def available() -> bool:
    """Is torch installed? Answers without loading it."""
    try:
        return importlib.util.find_spec("torch") is not None
    except (ImportError, ValueError):
        return False


def verify(
    items: Sequence[Item],
    *,
    device: str = "auto",
    jobs: int = 1,
    timeout: float = 30.0,
    client: Client | None = None,
) -> list[Verification]:
    """The verdicts on ``items``, in their order. Never raises for what the items hold.

    Parameters
    ----------
    items
        what to verify; texts must parse on today's Python
    device
        "auto", "cpu", "cuda" or "cpu,cuda"
    jobs
        how many items run at a time
    timeout
        seconds that one item may take
    """
    if not items:
        return []
    if not available():
        return [Verification(None, detail=NO_TORCH) for _ in items]
    runner = client or _CLIENT
    try:
        report = runner.ask(items, device, jobs, timeout)
    except RunnerError as error:
        return [Verification(None, detail=str(error)) for _ in items]
    return [_verification(row, report["devices"]) for row in report["items"]]


def devices(device: str) -> dict[str, str]:
    """What ``device`` names, with "run" or why nothing can be run there. The CPU needs no asking."""
    cause = NO_TORCH
    if available():
        try:
            return cast(dict[str, str], _CLIENT.ask([], device, 1, 0.0)["devices"])
        except RunnerError as error:
            cause = str(error)
    return {"cpu": "run", "cuda": cause}


def _verification(row: dict[str, Any], devices: dict[str, str]) -> Verification:
    found: dict[str, Outcome] = {
        name: outcome_from_json(row["id"], row[name]) for name in devices if name in row
    }
    verdicts = {name: cast(DeviceVerdict, outcome.verdict) for name, outcome in found.items()}
    details = [
        outcome.detail if name == "cpu" else f"{name}: {outcome.detail}"
        for name, outcome in found.items()
        if outcome.detail
    ]
    ran = any(verdict != "not-run" for verdict in verdicts.values())
    return Verification(
        "symbolic" if ran else None,
        verdicts.get("cpu", "not-run"),
        verdicts.get("cuda", "not-run"),
        "; ".join(details) or None,
    )
