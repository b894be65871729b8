"""``voltfix verify BEFORE AFTER`` without a drive: the functions that differ, on stand-ins."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import voltfix
from voltfix.cli.verify import command
from voltfix.model import Verification
from voltfix.verify import client, pairs
from voltfix.verify.pairs import changed_functions, compare

OLD = """\
import torch
from torch.autograd import Variable

def same(x):
    return x

def evaluate(net, x):
    return net(Variable(x, volatile=True))
"""
RIGHT = OLD.replace(
    "    return net(Variable(x, volatile=True))\n",
    "    with torch.no_grad():\n        return net(Variable(x))\n",
)
WRONG = OLD.replace(", volatile=True", "")


def names(before: str, after: str) -> list[str]:
    return [name for _, name in changed_functions({"a.py": before}, {"a.py": after})]


def test_only_functions_that_differ_are_run() -> None:
    assert names(OLD, RIGHT) == ["evaluate"]


def test_methods_have_qualified_names_and_the_body_of_the_module_none() -> None:
    text = "class A:\n    def f(self):\n        return {}\nx = {}\n"
    assert sorted(names(text.format(1, 2), text.format(3, 4))) == ["", "A.f"]


@pytest.mark.parametrize(
    "after",
    [
        OLD.replace("    return x\n", "    return (x)  # the same\n"),
        OLD + "\ndef new():\n    pass\n",
        OLD.replace("import torch\n", "import torch\nimport os\n"),
    ],
    ids=["layout", "a new function", "an import"],
)
def test_leaves_alone_what_changes_no_function(after: str) -> None:
    assert names(OLD, after) == []


@pytest.mark.skipif(find_spec("torch") is None, reason="runs code under torch")
@pytest.mark.parametrize(
    ("after", "code", "said"), [(RIGHT, 0, "cpu: identical"), (WRONG, 1, "cpu: different")]
)
def test_two_files_are_told_apart(after: str, code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(after)
    words = [str(tmp_path / "old.py"), str(tmp_path / "new.py"), "--device", "cpu"]
    done = CliRunner().invoke(command, words)
    assert (done.exit_code, done.output.splitlines()[0]) == (code, said)


def laid_out(folder: Path, after: str) -> list[str]:
    """Two files as words of a command."""
    (folder / "old.py").write_text(OLD)
    (folder / "new.py").write_text(after)
    return [str(folder / "old.py"), str(folder / "new.py")]


@pytest.mark.parametrize("device", ["auto", "cpu", "cuda", "cpu,cuda"])
@pytest.mark.parametrize("cuda", ["run", "torch sees no CUDA device"])
def test_files_that_differ_in_layout_alone_are_identical_on_the_devices_that_are_there(
    cuda: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "devices", lambda _: {"cpu": "run", "cuda": cuda})
    words = [*laid_out(tmp_path, OLD + "# nothing\n"), "--device", device]
    done = CliRunner().invoke(command, words)
    there = device != "cpu" and cuda == "run"
    cause = "" if there or device == "cpu" else f": {cuda}"
    assert done.output.splitlines() == [
        "cpu: not-run" if device == "cuda" else "cpu: identical",
        "cuda: identical" if there else f"cuda: not-run{cause}",
    ]
    assert done.exit_code == (2 if device == "cuda" and not there else 0)


@pytest.mark.skipif(find_spec("torch") is None, reason="asks torch")
def test_equal_files_are_said_to_be_identical_on_cuda_only_where_there_is_one(tmp_path: Path) -> None:
    import torch

    done = CliRunner().invoke(command, laid_out(tmp_path, OLD))
    assert done.output == "cpu: identical\n"  # nobody asked for another device
    done = CliRunner().invoke(command, [*laid_out(tmp_path, OLD), "--device", "cpu,cuda"])
    there = torch.cuda.is_available()
    assert done.output.startswith("cpu: identical\ncuda: " + ("identical" if there else "not-run: "))


def test_without_torch_equal_files_are_identical_on_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "available", lambda: False)
    done = CliRunner().invoke(command, [*laid_out(tmp_path, OLD), "--device", "cpu,cuda"])
    assert (done.exit_code, done.output) == (0, "cpu: identical\ncuda: not-run: torch is not installed\n")


def test_a_runner_that_cannot_be_started_is_the_cause_on_cuda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "available", lambda: True)
    monkeypatch.setattr(client, "_CLIENT", client.Client("/no/such/python"))
    done = CliRunner().invoke(command, [*laid_out(tmp_path, OLD), "--device", "cpu,cuda"])
    assert done.output.startswith("cpu: identical\ncuda: not-run: the runner could not be started: ")


def test_the_seconds_that_are_given_hold_for_runs_on_stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def verify(items: list[object], *, device: str, timeout: float) -> list[Verification]:
        given.append(timeout)
        return [Verification("symbolic", "identical")]

    monkeypatch.setattr(pairs, "verify", verify)
    CliRunner().invoke(command, [*laid_out(tmp_path, RIGHT), "--timeout", "7"])
    voltfix.compare(tmp_path / "old.py", tmp_path / "new.py", seconds=8)
    assert given == [7, 8]


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("a.py: f: line 3: no gradient before (given what is missing here)", "verify BEFORE AFTER --drive FILE"),
        ("a.py: f: the code stops at line 3", "7 ways could be run, and no difference was shown"),
    ],
)
def test_a_difference_under_a_guess_is_not_said_to_be_none(
    detail: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "verify", lambda items, **_: [Verification("symbolic", detail=detail, runs=7)])
    done = CliRunner().invoke(command, laid_out(tmp_path, RIGHT))
    assert done.exit_code == 2
    assert said in done.output
    assert ("no difference was shown" in done.output) != ("given what is missing" in detail)


def test_a_function_that_is_only_on_one_side_could_not_be_run(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(OLD + "def new():\n    pass\n")
    done = CliRunner().invoke(command, [str(tmp_path / "old.py"), str(tmp_path / "new.py")])
    assert done.exit_code == 2


def test_code_that_does_not_parse_has_no_functions() -> None:
    assert names("def (\n", OLD) == names(OLD, "def (\n") == []


def compared(tmp_path: Path, before: str, after: str) -> Verification:
    (tmp_path / "old.py").write_text(before)
    (tmp_path / "new.py").write_text(after)
    return compare(tmp_path / "old.py", tmp_path / "new.py", device="cpu")


def test_files_that_do_not_parse_are_identical_only_when_they_are_the_same(tmp_path: Path) -> None:
    assert compared(tmp_path, "def (\n", "def (\n").cpu == "identical"
    found = compared(tmp_path, "def (\n", "def )\n")
    assert (found.cpu, found.detail) == ("not-run", "no function is in both and differs")


@pytest.mark.skipif(find_spec("torch") is None, reason="runs code under torch")
@pytest.mark.parametrize(("after", "verdict"), [(RIGHT, "identical"), (WRONG, "different")])
def test_a_file_with_sessions_in_its_docstrings_is_run(after: str, verdict: str, tmp_path: Path) -> None:
    sessions = '"""Scores.\n\n>>> x = Variable(y, volatile=True)\n"""\n'
    assert compared(tmp_path, sessions + OLD, sessions + after).cpu == verdict


@pytest.mark.skipif(find_spec("torch") is None, reason="runs code under torch")
def test_a_file_of_a_folder_that_does_not_parse_any_more_is_a_difference(tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "b.py").write_text(OLD if folder == "before" else RIGHT)
        (tmp_path / folder / "a.py").write_text("x = 1\n" if folder == "before" else "x = (\n")
    found = compare(tmp_path / "before", tmp_path / "after", device="cpu")
    assert found.cpu == "different"
    assert (found.detail or "").startswith("a.py: does not parse after")


@pytest.mark.skipif(find_spec("torch") is None, reason="runs code under torch")
def test_what_differs_in_a_notebook_is_named_by_its_cell(tmp_path):
    def notebook(name: str, body: str):
        sources = ["import torch\nfrom torch.autograd import Variable\n", f"def f(net, x):\n{body}"]
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
        path = tmp_path / name
        path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 0}))
        return path

    first = notebook("before.ipynb", "    y = net(Variable(x))\n    return y\n")
    second = notebook("after.ipynb", "    y = net(Variable(x))\n    return y * (1 / 0)\n")
    verdict = compare(first, second, device="cpu")
    assert verdict.cpu == "different"
    assert "(cell 2, line 3)" in (verdict.detail or "")


@pytest.mark.skipif(find_spec("torch") is None, reason="runs code under torch")
def test_it_says_on_how_many_ways_and_nothing_of_a_device_that_nobody_asked_for(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(RIGHT)
    said = CliRunner().invoke(command, [str(tmp_path / "old.py"), str(tmp_path / "new.py")]).output
    assert re.fullmatch(r"cpu: identical\n  compared on (one way|\d+ ways) through the functions that differ\n", said)
