"""Taking an argument or a parameter out of its list, on LibCST's tree of the call or the header.

A list is a row of elements, each with a gap behind it: comma, space, newline. What stays keeps its place in
the text: only gaps are spliced, so edits inside of other elements find their way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from voltfix.edit import trees
from voltfix.edit.draft import Splice
from voltfix.edit.outline import Outline
from voltfix.model import DropArgument, Span
from voltfix.records import dataclass
from voltfix.sources.alignment import shared

_PARAMETER_FIELDS = ("posonly_params", "posonly_ind", "params", "star_arg", "kwonly_params", "star_kwarg")
# what an element calls the space behind it where no comma holds it
_SPACE_BEHIND = {
    "Arg": "whitespace_after_arg",
    "Param": "whitespace_after_param",
    "ParamSlash": "whitespace_after",
}


@dataclass(frozen=True)
class Element:
    """One element: its node, the field of the list that holds it, its text, and the gap behind it."""

    node: Any
    field: str
    start: int
    end: int
    gap: str


@dataclass(frozen=True)
class Row:
    """The elements of a list. ``space`` stands before the first of them; ``start`` is where that begins."""

    elements: tuple[Element, ...]
    start: int
    space: str

    def find(self, span: Span) -> int | None:
        """Return which element ``span`` is, or lies in."""
        at = bisect_right([each.start for each in self.elements], span.start) - 1
        return at if at >= 0 and span.end <= self.elements[at].end else None


def drop_argument(outline: Outline, edit: DropArgument) -> list[Splice] | None:
    """Take an argument out of a call; None where LibCST, or comments around it, leave that to the lines."""
    text = outline.text[edit.call.start : edit.call.end]
    call = trees.expression(text)
    if not isinstance(call, trees.libcst().Call):
        return None
    newline = trees.newline_of(text)
    bare = trees.code(call.with_changes(args=()), newline)
    row = _row([("args", arg) for arg in call.args], text, bare, edit.call.start, newline)
    at = row.find(edit.argument)
    if at is None:
        return None
    left = _without(row, at, at, outline)
    if left is None:
        return None
    if left:
        call = call.with_changes(args=[node for _, node in left])
    else:
        call = call.with_changes(args=(), whitespace_before_args=trees.libcst().SimpleWhitespace(""))
    return _splices(outline, row, at, at, trees.code(call, newline), edit.call)


def drop_parameter(outline: Outline, header: Span, parameter: Span) -> list[Splice] | None:
    """Take a parameter out of the header or lambda at ``header``; None as for ``drop_argument``."""
    text = outline.text[header.start : header.end]
    tree: Any = trees.expression(text) if text.startswith("lambda") else trees.function(text)
    if tree is None or not hasattr(tree, "params"):
        return None
    newline = trees.newline_of(text)
    bare = trees.code(tree.with_changes(params=trees.libcst().Parameters()), newline)
    row = _row(_parameters(tree.params), text, bare, header.start, newline)
    at = row.find(parameter)
    if at is None:
        return None
    low, high = _with_marker(row, at)
    left = _without(row, low, high, outline)
    if left is None:
        return None
    tree = tree.with_changes(params=_rebuilt(tree.params, left))
    if not left:
        before = "whitespace_after_lambda" if text.startswith("lambda") else "whitespace_before_params"
        tree = tree.with_changes(**{before: trees.libcst().SimpleWhitespace("")})
    printed = trees.code(tree, newline).removesuffix(trees.BODY)
    return _splices(outline, row, low, high, printed, header)


def _parameters(params: Any) -> list[tuple[str, Any]]:
    """Return what stands in a parameter list, in its order, with the fields that hold it."""
    found: list[tuple[str, Any]] = []
    for field in _PARAMETER_FIELDS:
        held = getattr(params, field)
        if isinstance(held, Sequence):
            found += [(field, each) for each in held]
        elif isinstance(held, trees.libcst().CSTNode):
            found.append((field, held))
    return found


def _rebuilt(params: Any, left: Sequence[tuple[str, Any]]) -> Any:
    fields: dict[str, Any] = {}
    for field in _PARAMETER_FIELDS:
        held = [node for name, node in left if name == field]
        if field.endswith("params"):
            fields[field] = held
        elif held:
            fields[field] = held[0]
        else:
            fields[field] = None if field == "star_kwarg" else trees.libcst().MaybeSentinel.DEFAULT
    return params.with_changes(**fields)


def _with_marker(row: Row, at: int) -> tuple[int, int]:
    """Return the run to drop: a ``*`` or ``/`` that would be left without sense goes along."""
    kinds = [type(each.node).__name__ for each in row.elements]
    if at == 0 and kinds[1:2] == ["ParamSlash"]:
        return 0, 1
    behind = [each.field for each in row.elements[at + 1 :]]
    if at > 0 and kinds[at - 1] == "ParamStar" and behind in ([], ["star_kwarg"]):
        return at - 1, at
    return at, at


def _row(nodes: list[tuple[str, Any]], text: str, bare: str, offset: int, newline: str) -> Row:
    """Lay the elements out over ``text``; ``bare`` is its print without them."""
    place = next((at for at, (a, b) in enumerate(zip(text, bare, strict=False)) if a != b), len(bare))
    elements = []
    start = place
    for field, node in nodes:
        whole, own = trees.code(node, newline), len(trees.code(_alone(node), newline))
        elements.append(Element(node, field, offset + start, offset + start + own, whole[own:]))
        start += len(whole)
    return Row(tuple(elements), offset + place, text[:place])


def _alone(node: Any) -> Any:
    cst = trees.libcst()
    if isinstance(node, cst.ParamStar):
        return cst.Name("_")  # one character, as its star
    space = _SPACE_BEHIND[type(node).__name__]
    return node.with_changes(**{"comma": cst.MaybeSentinel.DEFAULT, space: cst.SimpleWhitespace("")})


def _without(row: Row, low: int, high: int, outline: Outline) -> list[tuple[str, Any]] | None:
    """Return what stays of the row; None where a comment stands beside what goes."""
    elements = row.elements
    space = row.space.rpartition("(")[2] if low == 0 else ""
    if any("#" in each.gap for each in elements[max(0, low - 1) : high + 1]) or "#" in space:
        return None
    left = [(each.field, each.node) for each in (*elements[:low], *elements[high + 1 :])]
    if low > 0 and not _takes_its_own_gap(row, low, high, outline):
        field, node = left[low - 1]
        left[low - 1] = (field, _followed(node, elements[high].node))
    return left


def _takes_its_own_gap(row: Row, low: int, high: int, outline: Outline) -> bool:
    """Say whether what goes takes the gap behind it along, or leaves it to the element before it."""
    if high + 1 == len(row.elements):
        return False
    begins_line = outline.starts_line(row.elements[low].start)
    return begins_line or not set("\r\n").intersection(row.elements[high].gap)


def _followed(node: Any, dropped: Any) -> Any:
    """Return ``node`` with the comma and the space that stood behind ``dropped``."""
    space = getattr(dropped, _SPACE_BEHIND[type(dropped).__name__])
    return node.with_changes(**{"comma": dropped.comma, _SPACE_BEHIND[type(node).__name__]: space})


def _splices(outline: Outline, row: Row, low: int, high: int, printed: str, span: Span) -> list[Splice] | None:
    """Return what makes ``span`` what LibCST printed: one splice, between the elements that stay."""
    elements = row.elements
    if len(elements) == high - low + 1:
        start = row.start - len(row.space) + len(row.space.rstrip(" \t\f\r\n\\"))
    else:
        start = elements[low - 1].end if low else row.start
    last = elements[high]
    end = elements[high + 1].start if high + 1 < len(elements) else last.end + len(last.gap)
    before, after = outline.text[span.start : start], outline.text[end : span.end]
    if not (printed.startswith(before) and printed.endswith(after)) or len(printed) < len(before) + len(after):
        return None
    old, new = outline.text[start:end], printed[len(before) : len(printed) - len(after)]
    same = shared(old, new)
    same_end = shared(old[same:][::-1], new[same:][::-1])
    return [Splice(start + same, end - same_end, new[same : len(new) - same_end])]
