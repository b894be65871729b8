"""Bytes to Python text and back: encodings, old syntax, notebooks, documentation."""

from __future__ import annotations

from voltfix.model import FileError
from voltfix.sources import plain
from voltfix.sources.document import Document

__all__ = ["Document", "load", "readable"]

_PYTHON = (".py", ".pyw", ".pyi")


def readable(path: str) -> bool:
    """Say whether ``load`` knows files of this name."""
    return path.lower().endswith(_PYTHON)


def load(path: str, data: bytes) -> Document | FileError:
    """Load a file by its extension; a file without a known one is taken for Python. Never raises."""
    return plain.load(path, data)
