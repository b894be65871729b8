"""The branch: written once, moved only where it is ours, never under anybody's feet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from batch_repositories import commit_all, git

from conftest import EVALUATE, Make, Run
from voltfix.batch.model import BatchError, Outcome
from voltfix.batch.publish import keep, publish

Publish = Callable[..., None]


@pytest.fixture
def publish_it(tmp_path: Path) -> Publish:
    """Keep the files of an outcome and write its branch."""

    def do(source: Path, outcome: Outcome, previous: str | None = None, **options: Any) -> None:
        row = {
            "source": str(source), "git_dir": outcome.git_dir, "branch": outcome.branch, "base": outcome.base,
            "commit_id": outcome.commit, "previous": previous,
        }  # fmt: skip
        keep(str(tmp_path / "kept"), outcome.artifacts)
        publish(row, str(tmp_path / "kept"), **{"in_place": False, "again": False, **options})

    return do


def _tip(source: Path, branch: str = "voltfix") -> str:
    return git(source, "rev-parse", branch)


def test_the_branch_is_made_and_the_working_tree_stays(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, outcome := run_job(source))
    assert _tip(source) == outcome.commit
    assert git(source, "rev-parse", "voltfix^") == outcome.base
    assert "volatile" in (source / "a.py").read_text()
    assert git(source, "status", "--porcelain") == ""
    assert git(source, "fsck", "--strict") == ""


def test_publishing_again_changes_nothing(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    outcome = run_job(source)
    publish_it(source, outcome)
    publish_it(source, outcome, again=True)
    assert _tip(source) == outcome.commit


def test_a_branch_of_somebody_else_is_left_alone(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    git(source, "branch", "voltfix")
    theirs = _tip(source)
    with pytest.raises(BatchError, match="is there already"):
        publish_it(source, run_job(source))
    assert _tip(source) == theirs


def test_our_branch_that_a_person_worked_on_is_left_alone(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, first := run_job(source))
    git(source, "checkout", "-q", "voltfix")
    (source / "c.py").write_text("x = 1\n")
    worked_on = commit_all(source, "By hand")
    git(source, "checkout", "-q", "master")
    (source / "b.py").write_text("x = 1\n")
    commit_all(source, "Upstream")
    with pytest.raises(BatchError, match="is there already"):
        publish_it(source, run_job(source), previous=first.commit)
    assert _tip(source) == worked_on


def test_our_branch_moves_when_upstream_did(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, first := run_job(source))
    (source / "b.py").write_text(EVALUATE)
    moved = commit_all(source, "Upstream")
    publish_it(source, second := run_job(source), previous=first.commit)
    assert (_tip(source), git(source, "rev-parse", "voltfix^")) == (second.commit, moved)


def test_our_branch_that_was_deleted_is_made_anew(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, first := run_job(source))
    git(source, "branch", "-D", "voltfix")
    (source / "b.py").write_text(EVALUATE)
    commit_all(source, "Upstream")
    publish_it(source, second := run_job(source), previous=first.commit)
    assert _tip(source) == second.commit


def test_a_branch_that_is_checked_out_is_not_moved(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, first := run_job(source))
    git(source, "worktree", "add", "-q", str(source.parent / "tree"), "voltfix")
    (source / "b.py").write_text(EVALUATE)
    commit_all(source, "Upstream")
    with pytest.raises(BatchError, match="is checked out at"):
        publish_it(source, run_job(source), previous=first.commit)
    assert _tip(source) == first.commit


def test_the_lock_of_a_killed_git_is_taken_away_only_by_the_attempt_after(
    make: Make, run_job: Run, publish_it: Publish
) -> None:
    source = make()
    outcome = run_job(source)
    (source / ".git/refs/heads/voltfix.lock").write_text("")
    with pytest.raises(BatchError, match="lock"):
        publish_it(source, outcome)
    publish_it(source, outcome, again=True)
    assert _tip(source) == outcome.commit


def test_in_place_switches_a_clean_checkout(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, run_job(source), in_place=True)
    assert git(source, "branch", "--show-current") == "voltfix"
    assert "volatile" not in (source / "a.py").read_text()
    assert git(source, "status", "--porcelain") == ""


def test_in_place_moves_a_checkout_that_is_on_the_branch(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    publish_it(source, first := run_job(source), in_place=True)
    publish_it(source, second := run_job(source, base="master", author="B <b@x>"), first.commit, in_place=True)
    assert git(source, "rev-parse", "HEAD") == second.commit
    assert git(source, "status", "--porcelain") == ""


def test_in_place_leaves_a_checkout_with_changes_alone(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    outcome = run_job(source)
    (source / "a.py").write_text("mine\n")
    with pytest.raises(BatchError, match="not committed"):
        publish_it(source, outcome, in_place=True)
    assert (source / "a.py").read_text() == "mine\n"
    assert git(source, "branch", "--list", "voltfix") == ""


def test_in_place_leaves_a_checkout_that_moved_on_alone(make: Make, run_job: Run, publish_it: Publish) -> None:
    source = make()
    outcome = run_job(source)
    (source / "b.py").write_text("x = 1\n")
    commit_all(source, "Moved")
    with pytest.raises(BatchError, match="does not stand on the base"):
        publish_it(source, outcome, in_place=True)


def test_a_repository_on_another_machine_keeps_its_bundle(
    make: Make, run_job: Run, publish_it: Publish, tmp_path: Path
) -> None:
    source = make()
    outcome = run_job(source)
    source.rename(source.parent / "elsewhere")
    publish_it(source, outcome)
    assert (tmp_path / "kept/branch.bundle").exists()


def test_files_of_an_earlier_round_go(tmp_path: Path) -> None:
    keep(str(tmp_path), {"changes.patch": b"1", "report.json": b"2"})
    keep(str(tmp_path), {"report.json": b"3"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"report.json": b"3"}
