"""The limits of a job, and what becomes of one that dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from voltfix.batch import job, slot, verifier
from voltfix.batch.frames import read_frame, write_frame
from voltfix.batch.model import Outcome, Task, failed
from voltfix.processes import descent
from voltfix.verify import client

Build = Callable[..., Task]
Make = Callable[..., Path]
Job = Callable[[Task, str], Outcome]


def _run(monkeypatch: pytest.MonkeyPatch, task: Task, work: Job) -> Outcome:
    monkeypatch.setattr(job, "run", work)
    return slot.run_in_child(task, None)


def _done(task: Task) -> Outcome:
    return Outcome(task.repository.name, "nothing")


def test_a_job_that_hangs_is_ended_with_all_that_it_started(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path
) -> None:
    def hang(task: Task, folder: str) -> Outcome:
        process = subprocess.Popen(["sleep", "600"])
        (tmp_path / "pid").write_text(str(process.pid))
        process.wait()
        return _done(task)

    outcome = _run(monkeypatch, task(tmp_path, seconds=1.0), hang)
    assert (outcome.cause, outcome.detail) == ("time-limit", "took longer than 1 seconds")
    _wait_for_end(int((tmp_path / "pid").read_text()))


def _wait_for_end(pid: int) -> None:
    for _ in range(100):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} lives on")


def test_a_job_ends_with_its_slot_whatever_ends_that(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path
) -> None:
    def hang(task: Task, folder: str) -> Outcome:
        process = subprocess.Popen(["sleep", "600"])
        (tmp_path / "pids").write_text(f"{os.getpid()} {process.pid}")
        while True:
            sum(range(1000))  # at work, not asleep

    asked = task(tmp_path, seconds=60.0)
    monkeypatch.setattr(job, "run", hang)
    own = os.fork()
    if not own:
        slot.run_in_child(asked, None)
        os._exit(0)
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():
        time.sleep(0.02)
    os.kill(own, signal.SIGKILL)
    os.waitpid(own, 0)
    for pid in (tmp_path / "pids").read_text().split():
        _wait_for_end(int(pid))


def test_a_job_that_takes_too_much_memory_is_ended(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path
) -> None:
    def grow(task: Task, folder: str) -> Outcome:
        kept = bytearray(os.urandom(1 << 20) * 200)
        time.sleep(60)
        return replace(_done(task), detail=str(len(kept)))

    assert _run(monkeypatch, task(tmp_path, memory=100), grow).cause == "memory-limit"


def test_memory_counts_what_the_job_starts(monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path) -> None:
    def grow(task: Task, folder: str) -> Outcome:
        subprocess.run([sys.executable, "-c", "import time; a = bytearray(b'x') * (200 << 20); time.sleep(60)"])
        return _done(task)

    assert _run(monkeypatch, task(tmp_path, memory=100), grow).cause == "memory-limit"


@pytest.mark.parametrize(("ending", "said"), [("kill", "by signal 9"), ("exit", "with 7")])
def test_a_job_that_dies_is_a_crash(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path, ending: str, said: str
) -> None:
    def die(task: Task, folder: str) -> Outcome:
        if ending == "kill":
            os.kill(os.getpid(), 9)
        os._exit(7)

    outcome = _run(monkeypatch, task(tmp_path), die)
    assert outcome.cause == "crash"
    assert said in (outcome.detail or "")


def test_the_scratch_folder_goes_even_if_the_job_took_its_permissions(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path
) -> None:
    def lock(task: Task, folder: str) -> Outcome:
        os.makedirs(os.path.join(folder, "a/b"))
        os.chmod(os.path.join(folder, "a"), 0o500)
        return _done(task)

    assert _run(monkeypatch, task(tmp_path), lock).state == "nothing"
    assert os.listdir(tmp_path / "scratch") == []


def test_a_large_answer_comes_back_whole(monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path) -> None:
    def large(task: Task, folder: str) -> Outcome:
        return replace(_done(task), artifacts={"x": b"x" * (3 << 20)})

    assert len(_run(monkeypatch, task(tmp_path), large).artifacts["x"]) == 3 << 20


def test_a_slot_ends_its_job_when_the_coordinator_dies(task: Build, tmp_path: Path) -> None:
    from batch_repositories import commit_all

    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/a.py").write_text("x = 1\n")
    commit_all(tmp_path / "repo")
    process = subprocess.Popen(
        [sys.executable, "-m", "voltfix.batch.slot"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    command = f"echo $$ > {tmp_path}/pid; exec sleep 600"
    write_frame(process.stdin, task(tmp_path / "repo", command=command))
    for _ in range(500):
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            break
        time.sleep(0.02)
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    _wait_for_end(int((tmp_path / "pid").read_text()))
    assert os.listdir(tmp_path / "scratch") == []


def test_frames_come_through_a_pipe(tmp_path: Path) -> None:
    with open(tmp_path / "frames", "wb") as file:
        write_frame(file, {"a": 1})
        file.write(b"\0\0\0")
    with open(tmp_path / "frames", "rb") as file:
        assert read_frame(file) == {"a": 1}
        with pytest.raises(EOFError):
            read_frame(file)


@pytest.mark.skipif(not client.available(), reason="torch is not installed")
def test_jobs_share_one_runner_until_one_of_them_is_ended_in_the_middle(make: Make, task: Build) -> None:
    asked = task(make(), arguments=("--device", "cpu"))

    def runner() -> int:
        verifier.ready(asked)
        process = client.shared().process
        assert process is not None
        return process.pid

    try:
        first = runner()
        for _ in range(2):
            outcome = slot.run_in_child(asked, None)
            assert outcome.summary["verified"]["cpu"] == 2
            verifier.after(outcome)
            assert runner() == first
        verifier.after(failed(asked, "time-limit", "took too long"))
        assert not client.shared().alive()
        assert runner() != first
    finally:
        client.shared().kill()


def test_without_room_for_a_scratch_folder_the_repository_fails(task: Build, tmp_path: Path) -> None:
    (tmp_path / "scratch").write_text("a file in the way")
    outcome = slot.run_in_child(task(tmp_path), None)
    assert outcome.cause == "disk-full"
    assert (outcome.detail or "").startswith("there is no scratch folder: ")


def test_a_slot_on_another_machine_works_in_its_own_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "own"))
    asked = replace(task(tmp_path), scratch=None)
    outcome = _run(monkeypatch, asked, lambda task, folder: replace(_done(task), detail=folder))
    assert Path(outcome.detail or "").parent == tmp_path / "own"
    assert os.listdir(tmp_path / "own") == []


def test_what_a_job_started_and_put_into_a_session_of_its_own_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, task: Build, tmp_path: Path
) -> None:
    def leave(task: Task, folder: str) -> Outcome:
        subprocess.run(["setsid", "sh", "-c", f"sleep 600 & echo $! > {tmp_path}/pid"], check=True)
        return _done(task)

    descent.adopt()
    assert _run(monkeypatch, task(tmp_path), leave).state == "nothing"
    _wait_for_end(int((tmp_path / "pid").read_text()))
