"""A run that changes nothing says the same as the run before it: statuses, reasons, places and exit code."""

from __future__ import annotations

import json

import pytest

from in_process import running_in
from voltfix import core
from voltfix.model import Verification

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
FIXED = "def evaluate(net, x):\n    return net(Variable(x, volatile=True)).data\n"
SKIPPED = "def skipped(x):\n    return Variable(x, volatile=True)  # voltfix: skip\n"
REFUSED = {
    "callers": "def lost(x):\n    return Variable(x, volatile=True)\n",
    "dictionary": "def f(net, x, o):\n    return net(Variable(x, **o)).data\n",
    "mixed": "def f(a, b, x, y):\n    return torch.cat([a(Variable(x, volatile=True)), b(Variable(y))])\n",
    "trains": "def f(net, x):\n    loss = net(Variable(x, volatile=True)).sum()\n    loss.backward()\n",
    "read": "def f(x):\n    return x.volatile\n",
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    here = running_in(tmp_path, monkeypatch)

    def go(*options: str):
        done = here("--output-format", "json", *options, "a.py")
        report = json.loads(done.stdout)
        rows = [(row["line"], row["code"], row["status"], row["reason"]) for row in report["sites"]]
        return done.returncode, report["summary"]["files_changed"], rows

    return go


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("verify", ["--no-verify", "--verify"])
def test_what_is_left_by_one_run_is_said_in_the_same_way_by_the_next(tree, run, name, verify):
    if verify == "--verify":
        pytest.importorskip("torch")
    tree({"a.py": HEAD + FIXED + "\n\n" + REFUSED[name]})
    run(verify)
    second, third = run(verify), run(verify)
    assert second == third
    assert second[1] == 0
    checked = run(verify, "--check")
    assert checked == third
    assert "verification-failed" not in {reason for *_, reason in third[2]}


def test_a_check_that_fails_blames_what_was_edited_and_nothing_else():
    def different(items):
        return [Verification("symbolic", cpu="different", detail="the results differ") for _ in items]

    source = HEAD + FIXED + "\n\n" + SKIPPED + "\n\n" + REFUSED["dictionary"]
    rows = core.migrate({"a.py": source.encode()}, verifier=different).sites
    assert [(row.status, row.reason) for row in rows] == [
        ("refused", "verification-failed"), ("suppressed", None), ("refused", "kwargs-dictionary"),
    ]  # fmt: skip
