"""Blocks of the same header around statements that follow one another are one block, whichever changes they come from.

Two that a person would have written as one do the same as one: nothing runs between them. And a block that turns
gradients off does nothing in another one.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from voltfix.edit.outline import Outline, Statement
from voltfix.model import Decorate, Edit, InsertStatement, Span, WrapStatements

GAP = 2  # lines between them, blank or with a remark


def joined(outline: Outline, barriers: Sequence[int], edits: list[Edit]) -> list[Edit]:
    """The edits, with one block for each run of neighbours; blocks in other blocks, or next to lines that are put in,
    stay as they are, and so do those on both sides of a barrier (the cells of a notebook)."""
    blocks = [edit for edit in edits if isinstance(edit, WrapStatements)]
    if len(blocks) < 2:
        return edits
    idle = [one for one in blocks if len({other.header for other in blocks if _holds(other, one)}) == 1 and any(
        _does_nothing_in(outline, one, other) for other in blocks)]
    blocks = [block for block in blocks if block not in idle]
    edits = [edit for edit in edits if edit not in idle]
    blocks.sort(key=lambda edit: (edit.first.start, -edit.last.end))
    lines = {(edit.anchor.start, edit.where) for edit in edits if isinstance(edit, InsertStatement)}
    apart = any(two.first.start < one.last.end for one, two in pairwise(blocks))
    if apart or any(isinstance(edit, Decorate) for edit in edits):
        return edits
    runs = [blocks[0]]
    for block in blocks[1:]:
        last, first = outline.statement(runs[-1].last), outline.statement(block.first)
        if block.header == runs[-1].header and _follows(outline, last, first, barriers) and not lines & {
                (last.start, "after"), (first.start, "before")}:
            runs[-1] = WrapStatements(runs[-1].first, block.last, block.header)
        else:
            runs.append(block)
    return [*(edit for edit in edits if not isinstance(edit, WrapStatements)), *runs]


def _holds(other: WrapStatements, one: WrapStatements) -> bool:
    return other.first.start <= one.first.start and one.last.end <= other.last.end


def _does_nothing_in(outline: Outline, one: WrapStatements, other: WrapStatements) -> bool:
    """Does a block stand in another one, in the same function, and turns off what is off already?"""
    if one == other or one.header != other.header or not one.header.endswith("no_grad()") or not _holds(other, one):
        return False
    owner, around = outline.statement(one.first).suite, outline.statement(other.first).suite
    while owner is not around and owner.owner is not None:
        if isinstance(owner.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.AsyncWith)):
            return False
        owner = owner.owner.suite
    return owner is around


def _follows(outline: Outline, last: Statement, first: Statement, barriers: Sequence[int]) -> bool:
    """Does a statement stand right behind another one, on lines of its own?"""
    if first.suite is not last.suite or first.index != last.index + 1:
        return False
    between = Span(outline.next_line(last.end), outline.line_start(first.start))
    return last.end < between.start <= between.end and outline.text.count("\n", between.start, between.end) <= GAP and (
        not any(last.end <= barrier <= first.start for barrier in barriers))
