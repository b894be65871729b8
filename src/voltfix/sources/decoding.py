"""Bytes to text and back, without losing one: byte order mark, encoding cookie, line endings as they are."""

from __future__ import annotations

import codecs
import re

from voltfix.model import FileError
from voltfix.records import dataclass

# ast takes up to 900 bytes of memory a byte (a list of numbers); beyond this no hand-written source is lost
MAX_BYTES = 1_000_000

# PEP 263: in one of the first two lines, and the first may only be a comment or blank
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")


@dataclass(frozen=True)
class Decoded:
    """Text, and how to make its bytes again."""

    text: str
    encoding: str
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """Return the bytes of ``text``; what the file's encoding lacks raises UnicodeEncodeError."""
        return self.bom + text.encode(self.encoding)


def decode(path: str, data: bytes, *, cookies: bool = True, limit: int = MAX_BYTES) -> Decoded | FileError:
    """Decode a file; ``cookies`` says whether encoding declarations count (they do in Python alone)."""
    if len(data) > limit:
        return FileError(path, None, "too-large", f"the file has {len(data)} bytes; the limit is {limit}")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return FileError(path, line, "encoding", "the file holds null bytes: it is binary, or UTF-16")
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    body = data[len(bom) :]
    name = (_cookie(body) if cookies else None) or "utf-8"
    try:
        encoding = "utf-8" if bom else codecs.lookup(name).name
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        return _undecodable(path, body, name, error, bom)
    except (LookupError, UnicodeError, ValueError):
        return FileError(path, 1, "encoding", f"declares the encoding {name!r}, which is not known")
    decoded = Decoded(text, encoding, bom)
    if not _reversible(decoded, data):
        return FileError(path, None, "encoding", f"{name} does not give back the same bytes")
    return decoded


def _reversible(decoded: Decoded, data: bytes) -> bool:
    try:
        return decoded.encode(decoded.text) == data
    except (UnicodeError, LookupError, TypeError):
        return False


def _undecodable(path: str, body: bytes, name: str, error: UnicodeDecodeError, bom: bytes) -> Decoded | FileError:
    """Python 2 took stray Latin-1 bytes in comments and strings; so do we, where no encoding was declared."""
    if name == "utf-8" and not bom and _cookie(body) is None:
        return Decoded(body.decode("latin-1"), "latin-1")
    line = body.count(b"\n", 0, error.start) + 1
    return FileError(path, line, "encoding", f"byte 0x{body[error.start]:02x} is not {name}")


def _cookie(body: bytes) -> str | None:
    for line in re.split(rb"\r\n|\r|\n", body[:4096])[:2]:
        hit = _COOKIE.match(line)
        if hit:
            return hit.group(1).decode("ascii", "replace")
        if not _BLANK.match(line):
            return None
    return None
