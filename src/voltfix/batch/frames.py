"""Frames between coordinator and slot: a length (8 bytes, big endian) and a pickle."""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any, Protocol


class Readable(Protocol):
    """What a frame can be read from."""

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes; fewer only at the end."""


def write_frame(stream: IO[bytes], value: Any) -> None:
    """Write one frame and flush it."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack(">Q", len(data)) + data)
    stream.flush()


def read_frame(stream: Readable) -> Any:
    """Read one frame; EOFError where the other side has gone."""
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack(">Q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)
