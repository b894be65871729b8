"""VF208: ``view`` of what may not be contiguous today becomes ``reshape``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import renamed
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF208",
    name="view of a result that keeps strides is reshape",
    what="""
        Writes `x.view(...)` as `x.reshape(...)` where `x` is computed from something transposed, permuted,
        expanded or cut by columns.
    """,
    why="""
        0.3 gave contiguous results; today an operation keeps the strides of its input, and `view` raises
        on what does not lie in one piece.
    """,
    before="""
        correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
        hits = correct[:k].view(-1)
    """,
    after="""
        correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
        hits = correct[:k].reshape(-1)
    """,
    safety="""
        Safe: `reshape` is `view` where that works, and copies where it would raise.
        `x.view(torch.LongTensor)` and calls on anything but a shown tensor are left alone. Where only its use
        says that it is a tensor, the edit is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("may-be-no-tensor",),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.reshape.html",),
    default=False,
)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """``view`` on a tensor that something upstream may have left in pieces."""
    for call in scene.calls(path):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "view" or not call.args:
            continue
        kind = scene.kind(path, call.func.value)
        if isinstance(kind, Tensor) and kind.strided:
            span = scene.span(path, call.func)
            message = messages.reshape()
            edit = renamed(scene, path, call.func, "reshape")
            unsure = scene.kinds.settled(kind, "view") != ""
            yield Finding(TEXT.code, path, span, message, (edit,), suggested=unsure)


RULE = Rule(TEXT, find)
