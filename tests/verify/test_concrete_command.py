"""``voltfix verify``: a user's own command traced in two folders, and the command line around it all."""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from voltfix.cli.verify import command
from voltfix.verify import command as commands
from voltfix.verify.command import Traces, _load, compare_command

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


_RUNS: dict[tuple[str, ...], tuple[Traces, int | str]] = {}


@pytest.fixture
def each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is compared with several others is run once: each run loads torch."""
    run = commands._run

    def once(folder: Path, words: Sequence[str], semantics: str, seconds: float) -> tuple[Traces, int | str]:
        key = ((folder / "train.py").read_text(), semantics, *words)
        if key not in _RUNS:
            _RUNS[key] = run(folder, words, semantics, seconds)
        return copy.deepcopy(_RUNS[key])

    monkeypatch.setattr(commands, "_run", once)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    (tmp_path / "before" / "train.py").write_text(OLD)
    return tmp_path / "before", tmp_path / "after"


@pytest.mark.usefixtures("each_once")
def test_a_command_that_does_the_same_is_identical(folders: tuple[Path, Path]) -> None:
    (folders[1] / "train.py").write_text(TRAIN.format(word="non_blocking", head=BLOCK, flag="", code=3))
    done = verify(*folders, "--", sys.executable, "train.py")
    assert (done.exit_code, done.output) == (0, "cpu: identical\n")


@pytest.mark.usefixtures("each_once")
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


RAISES = """\
import torch
from torch.autograd import Variable
out = torch.nn.Linear(3, 2)(Variable(torch.ones(2, 3){flag}))
{line}
"""
HEAD = "out = out.cuda({word}=True) if False else out\n"  # only the shims for legacy source can parse async=


@pytest.mark.usefixtures("each_once")
@pytest.mark.parametrize("word", ["non_blocking", "async"], ids=["parses", "needs the shims"])
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("raise ValueError('a')", "raise ValueError('a')", None),
        ("raise ValueError('a')", "raise KeyError('b')", "ValueError (a) is raised before, KeyError ('b') after"),
        ("raise SystemExit('no')", "raise SystemExit", "exit code 1 before, 0 after"),
        ("raise SystemExit(4)", "raise SystemExit(5)", "exit code 4 before, 5 after"),
    ],
)
def test_how_a_command_ends_is_compared(
    old: str, new: str, says: str | None, word: str, folders: tuple[Path, Path]
) -> None:
    (folders[0] / "train.py").write_text(RAISES.format(flag="", line=HEAD.format(word=word) + old))
    (folders[1] / "train.py").write_text(RAISES.format(flag="", line=HEAD.format(word="non_blocking") + new))
    done = verify(*folders, "--output-format", "json", "--", sys.executable, "train.py")
    found = json.loads(done.output)["verdicts"][0]
    assert done.exit_code == (0 if says is None else 1), found
    if says is not None:
        assert any(sentence.endswith(says) for sentence in found["differences"]), found


def test_processes_that_a_command_forks_have_no_trace_of_their_own(folders: tuple[Path, Path]) -> None:
    text = RAISES.format(flag="", line="import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)")
    for folder in folders:
        (folder / "train").write_text(text)  # no script that we would run ourselves
    done = verify(*folders, "--", sys.executable, "train")
    assert (done.exit_code, done.output) == (0, "cpu: identical\n")


@pytest.mark.usefixtures("each_once")
def test_a_process_that_is_there_no_more_is_a_difference(folders: tuple[Path, Path]) -> None:
    (folders[1] / "train.py").write_text("raise SystemExit(3)\n")
    done = verify(*folders, "--", sys.executable, "train.py")
    assert done.exit_code == 1
    assert "1 process with torch before, 0 after" in done.output


def test_a_command_that_computes_nothing_could_not_be_run(folders: tuple[Path, Path]) -> None:
    done = verify(*folders, "--", sys.executable, "-c", "import torch")
    assert done.exit_code == 2
    assert "nothing to compare" in done.output


def test_a_command_that_takes_too_long_is_ended(folders: tuple[Path, Path]) -> None:
    verdict = compare_command(*folders, [sys.executable, "-c", "import time; time.sleep(60)"], seconds=0.5)
    assert (verdict.status, verdict.detail) == ("not-run", "before: took longer than 0.5 seconds")


def test_a_trace_that_was_not_written_to_its_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text('{"calls": [')
    assert _load(tmp_path / "1.json") == {"crash": "a process was stopped before it could write its trace"}


# --- the hook that Python loads at its start ------------------------------------------------------------------


@pytest.mark.parametrize("traced", [True, False])
def test_the_hook_traces_where_it_is_told_and_hides_no_other_hook(
    traced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from voltfix.verify.hook import process

    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.chained.append('other')\n")
    found: list[str] = []
    monkeypatch.setattr(sys, "chained", found, raising=False)
    monkeypatch.setattr(sys, "path", [str(Path(process.__file__).parent), str(tmp_path), *sys.path])
    monkeypatch.setattr(process, "start", lambda: found.append("traced"))
    monkeypatch.delenv("VOLTFIX_TRACE", raising=False)
    if traced:
        monkeypatch.setenv("VOLTFIX_TRACE", str(tmp_path))
    name = "voltfix.verify.hook.sitecustomize"
    spec = spec_from_file_location(name, Path(process.__file__).with_name("sitecustomize.py"))
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(module_from_spec(spec))
    assert found == (["traced", "other"] if traced else ["other"])


def test_a_process_without_torch_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from voltfix.verify.hook import process

    finder = process._WaitForTorch()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    assert finder.find_spec("json") is None
    assert finder in sys.meta_path
    monkeypatch.setattr(process.importlib.util, "find_spec", lambda _: None)
    assert finder.find_spec("torch") is None
    assert finder not in sys.meta_path
