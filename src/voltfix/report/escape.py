"""Text from other people's repositories, made harmless for a terminal and for JSON."""

from __future__ import annotations

import os


def printable(text: str, keep: str = "") -> str:
    """``text`` with control characters, escape sequences and undecodable bytes written out (``\\x1b``).

    ``keep`` holds control characters that may stay, such as a newline or a tab.
    """
    if "##[" in text:  # GitHub takes it for a command, wherever it stands in a line
        text = text.replace("##[", "#\\x23[")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else _written_out(char) for char in text)


def _written_out(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no UTF-8, carried through by surrogateescape
        code -= 0xDC00
    if code < 0x100:
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def decodable(path: str) -> str:
    """A file name as proper Unicode.

    Bytes that are no UTF-8 are written out, so that any JSON reader takes it.
    """
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path
