"""A seccomp filter for x86-64, put together by hand: system calls that computing needs, and no others.

On the CPU an allow-list; with an accelerator, whose driver makes many calls of its own, a list of refused
ones.
"""

from __future__ import annotations

import ctypes
import platform
import struct

_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # EPERM
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X86_64 = 0xC000003E
_WRITING = 0x1 | 0x2 | 0x40 | 0x200 | 0x400 | 0x410000  # WRONLY RDWR CREAT TRUNC APPEND TMPFILE
_THREAD = 0x10000

_TABLE = """
read 0  write 1  open 2  close 3  stat 4  fstat 5  lstat 6  poll 7  lseek 8  mmap 9  mprotect 10
munmap 11  brk 12  rt_sigaction 13  rt_sigprocmask 14  rt_sigreturn 15  ioctl 16  pread64 17  readv 19
access 21  sched_yield 24  mremap 25  madvise 28  nanosleep 35  getitimer 36  setitimer 38  getpid 39
socket 41  connect 42  bind 49  listen 50  socketpair 53  clone 56  fork 57  vfork 58  execve 59  exit 60
kill 62  uname 63  truncate 76  ftruncate 77  getcwd 79  rename 82  mkdir 83  rmdir 84  creat 85  link 86
unlink 87  symlink 88  readlink 89  chmod 90  getrusage 98  sysinfo 99  times 100  ptrace 101  getuid 102
getgid 104  geteuid 107  getegid 108  sigaltstack 131  mknod 133  personality 135  sched_getaffinity 204
sched_setaffinity 203  prctl 157  arch_prctl 158  mount 165  gettid 186  tkill 200  futex 202
getdents64 217  set_tid_address 218  clock_gettime 228  clock_getres 229  clock_nanosleep 230
exit_group 231  tgkill 234  unshare 272  openat 257  mkdirat 258  newfstatat 262  unlinkat 263
renameat 264  linkat 265  symlinkat 266  ppoll 271  set_robust_list 273  eventfd2 290  prlimit64 302
process_vm_readv 310  process_vm_writev 311  renameat2 316  getrandom 318  memfd_create 319  execveat 322
membarrier 324  statx 332  rseq 334  pidfd_send_signal 424  io_uring_setup 425  clone3 435  openat2 437
pidfd_getfd 438  process_madvise 440  setns 308  getcpu 309  bpf 321  userfaultfd 323
"""
_CALLS = {name: int(number) for name, number in zip(_TABLE.split()[::2], _TABLE.split()[1::2], strict=True)}

_COMPUTING = [
    "read",
    "close",
    "stat",
    "fstat",
    "lstat",
    "poll",
    "lseek",
    "mmap",
    "mprotect",
    "munmap",
    "brk",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "pread64",
    "readv",
    "access",
    "sched_yield",
    "mremap",
    "madvise",
    "nanosleep",
    "getitimer",
    "setitimer",
    "getpid",
    "exit",
    "uname",
    "getcwd",
    "readlink",
    "getrusage",
    "sysinfo",
    "times",
    "getuid",
    "getgid",
    "geteuid",
    "getegid",
    "sigaltstack",
    "sched_getaffinity",
    "gettid",
    "futex",
    "set_tid_address",
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "exit_group",
    "newfstatat",
    "ppoll",
    "set_robust_list",
    "getrandom",
    "membarrier",
    "statx",
    "rseq",
    "getcpu",
]

_REFUSED_BESIDE_AN_ACCELERATOR = [
    "socket",
    "connect",
    "bind",
    "listen",
    "socketpair",
    "fork",
    "vfork",
    "execve",
    "execveat",
    "kill",
    "tkill",
    "truncate",
    "rename",
    "mkdir",
    "rmdir",
    "creat",
    "link",
    "unlink",
    "symlink",
    "chmod",
    "ptrace",
    "mknod",
    "personality",
    "mount",
    "mkdirat",
    "unlinkat",
    "renameat",
    "linkat",
    "symlinkat",
    "unshare",
    "process_vm_readv",
    "process_vm_writev",
    "renameat2",
    "pidfd_send_signal",
    "io_uring_setup",
    "openat2",
    "pidfd_getfd",
    "setns",
    "bpf",
    "userfaultfd",
]

Instruction = tuple[int, int, int, int]


def _argument(place: int) -> Instruction:
    return (_LOAD, 0, 0, 16 + 8 * place)


def _answer(call: str, value: int) -> list[Instruction]:
    return [(_EQUAL, 0, 1, _CALLS[call]), (_RETURN, 0, 0, value)]


def _when(call: str, place: int, test: int, value: int, then: int, otherwise: int) -> list[Instruction]:
    """For ``call``: ``then`` where its argument at ``place`` passes the test, else ``otherwise``."""
    return [
        (_EQUAL, 0, 4, _CALLS[call]),
        _argument(place),
        (test, 0, 1, value),
        (_RETURN, 0, 0, then),
        (_RETURN, 0, 0, otherwise),
    ]


def program(result: int, accelerator: bool) -> list[Instruction]:
    """The filter: ``result`` is the one descriptor that may be written to."""
    import os

    unknown_call = 0x00050000 | 38  # ENOSYS: the C library falls back to the older call
    code: list[Instruction] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 0, 1, 0x40000000),
        (_RETURN, 0, 0, _KILL),
    ]
    code += _answer("clone3", unknown_call)
    code += _when("clone", 0, _ANY_BIT, _THREAD, _ALLOW, _ERROR)
    code += _when("tgkill", 0, _EQUAL, os.getpid(), _ALLOW, _ERROR)
    if accelerator:
        code += _when("openat", 2, _ANY_BIT, 0x40 | 0x200, _ERROR, _ALLOW)  # CREAT TRUNC
        code += _when("open", 1, _ANY_BIT, 0x40 | 0x200, _ERROR, _ALLOW)
        for call in _REFUSED_BESIDE_AN_ACCELERATOR:
            code += _answer(call, _ERROR)
        return [*code, (_RETURN, 0, 0, _ALLOW)]
    code += _when("write", 0, _EQUAL, result, _ALLOW, _ERROR)
    code += _when("openat", 2, _ANY_BIT, _WRITING, _ERROR, _ALLOW)
    code += _when("open", 1, _ANY_BIT, _WRITING, _ERROR, _ALLOW)
    for call in _COMPUTING:
        code += _answer(call, _ALLOW)
    return [*code, (_RETURN, 0, 0, _ERROR)]


def install(result: int, accelerator: bool) -> str:
    """Set the filter for this process and its threads. Gives "active" or the reason why not."""
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        return f"not available on {platform.system()} {platform.machine()}"
    code = program(result, accelerator)
    raw = b"".join(struct.pack("HBBI", *each) for each in code)
    buffer = ctypes.create_string_buffer(raw, len(raw))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    wanted = Program(len(code), ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    if libc.prctl(22, 2, ctypes.byref(wanted), 0, 0) != 0:
        return f"refused by the system (errno {ctypes.get_errno()})"
    return "active"
