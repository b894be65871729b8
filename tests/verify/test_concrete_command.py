"""``voltfix verify``: a user's own command traced in two folders, and the command line around it all."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from voltfix.cli.verify import command

if find_spec("torch") is None or not hasattr(os, "fork"):
    pytest.skip("the concrete tier runs code under torch", allow_module_level=True)

TRAIN = """\
import sys
import torch
from torch import nn
from torch.autograd import Variable

net = nn.Linear(3, 2)


def evaluate(x):
    x = x.cuda({word}=True) if False else x
    {head}
        out = net(Variable(x{flag}))
    return out


total = evaluate(torch.ones(2, 3)).sum()
net(Variable(torch.ones(2, 3))).sum().backward()
sys.exit({code})
"""
BLOCK = "with torch.no_grad():"
OLD = TRAIN.format(word="async", head="if True:", flag=", volatile=True", code=3)


def verify(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    (tmp_path / "before" / "train.py").write_text(OLD)
    return tmp_path / "before", tmp_path / "after"


def test_a_command_that_does_the_same_is_identical(folders: tuple[Path, Path]) -> None:
    (folders[1] / "train.py").write_text(TRAIN.format(word="non_blocking", head=BLOCK, flag="", code=3))
    done = verify(*folders, "--", sys.executable, "train.py")
    assert (done.exit_code, done.output) == (0, "cpu: identical\n")


def test_a_command_that_keeps_a_graph_and_exits_otherwise_is_different(folders: tuple[Path, Path]) -> None:
    (folders[1] / "train.py").write_text(TRAIN.format(word="non_blocking", head="if True:", flag="", code=0))
    done = verify(*folders, "--output-format", "json", "--", sys.executable, "train.py")
    assert done.exit_code == 1
    assert json.loads(done.output)["verdicts"][0]["differences"] == [
        "exit code 3 before, 0 after",
        "train.py line 12 `out`: requires_grad False before, True after",
    ]


def test_a_command_without_torch_could_not_be_run(folders: tuple[Path, Path]) -> None:
    done = verify(*folders, "--", sys.executable, "-c", "pass")
    assert done.exit_code == 2
    assert "imported no torch" in done.output


def test_a_command_that_is_not_there_could_not_be_run(folders: tuple[Path, Path]) -> None:
    done = verify(*folders, "--", "no-such-command")
    assert (done.exit_code, "no-such-command" in done.output) == (2, True)


def test_a_drive_is_run_against_two_files(tmp_path: Path) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef run(x):\n"
    (tmp_path / "old.py").write_text(head + "    return Variable(x, volatile=True) * 2\n")
    (tmp_path / "new.py").write_text(head + "    return x * 3\n")
    (tmp_path / "drive.py").write_text(
        "import torch\ndef drive():\n    import old\n    return old.run(torch.ones(1))\n"
    )
    words = (tmp_path / "old.py", tmp_path / "new.py", "--drive", tmp_path / "drive.py", "--device", "cpu")
    done = verify(*words)
    assert (done.exit_code, done.output) == (
        1,
        "cpu: different\n  the result: values differ, [2] before, [3] after\n",
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("before", "after", "--drive", "before/train.py", "--", "ls"), "exclude each other"),
        (("before", "before/train.py"), "two files or two folders"),
        (("before/train.py", "before/train.py", "--", "ls"), "two folders"),
        (("before", "nowhere"), "does not exist"),
    ],
)
def test_refuses_words_that_make_no_sense(
    words: tuple[str, ...],
    complaint: str,
    folders: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folders[0].parent)
    done = verify(*words)
    assert done.exit_code == 2
    assert complaint in done.output
