"""``--time-limit``: what is not reached is refused, and the rest is written."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from voltfix import core
from voltfix.deadline import TimeUp
from voltfix.model import Options

ONE = "from torch.autograd import Variable\ndef f(net, x):\n    return net(Variable(x, volatile=True)).data\n"


def report(done) -> dict:
    return json.loads(done.stdout)


def test_a_run_without_any_time_refuses_every_site_and_writes_nothing(voltfix, tree):
    root = tree({"a.py": ONE, "sub/b.py": ONE, "plain.py": "x = 1\n"})
    done = voltfix("--no-verify", "--time-limit", "0", "--output-format", "json", str(root))
    assert done.returncode == 1
    assert [(row["status"], row["reason"]) for row in report(done)["sites"]] == [("refused", "not-reached")] * 2
    assert (root / "a.py").read_text() == ONE


def test_a_run_with_time_enough_is_as_without_a_limit(voltfix, tree):
    root = tree({"a.py": ONE})
    done = voltfix("--no-verify", "--time-limit", "600", "--output-format", "json", str(root))
    assert [row["status"] for row in report(done)["sites"]] == ["fixed"]


def test_what_was_done_before_the_time_was_up_is_written(tree, monkeypatch):
    """Two projects; the clock runs out in the second."""
    from click.testing import CliRunner

    from voltfix.cli.main import main

    root = tree({"one/.git/config": "", "one/a.py": ONE, "two/.git/config": "", "two/a.py": ONE})
    jobs = []

    def check(until):
        assert until is not None
        if len(jobs) > 1:
            raise TimeUp

    settle = core.settle
    monkeypatch.setattr("voltfix.deadline.check", check)
    monkeypatch.setattr(core, "settle", lambda *given, **named: (jobs.append(1), settle(*given, **named))[1])
    done = CliRunner().invoke(main, ["--no-verify", "-j", "1", "--time-limit", "5", str(root)], standalone_mode=False)
    assert done.return_value == 1
    assert "no_grad" in Path(root, "one/a.py").read_text()
    assert Path(root, "two/a.py").read_text() == ONE


def test_a_limit_below_zero_or_that_is_no_number_is_an_error(voltfix, tree):
    root = tree({"a.py": ONE})
    assert voltfix("--time-limit", "-1", str(root)).returncode == 2
    assert voltfix("--time-limit", "soon", str(root)).returncode == 2


def test_a_file_that_cannot_be_read_is_told_of_without_any_time_too():
    result = core.migrate({"a.py": ONE.encode(), "b.py": b"def (volatile=1:\n"}, Options(until=0.0))
    assert [(row.path, row.reason) for row in result.sites] == [("a.py", "not-reached")]
    assert [error.path for error in result.errors] == ["b.py"]


HEAD = "import torch\nfrom torch.autograd import Variable\n"
CLASSES = HEAD + "class C0:\n    def run(self, x):\n        return Variable(x, volatile=True)\n" + "".join(
    f"class C{i}(C{i - 1}):\n    def run(self, x):\n        return C{i - 1}.run(self, x)\n" for i in range(1, 3000))
FLAGS = HEAD + "x0 = Variable(torch.ones(1), volatile=True)\n" + "".join(
    f"x{i} = Variable(x{i - 1}, volatile=True)\n" for i in range(1, 3000))


@pytest.mark.parametrize(("text", "sites"), [(CLASSES, 1), (FLAGS, 3000)], ids=["classes", "flags"])
def test_three_thousand_that_hang_on_each_other_do_not_outlast_the_limit(text, sites):
    """Minutes or hours without it; what is measured is this process alone, whatever else keeps the machine busy."""
    before = time.process_time()
    result = core.migrate({"a.py": text.encode()}, Options(until=time.monotonic() + 0.5))
    assert [row.reason for row in result.sites] == ["not-reached"] * sites
    assert time.process_time() - before < 20
