from __future__ import annotations

import fcntl
import os
import stat
import struct
import tempfile
from pathlib import Path

import pytest

from voltfix.writes import DONE, JOURNAL, Write, WriteError, recover, sweep, write_together

OLD, NEW = b"old\n", b"new\n"


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    return path


def put(path, root=None, before=OLD, after=NEW):
    write_together([Write(str(path), before, after)], str(root or path.parent))


def leftovers(folder):
    return sorted(path.name for path in folder.rglob(".voltfix-*"))


def test_a_file_gets_its_new_bytes_and_nothing_else_is_left_behind(one):
    put(one)
    assert one.read_bytes() == NEW
    assert os.listdir(one.parent) == ["a.py"]


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_the_mode_stays(one, mode):
    one.chmod(mode)
    put(one)
    assert stat.S_IMODE(one.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(one):
    os.chown(one, 12345, 23456)
    put(one)
    assert one.read_bytes() == NEW
    assert (one.stat().st_uid, one.stat().st_gid) == (12345, 23456)


def entries(*rows):
    """An access control list as the kernel has it: (tag, permissions, id) in order."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


ACL = entries((1, 6, 2**32 - 1), (2, 6, 12345), (4, 4, 2**32 - 1), (16, 6, 2**32 - 1), (32, 0, 2**32 - 1))


@pytest.mark.parametrize(
    ("name", "value"), [("user.origin", b"a note"), ("system.posix_acl_access", ACL)], ids=["note", "access list"]
)
@pytest.mark.parametrize("count", [1, 2])
def test_extended_attributes_and_access_lists_stay(two, tmp_path, name, value, count):
    try:
        os.setxattr(two[0], name, value)
    except OSError as error:
        pytest.skip(f"not on this file system: {error.strerror}")
    mode = two[0].stat().st_mode
    write_together([Write(str(path), OLD, NEW) for path in two[:count]], str(tmp_path))
    assert two[0].read_bytes() == NEW
    assert os.getxattr(two[0], name) == value
    assert two[0].stat().st_mode == mode


def test_an_attribute_that_cannot_be_kept_keeps_the_file_from_being_written(one, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("voltfix.writes.os.listxattr", lambda _: ["user.origin"])
    monkeypatch.setattr("voltfix.writes.os.getxattr", lambda *_: b"a note")
    monkeypatch.setattr("voltfix.writes.os.setxattr", full)
    with pytest.raises(WriteError, match="no space left"):
        put(one)
    assert (one.read_bytes(), os.listdir(one.parent)) == (OLD, ["a.py"])


def test_the_times_of_other_files_stay(one):
    other = one.with_name("b.py")
    other.write_bytes(OLD)
    os.utime(other, ns=(1, 2))
    os.utime(one, ns=(1, 2))
    put(one)
    assert other.stat().st_mtime_ns == 2
    assert one.stat().st_mtime_ns > 2


def as_nobody(action):
    """What ``action`` says in a process that is not root, and so has to mind permissions."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            action()
            said = "done"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.parametrize(("mode", "folder"), [(0o444, 0o777), (0o666, 0o555)], ids=["file", "folder"])
def test_without_the_permission_nothing_is_written_and_the_error_says_which_file(mode, folder):
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        one = Path(name, "sub", "a.py")
        one.parent.mkdir()
        one.write_bytes(OLD)
        one.chmod(mode)
        os.chmod(name, 0o755)
        one.parent.chmod(folder)
        said = as_nobody(lambda: put(one))
        assert said.startswith("WriteError"), said
        assert "a.py" in said
        assert one.read_bytes() == OLD
        assert os.listdir(one.parent) == ["a.py"]
        one.parent.chmod(0o755)


def test_a_symbolic_link_stays_one_and_its_file_is_rewritten(one, tmp_path):
    link = tmp_path / "sub" / "link.py"
    link.parent.mkdir()
    link.symlink_to("../a.py")
    put(link)
    assert link.is_symlink()
    assert one.read_bytes() == NEW
    assert leftovers(tmp_path) == []


def test_a_hard_link_elsewhere_keeps_the_old_bytes(one, tmp_path):
    os.link(one, tmp_path / "b.txt")
    put(one)
    assert (one.read_bytes(), (tmp_path / "b.txt").read_bytes()) == (NEW, OLD)


def test_a_file_that_someone_else_changed_is_not_overwritten(one):
    one.write_bytes(b"mine\n")
    with pytest.raises(WriteError) as caught:
        put(one)
    assert caught.value.kind == "changed"
    assert one.read_bytes() == b"mine\n"
    assert leftovers(one.parent) == []


def test_a_file_that_is_gone_is_not_made_anew(one):
    one.unlink()
    with pytest.raises(WriteError):
        put(one)
    assert os.listdir(one.parent) == []


def test_a_name_of_255_bytes_can_be_rewritten(tmp_path):
    path = tmp_path / ("x" * 252 + ".py")
    path.write_bytes(OLD)
    put(path)
    assert path.read_bytes() == NEW


@pytest.fixture
def two(tmp_path):
    paths = [tmp_path / "a.py", tmp_path / "pkg" / "b.py"]
    paths[1].parent.mkdir()
    for path in paths:
        path.write_bytes(OLD)
    return paths


def put_both(paths, root):
    write_together([Write(str(path), OLD, NEW) for path in paths], str(root))


def test_files_of_a_group_are_written_together(two, tmp_path):
    put_both(two, tmp_path)
    assert [path.read_bytes() for path in two] == [NEW, NEW]
    assert leftovers(tmp_path) == []


def test_one_changed_file_keeps_the_whole_group_from_being_written(two, tmp_path):
    two[1].write_bytes(b"mine\n")
    with pytest.raises(WriteError):
        put_both(two, tmp_path)
    assert [path.read_bytes() for path in two] == [OLD, b"mine\n"]
    assert leftovers(tmp_path) == []


def test_a_journal_that_lies_there_already_keeps_a_group_from_being_written(two, tmp_path):
    (tmp_path / JOURNAL).write_bytes(b"")
    with pytest.raises(WriteError, match="another voltfix"):
        put_both(two, tmp_path)
    assert [path.read_bytes() for path in two] == [OLD, OLD]
    assert leftovers(tmp_path) == [JOURNAL]


def killed_between_the_renames(two, tmp_path, monkeypatch):
    """What a process leaves behind that is killed after the first of two renames."""
    pid = os.fork()
    if pid == 0:
        rename = os.rename

        def once(source, target):
            rename(source, target)
            os._exit(9)

        monkeypatch.setattr(os, "rename", once)
        put_both(two, tmp_path)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert [path.read_bytes() for path in two] == [NEW, OLD]


def test_the_next_run_undoes_a_killed_one(two, tmp_path, monkeypatch):
    killed_between_the_renames(two, tmp_path, monkeypatch)
    assert recover(str(tmp_path)) == [str(two[0])]
    assert [path.read_bytes() for path in two] == [OLD, OLD]
    assert leftovers(tmp_path) == []


def test_work_done_since_a_killed_run_is_not_lost(two, tmp_path, monkeypatch):
    killed_between_the_renames(two, tmp_path, monkeypatch)
    two[0].write_bytes(b"mine\n")
    with pytest.raises(WriteError) as caught:
        recover(str(tmp_path))
    assert caught.value.kind == "changed"
    assert two[0].read_bytes() == b"mine\n"
    assert (tmp_path / JOURNAL).exists()


def test_nothing_is_undone_where_no_run_was_killed(two, tmp_path):
    assert recover(str(tmp_path)) == []


def test_a_journal_from_a_stranger_moves_no_file(tmp_path):
    victim, other = tmp_path / "victim", tmp_path / "payload"
    victim.write_bytes(OLD)
    other.write_bytes(NEW)
    entry = f'{{"target": "{victim}", "draft": "{tmp_path}/x", "backup": "{other}", "new": ""}}'
    (tmp_path / JOURNAL).write_text(f'{{"files": [{entry}]}}')
    with pytest.raises(WriteError, match="no journal"):
        recover(str(tmp_path))
    assert victim.read_bytes() == OLD


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"files": 1}', b'{"files": [{}]}', b"[" * 100_000])
def test_a_journal_that_was_cut_short_is_thrown_away(tmp_path, data):
    (tmp_path / JOURNAL).write_bytes(data)
    assert recover(str(tmp_path)) == []
    assert leftovers(tmp_path) == []


def test_the_draft_of_a_run_at_work_is_not_swept_up(one):
    draft = one.parent / ".voltfix-0123456789ab.draft"
    draft.write_bytes(NEW)
    with draft.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        sweep([str(one.parent)])
        assert leftovers(one.parent) == [draft.name]
    sweep([str(one.parent)])
    assert leftovers(one.parent) == []


def test_only_drafts_are_swept_up(one):
    (one.parent / ".voltfix-baseline.json").write_bytes(b"{}")
    (one.parent / "mine.draft").write_bytes(b"")
    sweep([str(one.parent), str(one.parent / "none")])
    assert sorted(os.listdir(one.parent)) == [".voltfix-baseline.json", "a.py", "mine.draft"]


def test_a_group_that_was_written_is_not_undone_by_the_next_run(two, tmp_path, monkeypatch):
    pid = os.fork()
    if pid == 0:
        rename = os.rename

        def once(source, target):
            rename(source, target)
            if target.endswith(DONE):
                os._exit(9)

        monkeypatch.setattr(os, "rename", once)
        put_both(two, tmp_path)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert leftovers(tmp_path) != []
    assert recover(str(tmp_path)) == []
    assert [path.read_bytes() for path in two] == [NEW, NEW]
    assert leftovers(tmp_path) == []


def test_nothing_to_write_is_nothing(tmp_path):
    write_together([], str(tmp_path / "nowhere"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_this_user_may_not_write_stays(one, monkeypatch):
    """A rename would replace it all the same: the folder may be written."""
    monkeypatch.setattr("voltfix.writes.os.access", lambda *_: False)
    with pytest.raises(WriteError, match="is read-only"):
        put(one)
    assert one.read_bytes() == OLD
    assert leftovers(one.parent) == []


def test_what_cannot_be_rolled_back_at_once_the_next_run_does(two, tmp_path, monkeypatch):
    rename, calls = os.rename, []

    def breaks_at_the_second(source, target):
        calls.append(target)
        if len(calls) > 1:
            raise OSError(5, "Input/output error")
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", breaks_at_the_second)
        with pytest.raises(WriteError):
            put_both(two, tmp_path)
    assert [path.read_bytes() for path in two] == [NEW, OLD]
    assert recover(str(tmp_path)) == [str(two[0])]
    assert [path.read_bytes() for path in two] == [OLD, OLD]
    assert leftovers(tmp_path) == []


def test_the_journal_of_a_run_at_work_is_left_alone(two, tmp_path, monkeypatch):
    killed_between_the_renames(two, tmp_path, monkeypatch)
    with (tmp_path / JOURNAL).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert recover(str(tmp_path)) == []
    assert [path.read_bytes() for path in two] == [NEW, OLD]
    assert recover(str(tmp_path)) == [str(two[0])]


def test_a_journal_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / JOURNAL).mkdir()
    with pytest.raises(WriteError) as caught:
        recover(str(tmp_path))
    assert caught.value.path == str(tmp_path / JOURNAL)


def test_a_folder_in_the_place_of_a_file_is_told_and_stays(two, tmp_path, monkeypatch):
    killed_between_the_renames(two, tmp_path, monkeypatch)
    two[0].unlink()
    two[0].mkdir()
    with pytest.raises(WriteError) as caught:
        recover(str(tmp_path))
    assert caught.value.path == str(two[0])
    assert (tmp_path / JOURNAL).exists()


def test_a_file_system_that_cannot_flush_folders_is_written_to_all_the_same(one, monkeypatch):
    fsync = os.fsync

    def only_files(fd):
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(22, "Invalid argument")
        fsync(fd)

    monkeypatch.setattr(os, "fsync", only_files)
    put(one)
    assert one.read_bytes() == NEW
