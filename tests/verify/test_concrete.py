"""The concrete tier on small pairs: what is told apart, in which words, and what is no difference."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from voltfix.verify.concrete import Runner, Verdict, compare

if find_spec("torch") is None or not hasattr(os, "fork"):
    pytest.skip("the concrete tier runs code under torch", allow_module_level=True)

HEAD = "import torch\nfrom torch.autograd import Variable\n"
DRIVE = """
import torch
from torch import nn
def drive():
    import code_under_test as code
    net = nn.Linear(3, 2)
    x = torch.ones(2, 3)
    return code.run(net, x)
"""
Judge = Callable[..., Verdict]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as running:
        yield running


@pytest.fixture
def judge(runner: Runner, tmp_path: Path) -> Judge:
    def run(before: str, after: str, drive: str = DRIVE, **options: object) -> Verdict:
        for name, text in (("before", before), ("after", after)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "code_under_test.py").write_text(HEAD + text)
        (tmp_path / "drive_it.py").write_text(drive)
        folders = tmp_path / "before", tmp_path / "after"
        return compare(*folders, tmp_path / "drive_it.py", runner=runner, **options)

    return run


VOLATILE = "def run(net, x):\n    v = Variable(x, volatile=True)\n    out = net(v)\n    return out\n"
RIGHT = "def run(net, x):\n    with torch.no_grad():\n        out = net(x)\n    return out\n"
GRAPH = "def run(net, x):\n    out = net(Variable(x))\n    return out\n"


def test_a_block_does_what_volatile_did(judge: Judge) -> None:
    assert judge(VOLATILE, RIGHT).status == "identical"


def test_a_kept_graph_is_a_difference_with_its_line_and_name(judge: Judge) -> None:
    verdict = judge(VOLATILE, GRAPH)
    assert verdict.status == "different"
    assert "code_under_test.py line 5 `out`: requires_grad False before, True after" in verdict.differences


def test_today_reads_volatile_as_today_does(judge: Judge) -> None:
    assert judge(VOLATILE, GRAPH, semantics="today").status == "identical"


def test_a_lost_gradient_is_told_by_parameter(judge: Judge) -> None:
    before = "def run(net, x):\n    net(Variable(x)).sum().backward()\n    return 1\n"
    after = "def run(net, x):\n    w = net.weight.detach() ** 2\n    net(x).sum().detach()\n    return 1\n"
    verdict = judge(before, after)
    assert "backward() runs once before, 0 times after" in verdict.differences
    assert "net.weight: a gradient before, no gradient after" in verdict.differences


def test_a_gradient_that_nobody_had_is_a_difference(judge: Judge) -> None:
    before = (
        "def run(net, x):\n    t = net(Variable(x, volatile=True))\n    t.volatile = False\n"
        "    ((net(Variable(x)) * t).sum()).backward()\n    return t.data\n"
    )
    after = "def run(net, x):\n    t = net(x)\n    ((net(x) * t).sum()).backward()\n    return t.data\n"
    found = judge(before, after).differences
    assert any("net.weight: the gradient: values differ" in sentence for sentence in found)


def test_a_view_made_inside_the_block_lets_no_gradient_through(judge: Judge) -> None:
    before = "def run(net, x):\n    return net.weight.view(-1)\n"
    after = "def run(net, x):\n    with torch.no_grad():\n        return net.weight.view(-1)\n"
    # both say requires_grad
    assert judge(before, after).differences == (
        "the result: gradients reach Linear#1.weight before, not after",
    )


def test_a_closure_is_part_of_what_volatile_did(judge: Judge) -> None:
    text = (
        "def run(net, x):\n    opt = torch.optim.SGD(net.parameters(), lr=0.1)\n    seen = []\n"
        "    def closure():\n        opt.zero_grad()\n        {}\n        loss = net(Variable(x)).sum()\n"
        "        loss.backward()\n        return loss\n    opt.step(closure)\n    return seen\n"
    )
    before = text.format("seen.append(net(Variable(x, volatile=True)))")
    assert judge(before, text.format("with torch.no_grad(): seen.append(net(x))")).status == "identical"


def test_an_error_that_is_new_is_a_difference(judge: Judge) -> None:
    before = "def run(net, x):\n    net(Variable(x)).sum().backward()\n    return 1\n"
    after = "def run(net, x):\n    with torch.no_grad():\n        net(x).sum().backward()\n    return 1\n"
    verdict = judge(before, after)
    assert verdict.differences[0].startswith(
        "code_under_test.py line 5 nothing is raised before, RuntimeError"
    )


def test_errors_on_both_sides_are_the_same(judge: Judge) -> None:
    before = "def run(net, x):\n    net(Variable(x, volatile=True)).sum().backward()\n"
    after = "def run(net, x):\n    with torch.no_grad():\n        y = net(x)\n    y.sum().backward()\n"
    assert judge(before, after).status == "identical"


def test_numbers_and_text_are_compared(judge: Judge) -> None:
    assert judge(
        "def run(net, x):\n    return [1, 'a']\n", "def run(net, x):\n    return [2, 'b']\n"
    ).differences == (
        "the result[0]: values differ, [1] before, [2] after",
        "the result[1]: 'a' before, 'b' after",
    )


def test_the_tensors_on_objects_are_compared(judge: Judge) -> None:
    text = "class Box:\n    pass\ndef run(net, x):\n    box = Box()\n    box.out = {}\n    return box\n"
    found = judge(
        text.format("Variable(x, volatile=True) * net.weight"), text.format("x * net.weight")
    ).differences
    assert found == ("the result['out']: requires_grad False before, True after",)


def test_results_that_stop_sharing_memory_are_told(judge: Judge) -> None:
    before = "def run(net, x):\n    return x, x.view(-1)\n"
    after = "def run(net, x):\n    return x, x.clone().view(-1)\n"
    assert judge(before, after).differences == (
        "the result[0] and the result[1]: share memory before, do not share memory after",
    )


def test_a_write_in_place_is_seen(judge: Judge) -> None:
    before = "def run(net, x):\n    x.add_(1)\n    return x\n"
    after = "def run(net, x):\n    x + 1\n    return x\n"
    assert judge(before, after).status == "different"


def test_buffers_are_compared(judge: Judge) -> None:
    drive = DRIVE.replace("nn.Linear(3, 2)", "nn.BatchNorm1d(3)")
    before = "def run(net, x):\n    net(Variable(x, volatile=True))\n    return 1\n"
    after = "def run(net, x):\n    net.eval()\n    with torch.no_grad():\n        net(x)\n    return 1\n"
    assert any("running_" in sentence for sentence in judge(before, after, drive).differences)


def test_an_lstm_is_the_same_with_and_without_grad_mode(judge: Judge) -> None:
    drive = DRIVE.replace("nn.Linear(3, 2)", "nn.LSTM(3, 16)").replace("ones(2, 3)", "ones(40, 4, 3)")
    before = "def run(net, x):\n    return net(x)[0].data\n"
    after = "def run(net, x):\n    with torch.no_grad():\n        return net(x)[0].data\n"
    found = judge(before, after, drive).differences
    assert found
    assert all("requires_grad" in sentence for sentence in found)  # no sentence about values


def test_the_order_of_independent_modules_is_no_difference(judge: Judge) -> None:
    drive = DRIVE.replace("net = nn.Linear(3, 2)", "net = [nn.Linear(3, 2), nn.Linear(3, 1)]")
    before = "def run(net, x):\n    a = net[0](x)\n    b = net[1](x)\n    return a, b\n"
    after = "def run(net, x):\n    b = net[1](x)\n    a = net[0](x)\n    return a, b\n"
    assert judge(before, after, drive).status == "identical"


def test_random_numbers_are_the_same_in_both_runs(judge: Judge) -> None:
    text = "import random\ndef run(net, x):\n    return torch.randn(3), random.random()\n"
    assert judge(text, text).status == "identical"


def test_code_that_never_loaded_could_not_be_run(judge: Judge) -> None:
    verdict = judge("import no_such_module\n" + VOLATILE, RIGHT)
    assert verdict.status == "not-run"
    assert verdict.detail is not None
    assert "no_such_module" in verdict.detail


def test_code_that_does_not_load_any_more_is_different(judge: Judge) -> None:
    assert judge(VOLATILE, "def run(:\n").status == "different"


def test_a_drive_that_shows_nothing_is_not_run(judge: Judge) -> None:
    verdict = judge("def run(net, x):\n    pass\n", "def run(net, x):\n    pass\n")
    assert (verdict.status, verdict.detail) == (
        "not-run",
        "nothing to compare: drive() returned nothing and called no module",
    )


def test_a_run_that_dies_costs_its_own_verdict(judge: Judge) -> None:
    verdict = judge("import os\ndef run(net, x):\n    os.kill(os.getpid(), 9)\n", RIGHT)
    assert (verdict.status, verdict.detail) == ("not-run", "before could not be run: killed by signal 9")


def test_a_run_that_takes_too_long_is_stopped(judge: Judge) -> None:
    verdict = judge("def run(net, x):\n    while True: pass\n", RIGHT, seconds=1.0)
    assert (verdict.status, verdict.detail) == (
        "not-run",
        "before could not be run: took longer than 1 seconds",
    )


def test_two_files_are_compared_under_the_name_of_the_first(tmp_path: Path, runner: Runner) -> None:
    (tmp_path / "code_under_test.py").write_text(HEAD + VOLATILE)
    (tmp_path / "new.py").write_text(HEAD + RIGHT)
    (tmp_path / "drive_it.py").write_text(DRIVE)
    files = (tmp_path / name for name in ("code_under_test.py", "new.py", "drive_it.py"))
    assert compare(*files, runner=runner).status == "identical"


def test_what_the_code_prints_is_no_answer(judge: Judge, capfd: pytest.CaptureFixture[str]) -> None:
    text = "def run(net, x):\n    print('{\"status\": 1}')\n    return 1\n"
    assert judge(text, text).status == "identical"
    assert capfd.readouterr().out == ""


def test_a_drive_that_is_no_python_file_could_not_be_run(judge: Judge, tmp_path: Path, runner: Runner) -> None:
    (tmp_path / "drive.txt").write_text(DRIVE)
    verdict = compare(tmp_path, tmp_path, tmp_path / "drive.txt", runner=runner)
    assert verdict.status == "not-run"
    assert (verdict.detail or "").endswith("drive.txt is no Python file")


def test_a_run_that_is_broken_off_could_not_be_run(judge: Judge) -> None:
    verdict = judge("def run(net, x):\n    raise KeyboardInterrupt('enough')\n", RIGHT)
    assert (verdict.status, verdict.detail) == ("not-run", "before could not be run: KeyboardInterrupt: enough")


@pytest.mark.parametrize("program", ["true", "false"])
def test_a_python_without_torch_is_told_and_asked_again_next_time(program: str, tmp_path: Path) -> None:
    with Runner(program) as running:
        for _ in range(2):
            crash = running.run(tmp_path, tmp_path / "drive.py", "today", "cpu")["crash"]
            code = 0 if program == "true" else 1
            assert crash == f"the process for running code ended ({code}); is torch installed there?"
        assert running.has("cuda") is False


def test_the_cpu_is_there_without_asking() -> None:
    with Runner("/no/such/python") as running:
        assert running.has("cpu")


def test_gradients_that_are_asked_for_are_compared(judge: Judge) -> None:
    text = "def run(net, x):\n    g = torch.autograd.grad((net(x) * {}).sum(), [net.weight])\n    return 1\n"
    assert judge(text.format(1), text.format("1.0")).status == "identical"


def test_a_gradient_that_is_asked_for_and_another_is_a_difference(judge: Judge) -> None:
    text = "def run(net, x):\n    g = torch.autograd.grad((net(x) * {}).sum(), [net.weight])\n    return 1\n"
    found = judge(text.format(1), text.format(2)).differences
    assert found == (
        "code_under_test.py line 4 the gradient[0]: values differ, [2, 2, 2, 2, …] before, [4, 4, 4, 4, …] after",
    )


# --- what a job does in its own process -----------------------------------------------------------------------


def test_new_tensors_go_to_the_device_of_the_run_and_only_while_it_lasts() -> None:
    import torch

    from voltfix.verify.job import default_device

    before = torch.zeros(1).device
    with default_device("meta"):
        assert torch.zeros(1).device.type == "meta"
    assert torch.zeros(1).device == before
    with default_device("cpu"):
        assert torch.zeros(1).device == before


def test_a_device_is_there_when_torch_says_so_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from voltfix.verify.job import _has

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert _has("cuda") == {"status": "yes"}
    assert _has("tpu") == {"status": "no"}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert _has("cuda") == {"status": "no"}
