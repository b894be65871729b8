"""VF215: what dropout makes of a parameter, and is set on a module by name, is a tensor of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import replaced
from voltfix.program.bindings import Builtin
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF215",
    name="what dropout gives is a tensor of its own",
    what="Adds `.clone()` to a call of `F.dropout` whose result is set by `setattr`, as weight dropping does.",
    why="""
        On 0.3 dropout copied. Today, without training, it gives back the very parameter that it got; a module
        registers that under the new name, and from then on refuses the tensors that training sets there.
    """,
    before="""
        w = F.dropout(raw, p=self.dropout, training=self.training)
        setattr(self.module, name, w)
    """,
    after="""
        w = F.dropout(raw, p=self.dropout, training=self.training).clone()
        setattr(self.module, name, w)
    """,
    safety="Safe: a clone is what 0.3 gave; gradients flow through it. It costs a copy.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html",),
    default=False,
)
_DROPOUT = frozenset(
    f"torch.nn.functional.{name}" for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout")
)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Values given to ``setattr`` that dropout may have given back."""
    for call in scene.calls(path):
        if len(call.args) != 3 or scene.project.resolve(path, None, call.func) != Builtin("setattr"):
            continue
        for value in _values(scene, path, call.args[2]):
            if isinstance(value, ast.Call) and scene.outside(path, value.func) in _DROPOUT:
                edit = replaced(scene, path, value, f"{scene.text(path, value)}.clone()")
                message = messages.cloned()
                yield Finding(TEXT.code, path, scene.span(path, value), message, (edit,))


def _values(scene: Scene, path: str, node: ast.expr) -> list[ast.expr]:
    """An expression, or what the name was assigned that it is."""
    if not isinstance(node, ast.Name):
        return [node]
    reached = scene.kinds.reaches(path, node)
    found = [reach.value for reach in reached if reach.how == "value" and not reach.path]
    return [value for value in found if value is not None]


RULE = Rule(TEXT, find)
