"""The runner and its client: plans, devices, limits, and what happens without torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time

import pytest

from voltfix.verify import client, plan

HEAD = "import torch\nfrom torch.autograd import Variable\n"
BEFORE = HEAD + "def f(net, x):\n    return net(Variable(x, volatile=True))\n"
RIGHT = HEAD + "def f(net, x):\n    with torch.no_grad():\n        return net(Variable(x))\n"
WRONG = HEAD + "def f(net, x):\n    return net(Variable(x))\n"


def item(name: str, after: str, before: str = BEFORE) -> plan.Item:
    return plan.Item(name, {"a.py": before}, {"a.py": after}, (("a.py", "f"),))


def hanging(body: str) -> str:
    return (
        HEAD
        + "def f(net, x):\n"
        + textwrap.indent(textwrap.dedent(body), "    ")
        + "    return net(Variable(x))\n"
    )


needs_torch = pytest.mark.skipif(not client.available(), reason="torch is not installed")


def test_a_plan_survives_its_file():
    items = [item("c1", RIGHT), item("c2", WRONG)]
    assert plan.load(plan.dump(items)) == items


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"schema": 2, "items": []}',
        '{"schema": 1}',
        '{"schema": 1, "items": [{"id": "a"}]}',
        '{"schema": 1, "items": [{"id": "a", "before": {}, "after": {}, "touched": [], "rest": "never"}]}',
        '{"schema": 1, "items": [{"id": "a", "before": {"a.py": 1}, "after": {}, "touched": []}]}',
    ],
)
def test_what_is_no_plan_is_refused_with_a_reason(text):
    with pytest.raises(plan.PlanError):
        plan.load(text)


@needs_torch
def test_verdicts_come_in_the_order_of_the_items():
    found = client.verify([item("a", RIGHT), item("b", WRONG), item("c", RIGHT)], device="cpu", jobs=2)
    assert [each.cpu for each in found] == ["identical", "different", "identical"]
    assert [each.tier for each in found] == ["symbolic"] * 3
    assert found[1].detail == "a.py: f: line 4 `call net`: requires_grad False before, True after"


@needs_torch
def test_a_device_that_is_not_there_is_not_run_and_says_why():
    found = client.verify([item("a", RIGHT)], device="cpu,cuda")[0]
    assert found.cpu == "identical"
    if found.cuda == "not-run":
        assert "cuda" in found.detail.lower()
    else:
        assert found.cuda == "identical"


LOOP = """
    while True:
        try:
            for each in iter(int, 1):
                pass
        except BaseException:
            pass
"""
EATER = """
    hold = []
    for each in iter(int, 1):
        hold.append([each] * 10000000)
"""
KILLED = "    (lambda f: f(f))(lambda f: [f(f) for each in (1, 2)])\n"


@needs_torch
@pytest.mark.parametrize(
    "body", [LOOP, EATER, KILLED], ids=["loops for ever", "eats memory", "recursion without end"]
)
def test_code_that_goes_wild_costs_its_own_verdict_only(body):
    started = time.monotonic()
    wild = item("wild", hanging(body))
    found = client.verify([item("a", RIGHT), wild, item("b", WRONG)], device="cpu", timeout=4.0)
    assert [each.cpu for each in found] == ["identical", "not-run", "different"]
    assert found[1].detail
    assert time.monotonic() - started < 60


@needs_torch
def test_the_worker_is_kept_knows_no_secrets_and_is_started_again_when_it_died(monkeypatch):
    monkeypatch.setenv("VOLTFIX_SECRET", "x")
    own = client.Client()
    try:
        own.ask([item("a", RIGHT)], "cpu", 1, 10.0)
        first = own.process.pid
        own.ask([item("b", RIGHT)], "cpu", 1, 10.0)
        assert own.process.pid == first
        with open(f"/proc/{first}/environ", "rb") as handle:
            assert b"VOLTFIX_SECRET" not in handle.read()
        own.process.kill()
        own.process.wait()
        assert client.verify([item("b", RIGHT)], device="cpu", client=own)[0].cpu == "identical"
    finally:
        own.close()


def test_without_torch_nothing_is_run_and_the_cause_is_said(monkeypatch):
    monkeypatch.setattr(client, "available", lambda: False)
    found = client.verify([item("a", RIGHT)])
    assert (found[0].tier, found[0].cpu, found[0].cuda) == (None, "not-run", "not-run")
    assert found[0].detail == "torch is not installed"


def test_a_python_that_cannot_start_is_a_cause_and_no_crash():
    if not client.available():
        pytest.skip("torch is not installed")
    found = client.verify([item("a", RIGHT)], client=client.Client("/no/such/python"))
    assert found[0].cpu == "not-run"
    assert "runner" in found[0].detail


def test_the_client_does_not_load_torch():
    code = "import sys, voltfix.verify.client; sys.exit('torch' in sys.modules or 'libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@needs_torch
def test_the_runner_works_where_only_torch_and_the_standard_library_are(tmp_path):
    """What voltfix needs elsewhere is made impossible to import."""
    for name in ("libcst", "click", "rich", "pathspec"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not on this machine')\n")
    (tmp_path / "plan.json").write_text(plan.dump([item("a", RIGHT), item("b", WRONG)]))
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "voltfix.verify", str(tmp_path / "plan.json"), "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert [row["cpu"]["verdict"] for row in data["items"]] == ["identical", "different"]
    assert data["sandbox"]["cpu"]["audit hook"] == "active"
    assert data["devices"] == {"cpu": "run"}


def test_a_plan_that_cannot_be_read_is_exit_2(tmp_path):
    command = [sys.executable, "-m", "voltfix.verify", str(tmp_path / "nothing.json")]
    assert subprocess.run(command, capture_output=True).returncode == 2
