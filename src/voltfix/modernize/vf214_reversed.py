"""VF214: arrays that run backwards are copied before torch gets them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.kinds.values import NUMPY
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, replaced
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF214",
    name="reversed arrays are copied for torch",
    what="""
        Adds `.copy()` to a NumPy array made by `[::-1]` where a function of torch gets it, such as the
        lengths of `pack_padded_sequence`.
    """,
    why="""
        0.3 took the lengths as a list of numbers; today torch makes a tensor of them, and raises on an array
        with negative strides.
    """,
    before="""
        order = np.sort(lengths)[::-1]
        packed = nn.utils.rnn.pack_padded_sequence(x, order)
    """,
    after="""
        order = np.sort(lengths)[::-1]
        packed = nn.utils.rnn.pack_padded_sequence(x, order.copy())
    """,
    safety="Safe: torch gets the same numbers. Only what is shown to be a reversed NumPy array is copied.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html",),
    default=False,
)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Arguments of torch's functions that are arrays with a negative step."""
    for call in scene.calls(path):
        outside = scene.outside(path, call.func)
        if outside is None or not outside.startswith("torch."):
            continue
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            if _is_reversed(scene, path, argument):
                edit = replaced(scene, path, argument, f"{atom(scene, path, argument)}.copy()")
                message = messages.copied()
                yield Finding(TEXT.code, path, scene.span(path, argument), message, (edit,))


def _is_reversed(scene: Scene, path: str, node: ast.expr) -> bool:
    """Is it, or was it assigned, an array with a negative step?"""
    if isinstance(node, ast.Name):
        reached = scene.kinds.reaches(path, node)
        made = [_assigned(reach) for reach in reached]
        return bool(made) and all(value is not None and _is_reversed(scene, path, value) for value in made)
    step = node.slice.step if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) else None
    back = isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) and isinstance(step.operand, ast.Constant)
    return back and isinstance(node, ast.Subscript) and scene.kind(path, node.value) == NUMPY


def _assigned(reach: Reach) -> ast.expr | None:
    """The expression that an assignment gives a name, through written-out tuples; no names of names."""
    value = reach.value if reach.how == "value" else None
    for index in reach.path:
        if not isinstance(value, ast.Tuple) or index is None or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value if isinstance(value, ast.Subscript) else None


RULE = Rule(TEXT, find)
