"""What was not shown to be right says so where it stands: ``# voltfix: check``, above each thing that it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from voltfix.model import (
    Decorate,
    DeleteStatement,
    DropArgument,
    Edit,
    InsertStatement,
    ReplaceExpression,
    ReplaceStatement,
    Span,
    WrapExpression,
    WrapStatements,
)
from voltfix.search.draft import Draft
from voltfix.search.scene import Scene, Scenes

MARK = "# voltfix: check"


def marked(scenes: Scenes, draft: Draft) -> Draft:
    """A draft with its comments."""
    edits = tuple((path, _with_marks(scenes.of(path), found)) for path, found in draft.edits)
    return replace(draft, edits=edits)


def _with_marks(scene: Scene, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    anchors = list(dict.fromkeys(_anchors(scene, edits)))
    return (*edits, *(InsertStatement(anchor, MARK) for anchor in anchors))


def _anchors(scene: Scene, edits: tuple[Edit, ...]) -> Iterator[Span]:
    """The statements above which a comment goes: those that get a block, or are no longer what they were."""
    blocks = [edit for edit in edits if isinstance(edit, (WrapStatements, Decorate))]
    for edit in edits:
        if isinstance(edit, WrapStatements):
            yield edit.first
        elif isinstance(edit, Decorate):
            yield edit.function
        elif isinstance(edit, (ReplaceStatement, DeleteStatement)):
            yield edit.span
        elif isinstance(edit, (WrapExpression, ReplaceExpression)):
            yield _around(scene, edit.span)
        elif isinstance(edit, DropArgument) and not blocks:
            yield _around(scene, edit.call)


def _around(scene: Scene, span: Span) -> Span:
    """The innermost statement around a span."""
    node = scene.at(span)
    return span if node is None else scene.span(scene.statement(node))
