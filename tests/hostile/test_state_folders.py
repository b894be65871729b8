"""The folder of a batch lies where a repository may ship one: what is not known as ours is not believed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from forked import forked

GOOD = "import torch\nfrom torch.autograd import Variable\nx = Variable(t, volatile=True)\nprint(net(x))\n"
IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")


@pytest.fixture(autouse=True)
def _notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "notes"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one file to rewrite."""
    return made(tmp_path / "repository")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the user's."""
    file = tmp_path / "victim"
    file.write_text("mine\n")
    return file


def made(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.py").write_text(GOOD)
    for words in (["init", "-q"], ["add", "-A"], [*IDENTITY, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


def batch(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """``voltfix batch`` in ``folder``, with the state folder that it has by default."""
    done = forked("batch", "-j", "1", "--no-verify", *words, cwd=folder, env={**os.environ, **variables})
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def shipped(folder: Path, *words: str) -> Path:
    """A state folder that somebody else's run made in the same place, token and all."""
    done = batch(folder, *(words or ["."]), "--dry-run", XDG_STATE_HOME=str(folder.parent / "theirs"))
    assert done.returncode == 1, done.stderr
    return folder / "voltfix-batch"


def interrupted(state: Path) -> None:
    """Make a finished batch one that was killed."""
    with sqlite3.connect(state / "journal.sqlite3") as db:
        db.execute("UPDATE batch SET value = '0' WHERE key = 'ended'")
        db.execute("UPDATE repository SET state = 'running'")
    db.close()


def commanded(state: Path, trace: Path, way: str) -> None:
    """Let the journal name a command."""
    asked = f"json_set(asked, '$.command', 'touch {trace}')"
    with sqlite3.connect(state / "journal.sqlite3") as db:
        if way == "row":
            db.execute(f"UPDATE repository SET asked = {asked}")
        else:
            when = "AFTER UPDATE OF position ON repository WHEN json_extract(NEW.asked, '$.command') IS NULL"
            update = f"UPDATE repository SET asked = {asked} WHERE name = NEW.name"
            db.execute(f"CREATE TRIGGER own {when} BEGIN {update}; END")
    db.close()


def snapshot(folder: Path) -> dict[str, bytes | str]:
    found = sorted(folder.rglob("*"))
    return {str(p): os.readlink(p) if p.is_symlink() else p.read_bytes() if p.is_file() else "" for p in found}


def refused(folder: Path, *words: str) -> None:
    before = snapshot(folder)
    done = batch(folder, *words)
    assert done.returncode == 2, done.stdout + done.stderr
    said = " ".join(done.stderr.replace("│", " ").split())
    assert "came from somebody else: remove it, or give --state" in said, done.stderr
    assert snapshot(folder) == before


@pytest.mark.parametrize("words", [["."], []], ids=["list", "resumed"])
@pytest.mark.parametrize("way", ["row", "trigger"])
def test_a_shipped_journal_names_no_command(repository: Path, tmp_path: Path, way: str, words: list[str]) -> None:
    state = shipped(repository)
    commanded(state, tmp_path / "executed", way)
    refused(repository, *words)
    (state / "token").unlink()
    refused(repository, *words)
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("way", ["row", "trigger"])
def test_a_journal_that_was_put_into_a_folder_of_ours_is_not_believed(
    repository: Path, tmp_path: Path, way: str
) -> None:
    """As a pull does, which overwrites what is ignored."""
    state = shipped(repository)
    commanded(state, tmp_path / "executed", way)
    theirs = (state / "journal.sqlite3").read_bytes()
    shutil.rmtree(state)
    assert batch(repository, ".", "--dry-run").returncode == 1
    (state / "journal.sqlite3").unlink()
    (state / "journal.sqlite3").write_bytes(theirs)
    for words in ([], ["."]):
        done = batch(repository, *words)
        assert (done.returncode, "came from somebody else" in done.stderr) == (2, True), done.stderr
    (state / "journal.sqlite3").rename(tmp_path / "moved")
    (state / "journal.sqlite3").symlink_to(tmp_path / "moved")
    assert batch(repository, ".").returncode == 2
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("target", ["empty", "full", "nowhere"])
def test_a_link_in_the_place_of_the_folder_is_refused(repository: Path, tmp_path: Path, target: str) -> None:
    elsewhere = tmp_path / target
    if target != "nowhere":
        elsewhere.mkdir()
    if target == "full":
        (elsewhere / ".gitignore").write_text("mine\n")
    (repository / "voltfix-batch").symlink_to(elsewhere)
    before = snapshot(tmp_path)
    refused(repository, ".")
    assert snapshot(tmp_path) == before


LINKS = (".gitignore", "repositories/repository/changes.patch.new", "report.json.new", "lock")


@pytest.mark.parametrize("name", LINKS)
def test_links_in_a_shipped_folder_are_not_written_through(repository: Path, victim: Path, name: str) -> None:
    link = repository / "voltfix-batch" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    done = batch(repository, ".")
    assert (done.returncode, victim.read_text()) == (2, "mine\n"), done.stderr
    assert link.is_symlink()
    if name != "lock":
        refused(repository, ".")


@pytest.mark.parametrize("name", LINKS[:3])
def test_links_in_a_folder_of_ours_are_not_written_through(repository: Path, victim: Path, name: str) -> None:
    assert batch(repository, ".", "--dry-run").returncode == 1
    link = repository / "voltfix-batch" / name
    link.unlink(missing_ok=True)
    link.symlink_to(victim)
    done = batch(repository, ".")
    assert (done.returncode, victim.read_text()) == (0, "mine\n"), done.stderr
    assert not link.is_symlink()


def test_a_folder_of_ours_in_which_folders_became_links_leads_nowhere(repository: Path, tmp_path: Path) -> None:
    assert batch(repository, ".", "--dry-run").returncode == 1
    folders = repository / "voltfix-batch" / "repositories"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(folders / "repository")
    (folders / "repository").symlink_to(elsewhere)
    assert batch(repository, ".").returncode == 0
    shutil.rmtree(folders)
    folders.symlink_to(elsewhere)
    refused(repository, ".")
    assert os.listdir(elsewhere) == []


def test_a_shipped_clone_runs_no_command_of_its_settings(repository: Path, tmp_path: Path) -> None:
    url = f"file://{made(tmp_path / 'upstream')}"
    program = tmp_path / "upload-pack"
    program.write_text(f'#!/bin/sh\necho executed >> {tmp_path}/executed\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)

    def armed() -> Path:
        clone = repository / "voltfix-batch" / "clones" / "upstream"
        shutil.rmtree(clone, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", "--bare", url, str(clone)], check=True, capture_output=True)
        subprocess.run(["git", "config", "remote.origin.uploadpack", str(program)], cwd=clone, check=True)
        return clone

    armed()
    refused(repository, url)
    shutil.rmtree(repository / "voltfix-batch")
    for _ in range(2):  # nor one that was put into a folder of ours
        done = batch(repository, url)
        assert "1 migrated" in done.stdout, done.stdout + done.stderr
        clone = armed()
    shutil.rmtree(clone)
    clone.symlink_to(tmp_path / "upstream")
    assert "1 migrated" in batch(repository, url, "--branch", "other").stdout
    assert not clone.is_symlink()
    assert not (tmp_path / "executed").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_folder_of_another_user_is_refused(repository: Path) -> None:
    (repository / "voltfix-batch").mkdir()
    os.chown(repository / "voltfix-batch", 12345, 12345)
    refused(repository, ".")


def test_a_folder_of_ours_goes_on_where_it_lies_and_nowhere_else(repository: Path) -> None:
    assert batch(repository, ".").returncode == 0
    state = repository / "voltfix-batch"
    interrupted(state)
    shutil.copytree(state, repository / "copy")
    refused(repository, "--state", "copy")
    done = batch(repository)
    assert "1 migrated" in done.stdout, done.stdout + done.stderr
    assert batch(repository, "--state", "./voltfix-batch/", ".").returncode == 0


@pytest.mark.parametrize("left", [[], ["lock"], ["lock", "token"]], ids=len)
def test_a_run_that_was_killed_before_its_folder_was_signed_is_in_nobodys_way(
    repository: Path, left: list[str]
) -> None:
    (repository / "voltfix-batch").mkdir()
    for name in left:
        (repository / "voltfix-batch" / name).touch()
    assert batch(repository, ".").returncode == 0
    assert batch(repository).returncode == 0


def test_the_token_of_a_folder_that_was_removed_counts_no_more(repository: Path) -> None:
    assert batch(repository, ".").returncode == 0
    state = repository / "voltfix-batch"
    state.rename(repository / "old")
    assert batch(repository, ".", "--branch", "other").returncode == 0
    shutil.rmtree(state)
    (repository / "old").rename(state)
    refused(repository, ".")
