"""A real Dask scheduler and two worker processes on loopback; skipped where Dask is not installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from batch_repositories import generate
from batch_state import environment, files, rows, run, start

pytest.importorskip("distributed")


class Cluster(NamedTuple):
    """A scheduler's address and the processes of its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers without nannies: a worker that is killed stays dead."""
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    common = {
        "cwd": tmp_path,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": environment(),
    }
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    scheduler = subprocess.Popen([*dask, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], **common)  # type: ignore[call-overload]
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    command += ["--no-dashboard", "--host", "127.0.0.1"]
    workers = [subprocess.Popen(command, **common) for _ in range(2)]  # type: ignore[call-overload]
    yield Cluster(address, workers)
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_cluster_makes_the_same_patches_and_a_killed_worker_costs_only_time(cluster: Cluster, tmp_path: Path) -> None:
    repositories = tmp_path / "repositories"
    generate(repositories, 8, seed=4)
    run(tmp_path / "local", "--no-verify", "-j", "2", repositories)
    expected = rows(tmp_path / "local")
    shutil.rmtree(repositories)
    generate(repositories, 8, seed=4)
    process = start(tmp_path / "dask", "--no-verify", "--engine", "dask", "--scheduler", cluster.address, repositories)
    _wait_for_a_result(tmp_path / "dask", process)
    cluster.workers[0].send_signal(signal.SIGKILL)
    said, _ = process.communicate(timeout=120)
    assert process.returncode in (1, 2), said
    assert rows(tmp_path / "dask") == expected
    assert files(tmp_path / "dask") == files(tmp_path / "local")


def _wait_for_a_result(state: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if any(os.scandir(state / "repositories")) if (state / "repositories").is_dir() else False:
            return
        time.sleep(0.05)


def test_a_scheduler_that_is_not_there_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    from voltfix.batch.engines import EngineError, dask

    dask._CONNECT, before = "1s", dask._CONNECT
    try:
        with pytest.raises(EngineError, match="there is no Dask scheduler"):
            list(dask.outcomes([], "tcp://127.0.0.1:9"))
    finally:
        dask._CONNECT = before
