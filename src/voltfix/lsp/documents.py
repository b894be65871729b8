"""What an editor has open: texts by path, and the cells of notebooks as the notebook that they make."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import pathname2url

from lsprotocol import types
from pygls.workspace import Workspace

from voltfix.model import FileError


class Document(NamedTuple):
    """An open document. ``parts`` are what the editor shows of it: (address, cell number from 1 or None, text)."""

    uri: str
    path: str
    parts: tuple[tuple[str, int | None, str], ...]

    @property
    def text(self) -> str:
        """The document as it would be on the disk."""
        if self.parts and self.parts[0][1] is None:
            return self.parts[0][2]
        return notebook([text for _, _, text in self.parts])


def path_of(uri: str) -> str:
    """The path of a file URI."""
    return unquote(urlsplit(uri).path)


def uri_of(path: str) -> str:
    """The URI of a path."""
    return "file://" + pathname2url(path)


def notebook(sources: Sequence[str]) -> str:
    """A notebook of these code cells."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def sources(text: str) -> list[str]:
    """The cells of a notebook that ``notebook`` made, or that was edited from one."""
    return [str(cell["source"]) for cell in json.loads(text)["cells"]]


def find(workspace: Workspace, uri: str) -> Document | None:
    """The open document at ``uri``, which may be a file, a notebook, or a cell of one."""
    book = workspace.get_notebook_document(notebook_uri=uri, cell_uri=None)
    book = book or workspace.get_notebook_document(cell_uri=uri)
    if book is not None:
        return _of_notebook(workspace, book)
    known = workspace.text_documents.get(unquote(uri))  # the workspace keeps them under that
    if known is None or not uri.startswith("file:"):
        return None
    return Document(uri, path_of(uri), ((uri, None, known.source),))


def everything(workspace: Workspace) -> Iterator[Document]:
    """All open documents; a cell does not count on its own."""
    books = list(workspace.notebook_documents.values())
    cells = {cell.document for book in books for cell in book.cells}
    for book in books:
        yield _of_notebook(workspace, book)
    for known in list(workspace.text_documents.values()):
        if known.uri not in cells and (document := find(workspace, known.uri)) is not None:
            yield document


def _of_notebook(workspace: Workspace, book: types.NotebookDocument) -> Document:
    shown = [
        (cell.document, workspace.get_text_document(cell.document))
        for cell in book.cells
        if cell.kind == types.NotebookCellKind.Code
    ]
    python = [(uri, document) for uri, document in shown if document.language_id in (None, "python")]
    parts = tuple((uri, number, document.source) for number, (uri, document) in enumerate(python, 1))
    return Document(book.uri, path_of(book.uri), parts)


def cell_of(error: FileError) -> int | None:
    """The cell that an error of a notebook speaks of."""
    found = re.match(r"cell (\d+), ", error.message)
    return int(found[1]) if found else None
