"""Carries out all edits of one module, in an order in which each finds its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from voltfix.edit import expressions, imports, lists, statements
from voltfix.edit.draft import Splice, merged, relocated, spliced
from voltfix.edit.errors import EditError
from voltfix.edit.outline import Outline
from voltfix.model import (
    Decorate,
    DeleteStatement,
    DropArgument,
    DropParameter,
    Edit,
    EnsureImport,
    InsertStatement,
    Module,
    ReplaceExpression,
    ReplaceStatement,
    Span,
    WrapExpression,
    WrapStatements,
)

# Expressions first, while statements are where they were; lines before and after a statement before blocks
# around it, so that they stay outside; blocks from the outside in; statements go, or change, inside the
# blocks they then are in.
_PHASES: tuple[tuple[type, ...], ...] = (
    (DropArgument, DropParameter),
    (ReplaceExpression, WrapExpression),
    (InsertStatement,),
    (WrapStatements,),
    (DeleteStatement, ReplaceStatement),
    (Decorate,),
    (EnsureImport,),
)
_INNER_FIRST = (DropArgument, DropParameter, ReplaceExpression, WrapExpression)
_SWALLOW = (DropArgument, DropParameter, DeleteStatement)  # what is inside of these goes with them


def apply(module: Module, edits: Sequence[Edit]) -> str:
    """Return the text of ``module`` after ``edits``, whose spans all refer to the text as it is now.

    Edits may be nested; an identical edit counts once. Raises EditError for edits that overlap or do not fit.
    """
    try:
        return _apply(module, edits)
    except (RecursionError, MemoryError):
        raise EditError("the code is nested too deeply to be edited") from None


def _apply(module: Module, edits: Sequence[Edit]) -> str:
    todo = _without_moot(list(dict.fromkeys(edits)))
    _refuse_crossings(todo)
    draft = _Draft(module.text, module.barriers, todo)
    for kinds in _PHASES:
        while turn := _order([edit for edit in draft.todo if isinstance(edit, kinds)]):
            draft.round(turn)
    return draft.text


class _Draft:
    """The text so far, and the edits still to do with their spans in it."""

    def __init__(self, text: str, barriers: Sequence[int], todo: list[Edit]) -> None:
        self.text, self.todo = text, todo
        self.barriers = [_Barrier(Span(barrier, barrier)) for barrier in barriers]

    def round(self, turn: list[Edit]) -> None:
        """Carry out those first of ``turn`` that do not touch each other's lines."""
        outline = Outline(self.text)
        done: list[Edit] = []
        claims: list[Span] = []
        splices: list[Splice] = []
        for edit in turn:
            claim = _claim(outline, edit)
            if any(claim.start < other.end and other.start < claim.end for other in claims):
                continue
            splices += self._splices(outline, edit)
            done.append(edit)
            claims.append(claim)
        splices = merged(splices)
        grow = isinstance(turn[0], _INNER_FIRST)
        finished = set(done)
        self.text = spliced(self.text, splices)
        self.todo = [relocated(edit, splices, grow=grow) for edit in self.todo if edit not in finished]
        self.barriers = [relocated(barrier, splices, grow=False) for barrier in self.barriers]

    def _splices(self, outline: Outline, edit: Edit) -> list[Splice]:
        if isinstance(edit, WrapStatements):
            return statements.wrap(outline, edit, [barrier.span.start for barrier in self.barriers])
        return _HANDLERS[type(edit)](outline, edit)


@dataclasses.dataclass(frozen=True)
class _Barrier:
    span: Span


_HANDLERS: dict[type, Callable[..., list[Splice]]] = {
    DropArgument: lists.drop_argument,
    DropParameter: lists.drop_parameter,
    ReplaceExpression: expressions.replace,
    WrapExpression: expressions.wrap,
    InsertStatement: statements.insert,
    DeleteStatement: statements.delete,
    ReplaceStatement: statements.replace,
    Decorate: statements.decorate,
    EnsureImport: imports.ensure,
}


def _order(turn: list[Edit]) -> list[Edit]:
    """Expressions from the inside out, blocks from the outside in, lines behind backwards."""
    if not turn:
        return turn
    if isinstance(turn[0], _INNER_FIRST):
        return sorted(turn, key=_length)
    if isinstance(turn[0], WrapStatements):
        return sorted(turn, key=lambda edit: -_length(edit))
    behind = [e for e in turn if isinstance(e, InsertStatement) and e.where == "after"]
    return [e for e in turn if e not in behind] + behind[::-1]


def _length(edit: Edit) -> int:
    span = _cover(edit)
    return span.end - span.start


def _spans(edit: Edit) -> list[Span]:
    return [value for value in vars(edit).values() if isinstance(value, Span)]


def _cover(edit: Edit) -> Span:
    """Return the range that an edit speaks of."""
    spans = _spans(edit)
    return Span(min(span.start for span in spans), max(span.end for span in spans)) if spans else Span(0, 0)


def _claim(outline: Outline, edit: Edit) -> Span:
    """Return the range that no other edit of the same round may touch."""
    cover = _cover(edit)
    if isinstance(edit, EnsureImport):
        return Span(0, len(outline.text) + 1)
    if isinstance(edit, _INNER_FIRST):
        return cover
    if isinstance(edit, DeleteStatement | ReplaceStatement):
        suite = outline.statement(edit.span).suite.statements
        cover = Span(suite[0].start, suite[-1].end)
    return Span(outline.line_start(cover.start), outline.next_line(cover.end) + 1)


def _without_moot(edits: list[Edit]) -> list[Edit]:
    """Leave out what lies inside something that goes as a whole."""
    gone = [_going(edit) for edit in edits if isinstance(edit, _SWALLOW)]
    return [edit for edit in edits if not any(_inside(edit, span) for span in gone)]


def _going(edit: Edit) -> Span:
    if isinstance(edit, DropArgument):
        return edit.argument
    return edit.parameter if isinstance(edit, DropParameter) else _cover(edit)


def _inside(edit: Edit, span: Span) -> bool:
    """Say whether ``edit`` lies within ``span`` and is not the one that speaks of it."""
    spans = _spans(edit)
    if not spans or isinstance(edit, InsertStatement) or span in spans:
        return False
    cover = _cover(edit)
    return span.start <= cover.start and cover.end <= span.end


def _refuse_crossings(edits: Iterable[Edit]) -> None:
    """Raise for edits that half overlap, and for those inside of what another replaces."""
    covers = [(edit, _cover(edit)) for edit in edits if _spans(edit)]
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
        same = [outer for outer, around in open_ if around == span]
        if _replaces(edit) and any(_replaces(outer) or isinstance(outer, DeleteStatement) for outer in same):
            raise EditError(f"two edits replace the same text, at {span.start}")
        open_.append((edit, span))


def _replaces(edit: Edit) -> bool:
    return isinstance(edit, ReplaceExpression | ReplaceStatement)
