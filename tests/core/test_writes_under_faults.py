"""Every system call that a write makes fails, is interrupted, or is the last one, in turn."""

from __future__ import annotations

import contextlib
import errno
import os

import pytest

from voltfix import tokens, writes
from voltfix.discovery import hits
from voltfix.writes import Write, WriteError, recover, sweep, write_together

CALLS = (
    "open",
    "write",
    "fsync",
    "close",
    "rename",
    "link",
    "unlink",
    "fchmod",
    "fchown",
    "stat",
    "fstat",
    "read",
)
OLD, NEW = b"old\n" * 50, b"new\n" * 60
LIMIT = 200


class Faults:
    """Counts calls to ``os`` and does something at one of them."""

    def __init__(self, at, act):
        self.at, self.act, self.count = at, act, 0

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*arguments, **options):
            self.count += 1
            if self.count == self.at:
                self.act()
            return real(*arguments, **options)

        return call


def lay_out(folder, count):
    paths = [folder / f"m{n}.py" for n in range(count)]
    for path in paths:
        path.write_bytes(OLD)
    return paths


def attempt(folder, paths, faults, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(writes, "os", faults)
        patched.setattr(hits, "os", faults)
        patched.setattr(tokens, "os", faults)
        write_together([Write(str(path), OLD, NEW) for path in paths], str(folder))


def state(paths):
    contents = {path.read_bytes() for path in paths}
    assert len(contents) == 1, "files of one change differ"
    (content,) = contents
    assert content in (OLD, NEW), "a torn file"
    return content


def failing(code):
    def act():
        raise OSError(code, os.strerror(code))

    return act


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_an_error_at_any_call_leaves_every_file_whole_and_is_told(tmp_path, monkeypatch, capsys, count, code):
    for at in range(1, LIMIT):
        folder = tmp_path / str(at)
        folder.mkdir()
        paths = lay_out(folder, count)
        faults = Faults(at, failing(code))
        error = None
        try:
            attempt(folder, paths, faults, monkeypatch)
        except WriteError as caught:
            error = caught
        content = state(paths)
        if error is not None and "is written" not in error.message:
            assert content == OLD, f"call {at}: said that nothing was written"
        if content == OLD:
            assert error is not None, f"call {at}: silent about what was not written"
        if faults.count < at:
            break
    else:
        pytest.fail("the faults never ended")
    with capsys.disabled():
        print(
            f"\n{at - 1} calls failed with {errno.errorcode[code]} while writing {count} file(s); none torn"
        )


@pytest.mark.parametrize("count", [1, 3])
def test_an_interruption_at_any_call_leaves_every_file_whole(tmp_path, monkeypatch, count):
    for at in range(1, LIMIT):
        folder = tmp_path / str(at)
        folder.mkdir()
        paths = lay_out(folder, count)
        faults = Faults(at, interrupt)
        with contextlib.suppress(KeyboardInterrupt):
            attempt(folder, paths, faults, monkeypatch)
        state(paths)
        if faults.count < at:
            return
    pytest.fail("the faults never ended")


@pytest.mark.parametrize("count", [1, 3])
def test_a_kill_at_any_call_leaves_every_file_whole_once_the_next_run_has_looked(
    tmp_path, monkeypatch, capsys, count
):
    for at in range(1, LIMIT):
        folder = tmp_path / str(at)
        folder.mkdir()
        paths = lay_out(folder, count)
        if killed_at(at, folder, paths, monkeypatch) == 0:
            break
        for path in paths:
            assert path.read_bytes() in (OLD, NEW), "a torn file"
        recover(str(folder))
        content = state(paths)
        # whoever runs it again gets there, and nothing is left of the kill
        sweep([str(folder)])
        write_together([Write(str(path), content, NEW) for path in paths], str(folder))
        assert state(paths) == NEW
        assert sorted(os.listdir(folder)) == sorted(path.name for path in paths)
    else:
        pytest.fail("the kills never ended")
    with capsys.disabled():
        print(f"\n{at - 1} kills while writing {count} file(s); none torn, all recovered")


def killed_at(at, folder, paths, monkeypatch):
    """The exit code of a process that is killed at its call number ``at``: 0 if it was done before."""
    pid = os.fork()
    if pid == 0:
        try:
            attempt(folder, paths, Faults(at, lambda: os._exit(9)), monkeypatch)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
