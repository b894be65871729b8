"""Ways out of the sandbox, as an attacker would try them who has left the stand-ins behind and runs plain
Python.

Each takes the path of a file outside and a dictionary of what it got hold of before the door was shut; it
returns something true when it got out.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import io
import mmap
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading

import torch


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


ATTACKS = {
    name: each
    for name, each in list(globals().items())
    if callable(each) and getattr(each, "__module__", None) == __name__ and not isinstance(each, type)
}
