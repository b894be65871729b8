"""The server over stdio: looks at a document when it is opened, changed or saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit
from urllib.request import pathname2url

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from voltfix import __version__
from voltfix.lsp.edits import site_range, text_edits
from voltfix.lsp.project import View, view
from voltfix.model import SiteResult

SOURCE = "voltfix"
_SEVERITY = {
    "fixed": types.DiagnosticSeverity.Warning,
    "refused": types.DiagnosticSeverity.Error,
}
server = LanguageServer("voltfix", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
_views: dict[str, View] = {}


def path_of(uri: str) -> str:
    """The path of a file URI."""
    return unquote(urlsplit(uri).path)


def uri_of(path: str) -> str:
    """The URI of a path."""
    return "file://" + pathname2url(path)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document is there."""
    refresh(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    """A document is no longer what it was."""
    refresh(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def did_save(ls: LanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    """A document was saved; the others that hang on it are looked at again."""
    for uri in list(ls.workspace.text_documents):
        refresh(ls, uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: LanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document is gone."""
    _views.pop(params.text_document.uri, None)
    _publish(ls, params.text_document.uri, [])


def refresh(ls: LanguageServer, uri: str) -> None:
    """Look at a document anew and say what is in it."""
    texts = {
        path_of(name): document.source
        for name, document in ls.workspace.text_documents.items()
        if name.startswith("file:")
    }
    _views.pop(uri, None)
    found = view(path_of(uri), texts) if uri.startswith("file:") else None
    if found is not None:
        _views[uri] = found
    _publish(ls, uri, list(diagnostics(found, texts[path_of(uri)])) if found is not None else [])


def _publish(ls: LanguageServer, uri: str, found: list[types.Diagnostic]) -> None:
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=found))


def diagnostics(found: View, text: str) -> Iterator[types.Diagnostic]:
    """A warning where voltfix can fix, an error where a person is needed or nothing could be read."""
    for row in found.rows:
        if row.status in _SEVERITY and row.cell is None:
            yield _diagnostic(row, text)
    for error in found.errors:
        line = max((error.line or 1) - 1, 0)
        place = types.Range(types.Position(line, 0), types.Position(line + 1, 0))
        message = f"{error.kind}: {error.message}"
        yield types.Diagnostic(place, message, types.DiagnosticSeverity.Error, source=SOURCE)


def _diagnostic(row: SiteResult, text: str) -> types.Diagnostic:
    how = row.reason or row.strategy
    evidence = "".join(f"\n{sentence}" for sentence in row.evidence)
    return types.Diagnostic(
        range=site_range(row, text),
        message=f"{row.message}{f' ({how})' if how else ''}{evidence}",
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
    found = _views.get(uri)
    if found is None:
        return []
    text = ls.workspace.get_text_document(uri).source
    wanted = params.context.only
    actions = [*_at(found, text, params.range), *_all(found)]
    return [a for a in actions if wanted is None or any(_word(a.kind).startswith(_word(w)) for w in wanted)]


def _word(kind: types.CodeActionKind | str | None) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind or ""


def _at(found: View, text: str, place: types.Range) -> Iterator[types.CodeAction]:
    for row in found.rows:
        at = site_range(row, text)
        if row.cell is not None or at.end < place.start or place.end < at.start:
            continue
        if row.status == "fixed" and found.look is not None and (change := found.look.change(row)):
            title = f"voltfix: {row.message}"
            yield _action(title, types.CodeActionKind.QuickFix, found.changed([change]), preferred=True)
        elif row.status == "refused" and (patch := found.suggested(row)):
            title = f"voltfix: guess, not proved ({row.reason})"
            yield _action(title, types.CodeActionKind.QuickFix, patch)


def _all(found: View) -> Iterator[types.CodeAction]:
    """Everything that touches the document."""
    if found.look is None:
        return
    here = [
        change
        for change in found.result.plan.changes
        if any(found.look.project.file_of(path) == found.key for path, edits in change.edits if edits)
    ]
    if here:
        title = f"voltfix: migrate this file ({len(here)} change{'' if len(here) == 1 else 's'})"
        yield _action(title, "source.fixAll.voltfix", found.changed(here))


def _action(
    title: str,
    kind: types.CodeActionKind | str,
    texts: Mapping[str, tuple[str, str]],
    preferred: bool = False,
) -> types.CodeAction:
    changes = {uri_of(path): text_edits(before, after) for path, (before, after) in texts.items()}
    return types.CodeAction(
        title=title, kind=kind, edit=types.WorkspaceEdit(changes=changes), is_preferred=preferred or None
    )
