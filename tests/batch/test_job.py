"""One repository's job: the commit, its message, the patch; and what it leaves alone."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from batch_repositories import commit_all, git

from conftest import EVALUATE, REFUSED, Make, Run
from voltfix.batch.commit import message
from voltfix.batch.job import called
from voltfix.batch.model import Known
from voltfix.model import SiteResult
from voltfix.report.data import Report


def _apply(outcome_patch: bytes, folder: Path, *command: str) -> None:
    subprocess.run(["git", *command], cwd=folder, input=outcome_patch, check=True, capture_output=True)


def test_the_patch_is_one_that_git_am_and_git_apply_take(make: Make, run_job: Run) -> None:
    source = make()
    outcome = run_job(source)
    assert outcome.state == "migrated"
    _apply(outcome.artifacts["changes.patch"], source, "apply", "--check")
    _apply(outcome.artifacts["changes.patch"], source, "-c", "user.name=x", "-c", "user.email=x@y", "am", "-q")
    assert "volatile" not in (source / "a.py").read_text()
    assert git(source, "log", "-1", "--format=%s") == "Replace volatile by today's torch"


def test_the_message_lists_sites_strategies_verdicts_and_what_is_left(make: Make, run_job: Run) -> None:
    outcome = run_job(make(files={"a.py": EVALUATE, "b.py": REFUSED}))
    text = outcome.artifacts["changes.patch"].decode()
    assert "2 sites in 1 file, by voltfix" in text
    assert "  a.py:6: VF101 no_grad, not verified" in text
    assert "Left for a person:\n\n  b.py:5: VF101 " in text


def test_the_message_counts_as_modernized_what_was_rewritten_alone() -> None:
    done = SiteResult("a.py", 3, 5, 3, 9, None, None, "VF203", None, "fixed", None, "non_blocking")
    refused = replace(done, line=7, status="refused", reason="unknown-shape")
    text = message(Report(modernized=(done, replace(done, line=5), refused)))
    assert "\nModernized: 2 places, 1 refused.\n" in text


def test_the_same_work_gives_the_same_commit(make: Make, run_job: Run) -> None:
    source = make()
    assert run_job(source).commit == run_job(source).commit is not None


def test_a_job_writes_nothing_into_its_source(make: Make, run_job: Run) -> None:
    source = make()
    before = sorted((path, path.stat().st_mtime_ns) for path in source.rglob("*"))
    assert run_job(source).state == "migrated"
    assert sorted((path, path.stat().st_mtime_ns) for path in source.rglob("*")) == before


def test_changes_that_are_not_committed_are_no_part_of_it(make: Make, run_job: Run) -> None:
    source = make(files={"a.py": "x = 1\n"})
    (source / "a.py").write_text(EVALUATE)
    assert run_job(source).state == "nothing"


def test_a_dry_run_makes_a_patch_and_no_commit(make: Make, run_job: Run) -> None:
    source = make(files={"latin.py": b"# -*- coding: latin-1 -*-\n# \xe9\n" + EVALUATE.encode()})
    outcome = run_job(source, dry_run=True)
    assert (outcome.state, outcome.commit) == ("would-migrate", None)
    _apply(outcome.artifacts["changes.patch"], source, "apply")
    assert b"\xe9" in (source / "latin.py").read_bytes()
    assert b"volatile" not in (source / "latin.py").read_bytes()


def test_max_changes_makes_a_small_commit_and_leaves_the_rest_for_later(make: Make, run_job: Run) -> None:
    source = make()
    outcome = run_job(source, max_changes=1)
    sites = json.loads(outcome.artifacts["report.json"])["sites"]
    assert [site["status"] for site in sites] == ["fixed", "suppressed"]
    assert "--max-changes 1" in sites[1]["message"]
    _apply(outcome.artifacts["changes.patch"], source, "apply")
    commit_all(source, "Merge the first")
    assert [s["status"] for s in json.loads(run_job(source, max_changes=1).artifacts["report.json"])["sites"]] == [
        "fixed"
    ]


def test_author_and_sign_off_are_those_asked_for(make: Make, run_job: Run) -> None:
    patch = run_job(make(), author="Ada <ada@example.org>", sign_off=True).artifacts["changes.patch"].decode()
    assert "From: Ada <ada@example.org>" in patch
    assert "\nSigned-off-by: " in patch


def test_the_repository_s_own_identity_commits(make: Make, run_job: Run) -> None:
    source = make()
    git(source, "config", "user.name", "Local")
    git(source, "config", "user.email", "local@example.org")
    assert b"From: Local <local@example.org>" in run_job(source).artifacts["changes.patch"]


def test_base_says_where_to_start(make: Make, run_job: Run) -> None:
    source = make()
    first = git(source, "rev-parse", "HEAD")
    (source / "a.py").write_text("x = 1\n")
    commit_all(source, "Gone")
    assert run_job(source).state == "nothing"
    assert run_job(source, base=first).base == first


def test_a_base_that_is_not_there_is_a_failure_with_its_name(make: Make, run_job: Run) -> None:
    outcome = run_job(make(), base="no-such-branch")
    assert (outcome.state, outcome.cause) == ("failed", "no-such-base")
    assert "no-such-branch" in (outcome.detail or "")


def test_a_folder_that_is_no_repository_is_a_failure(tmp_path: Path, run_job: Run) -> None:
    assert run_job(tmp_path).cause == "not-a-repository"


def test_a_base_that_starts_with_a_dash_is_no_option(make: Make, run_job: Run) -> None:
    assert run_job(make(), base="--help").cause == "no-such-base"


def test_submodules_and_lfs_files_are_left_alone(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make(
        files={"a.py": EVALUATE, "w.bin": "version https://git-lfs\n", ".gitattributes": "*.bin filter=lfs\n"}
    )
    git(source, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    git(source, "commit", "-q", "-m", "A submodule")
    outcome = run_job(source)
    assert outcome.state == "migrated"
    assert outcome.summary["files_changed"] == 1
    assert b"sub" not in outcome.artifacts["changes.patch"].split(b"diff --git", 1)[1]


def test_hooks_do_not_run(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make()
    for name in ("pre-commit", "post-checkout", "commit-msg", "reference-transaction"):
        hook = source / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    assert run_job(source).state == "migrated"
    assert not (tmp_path / "ran").exists()


def test_line_ends_stay_as_they_are(make: Make, run_job: Run) -> None:
    source = make(files={"a.py": EVALUATE.replace("\n", "\r\n")})
    outcome = run_job(source)
    _apply(outcome.artifacts["changes.patch"], source, "apply")
    data = (source / "a.py").read_bytes()
    assert b"volatile" not in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_a_shallow_clone_will_do(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make()
    (source / "b.py").write_text("x = 1\n")
    commit_all(source, "More")
    git(tmp_path, "clone", "-q", "--depth=1", source.as_uri(), "shallow")
    assert run_job(tmp_path / "shallow").state == "migrated"


def test_a_url_is_cloned_and_later_fetched(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make(files={"a.py": "x = 1\n"})
    assert run_job(source.as_uri()).state == "nothing"
    (source / "a.py").write_text(EVALUATE)
    moved = commit_all(source, "More")
    outcome = run_job(source.as_uri())
    assert (outcome.state, outcome.base) == ("migrated", moved)
    assert outcome.git_dir == str(tmp_path / "clones/repo/.git")


def test_a_clone_with_a_lock_that_a_killed_fetch_left_is_made_anew(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make()
    run_job(source.as_uri())
    (source / "b.py").write_text("x = 1\n")
    moved = commit_all(source, "More")
    (tmp_path / "clones/repo/.git/refs/remotes/origin/master.lock").write_text("")
    assert run_job(source.as_uri()).base == moved


def test_an_upstream_that_is_gone_does_not_cost_the_clone(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make()
    run_job(source.as_uri())
    source.rename(source.parent / "elsewhere")
    assert run_job(source.as_uri()).cause == "git"
    assert (tmp_path / "clones/repo").is_dir()


def test_what_is_known_of_the_same_base_still_holds(make: Make, run_job: Run, task: object) -> None:
    source = make()
    first = run_job(source)
    known = Known(first.base or "", first.wish, first.commit)
    assert run_job(source, known=known).unchanged
    assert not run_job(source, known=known, branch="other").unchanged
    (source / "b.py").write_text("x = 1\n")
    commit_all(source, "More")
    assert not run_job(source, known=known).unchanged


def test_bad_settings_of_a_repository_are_its_own_failure(make: Make, run_job: Run) -> None:
    outcome = run_job(make(files={"a.py": EVALUATE, "pyproject.toml": "[tool.voltfix]\nselectt = 1\n"}))
    assert outcome.cause == "settings"
    assert "did you mean 'select'" in (outcome.detail or "")


def test_settings_of_a_repository_count(make: Make, run_job: Run) -> None:
    files = {"a.py": EVALUATE, "pyproject.toml": '[tool.voltfix]\nexclude = ["a.py"]\n'}
    assert run_job(make(files=files)).state == "nothing"


def test_settings_above_the_state_folder_are_not_the_repository_s(make: Make, run_job: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.voltfix]\nexclude = ["*"]\n')
    assert run_job(make()).state == "migrated"


def test_the_command_runs_before_and_after(make: Make, run_job: Run) -> None:
    outcome = run_job(make(), command="cat a.py; ls; echo x >> a.py")
    assert outcome.state == "migrated"
    assert b"volatile" in outcome.artifacts["before.log"]
    assert b"volatile" not in outcome.artifacts["after.log"]
    assert outcome.summary["command"] == {"before": 0, "after": 0}
    assert b"+x" not in outcome.artifacts["changes.patch"]


def test_a_command_that_breaks_keeps_the_branch_back(make: Make, run_job: Run) -> None:
    outcome = run_job(make(), command="grep -q volatile a.py")
    assert (outcome.state, outcome.cause, outcome.commit) == ("failed", "command-broke", None)
    assert "changes.patch" in outcome.artifacts


def test_a_command_that_failed_before_too_is_no_failure(make: Make, run_job: Run) -> None:
    outcome = run_job(make(), command="exit 3")
    assert outcome.state == "migrated"
    assert outcome.summary["command"] == {"before": 3, "after": 3}


def test_a_file_that_does_not_parse_is_named_and_stops_nothing_else(make: Make, run_job: Run) -> None:
    outcome = run_job(make(files={"a.py": EVALUATE, "b.py": "volatile = = 1\n"}))
    assert outcome.state == "migrated"
    assert [row[0] for row in outcome.summary["unread"]] == ["b.py"]


def test_a_mistake_of_voltfix_is_recorded(make: Make, run_job: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from voltfix.batch import job

    def raises(*_: object) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr(job, "migrate_here", raises)
    outcome = run_job(make())
    assert (outcome.cause, outcome.detail) == ("internal-error", "RuntimeError: oh")


def test_a_full_disk_is_recorded(make: Make, run_job: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    from voltfix.batch import job

    def raises(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(job, "write_here", raises)
    assert run_job(make()).cause == "disk-full"


def test_the_bundle_carries_the_branch(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = make()
    outcome = run_job(source)
    bundle = tmp_path / "branch.bundle"
    bundle.write_bytes(outcome.artifacts["branch.bundle"])
    git(source, "fetch", "-q", str(bundle), "voltfix:mine")
    assert git(source, "rev-parse", "mine") == outcome.commit


def test_a_job_without_memory_is_recorded(make: Make, run_job: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from voltfix.batch import job

    def raises(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(job, "migrate_here", raises)
    outcome = run_job(make())
    assert (outcome.cause, outcome.detail) == ("memory-limit", "no more memory was to be had")


def test_a_repository_with_digests_of_256_bits_is_migrated(make: Make, run_job: Run, tmp_path: Path) -> None:
    source = tmp_path / "long"
    source.mkdir()
    git(source, "init", "-q", "-b", "master", "--object-format=sha256")
    (source / "a.py").write_text(EVALUATE)
    commit_all(source)
    outcome = run_job(source)
    assert outcome.state == "migrated"
    assert len(outcome.commit or "") == 64
    assert outcome.artifacts["branch.bundle"].startswith(b"# v3 git bundle\n@object-format=sha256\n")
    _apply(outcome.artifacts["changes.patch"], source, "apply", "--check")


def test_a_clone_of_another_url_makes_way(make: Make, run_job: Run) -> None:
    """Repositories of one name in two rounds."""
    assert run_job(f"file://{make('one')}").state == "migrated"
    other = make("other/one", {"a.py": "x = 1\n"})
    assert run_job(f"file://{other}").state == "nothing"


def test_a_broken_checkout_is_gits_own_failure(make: Make, run_job: Run) -> None:
    source = make()
    (source / ".git/config").write_text("[core\n")
    outcome = run_job(source)
    assert (outcome.state, outcome.cause) == ("failed", "git")


def test_where_git_knows_nobody_the_batch_s_identity_commits(
    make: Make, run_job: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make()
    git(source, "config", "user.useConfigOnly", "true")
    for name in ("EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    patch = run_job(source).artifacts["changes.patch"].decode()
    assert "\nFrom: voltfix <voltfix@localhost>\n" in patch


def test_with_the_modern_rules_a_file_without_a_flag_is_read_as_the_main_command_reads_it(
    make: Make, run_job: Run
) -> None:
    """One that no import leads to from a file with a flag."""
    files = {
        "a.py": EVALUATE,
        "b.py": "import torch\nfrom torch.autograd import Variable\n\ny = Variable(torch.ones(2))\n",
        "pyproject.toml": "[tool.voltfix]\nmodernize = true\n",
    }
    text = run_job(make(files=files)).artifacts["changes.patch"].decode()
    assert "+y = torch.ones(2)" in text
    assert " in 1 file, by voltfix" in text


@pytest.mark.parametrize(("source", "expected"), [
    ("https://example.org/some/mine.git", "mine"), ("git@example.org:mine.git", "mine"), ("/home/me/mine/", "mine"),
    ("/home/me/mine/.git", "mine"), ("/", "repository"), ("https://example.org/..", "repository"),
])
def test_a_repository_stands_in_a_folder_of_its_name(source: str, expected: str) -> None:
    assert called(source) == expected


def test_a_repository_may_import_itself_by_its_name(make: Make, run_job: Run, tmp_path: Path) -> None:
    wraps = ("from torch.autograd import Variable\n\ndef wrap(x, off):\n    return Variable(x, volatile=off)\n")
    source = make(files={"__init__.py": "", "wraps.py": wraps, "run.py": ""})
    shows = (f"import torch\nfrom {source.name}.wraps import wrap\nnet = torch.nn.Linear(1, 1)\n"
             "print(net(wrap(torch.ones(1), True)).data)\n")
    (source / "run.py").write_text(shows)
    commit_all(source)
    assert run_job(source).state == "migrated"
