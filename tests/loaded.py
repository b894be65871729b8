"""Scripts that need torch, each in a process of its own that has it: a fork of one that loads it once for all tests.

What each would load alone takes longer than much of what they do.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


def ran(script: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """``python SCRIPT ARGUMENTS``."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as error:
        asked = {"words": [str(script), *arguments], "cwd": os.getcwd(), "streams": [out.name, error.name]}
        server.stdin.write(json.dumps(asked).encode() + b"\n")
        server.stdin.flush()
        code = json.loads(server.stdout.readline())
        return subprocess.CompletedProcess(asked["words"], code, out.read(), error.read())


@cache
def _server() -> subprocess.Popen[bytes]:
    """The process that has loaded torch; it ends with this one, whose pipe it reads."""
    started = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    atexit.register(started.communicate)
    return started


def serve() -> None:
    """Load torch, and run each script that is asked for in a fork."""
    del sys.path[0]  # the folder of this file: a script has its own
    sys.path.insert(0, str(HERE / "verify"))
    from loading import prepare

    prepare()
    del sys.path[0]
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            code = 1
            try:
                code = _run(**asked)
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(words: list[str], cwd: str, streams: list[str]) -> int:
    """The exit code of a script."""
    signal.alarm(1800)  # by which it has ended, one way or the other
    os.chdir(cwd)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    for number, name in enumerate(streams, 1):
        with open(name, "wb") as stream:
            os.dup2(stream.fileno(), number)
    sys.argv = list(words)
    sys.path.insert(0, str(Path(words[0]).parent))
    code: object = 0
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as ending:
        code = ending.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    serve()
