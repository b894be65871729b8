"""Ways out of the sandbox, as an attacker would try them who has left the stand-ins behind and runs plain
Python.

Each takes the path of a file outside and a dictionary of what it got hold of before the door was shut; it
returns something true when it got out.
"""

from __future__ import annotations

import codecs
import ctypes
import gc
import importlib
import io
import linecache
import mmap
import multiprocessing
import os
import pathlib
import pickle
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import zipfile
from datetime import timedelta

import torch

_SHORT = timedelta(seconds=1)


def read_a_file(secret, parent):
    return open(secret).read()


def read_a_file_by_descriptor(secret, parent):
    return os.read(os.open(secret, os.O_RDONLY), 10)


def read_a_file_by_native_open(secret, parent):
    libc = parent["libc"]
    descriptor = libc.open(secret.encode(), 0)
    if descriptor < 0:
        return False
    buffer = ctypes.create_string_buffer(10)
    return libc.read(descriptor, buffer, 10) > 0


def read_through_the_process_folder(secret, parent):
    return parent["libc"].open(f"/proc/{parent['pid']}/environ".encode(), 0) >= 0


def write_a_file(secret, parent):
    return open("mine", "w").write("x")


def write_a_file_by_native_open(secret, parent):
    return parent["libc"].open(b"mine", 0o101, 0o600) >= 0


def write_with_torch_save(secret, parent):
    torch.save(torch.zeros(3), "mine.pt")
    return True


def write_with_torch_save_to_a_known_path(secret, parent):
    torch.save(torch.zeros(3), secret)
    return True


def write_with_the_file_writer_of_torch(secret, parent):
    writer = torch._C.PyTorchFileWriter("mine.zip")
    writer.write_record("a", b"abc", 3)
    writer.write_end_of_file()
    return True


def read_with_the_file_reader_of_torch(secret, parent):
    return torch._C.PyTorchFileReader(parent["archive"])


def write_through_a_shared_mapping(secret, parent):
    torch.from_file("shared.bin", shared=True, size=8, dtype=torch.float32).fill_(1)
    return True


def write_through_a_storage(secret, parent):
    torch.UntypedStorage.from_file(secret, True, 8)
    return True


def read_through_a_storage(secret, parent):
    return torch.from_file(secret, shared=False, size=1, dtype=torch.uint8).numel()


def write_to_an_anonymous_file(secret, parent):
    return parent["libc"].memfd_create(b"x", 0) >= 0


def run_a_shell(secret, parent):
    return os.system("true") == 0


def run_a_process(secret, parent):
    return subprocess.run(["/bin/true"]).returncode == 0


def run_a_program_natively(secret, parent):
    parent["libc"].execv(b"/bin/true", None)
    return False  # still here


def spawn_a_program(secret, parent):
    return os.posix_spawn("/bin/true", ["true"], {}) > 0


def connect_a_socket(secret, parent):
    return socket.create_connection(("127.0.0.1", parent["port"]), timeout=1)


def open_a_socket_natively(secret, parent):
    return parent["libc"].socket(2, 1, 0) >= 0


def open_a_unix_socket_pair(secret, parent):
    return socket.socketpair()


def load_a_library(secret, parent):
    return ctypes.CDLL("libm.so.6")


def look_up_a_function_of_the_c_library(secret, parent):
    return ctypes.pythonapi.PyRun_SimpleString


def fork_a_child(secret, parent):
    return os.fork() >= 0


def fork_natively(secret, parent):
    return parent["libc"].fork() >= 0


def fork_without_end(secret, parent):
    for _ in range(100):
        parent["libc"].syscall(57)
    return parent["libc"].syscall(57) >= 0


def kill_the_parent(secret, parent):
    os.kill(parent["pid"], signal.SIGTERM)
    return True


def kill_the_parent_natively(secret, parent):
    return parent["libc"].kill(parent["pid"], 0) == 0


def kill_a_thread_of_the_parent(secret, parent):
    return parent["libc"].syscall(234, parent["pid"], parent["pid"], 0) == 0


def trace_the_parent(secret, parent):
    return parent["libc"].ptrace(16, parent["pid"], 0, 0) == 0


def read_the_memory_of_the_parent(secret, parent):
    buffer = ctypes.create_string_buffer(8)

    class Part(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    mine = Part(ctypes.cast(buffer, ctypes.c_void_p), 8)
    theirs = Part(id(parent), 8)
    return (
        parent["libc"].process_vm_readv(parent["pid"], ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0) > 0
    )


def write_to_the_standard_output_of_the_parent(secret, parent):
    return parent["libc"].write(1, b"escaped", 7) == 7


def write_to_a_descriptor_of_the_parent(secret, parent):
    return parent["libc"].write(parent["descriptor"], b"escaped", 7) == 7


def walk_the_frames_of_a_traceback(secret, parent):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame.f_back is not None:
        frame = frame.f_back
    return (
        frame.f_globals["__builtins__"]["open"](secret).read()
        if isinstance(frame.f_globals["__builtins__"], dict)
        else frame.f_globals["__builtins__"].open(secret).read()
    )


def walk_the_subclasses_of_object(secret, parent):
    for kind in object.__subclasses__():
        if kind.__name__ == "FileIO":
            return kind(secret).read()
    return io.FileIO(secret).read()


def find_modules_through_gc(secret, parent):
    for thing in gc.get_objects():
        if getattr(thing, "__name__", "") == "posix":
            return thing.open(secret, 0)
    return False


def import_a_new_module(secret, parent):
    return importlib.import_module("wave")


def import_by_builtin(secret, parent):
    sys.modules.pop("telnetlib", None)
    return __import__("xmlrpc.client")


def unpickle_a_call(secret, parent):
    return pickle.loads(b"cposix\nsystem\n(S'true'\ntR.") == 0


def unpickle_a_call_with_torch(secret, parent):
    return torch.load(io.BytesIO(b"cposix\nsystem\n(S'true'\ntR."), weights_only=False) == 0


def make_code_from_bytes(secret, parent):
    code = (lambda: 0).__code__
    return code.replace(co_consts=(None, 1)) and type(code)(*parent["code"])


def take_the_hook_out(secret, parent):
    sys.addaudithook(lambda *_: None)
    return open(secret).read()


def map_memory_of_a_file(secret, parent):
    return mmap.mmap(-1, 10)


def raise_a_limit(secret, parent):
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    return True


def raise_a_limit_natively(secret, parent):
    raw = (ctypes.c_ulong * 2)(1 << 40, 1 << 40)
    return parent["libc"].setrlimit(1, raw) == 0


def remove_a_file(secret, parent):
    os.remove(secret)
    return True


def remove_a_file_natively(secret, parent):
    return parent["libc"].unlink(secret.encode()) == 0


def copy_a_tree(secret, parent):
    return shutil.copytree("/etc", "etc")


def leave_the_root_directory(secret, parent):
    parent["libc"].chroot(b"..")
    return parent["libc"].open(secret.encode(), 0) >= 0


def look_at_the_environment(secret, parent):
    return os.environ.get("VOLTFIX_SECRET") or parent["libc"].getenv(b"VOLTFIX_SECRET")


def mount_a_file_system(secret, parent):
    return parent["libc"].mount(b"proc", b"/", b"proc", 0, None) == 0


def start_an_io_ring(secret, parent):
    return parent["libc"].syscall(425, 8, ctypes.create_string_buffer(256)) >= 0


def use_the_old_system_calls(secret, parent):
    return parent["libc"].syscall(0x40000000 + 2, secret.encode(), 0) >= 0


def change_the_group(secret, parent):
    return parent["libc"].setuid(0) == 0


def eat_memory(secret, parent):
    return len([bytearray(1 << 26) for _ in range(64)]) == 64


def eat_memory_with_torch(secret, parent):
    return torch.ones(1 << 33).sum()


def loop_for_ever(secret, parent):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def start_threads_without_end(secret, parent):
    hold = threading.Event()
    for _ in range(100_000):
        threading.Thread(target=hold.wait, daemon=True).start()
    return True


# -- more ways to a file ---------------------------------------------------------------------------------------


def read_a_file_as_code(secret, parent):
    return io.open_code(secret).read()


def read_a_file_by_its_path(secret, parent):
    return pathlib.Path(secret).read_text()


def read_a_file_through_the_cache_of_lines(secret, parent):
    return linecache.getline(secret, 1)


def read_a_file_as_an_archive(secret, parent):
    return zipfile.ZipFile(parent["archive"]).namelist()


def read_a_file_as_a_data_base(secret, parent):
    return sqlite3.connect(parent["archive"]).execute("SELECT 1").fetchone()


def read_a_file_with_a_codec(secret, parent):
    return codecs.open(secret).read()


def list_a_folder(secret, parent):
    return os.listdir("/proc") or os.listdir("/etc")


def walk_a_folder(secret, parent):
    return list(os.scandir(os.path.dirname(secret)))


def look_whether_a_file_is_there(secret, parent):
    return os.path.exists(secret)


def look_at_a_link(secret, parent):
    return os.readlink("/proc/self/exe")


def load_an_archive_with_torch(secret, parent):
    return torch.load(parent["archive"])


def load_a_program_with_torch(secret, parent):
    return torch.jit.load(parent["archive"])


def load_a_library_with_torch(secret, parent):
    return torch.ops.load_library("/usr/lib/x86_64-linux-gnu/libm.so.6") is None


def load_classes_with_torch(secret, parent):
    return torch.classes.load_library("/usr/lib/x86_64-linux-gnu/libm.so.6") is None


def map_a_file_with_torch(secret, parent):
    return torch.UntypedStorage.from_file(secret, False, 4)


def share_memory_by_a_name(secret, parent):
    return torch.zeros(2).untyped_storage()._share_filename_cpu_()


def share_memory_by_a_descriptor(secret, parent):
    return torch.zeros(2).untyped_storage()._share_fd_cpu_()


def take_shared_memory_by_a_name(secret, parent):
    return torch.UntypedStorage._new_shared_filename_cpu(b"x", b"/torch_1_1", 8)


def listen_with_the_store_of_torch(secret, parent):
    return torch._C._distributed_c10d.TCPStore("127.0.0.1", 0, 1, True, _SHORT)


def connect_with_the_store_of_torch(secret, parent):
    return torch._C._distributed_c10d.TCPStore("127.0.0.1", parent["port"], 2, False, _SHORT)


def write_with_the_file_store_of_torch(secret, parent):
    store = torch._C._distributed_c10d.FileStore("store", 1)
    store.set("a", "b")
    return True


def write_a_trace_of_the_profiler(secret, parent):
    with torch.profiler.profile() as profile:
        torch.ones(2).sum()
    profile.export_chrome_trace("trace.json")
    return os.path.exists("trace.json")


def write_a_program_with_torch(secret, parent):
    torch.jit.save(parent["program"], "program.pt")
    return True


# -- more ways through Python ----------------------------------------------------------------------------------


def start_a_pool(secret, parent):
    return multiprocessing.Pool(1).apply(len, ("x",))


def start_a_process_of_multiprocessing(secret, parent):
    process = multiprocessing.get_context("fork").Process(target=len, args=("x",))
    process.start()
    return process.pid


def open_a_terminal(secret, parent):
    return os.openpty()


def replace_this_process(secret, parent):
    os.execv("/bin/true", ["true"])


def send_a_descriptor(secret, parent):
    return socket.socketpair(socket.AF_UNIX)


def resolve_a_name(secret, parent):
    return socket.gethostbyname("localhost")


def ask_the_kernel_for_its_interfaces(secret, parent):
    return socket.if_nameindex()


def reach_the_modules_by_a_class(secret, parent):
    for kind in object.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__["system"]("true") == 0
    return False


def make_a_function_of_code(secret, parent):
    code = compile("open(secret).read()", "x", "eval")
    return eval(code, {"secret": secret, "open": io.open})


def take_the_hook_out_by_its_list(secret, parent):
    sys.audit("x")
    return sys.settrace(None) or open(secret).read()


def wait_for_the_parent(secret, parent):
    return os.waitpid(-1, os.WNOHANG)


def change_the_folder(secret, parent):
    os.chdir("/proc/1/root")
    return open(secret).read()


def set_an_alarm_for_others(secret, parent):
    os.killpg(os.getpgid(parent["pid"]), 0)
    return True


# -- system calls of x86-64, by number: what gets something is out ---------------------------------------------------


def _structure(*words):
    return ctypes.create_string_buffer(struct.pack(f"={len(words)}Q", *words) + bytes(256))


def _calls(secret, parent):
    name, here, buffer = secret.encode(), -100, ctypes.create_string_buffer(4096)
    pid, fd, result = parent["pid"], parent["descriptor"], parent["result"]
    return {
        "openat": (257, here, name, 0), "openat_for_a_folder": (257, here, b"/", 0o200000),
        "openat2": (437, here, name, _structure(0, 0, 0), 24), "open_a_path_alone": (2, b"/", 0o10000000),
        "creat": (85, b"x", 0o600), "stat": (4, name, buffer), "lstat": (6, b"/proc", buffer),
        "statx": (332, here, name, 0, 0xFFF, buffer), "newfstatat": (262, here, name, buffer, 0),
        "access": (21, name, 4), "readlink": (89, b"/proc/self/exe", buffer, 4096), "getcwd": (79, buffer, 4096),
        "chdir": (80, b".."), "chroot": (161, b".."), "pivot_root": (155, b".", b"."),
        "name_to_handle": (303, here, name, buffer, buffer, 0), "rename": (82, name, b"x"),
        "link": (86, name, b"x"), "symlink": (88, name, b"x"), "mkdir": (83, b"x", 0o700),
        "rmdir": (84, b"/tmp/none"), "mknod": (133, b"x", 0o10600, 0), "truncate": (76, name, 0),
        "chmod": (90, name, 0o777), "chown": (92, name, 0, 0), "setxattr": (188, name, b"user.x", b"y", 1, 0),
        "utime": (132, name, None), "umask_and_mkfifo": (259, here, b"f", 0o10600, 0),
        "memfd_create": (319, b"x", 0), "memfd_secret": (447, 0), "fork": (57,), "vfork": (58,),
        "clone": (56, 17, 0, 0, 0, 0), "clone3": (435, _structure(0, 0, 0, 0, 17, 0, 0, 0), 64),
        "clone_into_namespaces": (56, 0x10000000 | 17, 0, 0, 0, 0), "execve": (59, b"/bin/true", None, None),
        "execveat": (322, here, b"/bin/true", None, None, 0), "unshare": (272, 0x10000000), "setns": (308, fd, 0),
        "kill": (62, pid, 0), "kill_everybody": (62, -1, 0), "tkill": (200, pid, 0), "tgkill": (234, pid, pid, 0),
        "sigqueue": (129, pid, 0, buffer), "pidfd_open": (434, pid, 0),
        "pidfd_send_signal": (424, fd, 0, None, 0),
        "process_vm_writev": (311, pid, _structure(ctypes.addressof(buffer), 1), 1,
            _structure(ctypes.addressof(buffer), 1), 1, 0),
        "ptrace_seize": (101, 0x4206, pid, 0, 0), "kcmp": (312, pid, pid, 0, 0, 0),
        "socket_of_the_kernel": (41, 16, 3, 0), "socket_of_packets": (41, 17, 3, 0),
        "socket_of_this_machine": (41, 1, 1, 0), "socket_of_ipv6": (41, 10, 1, 0),
        "socketpair": (53, 1, 1, 0, buffer), "shared_memory": (29, 0, 4096, 0o1600),
        "semaphores": (64, 0, 1, 0o1600), "messages": (68, 0, 0o1600),
        "message_queue": (240, b"x", 0o102, 0o600, None), "inotify": (294, 0), "fanotify": (300, 0, 0),
        "perf_event": (298, _structure(0), 0, -1, -1, 0), "bpf": (321, 0, _structure(1, 4, 4, 1), 72),
        "userfaultfd": (323, 1), "keyctl": (250, 0, -3, 1), "add_key": (248, b"user", b"x", b"y", 1, -3),
        "io_setup": (206, 8, _structure(0)), "io_uring": (425, 8, _structure(*[0] * 15)),
        "mount": (165, b"x", b"/", b"tmpfs", 0, None), "umount": (166, b"/", 2), "fsopen": (430, b"tmpfs", 0),
        "open_tree": (428, here, b"/", 1), "prlimit_of_the_parent": (302, pid, 7, None, buffer),
        "priority_of_the_parent": (140, 0, pid), "affinity_of_the_parent": (203, pid, 8, _structure(1)),
        "capset": (126, _structure(0x20080522), _structure(*[2**64 - 1] * 3)), "setuid": (105, 12345),
        "setresgid": (119, 0, 0, 0), "setsid": (112,), "setpgid": (109, 0, 0),
        "prctl_dumpable": (157, 4, 1, 0, 0, 0), "prctl_name": (157, 15, b"x", 0, 0, 0),
        "personality": (135, 0x0040000), "modify_ldt": (154, 0, buffer, 4096),
        "write_to_the_terminal": (1, 2, b"escaped", 7),
        "writev": (20, fd, _structure(ctypes.addressof(buffer), 1), 1), "pwrite": (18, fd, b"escaped", 7, 0),
        "sendfile": (40, result, 0, None, 1), "splice": (275, 0, None, result, None, 1, 0),
        "dup_the_pipe": (33, result, 1), "fcntl_the_pipe": (72, result, 3),
        "ioctl_the_terminal": (16, 0, 0x5412, b"x"), "copy_a_range": (326, 0, None, result, None, 1, 0),
        "syslog": (103, 3, buffer, 4096), "sethostname": (170, None, 0),
        "process_madvise": (440, fd, None, 0, 0, 0), "landlock": (444, None, 0, 1), "umask": (95, 0),
        "reach_x32": (0x40000000 + 2, name, 0),
    }  # fmt: skip


def _natively(word):
    def attack(secret, parent):
        return parent["libc"].syscall(*_calls(secret, parent)[word]) >= 0

    return attack


NATIVE = {f"call_{word}": _natively(word) for word in _calls("", dict.fromkeys(("pid", "descriptor", "result"), 0))}

ATTACKS = {
    name: each
    for name, each in list(globals().items())
    if callable(each)
    and getattr(each, "__module__", None) == __name__
    and not isinstance(each, type)
    and not name.startswith("_")
} | NATIVE
