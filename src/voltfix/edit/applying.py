"""Carries out all edits of one module, in an order in which each finds its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltfix.edit import expressions, imports, lists, statements
from voltfix.edit.conflicts import cover, refuse_conflicts, spans, without_moot
from voltfix.edit.draft import Claims, Shifts, Splice, merged, relocated, spliced
from voltfix.edit.errors import EditError
from voltfix.edit.neighbours import joined
from voltfix.edit.outline import Outline, outlined
from voltfix.edit.remarks import Remark, remarks
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
from voltfix.records import dataclass

# Expressions first, while statements are where they were; lines before and after a statement before blocks
# around it, so that they stay outside; blocks from the outside in; statements go, or change, inside the
# blocks they then are in.
_PHASES: tuple[tuple[type, ...], ...] = (
    (DropArgument, DropParameter),
    (ReplaceExpression, WrapExpression),
    (Remark,),
    (InsertStatement,),
    (WrapStatements,),
    (DeleteStatement, ReplaceStatement),
    (Decorate,),
    (EnsureImport,),
)
_OF_EXPRESSIONS = (DropArgument, DropParameter, ReplaceExpression, WrapExpression)
_OF_STATEMENTS = (InsertStatement, WrapStatements, DeleteStatement, ReplaceStatement, Decorate)


def apply(module: Module, edits: Sequence[Edit]) -> str:
    """Return the text of ``module`` after ``edits``, whose spans all refer to the text as it is now.

    Edits may be nested; an identical edit counts once. Raises EditError for edits that overlap or do not fit.
    """
    try:
        return _apply(module, edits)
    except (RecursionError, MemoryError):
        raise EditError("the code is nested too deeply to be edited") from None


def _apply(module: Module, edits: Sequence[Edit]) -> str:
    todo = list(dict.fromkeys(edits))
    if not todo:
        return module.text
    outline = outlined(module.text)
    todo = [_placed(outline, edit) for edit in todo]
    todo = without_moot(todo)
    refuse_conflicts(todo)
    todo = joined(outline, module.barriers, todo)
    draft = _Draft(outline, module.barriers, [*todo, *remarks(module.text, todo)])
    for kinds in _PHASES:
        while turn := _order([each for each in draft.todo if isinstance(each.edit, kinds)]):
            draft.round(turn)
    draft.close()
    return draft.text


def _placed(outline: Outline, edit: Edit) -> Edit:
    """Raise unless the statements that ``edit`` speaks of are there; a block begins where it may."""
    if isinstance(edit, _OF_STATEMENTS):
        for span in spans(edit):
            outline.statement(span)
    return statements.without_leaders(outline, edit) if isinstance(edit, WrapStatements) else edit


@dataclass(frozen=True)
class _Todo:
    """An edit still to do, its spans in the text so far; ``size`` is how much it covered in the original."""

    edit: Edit | Remark
    size: int

    def relocated(self, shifts: Shifts, *, grow: bool) -> _Todo:
        return _Todo(relocated(self.edit, shifts, grow=grow), self.size)


@dataclass(frozen=True)
class _Barrier:
    span: Span


class _Draft:
    """The text so far, and the edits still to do."""

    def __init__(self, outline: Outline, barriers: Sequence[int], todo: Sequence[Edit | Remark]) -> None:
        self.text = outline.text
        self._outline: Outline | None = outline
        self.todo = [_Todo(edit, cover(edit).end - cover(edit).start) for edit in todo]
        self.barriers = [_Barrier(Span(barrier, barrier)) for barrier in barriers]

    @property
    def outline(self) -> Outline:
        """The outline of the text so far, made when it is asked for."""
        if self._outline is None:
            self._outline = Outline(self.text, exact=False)
        return self._outline

    def round(self, turn: list[_Todo]) -> None:
        """Carry out those first of ``turn`` that do not touch each other's lines."""
        done: list[_Todo] = []
        claims = Claims()
        splices: list[Splice] = []
        for each in turn:
            claim = _claim(self.outline, each.edit)
            if not claims.touch(claim):
                splices += self._splices(each.edit)
                done.append(each)
            claims.add(claim)  # what has to wait keeps its place in the order
        splices = merged(splices)
        grow = isinstance(turn[0].edit, _OF_EXPRESSIONS)
        finished, shifts = set(done), Shifts(splices)
        self.todo = [each.relocated(shifts, grow=grow) for each in self.todo if each not in finished]
        self.barriers = [relocated(barrier, shifts, grow=False) for barrier in self.barriers]
        if splices:
            self.close()
            self.text = spliced(self.text, splices)

    def close(self) -> None:
        """Let go of the outline of the text so far; that of the original is for others, too."""
        if self._outline is not None and self._outline.exact:
            self._outline = None
        elif self._outline is not None:
            self._outline.close()
            self._outline = None

    def _splices(self, edit: Edit | Remark) -> list[Splice]:
        if isinstance(edit, WrapStatements):
            return statements.wrap(self.outline, edit, [barrier.span.start for barrier in self.barriers])
        return _HANDLERS[type(edit)](self.outline, edit)


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
    Remark: lambda outline, edit: _said_otherwise(outline.text, edit),
}


def _said_otherwise(text: str, edit: Remark) -> list[Splice]:
    """A remark that went with the flag's own line has nothing to say otherwise."""
    return [Splice(edit.span.start, edit.span.end, edit.text)] if text[edit.span.start : edit.span.end] else []


def _order(turn: list[_Todo]) -> list[_Todo]:
    """Expressions from the inside out, blocks from the outside in, lines behind backwards."""
    if turn and isinstance(turn[0].edit, _OF_EXPRESSIONS):
        return sorted(turn, key=lambda each: each.size)
    if turn and isinstance(turn[0].edit, WrapStatements):
        return sorted(turn, key=lambda each: -each.size)
    behind = [each for each in turn if isinstance(each.edit, InsertStatement) and each.edit.where == "after"]
    return [each for each in turn if each not in behind] + behind[::-1]


def _claim(outline: Outline, edit: Edit | Remark) -> Span:
    """Return the range that no other edit of the same round may touch."""
    if isinstance(edit, EnsureImport):
        return Span(0, len(outline.text) + 1)
    if isinstance(edit, (*_OF_EXPRESSIONS, Remark)):
        return cover(edit)
    found = [outline.statement(span) for span in spans(edit)]
    if isinstance(edit, DeleteStatement | ReplaceStatement) or outline.inline(found[0].suite):
        found = found[0].suite.statements
    start, end = outline.leftmost(found[0]).start, outline.rightmost(found[-1]).end
    return Span(outline.line_start(start), outline.next_line(end) + 1)
