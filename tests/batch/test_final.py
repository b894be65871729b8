"""The report over all repositories, and the figures of the live view."""

from __future__ import annotations

from pathlib import Path

import pytest

from voltfix.batch import final, final_html
from voltfix.batch.final_html import render
from voltfix.batch.journal import Journal
from voltfix.batch.live import Progress, duration
from voltfix.batch.model import Outcome, Repository, Settings

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def _journal(folder: Path, *outcomes: Outcome) -> Journal:
    journal = Journal(str(folder / "journal.sqlite3"))
    journal.begin([Repository(o.name, f"/{o.name}") for o in outcomes], Settings(), 0)
    for outcome in outcomes:
        journal.start(outcome.name)
        journal.store(outcome, None)
    return journal


def _outcome(name: str, **summary: object) -> Outcome:
    return Outcome(name, "nothing", summary=summary)


def test_the_worst_stand_first(tmp_path: Path) -> None:
    report = final.gather(
        _journal(
            tmp_path,
            _outcome("fine", refused=0),
            _outcome("refused", refused=3),
            Outcome("failed", "failed", cause="crash", detail="x"),
            _outcome("more", refused=5),
            _outcome("unread", refused=0, errors=1),
        )
    )
    names = [row["name"] for row in report["repositories"]]
    assert names == ["failed", "unread", "more", "refused", "fine"]
    assert report["summary"]["refused"] == 8
    assert report["summary"]["causes"] == {"crash": 1}
    assert final.exit_code(report) == 2


def test_nothing_left_is_exit_0_and_refusals_are_exit_1(tmp_path: Path) -> None:
    journal = _journal(tmp_path, _outcome("a", refused=0, fixed=2))
    assert final.exit_code(final.gather(journal)) == 0
    journal.store(_outcome("a", refused=1), None)
    assert final.exit_code(final.gather(journal)) == 1


def test_other_people_s_text_is_harmless_in_the_page(tmp_path: Path) -> None:
    outcome = Outcome(
        "a",
        "failed",
        cause="git",
        detail=HOSTILE,
        summary={
            "needs": [[HOSTILE, None, 1, "VF101", HOSTILE]],
            "unread": [[HOSTILE, 1, HOSTILE]],
            "reasons": {HOSTILE: 1},
        },
        diffs=({"path": HOSTILE, "digest": "d", "text": "-" + HOSTILE},),
    )
    page = render(final.gather(_journal(tmp_path, outcome)))
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


def test_tallies_add_up_over_repositories(tmp_path: Path) -> None:
    report = final.gather(
        _journal(
            tmp_path,
            _outcome("a", strategies={"no_grad": 2}, reasons={"x": 1}, verdicts={"cpu identical": 2}),
            _outcome("b", strategies={"no_grad": 1, "drop": 4}, reasons={}, verdicts={"cpu identical": 5}),
        )
    )
    assert report["summary"]["strategies"] == {"drop": 4, "no_grad": 3}
    assert report["summary"]["verdicts"] == {"cpu identical": 7}


def test_a_repository_that_left_the_list_leaves_the_report(tmp_path: Path) -> None:
    journal = _journal(tmp_path, _outcome("a"), _outcome("b"))
    journal.end()
    journal.begin([Repository("b", "/b")], Settings(), 0)
    assert [row["name"] for row in journal.rows()] == ["b"]


def test_progress_counts_what_a_killed_run_left_behind() -> None:
    progress = Progress()
    progress.begin({"waiting": 2, "running": 1, "publishing": 1, "migrated": 4})
    progress.finished("p", "migrated", None)
    progress.started("a")
    assert (progress.done, progress.total, len(progress.running)) == (5, 8, 1)
    progress.finished("a", "failed", "crash")
    assert (progress.done, progress.total, progress.counts["failed"]) == (6, 8, 1)
    assert progress.line().startswith("6 of 8 done, 0 running, 1 failed")


def test_durations_read_as_clocks_do() -> None:
    assert [duration(s) for s in (0, 65, 3661)] == ["0:00", "1:05", "1:01:01"]


def test_long_lists_are_cut_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((final_html, "MAX_ROWS"), (final_html, "MAX_DIFFS"), (final, "MAX_PLACES")):
        monkeypatch.setattr(module, name, 1)
    shared = {"path": "utils.py", "digest": "d", "text": "-old"}
    own = {"path": "a.py", "digest": "e", "text": "-own"}
    outcomes = [Outcome(name, "nothing", diffs=(shared,)) for name in ("one", "two")]
    page = render(final.gather(_journal(tmp_path, *outcomes, Outcome("three", "nothing", diffs=(own, shared)))))
    assert "<p>2 more are in report.json.</p>" in page
    assert "<p>1 more are in report.json and the patches.</p>" in page
    assert "3 places, such as one: utils.py" in page
    assert "<li>and 2 more</li>" in page
