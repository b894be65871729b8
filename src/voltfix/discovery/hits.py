"""The byte search: which files can hold a site at all.

Almost every file holds none, so this is where a clean tree spends its time: two substring searches on
bytes, no parsing. A file is a hit when ``volatile`` is one of its tokens (not a word in a comment), or when it
hands ``Variable`` (under any name it gave it) a third positional argument or a ``**`` mapping: those decide
volatility without the word.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from voltfix.discovery.walk import Problem, describe

WORD = b"volatile"
CLASS = b"Variable"
TORCH = b"torch"
MAX_BYTES = 200_000_000  # no notebook larger is read
_UNSEEN_BYTES = 1 << 26  # of files that are left out, to see whether they hold a site
_CALL_WINDOW = 4000
_MAX_CALLS = 1000
_LONGEST_NAME = 1000  # bytes
_FEW = 12  # names that are found sooner one by one than by looking at each call


class Scan(NamedTuple):
    """What the byte search saw: hits with their bytes, how many files it read, what it could not read."""

    hits: list[tuple[str, bytes]]
    scanned: int
    problems: list[Problem]


def read(path: str) -> bytes:
    """The bytes of a regular file; OSError for anything else (a FIFO would block for ever) or what is too large."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "is not a regular file")
        if status.st_size > MAX_BYTES:
            raise OSError(errno.EFBIG, f"is larger than {MAX_BYTES:,} bytes")
        wanted = status.st_size + 1
        data = os.read(fd, wanted)
        if len(data) == status.st_size:
            return data
        parts = [data]
        while part := os.read(fd, 1 << 20):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def scan(files: Iterable[str], *, modernize: bool = False) -> Scan:
    """Search each file; the bytes of the hits are kept, so that nothing is read twice.

    With ``modernize`` every file that mentions torch is one.
    """
    hits: list[tuple[str, bytes]] = []
    problems: list[Problem] = []
    scanned = 0
    for path in files:
        try:
            data = read(path)
        except (OSError, ValueError) as error:
            problems.append(Problem(path, "unreadable", describe(error)))
            continue
        scanned += 1
        if is_hit(data, path, modernize=modernize):
            hits.append((path, data))
    return Scan(hits, scanned, problems)


def overlooked(files: Iterable[str], *, modernize: bool = False) -> list[str]:
    """The hits among files that are not looked at; what comes after so many bytes is not read for that."""
    found: list[str] = []
    left = _UNSEEN_BYTES
    for path in files:
        try:
            data = read(path) if os.path.getsize(path) <= left else b""
        except (OSError, ValueError):
            continue
        left -= len(data)
        if is_hit(data, path, modernize=modernize):
            found.append(path)
    return found


def is_hit(data: bytes, path: str = "", *, modernize: bool = False) -> bool:
    """Whether ``data`` can hold a site; with ``modernize``, or a place for the VF2xx rules.

    ``path`` says what it is: Python, or something with Python in it.
    """
    if modernize and TORCH in data:
        return True
    return (WORD in data and _is_token(data, path)) or next(wordless(data), None) is not None


def _is_token(data: bytes, path: str) -> bool:
    from voltfix.discovery.tokens import speaks_of_volatile  # a clean tree does without

    return speaks_of_volatile(data, path)


def wordless(data: bytes) -> Iterator[int]:
    """Where Variable, or an alias, is called with three positional arguments or a star: a flag without the word."""
    if CLASS not in data:
        return
    import re

    # patterns that begin with a word of their own are found fast; one that begins with any word is tried at each
    names = {CLASS, *re.findall(rb"\bVariable\s+as\s+(\w+)", data)}
    for value in re.finditer(rb"=\s*[\w.]*\bVariable\s", data):
        bound = re.search(rb"\w+\Z", data[max(0, value.start() - _LONGEST_NAME) : value.start()].rstrip())
        names.update([bound[0]] if bound is not None else [])
    if len(names) <= _FEW:
        found = (match for name in names for match in re.finditer(rb"\b" + name + rb"\s*\(", data))
        calls = sorted(found, key=lambda match: match.start())
    else:
        calls = [match for match in re.finditer(rb"\b(\w+)\s*\(", data) if match[1] in names]
    for number, match in enumerate(calls):
        # nobody writes so many; whether it is a hit is then for the parser to say
        if number > _MAX_CALLS or _reaches_third(data[match.end() : match.end() + _CALL_WINDOW]):
            yield match.start()


def _reaches_third(arguments: bytes) -> bool:
    """Whether a third argument, or a star, stands in the call that ``arguments`` is the inside of."""
    depth = commas = 0
    fresh = True  # at the start of an argument
    for index, char in enumerate(arguments):
        if char in b"([{":
            depth += 1
        elif char in b")]}":
            depth -= 1
            if depth < 0:
                return False
        elif depth == 0 and char == 44:  # a comma
            commas += 1
            fresh = True
            continue
        elif depth == 0 and fresh and char == 42:  # a star
            return True
        if fresh and char not in b" \t\r\n\\":
            fresh = False
            if commas == 2 and not _is_keyword(arguments[index : index + 40]):
                return True
    return False


def _is_keyword(argument: bytes) -> bool:
    import re

    return re.match(rb"requires_grad\s*=[^=]", argument) is not None
