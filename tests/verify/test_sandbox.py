"""Ways to escape the sandbox, tried one by one, each in a child of its own: all are stopped."""

from __future__ import annotations

import ast
import ctypes
import os
import signal
import socket
import sys
import tempfile

import pytest

torch = pytest.importorskip("torch")
if not sys.platform.startswith("linux"):
    pytest.skip("the sandbox's layers are Linux's", allow_module_level=True)

from attacks import ATTACKS  # noqa: E402

from voltfix.verify import pages  # noqa: E402
from voltfix.verify.sandbox import Limits, cage, enter, hooks, landlock, namespaces, seccomp  # noqa: E402

SIGNALLED = 128  # and the signal: the exit code of a process whose child was ended by one
LIMITS = Limits(cpu_seconds=1, memory=1 << 28)
# without the audit hook these still do nothing to anybody outside: they reach what is loaded already
HARMLESS = {
    "load_a_library", "look_up_a_function_of_the_c_library", "map_memory_of_a_file",
    "reach_the_modules_by_a_class", "make_a_function_of_code",
}  # fmt: skip
# these only show that a limit ends the child; they are allowed to be killed and nothing else
ENDED = {"loop_for_ever"}
# what no layer but the one that is named may be needed for: the memory and the environment of other processes
SECRETS = {
    "read_through_the_process_folder", "read_the_memory_of_the_parent", "trace_the_parent", "call_ptrace_seize",
    "call_process_vm_writev",
}  # fmt: skip
LAYERS = {
    "audit hook": (hooks, "install"), "Landlock": (landlock, "install"), "seccomp": (seccomp, "install"),
    "capabilities": (cage, "_privileges"), "root directory": (cage, "_root"),
    "user namespace": (), "process namespace": (),
    "network namespace": (), "ipc namespace": (), "limits": (cage, "_limits"),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    pages.collapse()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def outside(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    archive = tmp_path / "archive.pt"
    torch.save({"a": 1}, archive)
    server = socket.create_server(("127.0.0.1", 0))
    descriptor = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    for name in (
        "open",
        "read",
        "socket",
        "fork",
        "kill",
        "ptrace",
        "write",
        "unlink",
        "execv",
        "memfd_create",
        "process_vm_readv",
        "setrlimit",
        "chroot",
        "mount",
        "syscall",
        "setuid",
        "getenv",
        "setuid",
    ):
        getattr(libc, name)  # looked up before the hook is there
    yield (
        secret,
        {
            "pid": os.getpid(),
            "port": server.getsockname()[1],
            "libc": libc,
            "descriptor": descriptor,
            "result": 0,
            "program": torch.jit.script(torch.nn.ReLU()),
            "archive": str(archive),
            "code": (),
        },
    )
    server.close()
    os.close(descriptor)
    assert secret.read_text() == "a secret"
    assert (tmp_path / "log").read_bytes() == b""


def without(layer: str) -> None:
    """Take a layer away, in a child: as on a system that does not have it."""
    if layer in namespaces._FLAGS:
        real = namespaces._left

        def left(names):
            return {**real([name for name in names if name != layer]), layer: "taken away"}

        namespaces._left = left
    elif layer == "root directory":
        cage._root = lambda folder, limits: os.chdir(folder) or "taken away"
    elif layer == "limits":
        cage._limits = lambda *_: {"limit: all": "taken away"}
    elif layer:
        setattr(*LAYERS[layer], lambda *_: "taken away")


def caged(action, layer: str = "", told=None) -> tuple[str, int]:
    """Run ``action`` in a locked-up child of a process in its own namespaces, as the runner is: what it said, and the
    signal that ended it.

    ``layer``: one that is taken away; ``told`` is called with the layers, before anything is run.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        pid = os.fork()
        if pid == 0:
            answer, inner = b"unset", -1
            try:
                without(layer)
                namespaces.enter()
                inner = os.fork()
                if inner:
                    ended = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
                    os._exit(SIGNALLED - ended if ended < 0 else 0)  # the first of a process tree cannot kill itself
                layers = enter(writing, folder, LIMITS)
                if told is not None:
                    told(layers, writing)
                answer = b"escaped" if action() else b"stopped: nothing came of it"
            except BaseException as error:
                answer = b"stopped: " + type(error).__name__.encode()
            finally:
                try:
                    os.write(writing, answer)
                finally:
                    os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read().decode()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        left = os.listdir(folder)
    assert left == [] or layer
    return said, max(0, status - SIGNALLED, -status)


# what is stopped without the audit hook is stopped with it
ANEW = {*HARMLESS, *ENDED, "eat_memory"}


@pytest.mark.parametrize("name", sorted(ATTACKS if os.environ.get("VOLTFIX_ALL") else ANEW))
def test_this_way_out_is_stopped(name, outside):
    _stopped(name, outside)


def _needed() -> None:
    layers = whole()
    if cage.missing(layers):
        pytest.skip(f"the system here has no {cage.missing(layers)}")


def whole() -> dict[str, str]:
    """The layers of a child here."""
    said, _ = caged(lambda: False, told=lambda layers, pipe: os.write(pipe, repr(layers).encode() + b"|"))
    found: dict[str, str] = ast.literal_eval(said.partition("|")[0])
    return found


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - HARMLESS - ENDED - {"eat_memory"}))
def test_the_operating_system_alone_stops_it(name, outside):
    _stopped(name, outside, "audit hook")


def _stopped(name, outside, layer=""):
    secret, parent = outside
    said, ended = caged(lambda: ATTACKS[name](str(secret), parent), layer)
    if name in ENDED:
        assert ended in (signal.SIGXCPU, signal.SIGKILL)
    else:
        assert said.startswith("stopped") or ended, said


def test_there_are_a_hundred_and_twenty_ways_and_more():
    assert len(ATTACKS) >= 120


@pytest.mark.parametrize("layer", LAYERS)
def test_without_a_layer_nothing_is_run(layer):
    """Nothing has to be stopped where nothing is run; ``--weak-sandbox`` is another matter."""
    said, _ = caged(
        lambda: False, layer, lambda layers, pipe: os.write(pipe, f"{cage.refusal(layers, weak=False)}|".encode())
    )
    refused = said.partition("|")[0]
    assert refused.startswith("no sandbox here (")
    assert ("limit: all" if layer == "limits" else layer) in refused


@pytest.mark.parametrize("name", sorted(SECRETS))
@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer != "limits"])
def test_the_secrets_of_other_processes_hang_on_no_single_layer(layer, name, outside):
    _needed()
    _stopped(name, outside, layer)


def test_torch_still_computes_inside():
    def work():
        x = torch.ones(4, requires_grad=True)
        (x * 2).sum().backward()
        return x.grad.tolist() == [2.0] * 4

    assert caged(work)[0] == "escaped"  # which is to say: it gave something true


def test_the_layers_say_whether_they_are_active():
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        pid = os.fork()
        if pid == 0:
            layers = enter(writing, folder, LIMITS)
            os.write(writing, repr(layers).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read().decode()
        os.waitpid(pid, 0)
    assert "'audit hook': 'active'" in said
    assert "'limit: file size': 'active'" in said
    for layer in ("seccomp", "user namespace", "network namespace", "root directory", "limit: CPU time"):
        assert f"'{layer}': '" in said


@pytest.mark.parametrize("event", ["open", "os.system", "subprocess.Popen", "socket.connect", "import"])
def test_the_hook_names_what_it_refuses(event):
    with pytest.raises(PermissionError, match=f"not in the sandbox: {event}"):
        hooks.refusing()(event, ())


def test_the_hook_lets_pass_what_computing_needs():
    for event in ("compile", "exec", "object.__getattr__", "builtins.id", "gc.collect"):
        assert hooks.refusing()(event, ()) is None


def test_layers_that_a_system_does_not_have_say_why(tmp_path, monkeypatch):
    """The runner goes on without them, and its report shows which hold."""
    monkeypatch.chdir(tmp_path)

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    def above(*_):
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(cage.os, "chroot", refused)
    monkeypatch.setattr(cage.resource, "setrlimit", above)
    assert cage._root(str(tmp_path), LIMITS) == "Operation not permitted"
    assert "the driver opens files" in cage._root(str(tmp_path), Limits(accelerator=True))
    found = cage._limits(LIMITS, 1 << 30)
    assert set(found.values()) == {"not allowed to raise maximum limit"}
    assert {"limit: memory", "limit: open files"} == set(found) - set(cage._limits(Limits(accelerator=True), 1 << 30))


def test_where_the_mapped_memory_is_not_told_much_is_taken_to_be_there(monkeypatch):
    assert 0 < cage._mapped() < 1 << 50
    monkeypatch.setattr(cage, "open", lambda *_: (_ for _ in ()).throw(OSError()), raising=False)
    assert cage._mapped() == 16 << 30
