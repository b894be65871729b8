"""The part that runs under torch: takes items, gives verdicts, each item in a locked-up child of its own.

torch is loaded once, here; children are forked. On the CPU all items over the same texts get a fresh child; on
CUDA, which does not survive a fork, one child works through the items, and a new one takes over after a child
that died.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from voltfix.processes import descent
from voltfix.verify import pages
from voltfix.verify.plan import (
    LONGEST,
    NOT_ASKED,
    PATIENCE,
    SECONDS,
    FunctionVerdict,
    Item,
    Outcome,
    PlanError,
    Report,
    outcome_from_json,
    parsed,
)
from voltfix.verify.sandbox import Limits, enter, refusal
from voltfix.verify.symbolic import explore
from voltfix.verify.symbolic.coverage import watch
from voltfix.verify.symbolic.project import Side, Unit
from voltfix.verify.symbolic.world import LateError, Stopped

SECONDS_A_FUNCTION = 20.0  # of CPU time: what else the machine does is no cause
SECONDS_AFTER_IMPORT = 0.02  # until a function that ran too long while torch imported something is stopped
MEMORY = 1 << 30
LONGEST_ANSWER = 4 << 20  # bytes of one line
_MANY = 12  # children, after which it pays to make the next forks cheap
_OBJECTS = 400_000  # that a child makes before it looks for garbage: what runs leave is some 60 MB by then
_SAMPLE = """def f(net, x):
    y = net(x).sum()
    y.backward()
    return y, [p.grad for p in net.parameters()]
"""


@dataclass
class Settings:
    """``timeout``: seconds of CPU time an item may take, by the clock ``PATIENCE`` times that; ``jobs``: children at a
    time."""

    timeout: float = SECONDS
    jobs: int = 1
    memory: int = MEMORY
    weak: bool = False  # run where a layer of the sandbox is missing, too
    quick: bool = False  # near misses of a proof are not tried


def judge_all(items: Sequence[Item], device: str, *, quick: bool = False) -> Iterator[Outcome]:
    """Verify items in this process. Runs their code: only to be called where ``sandbox.enter`` was.

    Changes to the same texts share what is found out about a function: it is run once.
    """
    known: dict[str, explore.Item] = {}
    touched: dict[str, dict[Unit, None]] = {}
    labels = [texts_of(item) for item in items]
    for label, item in zip(labels, items, strict=True):
        touched.setdefault(label, {}).update(dict.fromkeys(_touched(item)))
    for label, item in zip(labels, items, strict=True):
        if label not in known:
            whole = touched[label]
            known[label] = explore.Item(
                *_sides(item), tuple(whole), item.rest, device, quick or item.exact, exact=item.exact
            )
            with contextlib.suppress(Exception):  # what cannot be read is told by the verdict
                watch(known[label])
        yield _judged(item.id, known[label].others(_touched(item)))


def _sides(item: Item) -> tuple[Side, Side]:
    old, new = (item.origins.get(side, {}) for side in ("before", "after"))
    before = Side(item.before, origins=old)
    return before, Side(item.after, origins=new, twin=before)


def texts_of(item: Item) -> str:
    """What items that can be worked through together have in common."""
    return json.dumps([dict(item.before), dict(item.after), item.rest, item.exact], sort_keys=True)


def _touched(item: Item) -> tuple[Unit, ...]:
    return tuple(Unit(path, name) for path, name in item.touched)


def _judged(name: str, work: explore.Item) -> Outcome:
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdict, detail, found = explore.verify(work, guard=_alarm)
    except MemoryError:
        verdict, detail, found = "not-run", "used up its memory", []
    except (Exception, Stopped) as error:
        verdict, detail, found = "not-run", f"the verifier failed: {type(error).__name__}: {error}", []
    lent, alone = work.reached.lent, work.reached.alone
    functions = tuple(
        FunctionVerdict(
            v.unit.path, v.unit.name, v.verdict, v.detail, v.paths, v.way, lent.get(v.unit, "")[:LONGEST],
            alone(v.unit)[:LONGEST], tuple(work.reached.vacant(v.unit)) if v.verdict == "identical" else (),
            tuple((each.path, each.name) for each in work.reached.lit(v.unit)),
            tuple(work.reached.dark(v.unit)) if v.verdict == "identical" else (),
            tuple(sorted(work.reached.grown)) if v.verdict == "identical" else (),
        )
        for v in found
    )
    return Outcome(name, verdict, detail, functions, time.perf_counter() - started)


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    """A function that runs too long is stopped; should it catch that, the child's limits end it."""

    def ring(_: int, frame: types.FrameType | None) -> None:
        if not _imports(frame):
            raise LateError(f"ran longer than {SECONDS_A_FUNCTION:g} seconds")
        signal.setitimer(signal.ITIMER_PROF, SECONDS_AFTER_IMPORT, 0.5)

    signal.setitimer(signal.ITIMER_PROF, SECONDS_A_FUNCTION, 0.5)
    _HANDLER[:] = [ring]
    try:
        yield
    finally:
        _HANDLER.clear()
        signal.setitimer(signal.ITIMER_PROF, 0)


def _imports(frame: types.FrameType | None) -> bool:
    """Is a module of Python's own or of torch's being imported? Cut short, it would be half there for all that comes
    after. (Those of the project are never imported so.)"""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


_HANDLER: list[Callable[[int, types.FrameType | None], None]] = []


def _ring(number: int, frame: types.FrameType | None) -> None:
    if _HANDLER:
        _HANDLER[0](number, frame)


# -- children ------------------------------------------------------------


@dataclass
class _Child:
    """A child at work: its process, the pipe it answers on, what it has still to do."""

    pid: int
    pipe: int
    items: list[Item]
    deadline: float  # when its CPU time is looked at again
    last: float = 0.0  # when it is too late, however little it got of the machine
    spent: float = 0.0  # CPU time until its last answer
    received: bytes = b""
    locked: bool = False  # said which layers hold; it says so once, before it runs anything

    def is_late(self, seconds: float) -> bool:
        """Did it take more than ``seconds`` of CPU time for what it is at? What else the machine does is no cause."""
        now = time.monotonic()
        if now <= self.deadline:
            return False
        left = seconds - (cpu_time(self.pid) - self.spent)
        if left <= 0 or now > self.last:
            return True
        self.deadline = min(now + max(left, 0.1), self.last)
        return False

    def goes_on(self, seconds: float) -> None:
        """It has time for the next item."""
        now = time.monotonic()
        self.deadline, self.last = now + seconds, now + PATIENCE * seconds
        self.spent = cpu_time(self.pid, 0.0)


def cpu_time(pid: int, unknown: float = float("inf")) -> float:
    """The seconds of CPU time that a process took by now; ``unknown`` where the system does not tell."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the number of that clock, as clock_getcpuclockid() makes it
    except (OSError, AttributeError):
        return unknown


class Runner:
    """Forks children and collects what they find. Warm it once, then call ``run`` as often as you like."""

    def __init__(self) -> None:
        torch.set_num_threads(1)
        self.folder = tempfile.mkdtemp(prefix="voltfix-")
        self.layers: dict[str, dict[str, str]] = {}
        self._forks = 0
        self._ended: list[int] = []  # children that were killed, and may not be gone yet
        list(judge_all([_sample()], "cpu"))

    def close(self) -> None:
        """Remove the empty working directory."""
        self._reap(wait=True)
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)

    def run(self, items: Sequence[Item], device: str, settings: Settings, found: Callable[[Outcome], None]) -> None:
        """Verify ``items`` on ``device`` ("cpu" or "cuda"); ``found`` is called with each outcome as it
        comes.
        """
        cuda = device != "cpu"
        waiting = [list(items)] if cuda else _together(items)
        working: list[_Child] = []
        while waiting or working:
            while waiting and len(working) < (1 if cuda else max(1, settings.jobs)):
                part = waiting.pop(0)
                if part:
                    working.append(self._fork(part, device, settings))
            if not working:
                break
            left = max(0.0, min(child.deadline for child in working) - time.monotonic())
            ready, _, _ = select.select([child.pipe for child in working], [], [], left)
            for child in list(working):
                if self._attend(child, child.pipe in ready, device, settings, found):
                    working.remove(child)
                    if child.items:
                        waiting.append(child.items)

    def _reap(self, wait: bool) -> None:
        """Take leave of children that were killed; the system needs a while to tear them down."""
        self._ended = [pid for pid in self._ended if not os.waitpid(pid, 0 if wait else os.WNOHANG)[0]]

    def _fork(self, items: list[Item], device: str, settings: Settings) -> _Child:
        self._reap(wait=False)
        self._forks += 1
        if self._forks == _MANY:
            pages.collapse()
        reading, writing = os.pipe()
        sys.stdout.flush()
        runner = os.getpid()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                descent.die_with(runner)
                os.setsid()
                os.close(reading)
                _work(items, device, writing, self.folder, settings)
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        extra = 60.0 if device != "cpu" else 0.0  # CUDA has to start
        now = time.monotonic() + extra
        return _Child(pid, reading, list(items), now + settings.timeout, now + PATIENCE * settings.timeout)

    def _attend(
        self, child: _Child, ready: bool, device: str, settings: Settings, found: Callable[[Outcome], None]
    ) -> bool:
        """Take what a child sends; True when it is done with (``child.items`` is then what it left
        undone).
        """
        ended, wrong = False, None
        if ready:
            part = os.read(child.pipe, 1 << 20)
            child.received += part
            ended = not part
            *lines, child.received = child.received.split(b"\n")
            try:
                for line in lines:
                    self._take(child, line, device, settings, found)
                if len(child.received) > LONGEST_ANSWER:
                    raise PlanError("it is too long")
            except PlanError as error:
                wrong = f"its process gave an answer that is none ({error})"
        late = not ended and child.is_late(settings.timeout)
        if not child.items and not ended:
            ended = True
        if not (ended or late or wrong):
            return False
        os.close(child.pipe)
        if late or wrong or not child.items:
            _end(child.pid)
        if not child.items:
            self._ended.append(child.pid)
            if device != "cpu":  # the next one shall have the memory of the device
                self._reap(wait=True)
            return True
        status = os.waitpid(child.pid, 0)[1]
        cause = wrong or (f"ran longer than {settings.timeout:g} seconds" if late else _death(status))
        found(Outcome(child.items.pop(0).id, "not-run", cause))
        return True

    def _take(
        self, child: _Child, line: bytes, device: str, settings: Settings, found: Callable[[Outcome], None]
    ) -> None:
        """One line of a child, which may say anything; an answer that is due alone gives it more time."""
        if len(line) > LONGEST_ANSWER:
            raise PlanError("it is too long")
        data = parsed(line)
        if not isinstance(data, dict):
            raise PlanError("it is no object")
        if "layers" in data and not child.locked:
            child.locked = True
            layers = data["layers"]
            if not isinstance(layers, dict) or not all(isinstance(state, str) for state in layers.values()):
                raise PlanError("it does not tell the layers")
            self.layers[device] = {str(name): state for name, state in layers.items()}
            return
        if not child.items or data.get("id") != child.items[0].id:
            raise PlanError("it is not on what was asked")
        outcome = outcome_from_json(child.items[0].id, data)
        del child.items[0]
        child.goes_on(settings.timeout)
        found(outcome)


def _end(leader: int) -> None:
    """Kill a child with all that is in its process group."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(leader, signal.SIGKILL)


def _together(items: Sequence[Item]) -> list[list[Item]]:
    """Items over the same texts go to one child."""
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(texts_of(item), []).append(item)
    return list(found.values())


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGXCPU, signal.SIGKILL):
            return "used up its CPU time"
        return f"its process was ended by {signal.Signals(number).name}"
    return "its process ended without a verdict (out of memory, or a limit)"


def _work(items: list[Item], device: str, result: int, folder: str, settings: Settings) -> None:
    """The life of a child: lock up, verify, tell."""
    signal.signal(signal.SIGPROF, _ring)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    cuda = device != "cpu"
    if cuda:
        list(judge_all([_sample()], device))  # CUDA starts before the door is shut
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    seconds = int(settings.timeout) + 1
    limits = Limits(seconds * len(items), settings.memory, accelerator=cuda)
    layers = enter(result, folder, limits)
    gc.set_threshold(_OBJECTS)
    _tell(result, {"layers": layers})
    cause = refusal(layers, settings.weak)
    found = judge_all(items, device, quick=settings.quick)
    outcomes = found if cause is None else (Outcome(item.id, "not-run", cause) for item in items)
    for outcome in outcomes:
        _tell(result, {"id": outcome.id, **outcome.to_json()})


def _sample() -> Item:
    texts = {"sample.py": _SAMPLE}
    return Item("warm", texts, texts, (("sample.py", "f"),))


def _tell(result: int, data: dict[str, Any]) -> None:
    line = json.dumps(data).encode() + b"\n"
    while line:
        line = line[os.write(result, line) :]


# -- devices ------------------------------------------------------------


def cuda_state() -> str:
    """ "run" when CUDA can be used, else why not. Asked in a child: a process that has used CUDA must not
    fork.
    """
    if torch.version.cuda is None and getattr(torch.version, "hip", None) is None:
        return "this torch was built without CUDA"
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.close(reading)
            torch.zeros(1, device="cuda")
            os.write(writing, b"y")
        os._exit(0)
    os.close(writing)
    answer = os.read(reading, 1)
    os.close(reading)
    os.waitpid(pid, 0)
    return "run" if answer == b"y" else "torch sees no CUDA device"


def devices_of(wanted: str) -> dict[str, str]:
    """The devices that ``--device`` names: "run", or why a device is not run on."""
    if wanted == "auto":
        return {"cpu": "run", "cuda": NOT_ASKED}
    names = [part.strip() for part in wanted.split(",") if part.strip()]
    return {name: "run" if name == "cpu" else cuda_state() for name in names}


def run_all(runner: Runner, items: Sequence[Item], device: str, settings: Settings) -> Report:
    """Verify ``items`` on every device that ``device`` names."""
    devices = devices_of(device)
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name, state in devices.items():
        rows = outcomes[name] = {}

        def keep(outcome: Outcome, rows: dict[str, Outcome] = rows) -> None:
            rows[outcome.id] = outcome

        if state == "run":
            runner.run(items, name, settings, keep)
        for item in items:
            if item.id not in rows:
                keep(Outcome(item.id, "not-run", state if state != "run" else "no verdict came"))
    return Report(outcomes, devices, runner.layers, torch.__version__)


def serve(stream: Any = None, out: Any = None) -> None:
    """Answer requests (one JSON object a line: items, device, jobs, timeout) until the stream ends."""
    from voltfix.verify.plan import item_from_json

    source, target = stream or sys.stdin, out or sys.stdout
    runner = Runner()
    try:
        for line in source:
            request = json.loads(line)
            items = [item_from_json(row) for row in request["items"]]
            settings = Settings(
                float(request.get("timeout", SECONDS)),
                int(request.get("jobs", 1)),
                weak=request.get("weak") is True,
                quick=request.get("quick") is True,
            )
            report = run_all(runner, items, request.get("device", "auto"), settings)
            target.write(json.dumps(report.to_json(items)) + "\n")
            target.flush()
    finally:
        runner.close()
