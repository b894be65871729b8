"""What a journal is believed by: a note in this user's state folder, which only a run of this user can have written.

A journal lies in somebody's repository, so anybody can ship one. Each run that writes one notes here, under a token
that stands in the journal, in which folder it lies and what its bytes are. The notes also say where to look: a run
that was killed may have had another root than the next one has. The folder of a batch is believed in the same way.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress

JOURNALS = "journals"
_TOKEN = re.compile(r"[0-9a-f]{32}")
_SETTLED = 60.0  # seconds: a note is older than its journal, for a run at work by no more than a moment


def note(token: str, root: str, digest: str, kind: str = JOURNALS) -> None:
    """Note that a journal of this token and these bytes is going to lie in ``root``; OSError where no note can be."""
    import json

    path = os.path.join(_folder(kind), token)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, json.dumps({"root": root, "digest": digest}).encode())
        os.fsync(fd)
    finally:
        os.close(fd)


def made() -> str:
    """A new token."""
    return os.urandom(16).hex()


def noted(token: object, root: str, digest: str, kind: str = JOURNALS) -> bool:
    """Whether a run of this user wrote this journal, here."""
    return isinstance(token, str) and bool(_TOKEN.fullmatch(token)) and _read(token, kind) == (root, digest)


def forget(token: object, kind: str = JOURNALS) -> None:
    """Take a note away; the journal is gone."""
    if isinstance(token, str) and _TOKEN.fullmatch(token):
        with suppress(OSError):
            os.unlink(os.path.join(_folder(kind), token))


def forget_old(token: str, kind: str = JOURNALS) -> None:
    """Take a note without a journal away, unless a run at work is just about to write that."""
    with suppress(OSError):
        path = os.path.join(_folder(kind, make=False), token)
        if time.time() - os.stat(path).st_mtime > _SETTLED:
            os.unlink(path)


def open_roots(kind: str = JOURNALS) -> Iterator[tuple[str, str]]:
    """Tokens, and the folders that journals of this user lie in."""
    try:
        names = sorted(os.listdir(_folder(kind, make=False)))
    except OSError:
        return
    for name in names:
        if _TOKEN.fullmatch(name) and (found := _read(name, kind)) is not None:
            yield name, found[0]


def _read(token: str, kind: str) -> tuple[str, str] | None:
    import json

    with suppress(OSError, ValueError, KeyError, TypeError):
        with open(os.path.join(_folder(kind, make=False), token), "rb") as file:
            data = json.load(file)
        return str(data["root"]), str(data["digest"])
    return None


def _folder(kind: str, make: bool = True) -> str:
    """The folder of the notes: in the user's state folder, or, where none can be, one of ours among temporary files."""
    home = os.environ.get("XDG_STATE_HOME", "")
    base = home if os.path.isabs(home) else os.path.expanduser("~/.local/state")
    temporary = os.environ.get("TMPDIR", "")  # a relative one would be a place in whatever repository this is
    beside = os.path.join(temporary if os.path.isabs(temporary) else "/tmp", f"voltfix-state-{os.geteuid()}")
    places = [*([os.path.join(base, "voltfix")] if os.path.isabs(base) else []), beside]
    error: OSError | None = None
    for place in places:
        path = os.path.join(place, kind)
        try:
            if make:
                os.makedirs(place, mode=0o700, exist_ok=True)
                os.makedirs(path, mode=0o700, exist_ok=True)
            _check(place)
            _check(path)
        except OSError as caught:
            error = error or caught
            continue
        return path
    raise OSError(error.errno if error else errno.ENOENT, "no folder for the state of this user can be made")


def _check(path: str) -> None:
    """Ours alone to write to."""
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(errno.EACCES, f"{path} is not this user's alone")
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, f"{path} cannot be written to")
