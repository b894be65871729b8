"""The folder of a batch: made here, or known as one that a run of this user made.

What lies in it decides which commands run and which branches move, and by default it lies where anybody's repository
may ship one. So a folder that holds anything is believed only with a token in it that this user's own notes know
(``voltfix.tokens``) and that was given for this very path.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress

from voltfix import tokens

FOREIGN = "came from somebody else: remove it, or give --state another folder"
_LOCK, _TOKEN = "lock", "token"
_FOLDERS = ("repositories", "clones", "scratch")
_KIND = "states"
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class StateError(Exception):
    """The state folder cannot be used for what was asked; the message says what to do."""


def enter(folder: str) -> tuple[int, str]:
    """Make ``folder`` or take it up: a descriptor that holds its lock, and its token.

    StateError, and nothing is written, where it came from somebody else or another process works on it.
    """
    if not os.path.lexists(folder):
        os.makedirs(folder, exist_ok=True)
    if _foreign(folder):
        raise StateError(f"{folder}: {FOREIGN}")
    lock = _locked(folder)
    try:
        token = _known(folder)
        if token is None:
            if _foreign(folder):  # another run was there first, and is over
                raise StateError(f"{folder}: {FOREIGN}")
            token = _signed(folder)
    except BaseException:
        os.close(lock)
        raise
    return lock, token


def write_whole(path: str, data: bytes) -> None:
    """Put a file in its place in one step, through no link that lies in the way."""
    draft = path + ".new"
    write_new(draft, data)
    os.replace(draft, path)


def write_new(path: str, data: bytes) -> None:
    """Write a file of our own in the place of what lies there."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    with os.fdopen(fd, "wb") as file:
        file.write(data)


def _foreign(folder: str) -> bool:
    """Whether there is anything here that no run of this user made."""
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return True
    if any(os.path.islink(os.path.join(folder, name)) for name in _FOLDERS):
        return True
    # a run that was killed before its token was whole left these, and nothing to believe
    return _known(folder) is None and not set(os.listdir(folder)) <= {_LOCK, _TOKEN}


def _known(folder: str) -> str | None:
    """The token of the folder, if this user's notes know it."""
    try:
        fd = os.open(os.path.join(folder, _TOKEN), _LOOK)
    except OSError:
        return None
    try:
        token = os.read(fd, 100).decode("ascii", "replace").strip()
    except OSError:
        return None
    finally:
        os.close(fd)
    return token if tokens.noted(token, os.path.realpath(folder), "", _KIND) else None


def _signed(folder: str) -> str:
    """Note a new token, then put it into the folder; those of folders that lay here before count no more."""
    root = os.path.realpath(folder)
    for old, place in list(tokens.open_roots(_KIND)):
        if place == root:
            tokens.forget(old, _KIND)
    token = tokens.made()
    tokens.note(token, root, "", _KIND)
    write_new(os.path.join(folder, _TOKEN), f"{token}\n".encode())
    return token


def _locked(folder: str) -> int:
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        lock = os.open(os.path.join(folder, _LOCK), flags, 0o666)
    except OSError as error:
        raise StateError(
            f"{folder}: its lock cannot be opened ({error.strerror}); give --state another folder"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise StateError(f"{folder}: another voltfix batch is at work here") from None
    return lock
