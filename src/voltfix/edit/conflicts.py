"""Which edits go together: those that fall away with another one, and those that are at odds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import fields
from itertools import accumulate

from voltfix.edit.errors import EditError
from voltfix.model import (
    DeleteStatement,
    DropArgument,
    DropParameter,
    Edit,
    InsertStatement,
    ReplaceExpression,
    ReplaceStatement,
    Span,
    WrapExpression,
    WrapStatements,
)

# these stand around a statement, whatever becomes of it
_AROUND_STATEMENTS = (InsertStatement, WrapStatements)


def spans(edit: object) -> list[Span]:
    """Return the spans that an edit holds."""
    values = (getattr(edit, each.name) for each in fields(edit))  # type: ignore[arg-type]
    return [value for value in values if isinstance(value, Span)]


def cover(edit: object) -> Span:
    """Return the range that an edit speaks of; empty for an import."""
    found = spans(edit)
    return Span(min(span.start for span in found), max(span.end for span in found)) if found else Span(0, 0)


def without_moot(edits: list[Edit]) -> list[Edit]:
    """Leave out what lies inside something that goes as a whole."""
    gone = sorted((span, number) for number, edit in enumerate(edits) if (span := _going(edit)) is not None)
    starts = [span.start for span, _ in gone]
    ends = list(accumulate((span.end for span, _ in gone), max))

    def moot(edit: Edit) -> bool:
        around = cover(edit)
        index = bisect_right(starts, around.start) - 1
        while index >= 0 and ends[index] >= around.end:  # further left nothing reaches that far
            span, number = gone[index]
            if _goes_with(edit, edits[number], span):
                return True
            index -= 1
        return False

    return [edit for edit in edits if not moot(edit)] if gone else edits


def _going(edit: Edit) -> Span | None:
    """Return what an edit takes away."""
    if isinstance(edit, DropArgument):
        return edit.argument
    if isinstance(edit, DropParameter):
        return edit.parameter
    return edit.span if isinstance(edit, DeleteStatement) else None


def _goes_with(edit: Edit, other: Edit, span: Span) -> bool:
    if edit == other or _going(edit) == span or not spans(edit):
        return False
    around = cover(edit)
    if around == span and isinstance(edit, (*_AROUND_STATEMENTS, ReplaceStatement)):
        return False
    return span.start <= around.start and around.end <= span.end


def refuse_conflicts(edits: Iterable[Edit]) -> None:
    """Raise for edits that half overlap, and for those of a text that another one replaces."""
    covers = [(edit, cover(edit)) for edit in edits if spans(edit)]
    covers.sort(key=lambda pair: (pair[1].start, -pair[1].end))
    open_: list[tuple[Edit, Span]] = []
    for edit, span in covers:
        while open_ and open_[-1][1].end <= span.start:
            open_.pop()
        for outer, around in open_:
            if around.end < span.end:
                raise EditError(f"edits overlap at {span.start}..{around.end}")
            if _replaces(outer) and around != span:
                raise EditError(f"an edit lies inside of what another one replaces, at {span.start}")
            if around == span and (_at_odds(outer, edit) or _at_odds(edit, outer)):
                raise EditError(f"two edits replace the same text, at {span.start}")
        open_.append((edit, span))


def _replaces(edit: Edit) -> bool:
    return isinstance(edit, ReplaceExpression | ReplaceStatement)


def _at_odds(edit: Edit, other: Edit) -> bool:
    """Say whether ``edit`` replaces what ``other``, of the same range, changes."""
    if isinstance(edit, ReplaceExpression):
        return not isinstance(other, (WrapExpression, *_AROUND_STATEMENTS))
    return isinstance(edit, ReplaceStatement) and not isinstance(other, _AROUND_STATEMENTS)
