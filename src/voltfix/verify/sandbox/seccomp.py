"""A seccomp filter for x86-64 and arm64, put together by hand: system calls that computing needs, and no others.

On the CPU an allow-list; with an accelerator, whose driver makes many calls of its own, a list of refused
ones.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # EPERM
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_CREATING = 0x40 | 0x200  # CREAT TRUNC
_THREAD = 0x10000
_UNKNOWN = 0x00050000 | 38  # ENOSYS
_NO_NEW_PRIVILEGES, _FILTER, _ALL_THREADS = 38, 1, 1

# as the headers of Linux number them (asm/unistd_64.h, asm-generic/unistd.h); a machine lacks what is not in its list
_NUMBERS = {
    "x86_64": """
seccomp 317
read 0  write 1  open 2  close 3  stat 4  fstat 5  lstat 6  poll 7  lseek 8  mmap 9  mprotect 10  munmap 11  brk 12
rt_sigaction 13  rt_sigprocmask 14  rt_sigreturn 15  ioctl 16  access 21  sched_yield 24  mremap 25  madvise 28
nanosleep 35  getitimer 36  setitimer 38  getpid 39  socket 41  connect 42  accept 43  sendto 44  recvfrom 45
sendmsg 46  recvmsg 47  bind 49  listen 50  socketpair 53  clone 56  fork 57  vfork 58  execve 59  exit 60  kill 62
uname 63  truncate 76  getcwd 79  rename 82  mkdir 83  rmdir 84  creat 85  link 86  unlink 87  symlink 88
readlink 89  chmod 90  chown 92  lchown 94  getrusage 98  sysinfo 99  times 100  ptrace 101  getuid 102  getgid 104
geteuid 107  getegid 108  sigaltstack 131  mknod 133  personality 135  pivot_root 155  prctl 157  chroot 161
acct 163  mount 165  umount2 166  swapon 167  reboot 169  init_module 175  quotactl 179  gettid 186  setxattr 188
lsetxattr 189  removexattr 197  tkill 200  futex 202  sched_getaffinity 204  set_tid_address 218  clock_gettime 228
clock_getres 229  clock_nanosleep 230  exit_group 231  tgkill 234  kexec_load 246  add_key 248  request_key 249
keyctl 250  openat 257  mkdirat 258  mknodat 259  fchownat 260  newfstatat 262  unlinkat 263  renameat 264
linkat 265  symlinkat 266  fchmodat 268  ppoll 271  unshare 272  set_robust_list 273  utimensat 280  accept4 288
perf_event_open 298  name_to_handle_at 303  open_by_handle_at 304  setns 308  getcpu 309  process_vm_readv 310
process_vm_writev 311  finit_module 313  renameat2 316  getrandom 318  memfd_create 319  bpf 321  execveat 322
userfaultfd 323  membarrier 324  statx 332  rseq 334  pidfd_send_signal 424  io_uring_setup 425  pidfd_open 434
clone3 435  openat2 437  pidfd_getfd 438  process_madvise 440  memfd_secret 447
""",
    "aarch64": """
seccomp 277
setxattr 5  lsetxattr 6  removexattr 14  getcwd 17  ioctl 29  mknodat 33  mkdirat 34  unlinkat 35  symlinkat 36
linkat 37  renameat 38  umount2 39  mount 40  pivot_root 41  truncate 45  chroot 51  fchmodat 53  fchownat 54
openat 56  close 57  quotactl 60  lseek 62  read 63  write 64  ppoll 73  newfstatat 79  fstat 80  utimensat 88
acct 89  personality 92  exit 93  exit_group 94  set_tid_address 96  unshare 97  futex 98  set_robust_list 99
nanosleep 101  getitimer 102  setitimer 103  kexec_load 104  init_module 105  clock_gettime 113  clock_getres 114
clock_nanosleep 115  ptrace 117  sched_getaffinity 123  sched_yield 124  kill 129  tkill 130  tgkill 131
sigaltstack 132  rt_sigaction 134  rt_sigprocmask 135  rt_sigreturn 139  reboot 142  times 153  uname 160
getrusage 165  prctl 167  getcpu 168  getpid 172  getuid 174  geteuid 175  getgid 176  getegid 177  gettid 178
sysinfo 179  socket 198  socketpair 199  bind 200  listen 201  accept 202  connect 203  sendto 206  recvfrom 207
sendmsg 211  recvmsg 212  brk 214  munmap 215  mremap 216  add_key 217  request_key 218  keyctl 219  clone 220
execve 221  mmap 222  swapon 224  mprotect 226  madvise 233  perf_event_open 241  accept4 242  name_to_handle_at 264
open_by_handle_at 265  setns 268  process_vm_readv 270  process_vm_writev 271  finit_module 273  renameat2 276
getrandom 278  memfd_create 279  bpf 280  execveat 281  userfaultfd 282  membarrier 283  statx 291  rseq 293
pidfd_send_signal 424  io_uring_setup 425  pidfd_open 434  clone3 435  openat2 437  pidfd_getfd 438
process_madvise 440  memfd_secret 447
""",
}
_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    machine: {name: int(number) for name, number in zip(text.split()[::2], text.split()[1::2], strict=True)}
    for machine, text in _NUMBERS.items()
}

# What computing needs once everything is loaded. Nothing here takes a path: open and its kin are refused.
_COMPUTING = """
read close lseek fstat poll ppoll mmap mprotect munmap mremap madvise brk rt_sigaction rt_sigprocmask
rt_sigreturn sigaltstack sched_yield sched_getaffinity nanosleep clock_nanosleep clock_gettime clock_getres
getitimer setitimer times getrusage getpid gettid getuid getgid geteuid getegid sysinfo futex set_tid_address
set_robust_list rseq membarrier getcpu getrandom exit exit_group
"""

_REFUSED_BESIDE_AN_ACCELERATOR = """
socket connect bind listen accept accept4 socketpair sendto sendmsg recvfrom recvmsg fork vfork execve execveat
kill tkill truncate rename renameat renameat2 mkdir mkdirat rmdir creat link linkat unlink unlinkat symlink
symlinkat chmod fchmodat chown lchown fchownat mknod mknodat utimensat setxattr lsetxattr removexattr ptrace
personality mount umount2 pivot_root chroot unshare setns process_vm_readv process_vm_writev process_madvise
pidfd_open pidfd_getfd pidfd_send_signal io_uring_setup openat2 open_by_handle_at name_to_handle_at bpf
userfaultfd perf_event_open keyctl add_key request_key init_module finit_module kexec_load quotactl swapon
reboot acct memfd_secret
"""

Instruction = tuple[int, int, int, int]


def _argument(place: int) -> Instruction:
    return (_LOAD, 0, 0, 16 + 8 * place)


class _Filter:
    """The instructions for one machine; what it has no number for is passed over."""

    def __init__(self, machine: str) -> None:
        self._numbers = CALLS[machine]
        self.code: list[Instruction] = [
            (_LOAD, 0, 0, 4),
            (_EQUAL, 1, 0, _MACHINES[machine]),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, 0),
        ]
        if machine == "x86_64":  # x32 has its own numbers
            self.code += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]

    def answer(self, call: str, value: int) -> None:
        if call in self._numbers:
            self.code += [(_EQUAL, 0, 1, self._numbers[call]), (_RETURN, 0, 0, value)]

    def when(self, call: str, place: int, test: int, value: int, then: int, otherwise: int) -> None:
        """For ``call``: ``then`` where its argument at ``place`` passes the test, else ``otherwise``."""
        if call in self._numbers:
            self.code += [
                (_EQUAL, 0, 4, self._numbers[call]),
                _argument(place),
                (test, 0, 1, value),
                (_RETURN, 0, 0, then),
                (_RETURN, 0, 0, otherwise),
            ]


def program(result: int, accelerator: bool, machine: str = "x86_64") -> list[Instruction]:
    """The filter: ``result`` is the one descriptor that may be written to."""
    made = _Filter(machine)
    made.answer("clone3", _UNKNOWN)  # its flags cannot be seen; the C library falls back to the older call
    made.when("clone", 0, _ANY_BIT, _THREAD, _ALLOW, _ERROR)
    made.when("tgkill", 0, _EQUAL, os.getpid(), _ALLOW, _ERROR)
    if accelerator:
        made.when("openat", 2, _ANY_BIT, _CREATING, _ERROR, _ALLOW)
        made.when("open", 1, _ANY_BIT, _CREATING, _ERROR, _ALLOW)
        for call in _REFUSED_BESIDE_AN_ACCELERATOR.split():
            made.answer(call, _ERROR)
        return [*made.code, (_RETURN, 0, 0, _ALLOW)]
    made.when("write", 0, _EQUAL, result, _ALLOW, _ERROR)
    for call in _COMPUTING.split():
        made.answer(call, _ALLOW)
    return [*made.code, (_RETURN, 0, 0, _ERROR)]


def install(result: int, accelerator: bool) -> str:
    """Set the filter for this process with all its threads. Gives "active" or the reason why not."""
    system, machine = platform.system(), {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if system != "Linux" or machine not in CALLS:
        return f"not available on {system} {platform.machine()}"
    code = program(result, accelerator, machine)
    raw = b"".join(struct.pack("HBBI", *each) for each in code)
    buffer = ctypes.create_string_buffer(raw, len(raw))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    wanted = Program(len(code), ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if libc.syscall(CALLS[machine]["seccomp"], _FILTER, _ALL_THREADS, ctypes.byref(wanted)) != 0:
        return f"refused by the system (errno {ctypes.get_errno()})"
    return "active"
