"""Ways to escape the sandbox, tried one by one, each in a child of its own: all are stopped."""

from __future__ import annotations

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

from voltfix.verify.sandbox import Limits, cage, enter, hooks  # noqa: E402

LIMITS = Limits(cpu_seconds=1, memory=1 << 28)
# without the audit hook these still do nothing to anybody outside
HARMLESS = {"load_a_library", "look_up_a_function_of_the_c_library", "map_memory_of_a_file"}
# these only show that a limit ends the child; they are allowed to be killed and nothing else
ENDED = {"loop_for_ever"}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
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
    ):
        getattr(libc, name)  # looked up before the hook is there
    yield (
        secret,
        {
            "pid": os.getpid(),
            "port": server.getsockname()[1],
            "libc": libc,
            "descriptor": descriptor,
            "archive": str(archive),
            "code": (),
        },
    )
    server.close()
    os.close(descriptor)
    assert secret.read_text() == "a secret"
    assert (tmp_path / "log").read_bytes() == b""


def caged(action, hooked: bool = True) -> tuple[str, int]:
    """Run ``action`` in a locked-up child: what it said, and its exit status.

    ``hooked=False``: the system alone, without the audit hook.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        pid = os.fork()
        if pid == 0:
            answer = b"unset"
            try:
                if not hooked:
                    hooks.install = lambda: "left out"
                layers = enter(writing, folder, LIMITS)
                if not hooked and layers["seccomp"] != "active":
                    os.write(writing, b"stopped: no seccomp here")
                    os._exit(0)
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
        _, status = os.waitpid(pid, 0)
        left = os.listdir(folder)
    assert left == []
    return said, status


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_this_way_out_is_stopped(name, outside):
    _stopped(name, outside, hooked=True)


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - HARMLESS - ENDED - {"eat_memory"}))
def test_the_operating_system_alone_stops_it(name, outside):
    _stopped(name, outside, hooked=False)


def _stopped(name, outside, hooked):
    secret, parent = outside
    said, status = caged(lambda: ATTACKS[name](str(secret), parent), hooked)
    if name in ENDED:
        assert os.WIFSIGNALED(status)
        assert os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    else:
        assert said.startswith("stopped") or os.WIFSIGNALED(status), said


def test_there_are_thirty_ways_and_more():
    assert len(ATTACKS) >= 30


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
