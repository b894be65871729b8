"""What a batch shows while it works, and what git's failures are called."""

from __future__ import annotations

import io

import pytest

from voltfix.batch.git import git
from voltfix.batch.live import Lines, Screen, view
from voltfix.batch.model import BatchError


def work(shown) -> None:
    with shown:
        shown.begin({"done": 1, "pending": 3})
        shown.started("one")
        shown.finished("one", "done", None)
        shown.started("bad\x1b[31m")
        shown.finished("bad\x1b[31m", "failed", "git\x07")
        shown.started("three")


def test_lines_tell_failures_and_the_end_and_hold_no_control_character(capsys) -> None:
    work(Lines())
    said = capsys.readouterr().err
    assert r"bad\x1b[31m: failed (git\x07)" in said
    assert "\x1b" not in said
    work(Lines(quiet=True))
    assert capsys.readouterr().err == ""


def test_the_screen_shows_what_runs_and_what_failed(monkeypatch) -> None:
    from rich.console import Console

    shown = Screen()
    out = io.StringIO()
    shown._live.console = Console(file=out, force_terminal=True, width=100)
    work(shown)
    text = out.getvalue()
    assert "three" in text
    assert r"bad\x1b[31m: git\x07" in text
    assert "\x07" not in text


def test_the_view_fits_where_stderr_goes(monkeypatch) -> None:
    assert isinstance(view(quiet=False), Lines)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert isinstance(view(quiet=True), Lines)
    assert isinstance(view(quiet=False), Screen)


def test_git_failures_have_a_cause(tmp_path, monkeypatch) -> None:
    with pytest.raises(BatchError) as caught:
        git(str(tmp_path / "nothing"), "status")
    assert caught.value.cause == "not-a-repository"
    with pytest.raises(BatchError) as caught:
        git(str(tmp_path), "rev-parse", "--verify", "nothing")
    assert caught.value.cause == "git"
    assert str(tmp_path) not in str(caught.value)
    def missing(*_, **__):
        raise FileNotFoundError("git")

    monkeypatch.setattr("voltfix.batch.git.subprocess.run", missing)
    with pytest.raises(BatchError) as caught:
        git(str(tmp_path), "status")
    assert "not installed" in str(caught.value)


def test_a_long_run_is_told_in_a_line_now_and_then(capsys, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("voltfix.batch.live.time.monotonic", lambda: now[0])
    shown = Lines()
    shown.begin({"waiting": 3})
    for name in ("one", "two", "three"):
        shown.started(name)
        now[0] += 6
        shown.finished(name, "nothing", None)
    assert capsys.readouterr().err.splitlines() == [
        "voltfix: 2 of 3 done, 0 running, 0 failed, 10.0 a minute, 0:06 left"
    ]
