"""The system call filter, run on an interpreter of its instructions: what it lets through, with and without CUDA."""

from __future__ import annotations

import os
import re
import struct

import pytest

from voltfix.verify.sandbox import seccomp

ALLOWED, REFUSED, KILLED, UNKNOWN = "allowed", "refused", "killed", "unknown call"
ANSWERS = {seccomp._ALLOW: ALLOWED, seccomp._ERROR: REFUSED, seccomp._KILL: KILLED, 0x00050000 | 38: UNKNOWN}
RESULT = 5  # the descriptor that may be written to
READ_ONLY, CREATE = 0, 0x40


def answer(
    code: list[seccomp.Instruction], call: str | int, *arguments: int, machine: str = "x86_64", kind: int | None = None
) -> str:
    """What the kernel would do: classic BPF over ``struct seccomp_data``."""
    number = seccomp.CALLS[machine][call] if isinstance(call, str) else call
    kind = seccomp._MACHINES[machine] if kind is None else kind
    data = struct.pack("<IIQ6Q", number, kind, 0, *(*arguments, *[0] * 6)[:6])
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


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize(
    ("call", "arguments", "alone", "beside_cuda"),
    [
        ("write", (RESULT,), ALLOWED, ALLOWED),
        ("write", (RESULT + 1,), REFUSED, ALLOWED),  # drivers write; the descriptors are closed
        ("read", (0,), ALLOWED, ALLOWED),
        ("mmap", (), ALLOWED, ALLOWED),
        ("exit_group", (), ALLOWED, ALLOWED),
        ("ioctl", (), REFUSED, ALLOWED),  # what talks to a device
        ("openat", (0, 0, READ_ONLY), REFUSED, ALLOWED),  # everything is loaded: there is nothing to open
        ("openat", (0, 0, 2), REFUSED, ALLOWED),  # a device is opened for both
        ("openat", (0, 0, CREATE), REFUSED, REFUSED),
        ("open", (0, READ_ONLY), REFUSED, ALLOWED),
        ("open", (0, CREATE), REFUSED, REFUSED),
        *((call, (), REFUSED, ALLOWED) for call in ("stat", "statx", "newfstatat", "access", "readlink", "getcwd")),
        *((call, (), REFUSED, REFUSED) for call in ("openat2", "chroot", "setns", "io_uring_setup", "perf_event_open")),
        ("memfd_create", (), REFUSED, ALLOWED),
        ("prctl", (), REFUSED, ALLOWED),
        ("clone", (0x10000,), ALLOWED, ALLOWED),  # a thread
        ("clone", (0,), REFUSED, REFUSED),  # a process
        ("clone3", (), UNKNOWN, UNKNOWN),  # its flags cannot be seen: the C library falls back to clone
        ("tgkill", (os.getpid(),), ALLOWED, ALLOWED),
        ("tgkill", (1,), REFUSED, REFUSED),
        *((call, (), REFUSED, REFUSED) for call in ("execve", "connect", "ptrace", "unlink", "kill", "unshare", "bpf")),
    ],
)
def test_the_filter_lets_through_what_computing_needs(
    call: str, arguments: tuple[int, ...], alone: str, beside_cuda: str, machine: str
) -> None:
    if call not in seccomp.CALLS[machine]:
        assert machine == "aarch64"  # which has the newer call of each pair alone
        return
    assert answer(seccomp.program(RESULT, False, machine), call, *arguments, machine=machine) == alone
    assert answer(seccomp.program(RESULT, True, machine), call, *arguments, machine=machine) == beside_cuda


@pytest.mark.parametrize("accelerator", [False, True])
def test_calls_in_the_words_of_another_machine_end_the_process(accelerator: bool) -> None:
    """Numbers mean other calls there: 32-bit x86, and x32."""
    code = seccomp.program(RESULT, accelerator)
    assert answer(code, "read", kind=0x40000003) == KILLED
    assert answer(code, 0x40000000 | seccomp.CALLS["x86_64"]["read"]) == KILLED
    arm = seccomp.program(RESULT, accelerator, "aarch64")
    assert answer(arm, "read", machine="aarch64", kind=0x40000028) == KILLED  # 32-bit arm


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "/usr/include/asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_headers_of_linux(machine: str, header: str) -> None:
    if not os.path.exists(header):
        pytest.skip("the headers are not installed")
    with open(header) as file:
        found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", file.read())
    numbers = {{"fstatat": "newfstatat"}.get(name, name): int(number) for name, number in found}
    assert {name: numbers.get(name) for name in seccomp.CALLS[machine]} == seccomp.CALLS[machine]


def test_a_machine_without_the_filter_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "riscv64")
    monkeypatch.setattr(seccomp.platform, "system", lambda: "Linux")
    assert seccomp.install(RESULT, accelerator=False) == "not available on Linux riscv64"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "arm64"])
def test_a_kernel_that_refuses_the_filter_is_reported(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    class Library:
        @staticmethod
        def prctl(*_: object) -> int:
            return 0

        @staticmethod
        def syscall(number: int, *_: object) -> int:
            assert number == (317 if machine == "x86_64" else 277)
            return -1

    monkeypatch.setattr(seccomp.platform, "machine", lambda: machine)
    monkeypatch.setattr(seccomp.platform, "system", lambda: "Linux")
    monkeypatch.setattr(seccomp.ctypes, "CDLL", lambda *_, **__: Library)
    assert seccomp.install(RESULT, accelerator=False).startswith("refused by the system (errno ")
