"""Short ways to load and to edit."""

from __future__ import annotations

from voltfix.model import FileError
from voltfix.sources import Document, load


def loaded(data: bytes | str, path: str = "a.py") -> Document:
    """Load what has to load, and check that it comes back as it was."""
    raw = data.encode() if isinstance(data, str) else data
    document = load(path, raw)
    assert not isinstance(document, FileError), document
    assert document.render({}) == raw
    assert document.render({at: module.text for at, module in enumerate(document.modules)}) == raw
    return document


def refused(data: bytes, path: str = "a.py") -> FileError:
    """Load what must not load."""
    error = load(path, data)
    assert isinstance(error, FileError)
    assert error.path == path
    return error


def exchanged(data: bytes | str, *pairs: tuple[str, str], path: str = "a.py", module: int = 0) -> str:
    """Exchange pieces of a module's text and render."""
    document = loaded(data, path)
    text = document.modules[module].text
    for old, new in pairs:
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
    return document.render({module: text}).decode()
