"""A journal lies in somebody's repository: believed only where a run of this user wrote it, and about files below."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import running_in
from voltfix import tokens, writes
from voltfix.cli import turns
from voltfix.writes import DONE, JOURNAL, Write, WriteError, left_behind, recover, write_together

OLD, NEW = b"old\n", b"new\n"
SITE = "from b import to_var\ndef f(net, t):\n    return net(to_var(t, True)).data\n"
HELPER = (
    "from torch.autograd import Variable\ndef to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch) -> Path:
    """The notes of these runs, apart from those of whoever runs the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "voltfix" / "journals"


@pytest.fixture
def tree(tmp_path) -> Path:
    folder = tmp_path / "tree"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.py", "sub/b.py"):
        (folder / name).write_bytes(OLD)
    return folder


def killed(folder: Path, after: int = 1, root: Path | None = None) -> None:
    """A run that is killed after so many renames."""
    pid = os.fork()
    if pid == 0:
        rename, done = os.rename, []

        def counted(source, target):
            rename(source, target)
            done.append(target)
            if len(done) == after:
                os._exit(9)

        writes.os.rename = counted
        write_together([Write(str(folder / name), OLD, NEW) for name in ("a.py", "sub/b.py")], str(root or folder))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def forged(folder: Path, target: Path, **more: object) -> None:
    beside = target.parent
    (beside / ".voltfix-000000000000.old").write_bytes(b"theirs\n")
    entry = {
        "target": str(target),
        "draft": str(beside / ".voltfix-000000000000.new"),
        "backup": str(beside / ".voltfix-000000000000.old"),
        "new": writes._digest(target.read_bytes()),
    }
    (folder / JOURNAL).write_text(json.dumps({"files": [entry], **more}))


@pytest.mark.parametrize("where", ["inside", "outside"])
@pytest.mark.parametrize("name", [JOURNAL, DONE])
@pytest.mark.parametrize("token", [{}, {"token": "0" * 32}, {"token": "../" * 10 + "x"}, {"token": 7}], ids=str)
def test_a_journal_that_came_with_a_repository_moves_and_deletes_nothing(tree, tmp_path, where, name, token):
    victim = tmp_path / "victim.py"
    victim.write_bytes(OLD)
    forged(tree, tree / "a.py" if where == "inside" else victim, **token)
    (tree / JOURNAL).rename(tree / name)
    before = everything(tmp_path)
    with pytest.raises(WriteError, match="no journal of a run of yours"):
        recover(str(tree))
    assert everything(tmp_path) == before


@pytest.mark.parametrize("after", [1, 2, 3])
def test_the_journal_of_a_run_of_this_user_is_believed_and_its_note_goes_with_it(tree, state, after):
    killed(tree, after)
    assert len(os.listdir(state)) == 1
    recover(str(tree))
    assert {name: data for name, data in everything(tree).items() if "voltfix" in name} == {}
    assert len(set(everything(tree).values())) == 1
    assert os.listdir(state) == []


def test_a_journal_that_somebody_changed_is_not_believed(tree, tmp_path):
    killed(tree)
    victim = tmp_path / "victim.py"
    victim.write_bytes(OLD)
    document = json.loads((tree / JOURNAL).read_text())
    document["files"][1]["target"] = str(victim)
    (tree / JOURNAL).write_text(json.dumps(document))
    before = everything(tmp_path)
    with pytest.raises(WriteError, match="no journal of a run of yours"):
        recover(str(tree))
    assert everything(tmp_path) == before


def test_a_journal_is_not_believed_in_another_place(tree, tmp_path):
    killed(tree)
    other = tmp_path / "other"
    other.mkdir()
    (other / JOURNAL).write_bytes((tree / JOURNAL).read_bytes())
    with pytest.raises(WriteError, match="no journal of a run of yours"):
        recover(str(other))
    assert recover(str(tree)) == [str(tree / "a.py")]


def test_the_journal_of_another_user_is_not_believed(tree, tmp_path, monkeypatch):
    killed(tree)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    before = everything(tree)
    with pytest.raises(WriteError, match="no journal of a run of yours"):
        recover(str(tree))
    assert everything(tree) == before


@pytest.mark.parametrize(
    "change",
    [
        {"target": "/etc/hostname"},
        {"draft": "TREE/a.py"},
        {"backup": "TREE/sub/b.py"},
        {"backup": "TREE/.voltfix-baseline.json"},
        {"draft": "TREE/.voltfix-000000000000.new/../a.py"},
        {"target": "TREE/link/passwd", "draft": "TREE/link/.voltfix-000000000000.new"},
    ],
    ids=str,
)
def test_even_a_noted_journal_speaks_of_our_own_names_below_its_folder_alone(tree, change):
    (tree / "link").symlink_to("/etc")
    entry = {
        "target": str(tree / "a.py"), "draft": str(tree / ".voltfix-000000000000.new"),
        "backup": str(tree / ".voltfix-000000000000.old"), "new": "",
        **{key: value.replace("TREE", str(tree)) for key, value in change.items()},
    }  # fmt: skip
    token = tokens.made()
    data = json.dumps({"token": token, "files": [entry]}).encode()
    tokens.note(token, os.path.realpath(tree), writes._digest(data))
    (tree / JOURNAL).write_bytes(data)
    before = everything(tree)
    with pytest.raises(WriteError, match="no journal of a run of yours"):
        recover(str(tree))
    assert everything(tree) == before


def test_a_link_out_of_the_tree_is_not_written_with_others(tree, tmp_path):
    (tmp_path / "c.py").write_bytes(OLD)
    (tree / "c.py").symlink_to(tmp_path / "c.py")
    with pytest.raises(WriteError, match="leads out of"):
        write_together([Write(str(tree / name), OLD, NEW) for name in ("a.py", "c.py")], str(tree))
    assert everything(tree) == {"a.py": OLD, "c.py": OLD, "sub/b.py": OLD}
    write_together([Write(str(tree / "c.py"), OLD, NEW)], str(tree))  # alone it needs no journal
    assert (tmp_path / "c.py").read_bytes() == NEW


def test_without_a_place_for_notes_files_are_not_written_together(tree, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "file"))
    with pytest.raises(WriteError, match="no folder for the state"):
        write_together([Write(str(tree / name), OLD, NEW) for name in ("a.py", "sub/b.py")], str(tree))
    assert everything(tree) == {"a.py": OLD, "sub/b.py": OLD}


def test_where_the_state_folder_cannot_be_used_a_private_one_among_temporary_files_is(tree, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    killed(tree)
    (place,) = (tmp_path / "tmp").iterdir()
    assert place.stat().st_mode & 0o777 == 0o700
    assert recover(str(tree)) == [str(tree / "a.py")]


def test_a_folder_that_others_can_write_to_keeps_no_notes(tree, state, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "file"))
    state.mkdir(parents=True)
    state.chmod(0o777)
    with pytest.raises(WriteError, match="no folder for the state"):
        write_together([Write(str(tree / name), OLD, NEW) for name in ("a.py", "sub/b.py")], str(tree))


@pytest.mark.parametrize("asked", ["", "sub", "sub/b.py", ".."])
def test_what_a_run_left_is_found_by_one_that_starts_elsewhere_in_the_tree(tree, asked):
    killed(tree)
    assert left_behind([str(tree / asked)]) == [str(tree)]


def test_what_a_run_left_elsewhere_is_left_alone(tree, tmp_path):
    killed(tree)
    (tmp_path / "treehouse").mkdir()
    assert left_behind([str(tmp_path / "treehouse")]) == []


def test_a_note_without_a_journal_goes(tree, state):
    token = tokens.made()
    tokens.note(token, str(tree), "")
    os.utime(state / token, (0, 0))
    assert left_behind([str(tree)]) == []
    assert os.listdir(state) == []


def test_a_note_whose_journal_another_run_is_about_to_write_stays(tree, state):
    token = tokens.made()
    tokens.note(token, str(tree), "")
    assert left_behind([str(tree)]) == []
    assert os.listdir(state) == [token]


def voltfix(folder: Path, *words: str) -> subprocess.Popen:
    command = [str(Path(sys.executable).parent / "voltfix"), "--no-verify", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("first", [".", "sub"])
@pytest.mark.parametrize("second", [".", "sub", "sub/b.py"])
def test_the_next_run_undoes_a_killed_one_of_another_root_without_git(tree, first, second):
    """The root of a run without ``.git`` is what it was asked about."""
    (tree / "sub" / "a.py").write_bytes(OLD)
    pid = os.fork()
    if pid == 0:
        rename = os.rename
        writes.os.rename = lambda source, target: (rename(source, target), os._exit(9))
        write_together([Write(str(tree / "sub" / name), OLD, NEW) for name in ("a.py", "b.py")], str(tree / first))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    _, said = voltfix(tree, second).communicate(timeout=60)
    assert "put back" in said
    assert everything(tree) == {"a.py": OLD, "sub/a.py": OLD, "sub/b.py": OLD}


@pytest.mark.parametrize("held", [".", "sub", ".."])
def test_a_second_run_on_a_tree_waits_for_the_first_and_says_so(tree, held):
    (tree / "sub" / "a.py").write_text(SITE)
    (tree / "sub" / "b.py").write_text(HELPER)
    fd = os.open(tree / held, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)  # as a run on that folder has it
    process = voltfix(tree, "sub" if held == ".." else ".") if held != "sub" else voltfix(tree, "sub/a.py", "sub/b.py")
    assert process.stderr is not None
    assert "another voltfix is at work in" in process.stderr.readline()
    assert process.poll() is None
    assert (tree / "sub" / "a.py").read_text() == SITE
    os.close(fd)
    process.communicate(timeout=60)
    assert "volatile" not in (tree / "sub" / "b.py").read_text()


def test_runs_that_only_look_wait_for_nobody(tree):
    (tree / "a.py").write_text(SITE)
    fd = os.open(tree, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    process = voltfix(tree, "--check", ".")
    process.communicate(timeout=60)
    assert process.returncode in (0, 1)
    os.close(fd)


def test_a_relative_folder_for_temporary_files_takes_no_notes(tree, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", "tmp")
    (tree / "tmp").mkdir()
    monkeypatch.chdir(tree)
    place = tokens._folder("journals")
    assert os.path.isabs(place)
    assert list((tree / "tmp").iterdir()) == []


def test_a_journal_that_is_not_believed_is_named_with_the_backups_that_it_speaks_of(tree):
    """It may be the copy of one that was needed."""
    killed(tree)
    copied = tree.parent / "copied"
    shutil.copytree(tree, copied)
    document = json.loads((copied / JOURNAL).read_text())
    (copied / JOURNAL).write_text(json.dumps(document).replace(str(tree), str(copied)))
    (backup,) = copied.glob(".voltfix-*.old")
    before = everything(copied)
    for name in ("a.py", "sub/b.py"):
        (copied / name).write_text(SITE if name == "a.py" else HELPER)
    process = voltfix(copied, ".")
    out, said = process.communicate(timeout=60)
    said = " ".join((out + said).split())
    assert process.returncode == 2
    assert f"look at it and at {backup}" in said, said
    assert everything(copied).keys() == before.keys()


@pytest.mark.parametrize("machine", [False, True], ids=["text", "json"])
def test_nobody_waits_for_a_lock_for_ever(tree, monkeypatch, machine):
    monkeypatch.setattr(turns, "PATIENCE", 0.3)
    (tree / "a.py").write_text(SITE)
    fd = os.open(tree, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    done = running_in(tree, monkeypatch)("--no-verify", *(["--output-format", "json"] if machine else []), ".")
    os.close(fd)
    assert done.returncode == 2
    said = json.loads(done.stdout)["errors"][0]["message"] if machine else (done.stdout + done.stderr).decode()
    assert "nothing was done" in " ".join(said.split())
    assert b"waiting for it, 0 seconds at most" in done.stderr
    assert (tree / "a.py").read_text() == SITE


def test_who_waits_says_so_again(tree, monkeypatch, capsys):
    monkeypatch.setattr(turns, "PATIENCE", 0.5)
    monkeypatch.setattr(turns, "_AGAIN", 0.1)
    fd = os.open(tree, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    with pytest.raises(turns.StillTakenError), turns.turn([str(tree)]):
        raise AssertionError("somebody else has it")
    os.close(fd)
    assert capsys.readouterr().err.count("waiting for it") > 1
