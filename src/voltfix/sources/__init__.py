"""Bytes to Python text and back: encodings, old syntax, notebooks, documentation."""

from __future__ import annotations

from collections.abc import Callable

from voltfix.model import FileError
from voltfix.sources import markup, notebook, plain
from voltfix.sources.document import Document
from voltfix.sources.shields import is_async

__all__ = ["Document", "is_async", "load", "readable"]

_LOADERS: dict[str, Callable[[str, bytes], Document | FileError]] = {
    ".py": plain.load,
    ".pyw": plain.load,
    ".pyi": plain.load,
    ".ipynb": notebook.load,
    ".md": markup.load_markdown,
    ".markdown": markup.load_markdown,
    ".rst": markup.load_rst,
}


def readable(path: str) -> bool:
    """Say whether ``load`` knows files of this name."""
    return _extension(path) in _LOADERS


def load(path: str, data: bytes) -> Document | FileError:
    """Load a file by its extension; a file without a known one is taken for Python. Never raises."""
    return _LOADERS.get(_extension(path), plain.load)(path, data)


def _extension(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name else ""
