"""The audit hook: Python's own operations on files, processes, sockets, other code and frames are refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_REFUSED = (
    "open",
    "os.",
    "subprocess.",
    "socket.",
    "ctypes.",
    "shutil.",
    "tempfile.",
    "import",
    "mmap.",
    "pty.",
    "signal.",
    "gc.get",
    "pickle.",
    "marshal.load",
    "fcntl.",
    "resource.",
    "code.__new__",
    "function.__new__",
    "sys.settrace",
    "sys.setprofile",
    "sys.addaudithook",
    "sys._current",
    "syslog.",
    "urllib.",
    "ftplib.",
    "http.",
    "smtplib.",
    "sqlite3.",
    "webbrowser.",
    "winreg.",
    "builtins.input",
    "builtins.breakpoint",
    "cpython.",
    "glob.",
    "poplib.",
    "imaplib.",
    "nntplib.",
    "telnetlib.",
    "_winapi.",
    "msvcrt.",
    "array.",
    "ensurepip.",
    "time.sleep",
)


def refusing() -> Callable[[str, tuple[Any, ...]], None]:
    """The hook; it looks up nothing that the code which it watches could replace."""
    refused, denied = _REFUSED, PermissionError

    def refuse(event: str, _: tuple[Any, ...]) -> None:
        if event.startswith(refused):
            raise denied(f"not in the sandbox: {event}")

    return refuse


def install() -> str:
    """Hook in; cannot be taken out again."""
    sys.addaudithook(refusing())
    return "active"
