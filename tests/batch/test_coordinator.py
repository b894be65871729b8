"""The coordinator: what it does with answers, with engines that fail, and with what a killed run left."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_repositories import git
from click.testing import CliRunner, Result

from conftest import Make
from voltfix.batch import job, runner
from voltfix.batch.engines import EngineError, Event, local
from voltfix.batch.engines.client import Slot
from voltfix.batch.frames import read_frame
from voltfix.batch.git import attempt
from voltfix.batch.journal import Journal, JournalError
from voltfix.batch.live import Lines
from voltfix.batch.model import Outcome, Repository, Settings, Started, Task
from voltfix.batch.runner import Batch
from voltfix.cli import batch as cli

ASKED = Settings(arguments=("--no-verify",), seconds=60)


def here(tasks: Iterable[Task], **_: Any) -> Iterator[Event]:
    """An engine that does the jobs in this process."""
    for task in tasks:
        yield Started(task.repository.name)
        assert task.scratch is not None
        folder = Path(task.scratch) / task.repository.name
        folder.mkdir(parents=True)
        before = os.getcwd()
        try:
            outcome = job.run(task, str(folder))
        finally:
            os.chdir(before)
        yield outcome


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def batch(state: Path, *sources: Path, engine: Any = here) -> dict[str, Any]:
    """Run a batch to its end: its one row."""
    made = Batch(str(state))
    try:
        made.take_in([Repository(source.name, str(source)) for source in sources], ASKED)
        made.run(engine, Lines(quiet=True), local=True)
        return dict(made.journal.row(sources[0].name))
    finally:
        made.close()


def test_a_branch_that_a_killed_run_did_not_write_is_written_by_the_next(
    make: Make, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    source = make()
    with monkeypatch.context() as patch:
        patch.setattr(runner, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            batch(state, source)
    assert git(source, "branch", "--list", "voltfix") == ""

    def idle(tasks: Iterable[Task]) -> list[Event]:  # nothing is left to do for it; a list cannot be closed
        assert list(tasks) == []
        return []

    row = batch(state, source, engine=idle)
    assert (row["state"], row["commit_id"]) == ("migrated", git(source, "rev-parse", "voltfix"))


@pytest.mark.parametrize(
    ("name", "says"), [("keep", "its files cannot be written"), ("publish", "the branch cannot be written")]
)
def test_a_full_disk_fails_the_repository_and_forgets_the_commit(
    name: str, says: str, make: Make, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(runner, name, full)
    row = batch(state, make())
    assert (row["state"], row["cause"], row["commit_id"]) == ("failed", "disk-full", None)
    assert row["detail"] == f"{says}: No space left on device"


def test_an_engine_that_ends_too_early_loses_nothing(make: Make, state: Path) -> None:
    one, two = make("one"), make("two")

    def half(tasks: Iterable[Task]) -> Iterator[Event]:
        events = here(tasks)
        yield next(events)
        yield next(events)

    with pytest.raises(EngineError, match="ended with repositories that are waiting"):
        batch(state, one, two, engine=half)
    assert not (state / "scratch").exists()
    assert batch(state, one, two)["state"] == "migrated"
    assert git(two, "branch", "--list", "voltfix") != ""


def test_who_commits_where_git_knows_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runner._identity("A B <a@b.example>") == ("A B", "a@b.example")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "C D")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "c@d.example")
    monkeypatch.setattr(
        runner, "attempt", lambda *_: subprocess.CompletedProcess([], 0, b"C D <c@d.example> 1700000000 +0000\n")
    )
    assert runner._identity(None) == ("C D", "c@d.example")
    monkeypatch.setattr(runner, "attempt", lambda *_: subprocess.CompletedProcess([], 128, b""))
    assert runner._identity(None) == ("voltfix", "voltfix@localhost")


# --- the journal ----------------------------------------------------------------------------------------------


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal").write_bytes(b"not a database, but long enough to be looked at " * 100)
    with pytest.raises(JournalError, match=r"cannot be used \(file is not a database\)"):
        Journal(str(tmp_path / "journal"))


def test_the_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal"))
    journal._set("schema", "99")
    journal.close()
    with pytest.raises(JournalError, match="another version of voltfix; use another --state"):
        Journal(str(tmp_path / "journal"))


def test_what_still_holds_stays_as_it_was_and_times_are_kept(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal"))
    names = {"a": "migrated", "b": "would-migrate", "c": "nothing"}
    journal.begin([Repository(name, name) for name in names], ASKED, 1)
    for name, state in names.items():
        journal.start(name)
        made = Outcome(name, state, commit="1" if name == "a" else None, seconds={"whole": 2.0})
        journal.store(made, "digest" if state != "nothing" else None)
    assert [row["whole"] for row in journal.times()] == [2.0] * 3
    journal.begin([Repository(name, name) for name in names], ASKED, 2)
    assert list(journal.times()) == []
    for name in names:
        journal.start(name)
        journal.store(Outcome(name, "nothing", unchanged=True), None)
    assert {row["name"]: row["state"] for row in journal.rows()} == names
    journal.close()


# --- slots ----------------------------------------------------------------------------------------------------


def test_a_slot_that_cannot_start_or_dies_fails_its_repository_alone(
    tmp_path: Path, task: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    slot = Slot()
    for _ in range(2):
        outcome = slot.run(task(tmp_path))
        assert (outcome.cause, outcome.detail) == ("crash", "the slot ended with 1")


def test_a_slot_that_does_not_go_by_itself_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    slot = Slot()
    slot._process = process = subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    wait = process.wait

    def impatient(timeout: float | None = None) -> int:
        if timeout is not None:
            raise subprocess.TimeoutExpired("sleep", timeout)
        return wait()

    monkeypatch.setattr(process, "wait", impatient)
    slot.close()
    assert process.returncode == -signal.SIGKILL


def test_a_fault_in_a_thread_is_an_outcome_and_no_silence(
    tmp_path: Path, task: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("oh")

    monkeypatch.setattr(Slot, "run", broken)
    started, outcome = local.outcomes([task(tmp_path)], processes=1)
    assert isinstance(started, Started)
    assert isinstance(outcome, Outcome)
    assert (outcome.cause, outcome.detail) == ("internal-error", "ValueError: oh")


def test_an_answer_that_breaks_off_is_no_answer() -> None:
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(b"\0" * 7 + b"\x09half"))


# --- the command line -----------------------------------------------------------------------------------------


@pytest.fixture
def _signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def invoke(state: Path, *words: object) -> Result:
    return CliRunner().invoke(cli.command, ["--state", str(state), "--no-verify", *map(str, words)])


@pytest.mark.usefixtures("_signals")
@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (EngineError("no worker is left"), 2, "no worker is left; the same command goes on from here"),
        (KeyboardInterrupt(), 130, "stopped; the same command goes on from here"),
        (OSError(28, "No space left on device"), 2, "stopped: [Errno 28] No space left on device; the same command"),
    ],
)
def test_a_batch_that_is_stopped_says_that_it_can_go_on(
    error: BaseException, code: int, says: str, make: Make, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(*_: Any, **__: Any) -> Iterator[Event]:
        raise error
        yield

    source = make()
    with monkeypatch.context() as patch:
        patch.setattr(local, "outcomes", stops)
        done = invoke(state, source)
    assert done.exit_code == code
    assert says in done.output
    monkeypatch.setattr(local, "outcomes", here)
    assert invoke(state, source).exit_code == 0
    assert attempt(str(source), "rev-parse", "voltfix").returncode == 0


@pytest.mark.usefixtures("_signals")
def test_a_quiet_batch_says_nothing(make: Make, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "outcomes", here)
    done = invoke(state, "--quiet", make())
    assert (done.exit_code, done.output) == (0, "")
    assert (state / "report.json").exists()


@pytest.mark.usefixtures("_signals")
def test_dask_that_is_not_installed_is_named(make: Make, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    done = invoke(state, "--engine", "dask", "--scheduler", "tcp://host:8786", make())
    assert done.exit_code == 2
    assert "needs Dask: pip install dask distributed" in done.output


def test_without_a_number_every_core_has_a_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert cli._engine({"engine": "local", "jobs": None}).keywords == {"processes": 3}
    assert cli._engine({"engine": "local", "jobs": 7}).keywords == {"processes": 7}
