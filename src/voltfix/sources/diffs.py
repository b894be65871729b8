"""Unified diffs that ``git apply`` and ``patch -p1`` take, made from bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from voltfix.sources.alignment import grouped


def unified(path: str, before: bytes, after: bytes) -> bytes:
    """One file's diff, empty if nothing differs.

    ``path`` is relative, and stands behind ``a/`` and ``b/``.
    """
    old, new = _lines(before), _lines(after)
    parts = list(_hunks(old, new))
    if not parts:
        return b""
    return b"--- " + header("a/" + path) + b"\n+++ " + header("b/" + path) + b"\n" + b"".join(parts)


def _lines(data: bytes) -> list[str]:
    """Lines as git sees them (only ``\\n`` ends one), each byte a character."""
    text = data.decode("latin-1")
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _hunks(old: list[str], new: list[str]) -> Iterator[bytes]:
    for group in grouped(old, new):
        (_, first, _, start, _), (_, _, last, _, end) = group[0], group[-1]
        yield f"@@ -{_range(first, last)} +{_range(start, end)} @@\n".encode()
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
                continue
            yield from (_line("-", line) for line in old[i1:i2])
            yield from (_line("+", line) for line in new[j1:j2])


def _range(first: int, last: int) -> str:
    """Lines first..last (from 0, half open) as the header of a hunk counts them."""
    if last - first == 1:
        return str(last)
    return f"{first + 1 if last > first else first},{last - first}"


def _line(sign: str, line: str) -> bytes:
    encoded = (sign + line).encode("latin-1")
    return encoded if encoded.endswith(b"\n") else encoded + b"\n\\ No newline at end of file\n"


def header(name: str) -> bytes:
    """A file name as git writes it in a diff.

    Quoted when it holds odd bytes, with a tab behind it when it holds blanks.
    """
    data = os.fsencode(name)
    if any(byte < 0x20 or byte >= 0x7F or byte in b'"\\' for byte in data):
        return b'"' + b"".join(_quoted(byte) for byte in data) + b'"'
    return data + b"\t" if b" " in data else data


def _quoted(byte: int) -> bytes:
    known = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}
    if byte in known:
        return b"\\" + known[byte]
    return bytes([byte]) if 0x20 <= byte < 0x7F else b"\\%03o" % byte
