"""The system call filter, run on an interpreter of its instructions: what it lets through, with and without CUDA."""

from __future__ import annotations

import os
import struct

import pytest

from voltfix.verify.sandbox import seccomp

ALLOWED, REFUSED, KILLED, UNKNOWN = "allowed", "refused", "killed", "unknown call"
ANSWERS = {seccomp._ALLOW: ALLOWED, seccomp._ERROR: REFUSED, seccomp._KILL: KILLED, 0x00050000 | 38: UNKNOWN}
RESULT = 5  # the descriptor that may be written to
READ_ONLY, CREATE = 0, 0x40


def answer(code: list[seccomp.Instruction], call: str | int, *arguments: int, machine: int = seccomp._X86_64) -> str:
    """What the kernel would do: classic BPF over ``struct seccomp_data``."""
    number = seccomp._CALLS[call] if isinstance(call, str) else call
    data = struct.pack("<IIQ6Q", number, machine, 0, *(*arguments, *[0] * 6)[:6])
    at = loaded = 0
    while True:
        kind, so, otherwise, value = code[at]
        at += 1
        if kind == seccomp._RETURN:
            return ANSWERS[value]
        if kind == seccomp._LOAD:
            loaded = struct.unpack_from("<I", data, value)[0]
            continue
        tests = {
            seccomp._EQUAL: loaded == value,
            seccomp._AT_LEAST: loaded >= value,
            seccomp._ANY_BIT: bool(loaded & value),
        }
        at += so if tests[kind] else otherwise


@pytest.mark.parametrize(
    ("call", "arguments", "alone", "beside_cuda"),
    [
        ("write", (RESULT,), ALLOWED, ALLOWED),
        ("write", (RESULT + 1,), REFUSED, ALLOWED),  # drivers write; the descriptors are closed
        ("read", (0,), ALLOWED, ALLOWED),
        ("mmap", (), ALLOWED, ALLOWED),
        ("exit_group", (), ALLOWED, ALLOWED),
        ("ioctl", (), REFUSED, ALLOWED),  # what talks to a device
        ("openat", (0, 0, READ_ONLY), ALLOWED, ALLOWED),
        ("openat", (0, 0, 2), REFUSED, ALLOWED),  # a device is opened for both
        ("openat", (0, 0, CREATE), REFUSED, REFUSED),
        ("open", (0, CREATE), REFUSED, REFUSED),
        ("clone", (0x10000,), ALLOWED, ALLOWED),  # a thread
        ("clone", (0,), REFUSED, REFUSED),  # a process
        ("clone3", (), UNKNOWN, UNKNOWN),  # its flags cannot be seen: the C library falls back to clone
        ("tgkill", (os.getpid(),), ALLOWED, ALLOWED),
        ("tgkill", (1,), REFUSED, REFUSED),
        *((call, (), REFUSED, REFUSED) for call in ("execve", "connect", "ptrace", "unlink", "kill", "unshare", "bpf")),
    ],
)
def test_the_filter_lets_through_what_computing_needs(
    call: str, arguments: tuple[int, ...], alone: str, beside_cuda: str
) -> None:
    assert answer(seccomp.program(RESULT, accelerator=False), call, *arguments) == alone
    assert answer(seccomp.program(RESULT, accelerator=True), call, *arguments) == beside_cuda


@pytest.mark.parametrize("accelerator", [False, True])
def test_calls_in_the_words_of_another_machine_end_the_process(accelerator: bool) -> None:
    """Numbers mean other calls there: 32-bit x86, and x32."""
    code = seccomp.program(RESULT, accelerator)
    assert answer(code, "read", machine=0x40000003) == KILLED
    assert answer(code, 0x40000000 | seccomp._CALLS["read"]) == KILLED


def test_a_machine_without_the_filter_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "aarch64")
    monkeypatch.setattr(seccomp.platform, "system", lambda: "Linux")
    assert seccomp.install(RESULT, accelerator=False) == "not available on Linux aarch64"


def test_a_kernel_that_refuses_the_filter_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        @staticmethod
        def prctl(*_: object) -> int:
            return -1

    monkeypatch.setattr(seccomp.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(seccomp.platform, "system", lambda: "Linux")
    monkeypatch.setattr(seccomp.ctypes, "CDLL", lambda *_, **__: Library)
    assert seccomp.install(RESULT, accelerator=False).startswith("refused by the system (errno ")
