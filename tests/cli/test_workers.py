"""Processes that work on several projects at a time end with the run that they work for."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

from voltfix.cli import turns, workers
from voltfix.discovery.projects import Job
from voltfix.model import Options
from voltfix.processes import descent


def asleep(_: object) -> None:
    time.sleep(60)


def work_for_ever(folder: Path) -> None:
    workers._migrate = asleep  # type: ignore[assignment]
    job = Job(str(folder), {}, {}, installable=False)
    with turns.turn([str(folder)]):
        list(workers._in_processes([(job, Options())] * 4, 2))


def test_workers_end_with_a_run_that_is_killed_and_the_next_one_need_not_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "_migrate", asleep)
    run = os.fork()
    if run == 0:
        work_for_ever(tmp_path)
    while len(running := descent.children(run)) < 2:
        time.sleep(0.01)
    os.kill(run, signal.SIGKILL)
    os.waitpid(run, 0)
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where a worker still has it
    finally:
        os.close(fd)
    for _ in range(500):
        if not any(alive(pid) for pid in running):
            return
        time.sleep(0.01)
    raise AssertionError("a worker outlived its run")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_folders_that_somebody_else_can_write_to_are_not_waited_for(tmp_path, capsys):
    shared, mine = tmp_path / "shared", tmp_path / "shared" / "mine"
    mine.mkdir(parents=True)
    shared.chmod(0o1777)
    fd = os.open(shared, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        with turns.turn([str(mine)]):
            assert "waiting" not in capsys.readouterr().err
    finally:
        os.close(fd)


def test_work_that_can_no_longer_be_handed_over_is_done_alone():
    work = (Job("", {"a.py": b"x = 1\n"}, {"a.py": "a.py"}, installable=False), Options())
    with workers._pool(1) as pool:
        assert isinstance(pool.submit(os._exit, 1).exception(), BrokenExecutor)
        left = workers._submitted(pool, work)
    assert left is None
    result = workers._result(left, work)
    assert (result.files_scanned, result.errors) == (1, ())
