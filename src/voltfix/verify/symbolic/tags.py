"""What tells the parts of one storage apart."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

from voltfix.verify.symbolic.standin import key, leaves_in, signature


def tag_of(name: str, index: Any, old: str) -> str:
    """Which view of its storage a part is."""
    return _hashed(f"{name}{signature(index)}{keys_in(index)}{old}")


@functools.lru_cache(maxsize=5_000)
def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def keys_in(thing: Any) -> str:
    """What the stand-ins in an argument are, as text."""
    leaves = leaves_in(thing)
    return "".join([str(key(part)) for part in leaves]) if leaves else ""
