"""The side without torch: starts the runner in a process of its own, hands it items, keeps it for the next
call.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import cast

from voltfix.model import DeviceVerdict, Verification
from voltfix.processes.ambient import command
from voltfix.verify.plan import (
    FAILS,
    NOT_ASKED,
    PATIENCE,
    SECONDS,
    THROUGH,
    Answer,
    FunctionVerdict,
    Item,
    PlanError,
    answer_from_json,
)

# what the runner needs of the user's environment: where its libraries are, which GPUs it may see
_KEPT = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SYSTEMROOT", "LANG")
_START = 120.0  # seconds in which torch has to load
_OWN = re.compile(r"<voltfix\.[^<>]* at 0x[0-9a-f]+>")  # what stands in for an object, as Python prints it
_PIECE = 1 << 16
_LONGEST = 256 << 20  # bytes of an answer
NO_TORCH = "torch is not installed"


class RunnerError(RuntimeError):
    """The runner could not be started, or died."""


class Client:
    """A running ``python -m voltfix.verify --serve``; torch is loaded once for its life."""

    def __init__(self, python: str = "") -> None:
        self.python = python
        self.process: subprocess.Popen[bytes] | None = None
        self.layers: dict[str, Mapping[str, str]] = {}  # of the sandbox, by device, as the last answer told them
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
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.close()

    def ask(
        self,
        items: Sequence[Item],
        device: str,
        jobs: int,
        timeout: float,
        weak: bool = False,
        *,
        quick: bool = False,
    ) -> Answer:
        """The runner's answer on ``items``. Raises RunnerError."""
        try:
            process = self._started()
        except OSError as error:
            raise RunnerError(f"the runner could not be started: {error}") from None
        request = {
            "items": [item.to_json() for item in items],
            "device": device,
            "jobs": jobs,
            "timeout": timeout,
            "weak": weak,
            "quick": quick,
        }
        limit = _START + PATIENCE * (timeout + 1) * len(items) + 120.0
        try:
            line = self._exchange(process, json.dumps(request).encode() + b"\n", limit)
        except OSError as error:
            self.close()
            raise RunnerError(f"the runner died: {error}") from None
        if not line:
            cause = self._last_words(process)
            self.close()
            raise RunnerError(f"the runner died: {cause}")
        try:
            answer = answer_from_json(line, [item.id for item in items])
        except PlanError as error:
            self.kill()
            raise RunnerError(f"the runner gave an answer that is none: {error}") from None
        self.layers.update(answer.layers)
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
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
                start_new_session=True,  # so that it can be ended with all that it started
            )
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
        return self.process

    def _exchange(self, process: subprocess.Popen[bytes], request: bytes, limit: float) -> bytes:
        """Hand over the request and wait for a line; nothing if the runner ended. What comes slowly is not waited for
        for longer.
        """
        assert process.stdin is not None
        assert process.stdout is not None
        until, rest, received = time.monotonic() + limit, memoryview(request), bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            selector.register(process.stdin, selectors.EVENT_WRITE)
            while (left := until - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    if key.fileobj is process.stdin:
                        rest = rest[os.write(key.fd, rest[:_PIECE]) :]
                        if not rest:
                            selector.unregister(process.stdin)
                        continue
                    part = os.read(key.fd, 1 << 20)
                    received += part
                    if not part or b"\n" in part:
                        return bytes(received) if part else b""
                    if len(received) > _LONGEST:
                        self.kill()
                        raise RunnerError(f"the runner gave an answer of more than {_LONGEST >> 20} MiB")
        self.kill()
        raise RunnerError(f"the runner did not answer within {limit:.0f} seconds")

    def _last_words(self, process: subprocess.Popen[bytes]) -> str:
        with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
            _, errors = process.communicate(timeout=5)
            lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
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
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
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
    timeout: float = SECONDS,
    weak: bool = False,
    client: Client | None = None,
    quick: bool = False,
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
        seconds of CPU time that one item may take; by the clock, ``PATIENCE`` times as many
    weak
        run where a layer of the sandbox is missing, too
    quick
        near misses of a proof are not tried
    """
    if not items:
        return []
    if not available():
        return [Verification(None, detail=NO_TORCH) for _ in items]
    runner = client or _CLIENT
    try:
        answer = runner.ask(items, device, jobs, timeout, weak, quick=quick)
    except RunnerError as error:
        return [Verification(None, detail=str(error)) for _ in items]
    return [_verification(item.id, answer) for item in items]


def functions(item: Item, device: str, timeout: float, weak: bool = False) -> list[FunctionVerdict]:
    """The verdicts on the functions of an item, from all devices; none where the runner cannot be asked."""
    try:
        answer = _CLIENT.ask([item], device, 1, timeout, weak)
    except RunnerError:
        return []
    return [each for rows in answer.outcomes.values() if item.id in rows for each in rows[item.id].functions]


def sandbox() -> dict[str, str]:
    """Each layer of the sandbox, "active" or why not, as runs so far had it; empty if nothing was run."""
    found: dict[str, str] = {}
    for device, layers in sorted(_CLIENT.layers.items()):
        for name, state in layers.items():
            if found.get(name, "active") == "active":
                found[name] = state if state == "active" or device == "cpu" else f"{device}: {state}"
    return found


def kept_from_running(weak: bool) -> str | None:
    """Why nothing was run so far, where a layer of the sandbox is not here; None if something was."""
    from voltfix.verify.sandbox.cage import refusal

    causes = [refusal(layers, weak) for layers in _CLIENT.layers.values()]
    return causes[0] if causes and all(causes) else None


def devices(device: str) -> dict[str, str]:
    """What ``device`` names, with "run" or why nothing can be run there. The CPU needs no asking."""
    if device == "auto":
        return {"cpu": "run", "cuda": NOT_ASKED}
    cause = NO_TORCH
    if available():
        try:
            return dict(_CLIENT.ask([], device, 1, 0.0).devices)
        except RunnerError as error:
            cause = str(error)
    return {"cpu": "run", "cuda": cause}


def _verification(name: str, answer: Answer) -> Verification:
    found = {device: rows[name] for device, rows in answer.outcomes.items() if name in rows}
    verdicts = {device: cast(DeviceVerdict, outcome.verdict) for device, outcome in found.items()}
    details = [
        _OWN.sub("a stand-in", outcome.detail if device == "cpu" else f"{device}: {outcome.detail}")
        for device, outcome in found.items()
        if outcome.detail
    ]
    ran = any(verdict != "not-run" for verdict in verdicts.values())
    return Verification(
        "symbolic" if ran else None,
        verdicts.get("cpu", "not-run"),
        verdicts.get("cuda", "not-run"),
        "; ".join(details) or None,
        sum(each.runs for outcome in found.values() for each in outcome.functions),
        sum(each.detail == THROUGH for outcome in found.values() for each in outcome.functions),
        sum(each.detail == FAILS for outcome in found.values() for each in outcome.functions),
        next((each.lent for outcome in found.values() for each in outcome.functions if each.lent), ""),
        next((each.alone for outcome in found.values() for each in outcome.functions if each.alone), ""),
        tuple(place for outcome in found.values() for each in outcome.functions for place in each.vacant),
        tuple(((each.path, each.name), run) for outcome in found.values() for each in outcome.functions
              for run in each.lit),
        tuple(place for outcome in found.values() for each in outcome.functions for place in each.dark),
        tuple(sorted({line for outcome in found.values() for each in outcome.functions for line in each.grown})),
    )
