"""``voltfix.compare``: what ``voltfix verify`` says, for scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

import voltfix

BEFORE = """\
import torch
from torch.autograd import Variable

net = torch.nn.Linear(2, 2)


def scores(data):
    return net(Variable(data, volatile=True))
"""
DRIVE = """\
import torch
from legacy_scores import scores


def drive():
    return scores(torch.ones(1, 2))
"""


@pytest.fixture
def lay_out(tmp_path: Path):
    (tmp_path / "drive.py").write_text(DRIVE)

    def write(folder: str, text: str) -> Path:
        path = tmp_path / folder / "legacy_scores.py"
        path.parent.mkdir()
        path.write_text(text)
        return path.parent

    return write


def test_folders_are_run_by_a_drive(lay_out, tmp_path):
    before, after = lay_out("before", BEFORE), lay_out("after", voltfix.rewrite(BEFORE))
    verdict = voltfix.compare(before, after, drive=tmp_path / "drive.py", device="cpu")
    assert (verdict.tier, verdict.cpu, verdict.cuda) == ("concrete", "identical", "not-run")


def test_a_graph_that_was_kept_is_a_difference(lay_out, tmp_path):
    before, after = lay_out("before", BEFORE), lay_out("after", BEFORE.replace(", volatile=True", ""))
    verdict = voltfix.compare(before, after, drive=tmp_path / "drive.py", device="cpu")
    assert verdict.cpu == "different"
    assert verdict.detail
    today = voltfix.compare(before, after, drive=tmp_path / "drive.py", device="cpu", semantics="today")
    assert today.cpu == "identical"


def test_without_a_drive_the_functions_that_differ_run_on_stand_ins():
    bare = BEFORE.replace(", volatile=True", "")
    right = bare.replace("    return net", "    with torch.no_grad():\n        return net")
    assert voltfix.compare(BEFORE, right, device="cpu").cpu == "identical"
    assert voltfix.compare(BEFORE, bare, device="cpu").cpu == "different"
