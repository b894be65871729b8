"""VF211: assigning as many elements in another shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import NUMBER, Tensor
from voltfix.modernize.kinds.tensors import indexed
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, replaced
from voltfix.program.walking import walk
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF211",
    name="what is assigned has the shape of its place",
    what="""
        Gives `reshape_as` to a tensor that is assigned to `x[i]` and has more dimensions than `x[i]`.
    """,
    why="""
        0.3 copied any tensor with as many elements, whatever its shape; today `x[i] = y` broadcasts, and
        raises on a column that is assigned to a row.
    """,
    before="best[i] = scores.gather(1, index.view(n, 1))",
    after="best[i] = scores.gather(1, index.view(n, 1)).reshape_as(best[i])",
    safety="""
        Safe: acts only where both numbers of dimensions are shown, and 0.3 accepted equal numbers of
        elements alone. The place is written out twice, so it has to be made of names and numbers. Where only
        its use says that a value is a tensor, the edit is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("may-be-no-tensor", "target-too-old"),
    references=("https://docs.pytorch.org/docs/stable/notes/broadcasting.html#backwards-compatibility",),
    default=False,
)


_SINCE = (1, 0)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Assignments to an element of a tensor of something with more dimensions."""
    for node in scene.nodes(path):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Subscript) or not _is_repeatable(target):
            continue
        place, value = _place(scene, path, target), scene.kind(path, node.value)
        if place is None or not isinstance(value, Tensor) or value.dim is None or value.maybe:
            continue
        if place < value.dim and place > 0:
            if scene.target < _SINCE:
                message = messages.too_old("reshape_as", "1.0")
                refusal = Refusal("target-too-old", message)
                yield Finding(TEXT.code, path, scene.span(path, node.value), message, refusal=refusal)
                continue
            text = f"{atom(scene, path, node.value)}.reshape_as({scene.text(path, target)})"
            edit = replaced(scene, path, node.value, text)
            message = messages.shape_of_place(value.dim, place)
            unsure = value.unsure or _is_guessed(scene, path, target.value)
            yield Finding(TEXT.code, path, scene.span(path, node.value), message, (edit,), suggested=unsure)


def _is_guessed(scene: Scene, path: str, node: ast.expr) -> bool:
    kind = scene.kind(path, node)
    return isinstance(kind, Tensor) and kind.unsure


def _place(scene: Scene, path: str, target: ast.Subscript) -> int | None:
    """How many dimensions the place has; None where that is not shown."""
    base = scene.kind(path, target.value)
    if not isinstance(base, Tensor) or base.dim is None or isinstance(target.slice, (ast.Slice, ast.Tuple)):
        return None
    if scene.kind(path, target.slice) != NUMBER:
        return None
    kind = indexed(base, target.slice, NUMBER)
    return kind.dim if isinstance(kind, Tensor) else None


def _is_repeatable(target: ast.Subscript) -> bool:
    return isinstance(target.value, ast.Name) and all(
        isinstance(
            node,
            (ast.Name, ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context),
        )
        for node in walk(target.slice)
    )


RULE = Rule(TEXT, find)
