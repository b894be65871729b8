"""One run of ``drive()`` against one folder of code, in this process: what a child of ``concrete`` does.

    python -m voltfix.verify.job        reads jobs from stdin, one JSON object a line, and answers each on
    stdout

A job is ``{"folder", "drive", "semantics", "device", "out", "seconds"}``. Each runs in a fork of this
process, which has loaded torch and used it for nothing, so that torch is loaded once. ``out`` gets the
trace. Needs torch and the standard library alone.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voltfix.processes import descent
from voltfix.processes.lasting import end, for_life

Job = dict[str, Any]


def run_job(job: Job) -> None:
    """Run one job here and write its trace; never raises for what the code under test does."""
    import torch

    torch.set_num_threads(1)
    folder, drive = Path(job["folder"]).resolve(), Path(job["drive"]).resolve()
    warnings.simplefilter("ignore")
    seed(torch)
    sys.path[:0] = [str(folder), str(drive.parent)]
    sys.argv = [str(drive)]
    with contextlib.ExitStack() as stack:
        stack.enter_context(semantics(job["semantics"], folder))
        stack.enter_context(default_device(job["device"]))
        trace = _traced(folder, drive)
    trace["device"] = job["device"]
    Path(job["out"]).write_text(json.dumps(trace))


def _traced(folder: Path, drive: Path) -> dict[str, Any]:
    from voltfix.verify.trace.tracer import Tracer

    tracer = Tracer(folder)
    result, error = None, None
    with tracer.listening():
        try:
            result = _load(drive).drive()
        except (Exception, SystemExit) as raised:  # what the code does is the result, an error included
            error = raised
    return tracer.finish(result, error)


def _load(drive: Path) -> Any:
    spec = importlib.util.spec_from_file_location(drive.stem, drive)
    if spec is None or spec.loader is None:
        raise ImportError(f"{drive} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[drive.stem] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def semantics(name: str, folder: Path) -> Iterator[None]:
    """Run as on 0.3 (``legacy``), or as torch of today does (``today``)."""
    if name == "today":
        yield
        return
    from voltfix.verify.legacy import legacy
    from voltfix.verify.legacy_source import legacy_imports

    with legacy(), legacy_imports(folder):
        yield


@contextlib.contextmanager
def default_device(device: str) -> Iterator[None]:
    """New tensors go to this device."""
    import torch

    if device == "cpu":
        yield
        return
    before = torch.get_default_device()
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(before)


def seed(torch: Any) -> None:
    """Start the random numbers of the process from a fixed place."""
    random.seed(0)
    torch.manual_seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


# --- a process that serves jobs -----------------------------------------------------------------------------


def serve() -> None:
    """Answer jobs from stdin until it ends; a job that dies or takes too long costs its own answer alone."""
    with for_life():
        import torch

        with contextlib.suppress(ImportError):  # loaded late by torch.optim: better here, once
            import torch._dynamo
        # before a folder of somebody's is on the path
        import voltfix.verify.legacy
        import voltfix.verify.legacy_source
        import voltfix.verify.trace.tracer

    descent.die_with()
    descent.adopt()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the code prints is not an answer
    _ = torch, voltfix
    for line in sys.stdin:
        job = json.loads(line)
        answer = _has(job["ask"]) if "ask" in job else _in_fork(job)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _has(device: str) -> dict[str, str]:
    """Whether torch sees a device; asked in a fork, for CUDA must not begin in this process."""
    child = os.fork()
    if not child:
        import torch

        os._exit(0 if device == "cuda" and torch.cuda.is_available() else 1)
    _, status = os.waitpid(child, 0)
    return {"status": "no" if status else "yes"}


def _in_fork(job: Job) -> dict[str, Any]:
    server = os.getpid()
    child = os.fork()
    if not child:
        status = 1
        try:
            descent.die_with(server)
            os.setsid()
            descent.silence()
            run_job(job)
            status = 0
        except BaseException as error:
            Path(job["out"]).write_text(json.dumps({"crash": f"{type(error).__name__}: {error}"[:500]}))
        finally:
            os._exit(status)
    try:
        return _wait(child, float(job["seconds"]))
    finally:
        descent.end_group(child)
        descent.end_all()


def _wait(child: int, seconds: float) -> dict[str, Any]:
    end = time.monotonic() + seconds
    pause = 0.002
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            signalled = os.WIFSIGNALED(status)
            return {"status": f"killed by signal {os.WTERMSIG(status)}" if signalled else "done"}
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    return {"status": f"took longer than {seconds:g} seconds"}


if __name__ == "__main__":
    serve()
    end(0)
