"""The runner and its client: plans, devices, limits, and what happens without torch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import types

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


@needs_torch
def test_children_that_are_done_with_are_gone_when_the_runner_closes(monkeypatch):
    from voltfix.verify import runner

    moved, found = [], []
    monkeypatch.setattr(runner, "_MANY", 2)
    monkeypatch.setattr(runner.pages, "collapse", lambda: moved.append(len(found)))
    worker = runner.Runner()
    for name in ("c1", "c2", "c3"):
        # outside of a runner's own process there is no process namespace
        worker.run([item(name, RIGHT)], "cpu", runner.Settings(weak=True), found.append)
    ended = list(worker._ended)
    worker.close()
    assert [(each.id, each.verdict) for each in found] == [(name, "identical") for name in ("c1", "c2", "c3")]
    assert moved == [1]  # once, before the second child is forked
    assert ended
    for child in ended:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


@needs_torch
def test_a_verdict_on_a_notebook_names_the_cell_and_its_line():
    before = "#%% piece 0\n" + HEAD + "#%% piece 1\n" + BEFORE.removeprefix(HEAD)
    after = "#%% piece 0\n" + HEAD + "#%% piece 1\n" + "def f(net, x):\n    y = 1 / 0\n    return net(Variable(x))\n"
    rows = {"a.ipynb": [(2, 1, 1), (5, 1, 4)]}
    asked = plan.Item(
        "c1", {"a.ipynb": before}, {"a.ipynb": after}, (("a.ipynb", "f"),), origins={"before": rows, "after": rows}
    )
    assert plan.load(plan.dump([asked])) == [asked]
    (verdict,) = client.verify([asked], device="cpu")
    assert verdict.cpu == "different"
    assert "(cell 4, line 2)" in (verdict.detail or "")


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"schema": 2, "items": []}',
        '{"schema": 1}',
        '{"schema": 1, "items": [{"id": "a"}]}',
        '{"schema": 1, "items": [{"id": "a", "before": {}, "after": {}, "touched": [], "rest": "never"}]}',
        json.dumps({"schema": 1, "items": [{"id": "a", "before": {}, "after": {}, "touched": []}] * 2}),
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
def test_a_function_that_goes_wild_costs_the_others_of_the_same_texts_nothing():
    """They share a child; another one goes on where it died."""
    wild = hanging(LOOP) + "def g(net, x):\n    return net(Variable(x{}))\n"
    before, after = wild.format(", volatile=True"), wild.format("")
    items = [plan.Item(name, {"a.py": before}, {"a.py": after}, (("a.py", name),)) for name in ("f", "g")]
    found = client.verify(items, device="cpu", timeout=2.0)
    assert [each.cpu for each in found] == ["not-run", "different"]


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


# --- the runner, in this process ------------------------------------------------------------------------------


@pytest.fixture
def runner():
    pytest.importorskip("torch")
    from voltfix.verify import runner

    return runner


def test_a_function_that_runs_too_long_is_stopped_and_its_cause_said(runner, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_A_FUNCTION", 0.2)
    before = signal.signal(signal.SIGPROF, runner._ring)
    try:
        long = hanging("for each in iter(int, 1):\n    pass\n")
        found = list(runner.judge_all([item("long", long, long), item("b", WRONG)], "cpu"))
    finally:
        signal.signal(signal.SIGPROF, before)
    assert [each.verdict for each in found] == ["not-run", "different"]
    assert found[0].detail == "a.py: f: ran longer than 0.2 seconds"


def test_what_torch_imports_while_a_function_runs_too_long_is_not_left_half_imported(runner, monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "SECONDS_A_FUNCTION", 0.05)
    slow = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\nwhole = True\n"
    (tmp_path / "slow_to_import.py").write_text(slow)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slow_to_import", raising=False)
    whole = []

    def run():
        import slow_to_import

        whole.append(slow_to_import.whole)
        end = time.process_time() + 5
        while time.process_time() < end:
            pass

    before = signal.signal(signal.SIGPROF, runner._ring)
    try:
        with pytest.raises(runner.Stopped), runner._alarm():
            run()
    finally:
        signal.signal(signal.SIGPROF, before)
    assert whole == [True]


def test_a_name_that_is_missing_in_a_library_is_no_difference(runner, monkeypatch):
    from voltfix.verify.symbolic import ops, run, world

    names = {}
    exec(compile("def broken(x):\n    raise AttributeError('it has no printing')", "/lib/torch/half.py", "exec"), names)
    sine = ops._sin
    monkeypatch.setattr(run, "_LIBRARIES", ("/lib/",))
    monkeypatch.setattr(ops, "_sin", lambda x: sine(x) if world.here().legacy else names["broken"](x))
    found = list(runner.judge_all([item("b", RIGHT)], "cpu"))
    assert [each.verdict for each in found] == ["not-run"]
    assert "the verifier failed: AttributeError in half.py: it has no printing" in found[0].detail


def test_a_child_that_gets_little_of_the_machine_is_waited_for(runner):
    """It sleeps: its seconds go by, and its CPU time does not."""
    pid = os.fork()
    if pid == 0:
        time.sleep(30)
        os._exit(0)
    try:
        began = time.monotonic()
        child = runner._Child(pid, 0, [], began - 1.0, began + 60.0)
        assert not child.is_late(2.0)
        assert began < child.deadline < began + 30  # it is looked at again
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_child_that_never_ends_is_late_at_last(runner):
    now = time.monotonic()
    assert runner._Child(os.getpid(), 0, [], now - 2.0, now - 1.0).is_late(1e6)


def test_a_child_that_had_its_cpu_time_is_late_and_an_answer_gives_it_as_much_again(runner):
    spent = time.process_time()
    assert 0 <= runner.cpu_time(os.getpid()) - spent < 5
    child = runner._Child(os.getpid(), 0, [], time.monotonic() - 1.0, time.monotonic() + 60.0)
    assert child.is_late(spent / 2)
    child.goes_on(0.0)
    assert child.spent >= spent


def test_where_the_system_tells_no_cpu_time_the_clock_counts(runner, monkeypatch):
    monkeypatch.setattr(runner.time, "clock_gettime", lambda _: (_ for _ in ()).throw(OSError()))
    now = time.monotonic()
    assert runner._Child(os.getpid(), 0, [], now - 1.0, now + 60.0).is_late(1e6)
    assert not runner._Child(os.getpid(), 0, [], now + 1.0, now + 60.0).is_late(0.0)


@pytest.mark.parametrize(
    ("error", "says"),
    [(ZeroDivisionError("no"), "the verifier failed: ZeroDivisionError: no"), (MemoryError(), "used up its memory")],
)
def test_a_fault_of_the_verifier_is_no_verdict_and_no_crash(runner, monkeypatch, error, says):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(runner.explore, "verify", fail)
    (found,) = runner.judge_all([item("a", RIGHT)], "cpu")
    assert (found.verdict, found.detail) == ("not-run", says)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (signal.SIGSEGV, "its process was ended by SIGSEGV"),
        (signal.SIGXCPU, "used up its CPU time"),
        (signal.SIGKILL, "used up its CPU time"),
        (1 << 8, "its process ended without a verdict (out of memory, or a limit)"),
    ],
)
def test_a_child_that_died_is_told_by_how_it_died(runner, status, says):
    assert runner._death(int(status)) == says


@pytest.mark.parametrize(
    "line",
    [b"no json", b"[1]", b'{"layers": 1}', b'{"id": "b", "verdict": "identical"}', b'{"id": "a"}', b"[" * 200_000],
    ids=lambda line: line[:30].decode(),
)
def test_what_a_child_says_that_is_no_answer_to_its_question_is_none(runner, line):
    """It ran code that nobody knows: it may answer for itself alone."""
    told = []
    child = runner._Child(0, 0, [item("a", RIGHT), item("b", RIGHT)], 0.0)
    here = types.SimpleNamespace(layers={})
    with pytest.raises(plan.PlanError):
        runner.Runner._take(here, child, line, "cpu", runner.Settings(), told.append)
    assert (told, here.layers) == ([], {})
    assert ([each.id for each in child.items], child.deadline) == (["a", "b"], 0.0)


def test_without_items_no_child_is_started(runner, monkeypatch):
    monkeypatch.setattr(runner.os, "fork", lambda: pytest.fail("a child was started"))
    for device in ("cpu", "cuda"):
        runner.Runner.run(types.SimpleNamespace(), [], device, runner.Settings(), pytest.fail)


def test_a_device_is_asked_for_in_a_child_and_its_absence_said(runner, monkeypatch):
    monkeypatch.setattr(runner.torch.version, "cuda", None)
    monkeypatch.setattr(runner.torch.version, "hip", None, raising=False)
    assert runner.devices_of("auto") == {"cpu": "run", "cuda": plan.NOT_ASKED}
    assert runner.devices_of("cpu,cuda") == {"cpu": "run", "cuda": "this torch was built without CUDA"}
    monkeypatch.setattr(runner.torch.version, "cuda", "12.1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert runner.devices_of("cuda, cpu") == {"cuda": "torch sees no CUDA device", "cpu": "run"}


def test_a_verdict_that_never_came_is_not_run(runner):
    deaf = types.SimpleNamespace(run=lambda *_: None, layers={})
    report = runner.run_all(deaf, [item("a", RIGHT)], "cpu", runner.Settings())
    assert report.outcomes["cpu"]["a"].detail == "no verdict came"
