"""The progress bar, and colours: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time

import pytest

from voltfix.cli import progress as module

SOURCE = "from torch.autograd import Variable\nx = Variable(a, volatile=True)\n"


def on_a_terminal(arguments: list[str], folder, **environment: str) -> bytes:
    """What a program writes to a terminal of its own."""
    here, there = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **environment}
    process = subprocess.Popen(arguments, cwd=folder, env=variables, stdin=there, stdout=there, stderr=there)
    os.close(there)
    seen = b""
    while True:
        try:
            part = os.read(here, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.wait()
    os.close(here)
    return seen


SLOW = """
import time
from voltfix.cli import progress
progress.DELAY = 0.1
with progress.progress(3, progress.wanted(quiet={quiet})) as advance:
    for name in ("a.py", "[b]\\x1b.py", "c.py"):
        time.sleep(0.15)
        advance(name)
print("done")
"""


def test_it_shows_what_is_done_and_is_gone_afterwards(tmp_path):
    seen = on_a_terminal([sys.executable, "-c", SLOW.format(quiet=False)], tmp_path)
    assert b"2/3" in seen or b"1/3" in seen
    assert b"a.py" in seen
    assert seen.rstrip().endswith(b"done")
    assert b"\x1b[2K" in seen  # the line was wiped


@pytest.mark.parametrize("setting", [{"TERM": "dumb"}, {}], ids=["dumb", "quiet"])
def test_it_is_not_there_where_nobody_wants_it(tmp_path, setting):
    code = SLOW.format(quiet=not setting)
    assert on_a_terminal([sys.executable, "-c", code], tmp_path, **setting).strip() == b"done"


def test_it_is_not_there_in_a_pipe(tmp_path):
    code = SLOW.format(quiet=False)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert (done.stdout, done.stderr) == (b"done\n", b"")


def test_short_work_shows_nothing(monkeypatch, capsys):
    monkeypatch.setattr(module, "DELAY", 5)
    with module.progress(1, shown=True) as advance:
        advance("a.py")
    assert capsys.readouterr() == ("", "")


def test_an_interruption_takes_it_away(monkeypatch, capsys):
    monkeypatch.setattr(module, "DELAY", 0.01)

    def interrupted():
        with module.progress(1, shown=True):
            time.sleep(0.1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "done" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("environment", "coloured"), [({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_on_a_terminal_heed_no_color(tmp_path, environment, coloured):
    (tmp_path / "a.py").write_text(SOURCE)
    command = [sys.executable, "-m", "voltfix", "--check", "--no-verify", "a.py"]
    seen = on_a_terminal(command, tmp_path, **environment)
    assert bool(re.search(rb"\x1b\[[\d;]*3\dm", seen)) is coloured


def test_no_colours_in_a_pipe(voltfix, tree):
    tree({"a.py": SOURCE})
    done = voltfix("--check", "--no-verify", "a.py")
    assert b"\x1b" not in done.stdout + done.stderr
