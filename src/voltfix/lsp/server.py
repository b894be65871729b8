"""The server over stdio: looks at a document when it is opened, changed or saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from voltfix import __version__
from voltfix.lsp import documents
from voltfix.lsp.documents import Document
from voltfix.lsp.edits import site_range, text_edits
from voltfix.lsp.hover import hover, link, skipping
from voltfix.lsp.progress import working
from voltfix.lsp.project import View, view
from voltfix.model import SiteResult
from voltfix.rules.messages import planned

SOURCE = "voltfix"
_SEVERITY = {
    "fixed": types.DiagnosticSeverity.Warning,
    "refused": types.DiagnosticSeverity.Error,
}
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"),
            cells=[types.NotebookCellLanguage(language="python")],
        )
    ],
    save=True,
)
server = LanguageServer("voltfix", __version__, types.TextDocumentSyncKind.Full, _NOTEBOOKS)
_views: dict[str, View] = {}


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document is there."""
    with working(ls, "looking at the project"):
        refresh(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    """A document is no longer what it was."""
    refresh(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def did_save(ls: LanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    """A document was saved; the others that hang on it are looked at again."""
    refresh_all(ls)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: LanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document is gone."""
    _views.pop(params.text_document.uri, None)
    _publish(ls, params.text_document.uri, [])


@server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
def did_open_notebook(ls: LanguageServer, params: types.DidOpenNotebookDocumentParams) -> None:
    """A notebook is there."""
    with working(ls, "looking at the project"):
        refresh(ls, params.notebook_document.uri)


@server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
def did_change_notebook(ls: LanguageServer, params: types.DidChangeNotebookDocumentParams) -> None:
    """Cells of a notebook changed, came or went."""
    cells = params.change.cells
    for gone in (cells.structure.did_close or []) if cells is not None and cells.structure is not None else []:
        _publish(ls, gone.uri, [])
    refresh(ls, params.notebook_document.uri)


@server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
def did_save_notebook(ls: LanguageServer, params: types.DidSaveNotebookDocumentParams) -> None:
    """A notebook was saved."""
    refresh_all(ls)


@server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
def did_close_notebook(ls: LanguageServer, params: types.DidCloseNotebookDocumentParams) -> None:
    """A notebook is gone."""
    _views.pop(params.notebook_document.uri, None)
    for cell in params.cell_text_documents:
        _publish(ls, cell.uri, [])


def refresh_all(ls: LanguageServer) -> None:
    """Look at every open document anew."""
    with working(ls, "looking at the open documents"):
        for document in list(documents.everything(ls.workspace)):
            refresh(ls, document.uri)


def refresh(ls: LanguageServer, uri: str) -> None:
    """Look at a document anew and say what is in it."""
    document = documents.find(ls.workspace, uri)
    if document is None:
        _publish(ls, uri, [])
        return
    _views.pop(document.uri, None)
    found = view(document.path, {each.path: each.text for each in documents.everything(ls.workspace)})
    if found is not None:
        _views[document.uri] = found
    for address, cell, text in document.parts:
        _publish(ls, address, list(diagnostics(found, cell, text)) if found is not None else [])


def _publish(ls: LanguageServer, uri: str, found: list[types.Diagnostic]) -> None:
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=found))


def diagnostics(found: View, cell: int | None, text: str) -> Iterator[types.Diagnostic]:
    """A warning where voltfix can fix, an error where a person is needed or nothing could be read.

    Those of one cell, where the document is a notebook.
    """
    for row in found.rows:
        if row.status in _SEVERITY and row.cell == cell:
            yield _diagnostic(row, text)
    for error in found.errors:
        if cell is not None and (documents.cell_of(error) or 1) != cell:
            continue
        line = max((error.line or 1) - 1, 0)
        place = types.Range(types.Position(line, 0), types.Position(line + 1, 0))
        message = f"{error.kind}: {error.message}"
        yield types.Diagnostic(place, message, types.DiagnosticSeverity.Error, source=SOURCE)


def _diagnostic(row: SiteResult, text: str) -> types.Diagnostic:
    how = row.reason or row.strategy
    evidence = "".join(f"\n{sentence}" for sentence in row.evidence)
    return types.Diagnostic(
        range=site_range(row, text),
        message=f"{planned(row.message)}{f' ({how})' if how else ''}{evidence}",
        code_description=link(row.code),
        severity=_SEVERITY[row.status],
        code=row.code,
        source=SOURCE,
    )


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, "source.fixAll.voltfix"]),
)
def code_action(ls: LanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The changes at a place, and all of them at once."""
    uri = params.text_document.uri
    document = documents.find(ls.workspace, uri)
    found = _views.get(document.uri) if document is not None else None
    if document is None or found is None:
        return []
    cell, text = next((cell, text) for address, cell, text in document.parts if address == uri)
    actions = Actions(found, {each.path: each for each in documents.everything(ls.workspace)})
    wanted = params.context.only
    offered = [*actions.at(uri, cell, text, params.range), *actions.all()]
    return [a for a in offered if wanted is None or any(_word(a.kind).startswith(_word(w)) for w in wanted)]


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hovering(ls: LanguageServer, params: types.HoverParams) -> types.Hover | None:
    """The decision at a place."""
    uri = params.text_document.uri
    document = documents.find(ls.workspace, uri)
    found = _views.get(document.uri) if document is not None else None
    if document is None or found is None:
        return None
    cell, text = next((cell, text) for address, cell, text in document.parts if address == uri)
    return hover(found.rows, cell, text, params.position)


def _word(kind: types.CodeActionKind | str | None) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind or ""


class Actions:
    """The code actions of one view. ``opened``: the open documents, by path."""

    def __init__(self, found: View, opened: Mapping[str, Document]) -> None:
        self._found = found
        self._opened = opened

    def at(self, address: str, cell: int | None, text: str, place: types.Range) -> Iterator[types.CodeAction]:
        """The changes and guesses of the sites at a place of a text, which is a cell's in a notebook."""
        found = self._found
        for row in found.rows:
            if row.cell != cell:
                continue
            at = site_range(row, text)
            if at.end < place.start or place.end < at.start:
                continue
            if row.status == "fixed" and found.look is not None and (change := found.look.change(row)):
                title = f"voltfix: {planned(row.message).removeprefix('would ')}"
                yield self._action(title, types.CodeActionKind.QuickFix, found.changed([change]), preferred=True)
            elif row.status == "refused" and (patch := found.suggested(row)):
                title = f"voltfix: guess, not proved ({row.reason})"
                yield self._action(title, types.CodeActionKind.QuickFix, patch)
            if row.status in _SEVERITY and (edit := skipping(row, text)) is not None:
                left_alone = types.WorkspaceEdit(changes={address: [edit]})
                title = f"voltfix: skip {row.code} on this line"
                yield types.CodeAction(title=title, kind=types.CodeActionKind.QuickFix, edit=left_alone)

    def all(self) -> Iterator[types.CodeAction]:
        """Everything that touches the document."""
        found = self._found
        if found.look is None:
            return
        here = [
            change
            for change in found.result.plan.changes
            if any(found.look.project.file_of(path) == found.key for path, edits in change.edits if edits)
        ]
        if here:
            title = f"voltfix: migrate this file ({len(here)} change{'' if len(here) == 1 else 's'})"
            yield self._action(title, "source.fixAll.voltfix", found.changed(here))

    def _action(
        self,
        title: str,
        kind: types.CodeActionKind | str,
        texts: Mapping[str, tuple[str, str]],
        preferred: bool = False,
    ) -> types.CodeAction:
        changes = {
            uri: edits
            for path, (before, after) in texts.items()
            for uri, edits in self._edits(path, before, after)
        }
        return types.CodeAction(
            title=title, kind=kind, edit=types.WorkspaceEdit(changes=changes), is_preferred=preferred or None
        )

    def _edits(self, path: str, before: str, after: str) -> Iterator[tuple[str, list[types.TextEdit]]]:
        """What changes at one path, by address: that of the file, or those of the cells of an open notebook."""
        document = self._opened.get(path)
        if document is None or not document.parts or document.parts[0][1] is None:
            yield documents.uri_of(path), text_edits(before, after)
            return
        for (uri, _, text), new in zip(document.parts, documents.sources(after), strict=True):
            if new != text:
                yield uri, text_edits(text, new)
