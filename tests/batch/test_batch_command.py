"""Whole batches by the command line: killed, started again, moved upstream, misused."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from batch_repositories import commit_all, generate, git
from batch_state import attempts, files, redone, rows, run, run_with_kills, start

from conftest import EVALUATE, REFUSED, Make


def _states(state: Path) -> dict[str, str]:
    return {row["name"]: row["state"] for row in rows(state)}


def _tips(folder: Path) -> dict[str, str]:
    return {
        path.name: git(path, "for-each-ref", "--format=%(objectname) %(refname)")
        for path in sorted(folder.iterdir())
        if (path / ".git").exists()
    }


def test_a_batch_that_is_killed_again_and_again_ends_as_one_that_was_not(tmp_path: Path) -> None:
    repositories = tmp_path / "repositories"
    arguments = ["--no-verify", "-j", "2", repositories]
    generate(repositories, 11, seed=5)
    began = time.monotonic()
    run(tmp_path / "calm", *arguments)
    took = time.monotonic() - began
    tips = _tips(repositories)
    shutil.rmtree(repositories)
    generate(repositories, 11, seed=5)
    within = (0.1 * took, 0.5 * took)
    assert run_with_kills(tmp_path / "stormy", arguments, kills=3, within=within, seed=8)
    assert rows(tmp_path / "stormy") == rows(tmp_path / "calm")
    assert files(tmp_path / "stormy") == files(tmp_path / "calm")
    assert _tips(repositories) == tips
    assert redone(tmp_path / "stormy") == 0
    assert set(_states(tmp_path / "calm").values()) == {"migrated", "nothing", "failed"}


def test_a_second_run_starts_from_where_upstream_moved(make: Make, tmp_path: Path) -> None:
    one, _ = make("one"), make("two")
    state = tmp_path / "state"
    assert run(state, "--no-verify", "-j", "1", tmp_path / "sources")[0] == 0
    before = rows(state)
    (one / "b.py").write_text(EVALUATE)
    moved = commit_all(one, "Upstream")
    assert run(state, "--no-verify", "-j", "1")[0] == 0  # without a list: that of the journal
    first, second = rows(state)
    assert (first["base"], git(one, "rev-parse", "voltfix^")) == (moved, moved)
    assert first["commit_id"] == git(one, "rev-parse", "voltfix")
    assert second == before[1]


def test_a_branch_that_is_in_the_way_fails_until_it_is_gone(make: Make, tmp_path: Path) -> None:
    source = make()
    git(source, "branch", "voltfix")
    state = tmp_path / "state"
    assert run(state, "--no-verify", "-j", "1", source)[0] == 2
    assert rows(state)[0]["cause"] == "branch-exists"
    git(source, "branch", "-D", "voltfix")
    assert run(state, "--no-verify", "-j", "1", source)[0] == 0
    assert _states(state) == {"repo": "migrated"}


def test_refusals_make_exit_1_and_are_what_needs_a_person(make: Make, tmp_path: Path) -> None:
    make("good"), make("refused", {"b.py": REFUSED}), make("broken", {"c.py": "volatile = = 1\n"})
    state = tmp_path / "state"
    code, said = run(state, "--no-verify", "-j", "2", "--dry-run", tmp_path / "sources")
    assert code == 2, said
    report = json.loads((state / "report.json").read_text())
    assert [row["name"] for row in report["repositories"]] == ["broken", "refused", "good"]
    assert report["summary"]["states"] == {"nothing": 2, "would-migrate": 1}
    assert " would be fixed, 1 refused" in said
    assert " would be fixed" in (state / "report.html").read_text()
    (place,) = report["repositories"][1]["summary"]["needs"]
    assert place[0] == "b.py"
    assert git(tmp_path / "sources/good", "branch", "--list", "voltfix") == ""


def test_a_file_that_repositories_share_is_shown_once(make: Make, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        copied = f"{EVALUATE}\n\n\n\n\n# {name}\n"  # alike around the changes
        make(name, {"utils.py": copied, f"{name}.py": EVALUATE.replace("net", name)})
    state = tmp_path / "state"
    run(state, "--no-verify", "-j", "2", tmp_path / "sources")
    report = json.loads((state / "report.json").read_text())
    assert (report["summary"]["files_to_review"], report["summary"]["distinct_diffs"]) == (6, 4)
    assert report["review"][0]["count"] == 3
    assert report["review"][0]["places"] == [["one", "utils.py"], ["three", "utils.py"], ["two", "utils.py"]]
    page = (state / "report.html").read_text()
    assert page.count("    x = Variable(x, volatile=True)\n") == 0
    assert page.count("x = Variable(x, volatile=True)") == 2 * 4


def test_other_settings_in_the_middle_are_refused(make: Make, tmp_path: Path) -> None:
    make("one")
    state = tmp_path / "state"
    run(state, "--no-verify", "-j", "1", tmp_path / "sources")
    with sqlite3.connect(state / "journal.sqlite3") as db:  # as a run that was killed leaves it
        db.execute("UPDATE batch SET value = '0' WHERE key = 'ended'")
        db.execute("UPDATE repository SET state = 'running'")
    code, said = run(state, "--no-verify", "-j", "1", "--branch", "other", tmp_path / "sources")
    assert (code, "holds a batch with other settings, not finished" in said) == (2, True)
    make("two")
    code, said = run(state, "--no-verify", "-j", "1", tmp_path / "sources")
    assert (code, "holds a batch with another list, not finished" in said) == (2, True)
    assert run(state, "--no-verify", "-j", "2", "--time-limit", "99", tmp_path / "sources/one")[0] == 0


def test_two_batches_in_one_folder_are_refused(make: Make, tmp_path: Path) -> None:
    make("one")
    state = tmp_path / "state"
    command = f"touch {tmp_path}/runs; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"
    first = start(state, "--no-verify", "-j", "1", "--command", command, tmp_path / "sources")
    while not (tmp_path / "runs").exists():
        assert first.poll() is None
    code, said = run(state, "--no-verify", tmp_path / "sources")
    assert (code, "another voltfix batch is at work" in said) == (2, True)
    (tmp_path / "go").touch()
    assert first.wait(timeout=60) == 0


@pytest.mark.skipif(not os.environ.get("VOLTFIX_ALL"), reason="its time limit does not hold on a loaded machine")
def test_ctrl_c_stops_in_order_and_the_same_command_goes_on(make: Make, tmp_path: Path) -> None:
    import signal

    make("one")
    state = tmp_path / "state"
    command = f"touch {tmp_path}/runs; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"
    arguments = ["--no-verify", "-j", "1", "--command", command, tmp_path / "sources"]
    first = start(state, *arguments)
    while not (tmp_path / "runs").exists():
        assert first.poll() is None
    first.send_signal(signal.SIGINT)
    said, _ = first.communicate(timeout=60)
    assert (first.returncode, b"the same command goes on" in said) == (130, True)
    assert list((state).glob("scratch/*")) == []
    (tmp_path / "go").touch()
    assert run(state, *arguments)[0] == 0
    assert attempts(state) == {"one": 2}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "there is no list here yet"),
        (["--engine", "dask", "."], "needs --scheduler"),
        (["--device", "tpu", "."], "'tpu' is not one of"),
        (["--branch", "a..b", "."], "'a..b' is no name for a branch"),
        (["--author", "me", "."], "has to read 'NAME <ADDRESS>'"),
        (["/nowhere"], "no list of repositories, no folder and no git URL"),
    ],
)
def test_a_command_line_that_cannot_work_says_why(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "inside").mkdir()
    code, output = run(tmp_path / "state", *arguments, cwd=tmp_path)
    assert (code, said in output) == (2, True), output
