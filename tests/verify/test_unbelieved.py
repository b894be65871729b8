"""A child that ran code which nobody knows may say anything, slowly, or nothing: the verdict is "not-run", in time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("torch")

from voltfix.processes import descent
from voltfix.verify import client, plan, runner
from voltfix.verify.client import Client
from voltfix.verify.sandbox import cage, landlock

TEXT = {"a.py": "def f(x):\n    return x * 2\n"}


def item(name: str = "c1", text: str = TEXT["a.py"]) -> plan.Item:
    return plan.Item(name, {"a.py": text}, {"a.py": text + "# new\n"}, (("a.py", "f"),))


def row(**more: object) -> bytes:
    said = {"id": "c1", "verdict": "identical", "detail": None, "seconds": 0.1, "functions": [], **more}
    return json.dumps(said).encode() + b"\n"


@cache
def worker() -> runner.Runner:
    """Its children are what is tested, and each has one of its own."""
    return runner.Runner()


def saying(monkeypatch: pytest.MonkeyPatch, act, *items: plan.Item, timeout: float = 1.0) -> tuple[list, float]:
    """The outcomes where each child does ``act`` with its pipe; and how long that took."""
    monkeypatch.setattr(runner, "_work", lambda items, device, result, folder, settings: act(result))
    found: list[plan.Outcome] = []
    began = time.monotonic()
    worker().run(items or (item(),), "cpu", runner.Settings(timeout), found.append)
    worker()._reap(wait=True)
    return found, time.monotonic() - began


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    if worker.cache_info().currsize:
        worker().close()


DEEP = b'{"id": "c1", "detail": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
WRONG = {
    "a verdict of its own": row(verdict="banana"),
    "no verdict": row(verdict=None),
    "deep nesting": DEEP,
    "a list": b"[]\n",
    "another change": row(id="c2"),
    "a detail that is none": row(detail=[1]),
    "endless seconds": row(seconds=1e999),
    "seconds before its time": row(seconds=-1),
    "functions that are none": row(functions=7),
    "a function with more than a function has": row(functions=[{"path": "a", "name": "b", "verdict": "identical",
                                                                "detail": None, "more": 1}]),
    "a function of a verdict of its own": row(functions=[{"path": "a", "name": "b", "verdict": 1, "detail": None}]),
    "layers that are none": b'{"layers": []}\n',
    "layers twice": b'{"layers": {"seccomp": "active"}}\n' * 2,
    "no text": b"\xff\xfe\n",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_that_is_none_is_not_believed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (found,), took = saying(monkeypatch, lambda result: os.write(result, WRONG[name]) and time.sleep(60))
    assert (found.id, found.verdict) == ("c1", "not-run")
    assert "an answer that is none" in (found.detail or "")
    assert took < 30


def test_an_answer_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LONGEST_ANSWER", 1 << 16)

    def talk(result: int) -> None:
        while True:
            os.write(result, b"x" * 4096)

    (found,), _ = saying(monkeypatch, talk)
    assert (found.verdict, "too long" in (found.detail or "")) == ("not-run", True)


@pytest.mark.parametrize("piece", [b"x", b" \n"], ids=["in a line", "in lines"])
def test_a_child_that_always_says_something_has_no_more_time_for_that(
    monkeypatch: pytest.MonkeyPatch, piece: bytes
) -> None:
    def drip(result: int) -> None:
        while True:
            os.write(result, piece)
            time.sleep(0.05)

    (found,), took = saying(monkeypatch, drip)
    assert found.verdict == "not-run"
    assert took < 9  # its time by the clock, as it takes no CPU time


def test_a_long_detail_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,), _ = saying(monkeypatch, lambda result: os.write(result, row(detail="x" * 100_000)))
    assert found.verdict == "identical"
    assert len(found.detail or "") < 30_000


def test_a_child_that_is_ended_takes_its_group_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def start(result: int) -> None:
        process = subprocess.Popen(["sleep", "600"])
        (tmp_path / "pid").write_text(str(process.pid))
        time.sleep(600)

    saying(monkeypatch, start)
    gone(int((tmp_path / "pid").read_text()))


def gone(pid: int) -> None:
    for _ in range(200):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} lives on")


# -- the runner as the client sees it ------------------------------------------------------------------------


def pretended(tmp_path: Path, script: str) -> Client:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nread line\n{script}\n")
    program.chmod(0o755)
    return Client(str(program))


GIVEN = {"schema": 1, "devices": {"cpu": "run"}, "sandbox": {}, "items": []}
ROW = {"id": "c1", "cpu": {"verdict": "identical", "detail": None, "seconds": 0, "functions": []}}


@pytest.mark.parametrize(
    "answer",
    [
        {**GIVEN, "items": [{**ROW, "cpu": {**ROW["cpu"], "verdict": "banana"}}]},
        {**GIVEN, "items": [{**ROW, "id": "c9"}]},
        {**GIVEN, "items": []},
        {**GIVEN, "items": [ROW, ROW]},
        {**GIVEN, "devices": ["cpu"], "items": [ROW]},
        {**GIVEN, "devices": {"cpu": 1}, "items": [ROW]},
        {**GIVEN, "sandbox": {"cpu": "active"}, "items": [ROW]},
        [],
    ],
    ids=str,
)
def test_a_runner_whose_answer_is_none_is_not_believed_and_ended(tmp_path: Path, answer: object) -> None:
    own = pretended(tmp_path, f"echo '{json.dumps(answer)}'; sleep 60")
    (found,) = client.verify([item()], client=own)
    assert (found.cpu, found.tier) == ("not-run", None)
    assert "an answer that is none" in (found.detail or "")
    assert own.process is None


def test_a_runner_that_nests_deep_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "deep").write_bytes(DEEP)
    (found,) = client.verify([item()], client=pretended(tmp_path, f"cat {tmp_path}/deep; sleep 60"))
    assert (found.cpu, "an answer that is none" in (found.detail or "")) == ("not-run", True)


def test_a_runner_that_says_two_bytes_now_and_then_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_START", -122.0)
    own = pretended(tmp_path, "while true; do printf xx; sleep 0.1; done")
    began = time.monotonic()
    (found,) = client.verify([item()], timeout=0.5, client=own)
    assert "did not answer within" in (found.detail or "")
    assert time.monotonic() - began < 10


def test_a_runner_that_never_listens_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_START", -122.0)
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nsleep 60\n")
    program.chmod(0o755)
    (found,) = client.verify([item(text="x = 1\n" * 100_000)], timeout=0.5, client=Client(str(program)))
    assert "did not answer within" in (found.detail or "")


def test_an_answer_of_the_runner_without_end_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_LONGEST", 1 << 20)
    (found,) = client.verify([item()], client=pretended(tmp_path, "cat /dev/zero"))
    assert "gave an answer of more than 1 MiB" in (found.detail or "")


LOOP = "def f(x):\n    while True:\n        x = x + 1\n"
ASK = """
import sys
from voltfix.verify import client, plan
text = sys.argv[1]
item = plan.Item("c1", {"a.py": text}, {"a.py": text + "# new"}, (("a.py", "f"),))
client.verify([item], device="cpu")
client._CLIENT.ask([], "cpu", 1, 1.0)
print(client._CLIENT.process.pid, flush=True)
many = [plan.Item(f"c{n}", item.before, {"a.py": text + str(n)}, item.touched) for n in range(999)]
client.verify(many, device="cpu")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the death signal is Linux's")
def test_a_runner_ends_with_what_started_it_and_all_its_children_with_it() -> None:
    process = subprocess.Popen([sys.executable, "-c", ASK, TEXT["a.py"]], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    outer = int(process.stdout.readline())
    time.sleep(0.3)
    everything = [outer]
    for pid in everything:
        everything += descent.children(pid)
    assert len(everything) > 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    for pid in everything:
        gone(pid)


# -- a sandbox that is not whole ---------------------------------------------------------------------------------

WHOLE = dict.fromkeys(["user namespace", "process namespace", "root directory", "seccomp", "Landlock"], "active")


@pytest.mark.parametrize("layer", WHOLE)
def test_where_a_layer_is_missing_nothing_is_run_unless_somebody_says_so(layer: str) -> None:
    layers = {**WHOLE, layer: "Operation not permitted"}
    assert cage.refusal(WHOLE, weak=False) is None
    assert cage.refusal(layers, weak=False) == f"no sandbox here ({layer})"
    assert cage.refusal(layers, weak=True) is None


def test_a_kernel_without_landlock_lacks_no_layer() -> None:
    assert cage.refusal({**WHOLE, "Landlock": landlock.NOT_HERE}, weak=False) is None


def test_where_nothing_keeps_other_processes_secrets_nothing_is_run_whatever_is_said() -> None:
    layers = {**WHOLE, **dict.fromkeys(["user namespace", "seccomp"], "no"), "Landlock": landlock.NOT_HERE}
    assert "other processes' secrets" in (cage.refusal(layers, weak=True) or "")


# by layer: what the system would say where it is not to be had (a container, Ubuntu 24.04, another machine)
TAKEN = """
import json, os, sys
from voltfix.verify.sandbox import cage, hooks, landlock, namespaces, seccomp
from voltfix.verify.__main__ import main
from voltfix.verify import __main__ as entry, runner  # torch is loaded once
def no(*_): return "taken away"
def take(layer):
    real = namespaces._left
    if layer == "seccomp": seccomp.install = no
    elif layer == "Landlock": landlock.install = no
    elif layer == "root directory": cage._root = lambda folder, limits: os.chdir(folder) or "taken away"
    else: namespaces._left = lambda names: {**real([n for n in names if n != layer]), layer: "taken away"}
for layer, runs in json.loads(sys.argv.pop(1)).items():
    if not os.fork():
        try:
            take(layer)
            entry._shut()
            codes = []
            for more in ([], ["--weak-sandbox"])[:runs]:
                codes.append(main([*sys.argv[1:], *more]))
                print("\\0")
            print(codes, "\\1", sep="", end="", flush=True)
        finally:
            os._exit(0)
    os.wait()
"""
LAYERS = {"user namespace": 2, "root directory": 1, "seccomp": 2, "Landlock": 1}  # and how many runs


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the runner says without each layer; all its environment is what it needs, or it would start itself anew."""
    written = tmp_path_factory.mktemp("plan") / "plan.json"
    written.write_text(plan.dump([item()]))
    command = [sys.executable, "-c", TAKEN, json.dumps(LAYERS), str(written), "--device", "cpu"]
    shut = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    *said, rest = subprocess.run(command, capture_output=True, text=True, env=shut).stdout.split("\1")
    assert not rest
    return dict(zip(LAYERS, said, strict=True))


@pytest.mark.parametrize("layer", LAYERS)
def test_the_runner_without_a_layer_runs_nothing_and_says_which(without: dict[str, str], layer: str) -> None:
    *said, codes = without[layer].split("\0\n")
    given = dict(zip([False, True], map(json.loads, said), strict=False))
    assert json.loads(codes) == [2, 0][: LAYERS[layer]]
    (found,) = given[False]["items"]
    assert (found["cpu"]["verdict"], found["cpu"]["detail"]) == ("not-run", f"no sandbox here ({layer})")
    assert given[False]["sandbox"]["cpu"][layer] == "taken away"
    if True in given:
        assert given[True]["items"][0]["cpu"]["verdict"] == "identical"
        assert given[True]["sandbox"]["cpu"][layer] == "taken away"


def test_what_runs_in_namespaces_sees_no_process_outside(tmp_path: Path) -> None:
    """The runner is the first process of its own tree, and answers to the name that its user has."""
    script = "import os; from voltfix.verify.sandbox import namespaces as n; u = os.geteuid(); n.enter(); "
    done = subprocess.run(
        [sys.executable, "-c", script + "print(os.getpid(), os.getppid(), os.geteuid() == u, n.states())"],
        capture_output=True, text=True,
    )  # fmt: skip
    if "'user namespace': 'active'" not in done.stdout:
        pytest.skip("no user namespaces here")
    assert done.stdout.startswith("1 0 True ")


def test_a_runner_whose_inner_process_ends_ends_as_that_did() -> None:
    enter = "from voltfix.verify.sandbox import namespaces; namespaces.enter(); import os, sys; "
    for end, status in (("sys.exit(7)", 7), ("os._exit(0)", 0)):
        assert subprocess.run([sys.executable, "-c", enter + end]).returncode == status


def test_the_environment_of_whoever_starts_a_plan_is_not_in_the_memory_of_what_runs_it(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(plan.dump([]))
    script = (
        "import sys, os\nfrom voltfix.verify import __main__ as entry\n"
        "if '-c' in sys.orig_argv: entry._shut()\n"
        "memory = open('/proc/self/environ').read()\nprint('geheim' in memory, 'geheim' in str(os.environ))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "SECRET": "geheim"}, capture_output=True, text=True
    )
    assert done.stdout == "False False\n", done.stderr


def test_cuda_is_not_chosen_unasked() -> None:
    assert runner.devices_of("auto")["cuda"] == client.devices("auto")["cuda"] == plan.NOT_ASKED
