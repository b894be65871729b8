"""The command in a process of its own that begins with all loaded: a fork of this one, as far as the command can tell
started anew. What a start itself does (the path, the environment, what is imported) is for a start to test."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from voltfix import core
from voltfix.cli.main import entry, main
from voltfix.verify import client

SMALL = b"from torch.autograd import Variable\nx = Variable(t, volatile=True)\nprint(net(x))\n"


def forked(
    *arguments: str,
    cwd: Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[bytes]:
    """``voltfix ARGUMENTS`` in ``cwd``."""
    _loaded()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        given.write(stdin)
        given.seek(0)
        child = os.fork()
        if not child:
            status = 1
            try:
                gc.freeze()  # to look through it would copy it
                _begin(cwd, env, [given.fileno(), out.fileno(), error.fileno()])
                status = _entered(arguments)
            finally:
                os._exit(status)
        status = _waited(child, timeout, arguments)
        out.seek(0)
        error.seek(0)
        return subprocess.CompletedProcess(arguments, status, out.read(), error.read())


class Started:
    """As much of ``subprocess.Popen`` as somebody needs who speaks with the command."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        _loaded()
        theirs, to_it = os.pipe()
        from_it, ours = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            status = 1
            try:
                gc.freeze()
                os.close(to_it)
                os.close(from_it)
                _begin(cwd, None, [theirs, ours, 2])
                status = _entered(arguments)
            finally:
                os._exit(status)
        os.close(theirs)
        os.close(ours)
        self.stdin, self.stdout = os.fdopen(to_it, "wb"), os.fdopen(from_it, "rb")
        self.code: int | None = None

    def poll(self) -> int | None:
        """The exit code, once there is one."""
        if self.code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if done else None
        return self.code

    def wait(self, timeout: float) -> int:
        """The exit code."""
        if self.code is None:
            self.code = _waited(self.pid, timeout, ())
        return self.code

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait(10)


@cache
def _loaded() -> None:
    """Once, have this process load what a run loads."""
    for mode in ("--check", "--diff"):
        CliRunner().invoke(main, ["--no-verify", mode, "-"], input=SMALL)


def _begin(cwd: Path, env: Mapping[str, str] | None, streams: list[int]) -> None:
    """Be a process that has just been started there."""
    atexit._clear()
    gc.callbacks.clear()  # those of libraries for tests would swallow an interrupt that comes in one
    core.forget()
    client.shared().process = None  # the runner is the parent's
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")  # type: ignore[misc]
    os.chdir(cwd)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)


def _entered(arguments: tuple[str, ...]) -> int:
    """The exit code of the command."""
    sys.argv = ["voltfix", *arguments]
    status: object = 0
    try:
        entry()
    except SystemExit as ending:
        status = ending.code
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit.register(client.shared().close)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    return status if isinstance(status, int) else int(status is not None)


def _waited(child: int, timeout: float, arguments: tuple[str, ...]) -> int:
    """How it ended, as ``subprocess`` says it."""
    until, pause = time.monotonic() + timeout, 0.002
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(pause * 1.3, 0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise subprocess.TimeoutExpired(arguments, timeout)
