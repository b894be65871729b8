"""Which files git tracks, by its index: what ``.gitignore`` says is never about those.

The index is read here and not asked for by ``git ls-files``: git is not everywhere, and it runs what a repository's own
settings name. It comes with a repository, so nothing in it is believed before it fits.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Iterator

MAX_INDEX_BYTES = 1 << 28
MAX_TOLD = 1 << 27  # bytes of all paths together
_LONGEST = 4096  # no path is longer
_HASHES = (20, 32)  # SHA-1, SHA-256
_LINK = 0o16  # of a mode's kinds that of a submodule
_EXTENDED = 0x40  # of the flags: there are two bytes more of them


class Index:
    """What git tracks below ``root``, the folder with ``.git`` in it (absolute). Nothing is read before it is asked.
    """

    def __init__(self, root: str) -> None:
        self._start = len(root.rstrip("/")) + 1
        self._root = root
        self._bytes: bytes | None = None
        self._names: tuple[dict[bytes, bool], list[bytes]] | None = None

    def tracks(self, path: str, *, folder: bool = False) -> bool:
        """Is the file at ``path`` (absolute) tracked, or something in the folder?"""
        name = os.fsencode(path[self._start :])
        data = self._data()
        if not data or (data[7] < 4 and name + b"\0" not in data and name + b"/" not in data):
            return False  # in full in all but the newest version: most of what is ignored is not tracked
        found, ordered = self._all()
        if not name or not folder:
            return bool(found) if folder else found.get(name) is False
        at = bisect_left(ordered, name + b"/")  # what lies in it follows there, since the index is in order
        return found.get(name) is True or (at < len(ordered) and ordered[at].startswith(name + b"/"))

    def speaks_of(self, folder: str) -> bool:
        """Does git track something in the part of the folder that is its own? Else it does not say what the project is.
        """
        return self.tracks(folder if _is_within(folder, self._root) else self._root, folder=True)

    def _data(self) -> bytes:
        if self._bytes is None:
            self._bytes = _regular(os.path.join(_folder(self._root), "index"), MAX_INDEX_BYTES)
            if self._bytes[:4] != b"DIRC" or self._bytes[4:8] not in (b"\0\0\0\2", b"\0\0\0\3", b"\0\0\0\4"):
                self._bytes = b""
        return self._bytes

    def _all(self) -> tuple[dict[bytes, bool], list[bytes]]:
        """What is tracked, with whether each is a submodule; and the same in order. No list of folders: too many fit.
        """
        if self._names is None:
            found = next((names for size in _HASHES if (names := _entries(self._data(), size)) is not None), {})
            self._names = found, list(found)
        return self._names


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def git_root(folder: str) -> str | None:
    """The nearest folder at or above ``folder`` (absolute) with ``.git`` in it."""
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _folder(root: str) -> str:
    """Where the index lies: in ``.git``, or where the file of that name says (a worktree, a submodule)."""
    own = os.path.join(root, ".git")
    said = _regular(own, 1 << 13)
    return os.path.join(root, os.fsdecode(said[8:].strip())) if said.startswith(b"gitdir: ") else own


def _regular(path: str, most: int) -> bytes:
    """The bytes of a regular file; none of what is something else, too large, or cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(fd)
        return os.read(fd, status.st_size) if stat.S_ISREG(status.st_mode) and status.st_size <= most else b""
    except OSError:
        return b""
    finally:
        os.close(fd)


def _entries(data: bytes, size: int) -> dict[bytes, bool] | None:
    """The paths, and whether each is that of a submodule; None where the bytes are not as git writes them.

    ``size``: that of a hash. Where git keeps a part of the index in another file, nothing is known, either.
    """
    found: dict[bytes, bool] = {}
    told, last, at = 0, b"", 12
    for _ in range(int.from_bytes(data[8:12], "big")):
        name, following = _name(data, at, size, last)
        told += len(name)
        if name < last or not name or following > len(data) - size or told > MAX_TOLD:
            return None
        found[name] = data[at + 26] >> 4 == _LINK
        last, at = name, following
    return None if any(kind == b"link" for kind in _extensions(data, at, size)) else found


def _name(data: bytes, at: int, size: int, last: bytes) -> tuple[bytes, int]:
    """The path of the entry at ``at``, and where the next entry begins; an empty one where it is none."""
    flags = at + 40 + size
    start = flags + (4 if data[flags : flags + 1] and data[flags] & _EXTENDED else 2)
    kept = 0
    if data[7] == 4:
        dropped, start = _number(data, start)
        kept = len(last) - dropped
    end = data.find(b"\0", start, start + _LONGEST)
    if end < 0 or kept < 0:
        return b"", at
    return last[:kept] + data[start:end], end + 1 if data[7] == 4 else at + ((end - at) // 8 + 1) * 8


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of as many bytes as it needs, and where it ends."""
    value = -1
    for place in range(at, min(at + 4, len(data))):
        value = (value + 1) << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return _LONGEST, at


def _extensions(data: bytes, at: int, size: int) -> Iterator[bytes]:
    """What comes after the entries, by the names of its kinds."""
    while at + 8 <= len(data) - size:
        yield data[at : at + 4]
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
