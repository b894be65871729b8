"""Files and folders made to trip a tool up: each is named or left alone, none is harmed, the good one is fixed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from forked import forked
from in_process import entered
from voltfix import core

GOOD = b"import torch\nfrom torch.autograd import Variable\nx = Variable(t, volatile=True)\nprint(net(x))\n"
NAME = os.fsdecode(b"\xff\xfe.py")
SITE = "from torch.autograd import Variable\nx = Variable(t, volatile=True)\n"
DEEP_JSON = '{"cells": [' + "[" * 50_000 + "volatile"
CODE_CELL = {"cell_type": "code", "metadata": {}, "outputs": []}

BROKEN: dict[str, bytes] = {
    "null.py": b"volatile = 1\n\0",
    "binary.py": Random(0).randbytes(20_000) + b"volatile",
    "cookie.py": b"# coding: no-such-thing\nvolatile = 1\n",
    "rot13.py": b"# coding: rot13\nvolatile = 1\n",
    "parentheses.py": f"{SITE}y = {'(' * 5000}{')' * 5000}\n".encode(),
    "open.py": f"{SITE}y = {'([{' * 30000}\n".encode(),
    "minus.py": f"{SITE}y = {'-' * 100_000}1\n".encode(),
    "sum.py": f"{SITE}y = {' + '.join(['a'] * 3000)}\n".encode(),
    "indents.py": (SITE + "".join(" " * n + "if a:\n" for n in range(150)) + " " * 150 + "pass\n").encode(),
    "strings.py": f"{SITE}y = {'f' * 1}'{{' * 3000\nz = f'".encode() + b"{f'" * 3000,
    "deep.ipynb": DEEP_JSON.encode(),
    "half.ipynb": json.dumps({"cells": [{**CODE_CELL, "source": ["volatile ("]}]}).encode(),
    "esc.py": b"volatile = '\x1b[31mred\x1b]0;title\x07\n",
    "\x1b]0;pwned\x07.py": b"volatile = (\n",
    "new\nline.py": b"volatile = (\n",
    NAME: b"volatile = (\n",
}
TAKEN: dict[str, bytes] = {
    "utf16.py": SITE.encode("utf-16"),
    "number.ipynb": b'{"cells": 1, "volatile": 1e999}',
    "surrogate.py": b"# volatile \xed\xa0\x80\nx = 1\n",
    "chain.py": f"{SITE}y = a{'.b()' * 300}\n".encode(),
    "lambdas.py": f"{SITE}y = {'lambda: ' * 60}1\n".encode(),
    "calls.py": f"{SITE}y = {'f(a=' * 80}1{')' * 80}\n".encode(),
    "line.py": f"{SITE}y = [{'0, ' * 200_000}]\n".encode(),
    "branches.py": (SITE + "".join(f"if c{n}:\n    x = Variable(t, volatile=c{n})\n" for n in range(40))).encode(),
    "fields.ipynb": json.dumps(
        {"cells": [{**CODE_CELL, "source": 7}, {**CODE_CELL, "source": [["volatile"]]}]}
    ).encode(),
    "outputs.ipynb": json.dumps(
        {"cells": [{**CODE_CELL, "outputs": [{"text": "volatile\n" * 300_000}], "source": "x = 1"}]}
    ).encode(),
    "twice.ipynb": b'{"cells": [], "cells": [{"cell_type": "code", "source": "volatile = 1"}]}',
    "fences.md": b"volatile\n" + b"````" * 50_000 + b"\n" + b"> " * 50_000 + b"\n```python\nx = (\n",
    "literals.rst": b"volatile\n" + b"::\n\n " * 20_000,
}


def run(folder: Path, *arguments: str, limit: float = 120) -> subprocess.CompletedProcess[bytes]:
    """One run; that it ends at all is half of the test."""
    return forked("--no-verify", *arguments, cwd=folder, timeout=limit)


def controls(data: bytes) -> set[int]:
    return {byte for byte in data if byte < 0x20 and byte not in b"\n\t"} | ({0x7F} & set(data))


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("name", [*BROKEN, *TAKEN], ids=ascii)
def test_one_hostile_file_beside_a_good_one(tmp_path: Path, name: str) -> None:
    data = {**BROKEN, **TAKEN}[name]
    write(tmp_path, {name: data, "good.py": GOOD})
    start = time.monotonic()
    done = run(tmp_path, ".")
    assert b"Traceback" not in done.stderr
    assert not controls(done.stdout + done.stderr), "control characters reach the screen"
    assert (tmp_path / "good.py").read_bytes() != GOOD, "the good file went without its migration"
    if name in BROKEN:
        assert done.returncode == 2
        assert (tmp_path / name).read_bytes() == data
        shown = os.fsencode(name) if name.isprintable() and name != NAME else b".py"
        assert shown in done.stdout + done.stderr
    else:
        assert done.returncode in (0, 1), done.stderr
    assert time.monotonic() - start < 100
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {name, "good.py"}


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[bytes]]:
    """All of it in one folder, with links, pipes and configuration that is none, and one run over it."""
    folder = tmp_path_factory.mktemp("everything")
    write(folder, {**BROKEN, "good.py": GOOD})
    (folder / "loop_a.py").symlink_to("loop_b.py")
    (folder / "loop_b.py").symlink_to("loop_a.py")
    (folder / "dangling.py").symlink_to("nowhere")
    (folder / "device.py").symlink_to("/dev/zero")
    (folder / "self").symlink_to(".")
    os.mkfifo(folder / "pipe.py")
    (folder / "folder.py").mkdir()
    (folder / "pyproject.toml").mkdir()
    os.mkfifo(folder / "folder.py" / ".gitignore")
    (folder / ".gitignore").write_bytes(
        b"*a*" * 300 + b"\n[!\n\\\n" + b"[" * 1000 + b"\n\xff\xfe\n**/**/**/x\n/" + b"?" * 5000
    )
    return folder, run(folder, ".")


def test_everything_at_once_is_survived(everything) -> None:
    folder, done = everything
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert not controls(done.stdout + done.stderr)
    assert (folder / "good.py").read_bytes() != GOOD
    for name, data in BROKEN.items():
        assert (folder / name).read_bytes() == data


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_machine_formats_stay_readable(everything, form: str) -> None:
    folder, _ = everything
    done = run(folder, "--check", "--output-format", form, ".")
    assert done.returncode == 2
    text = done.stdout.decode("utf-8")
    assert not controls(done.stdout)
    json.loads(text)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "pipe.py", "loop.py", "no\0such", ""], ids=ascii)
def test_what_is_no_file_is_named_and_not_read(tmp_path: Path, path: str) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    if "\0" in path:
        from voltfix.discovery.walk import walk

        assert walk([path]).problems
        return
    done = run(tmp_path, path, limit=30)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_file_of_100_mb_is_refused_at_once_and_by_name(tmp_path: Path) -> None:
    big = tmp_path / "big.py"
    with big.open("wb") as file:
        file.write(SITE.encode())
        for _ in range(100):
            file.write(b"x = 1 #\n" * (1 << 17))
    write(tmp_path, {"good.py": GOOD})
    start = time.monotonic()
    done = run(tmp_path, ".")
    assert done.returncode == 2
    assert b"big.py" in done.stdout + done.stderr
    assert (tmp_path / "good.py").read_bytes() != GOOD
    assert big.stat().st_size > 100 << 20
    assert time.monotonic() - start < 60


def test_many_tiny_files(tmp_path: Path) -> None:
    for folder in range(50):
        (tmp_path / str(folder)).mkdir()
        for number in range(200):
            (tmp_path / str(folder) / f"{number}.py").write_bytes(b"x = 1\n")
    write(tmp_path, {"good.py": GOOD})
    start = time.monotonic()
    done = run(tmp_path, "--output-format", "json", ".")
    assert json.loads(done.stdout)["summary"]["files_scanned"] == 10_001
    assert (tmp_path / "good.py").read_bytes() != GOOD
    assert time.monotonic() - start < 60


def test_nothing_of_the_repository_is_executed(tmp_path: Path) -> None:
    bomb = b"open('/tmp/voltfix-was-here-%d', 'w')\n" % os.getpid()
    for name in ("conftest.py", "setup.py", "sitecustomize.py", "torch.py", "libcst.py", "rich.py", "click.py"):
        (tmp_path / name).write_bytes(bomb + b"volatile = 1\n")
    write(tmp_path, {"good.py": bomb + GOOD})
    done = subprocess.run(
        [Path(sys.executable).parent / "voltfix", "--no-verify", "."], cwd=tmp_path, capture_output=True
    )
    assert b"Traceback" not in done.stderr
    assert b"good.py" in done.stdout
    assert not Path(f"/tmp/voltfix-was-here-{os.getpid()}").exists()


def test_a_link_is_followed_to_its_file_only_when_it_is_named(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    write(outside, {"good.py": GOOD})
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.py").symlink_to(outside / "good.py")
    run(inside, ".")
    assert (outside / "good.py").read_bytes() == GOOD
    run(inside, "link.py")
    assert (outside / "good.py").read_bytes() != GOOD
    assert (inside / "link.py").is_symlink()


def named(folder: Path) -> dict[str, bytes]:
    """Files whose names and whose source hold an escape sequence, a bell, a newline."""
    source = GOOD.replace(b"True)", b"True)  # \x1b]0;t\x07") + b"y = Variable(t, volatile=f('\x1b[31m'))\nnet(y)\n"
    files = {"a\x1b]0;pwned\x07.py": source, "new\nline.py": source, "b\x1b\x07\r.py": b"volatile = (\n"}
    write(folder, files)
    (folder / "d\x1b[1m").mkdir()
    write(folder / "d\x1b[1m", files)
    return files


@pytest.mark.parametrize(
    "arguments",
    [
        ["--check", "."],
        ["--check", "--output-format", "github", "."],
        ["--check", "--modernize", "-v", "--statistics", "."],
        ["--diff", "new\nline.py"],
        ["--list-sites", "."],
        ["--todo", "."],
        ["doctor", "."],
        ["doctor", "--output-format", "json", "."],
        ["explain", "a\x1b]0;pwned\x07.py:3"],
        ["explain", "a\x1b]0;pwned\x07.py:77"],
        ["explain", "no\x1b.py:3"],
        ["verify", "a\x1b]0;pwned\x07.py", "new\nline.py"],
        ["no\x1b[31m.py"],
        ["--config", "no\x1b.toml", "."],
        ["--baseline", "no\x1b.json", "."],
        ["--report", "no\x1b/a.html", "."],
        ["rule", "\x1b"],
        ["batch", "\x1b"],
        ["--stdin-filename", "a\x1b.py", "-"],
    ],
    ids=ascii,
)
def test_no_control_character_reaches_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """In a process of its own, too, where that is not one more that loads torch."""
    monkeypatch.setenv("COLUMNS", "80")
    named(tmp_path)
    done = entered(tmp_path, monkeypatch, *arguments, stdin=b"volatile = (\n")
    if arguments in (["--check", "."], ["--list-sites", "."]):
        own = subprocess.run(
            [sys.executable, "-m", "voltfix", *arguments], cwd=tmp_path, capture_output=True, timeout=120
        )
        assert (own.returncode, own.stdout, own.stderr) == (done.returncode, done.stdout, done.stderr)
    said = done.stdout + done.stderr
    assert said
    assert b"Traceback" not in said
    if arguments[0] == "--diff":  # for git: what lies in the file is in the patch, byte for byte
        said = said.replace(b"\x1b]0;t\x07", b"", said.count(b"\x1b]0;t\x07")).replace(b"\x1b[31m", b"")
    assert controls(said) == set()


def test_a_line_of_600_kb_takes_seconds(tmp_path: Path) -> None:
    write(tmp_path, {"line.py": TAKEN["line.py"]})
    before = os.times().children_user
    run(tmp_path, "--check", ".")
    assert os.times().children_user - before < 10


@pytest.mark.parametrize(
    "between", [".", " . ", ".\\\n", ".\f", ".\\\r\n"], ids=["dots", "spaces", "lines", "form feeds", "windows"]
)
@pytest.mark.parametrize("line", ["import {}", "import b, {}", "from {} import b", "from ...{} import b"])
def test_a_name_that_would_fill_the_memory_of_the_parser_is_an_error(line: str, between: str) -> None:
    """The parser keeps every beginning of it: of 60,000 words 3.8 GB."""
    text = line.format(between.join(["a"] * 20_000)) + "\nx = Variable(t, volatile=True)\n"
    (error,) = core.migrate({"a.py": text.encode()}).errors
    assert (error.kind, "more than 200 words" in error.message) == ("syntax", True)


def test_long_lines_and_names_that_are_no_such_thing_are_read() -> None:
    lines = [f"import {'.'.join(['a'] * 150)}", f"x = '{'a, b. ' * 200}'", f"y = {'b' * 5000}", f"z = [{'1., ' * 500}]"]
    text = "\n".join([SITE, *lines, "print(net(x))", ""])
    assert core.migrate({"a.py": text.encode()}).errors == ()
