"""Bytes to Python text and back: encodings, old syntax, notebooks, documentation."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from voltfix.model import FileError
from voltfix.sources.document import Document
from voltfix.sources.shields import is_async

__all__ = ["Document", "is_async", "load", "readable"]

# module and function of each; a module is imported for the first file of its kind
_PLAIN = ("plain", "load")
_LOADERS = {
    ".py": _PLAIN,
    ".pyw": _PLAIN,
    ".pyi": _PLAIN,
    ".ipynb": ("notebook", "load"),
    ".md": ("markup", "load_markdown"),
    ".markdown": ("markup", "load_markdown"),
    ".rst": ("markup", "load_rst"),
}


def readable(path: str) -> bool:
    """Say whether ``load`` knows files of this name."""
    return _extension(path) in _LOADERS


def load(path: str, data: bytes) -> Document | FileError:
    """Load a file by its extension; a file without a known one is taken for Python. Never raises."""
    module, name = _LOADERS.get(_extension(path), _PLAIN)
    loader: Callable[[str, bytes], Document | FileError] = getattr(import_module(f"voltfix.sources.{module}"), name)
    return loader(path, data)


def _extension(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name else ""
