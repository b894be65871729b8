"""VF205: ``size_average=`` and ``reduce=`` become ``reduction=``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal, ReplaceStatement
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import Instance
from voltfix.modernize.kinds.tables import LOSS_CLASSES, LOSSES
from voltfix.modernize.scene import Scene
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF205",
    name="losses take reduction=",
    what="""
        Writes `size_average=` and `reduce=` of torch's losses as `reduction=`: `'mean'`, `'sum'` or
        `'none'`. An expression becomes a conditional expression. `criterion.size_average = False` on a loss
        becomes `criterion.reduction = 'sum'`.
    """,
    why="""
        Deprecated since 0.4.1; torch warns at every call. The attribute is not looked at any more: what
        was summed is averaged, without a word.
    """,
    before="loss = F.nll_loss(output, target, size_average=False)",
    after="loss = F.nll_loss(output, target, reduction='sum')",
    safety="""
        Safe. Refused where both arguments are given and are not written out, since which of the two
        decides then depends on their values.
    """,
    refusals=("unresolved-arguments", "target-too-old"),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html",),
    default=False,
)
_OLD = ("size_average", "reduce")
_SINCE = (1, 0)  # 0.4.1, to be precise


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Calls of torch's losses with one of the old arguments, and losses whose attribute is set."""
    for node in scene.nodes(path):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
            yield from _attribute(scene, path, node, node.targets[0])
    for call in scene.calls(path):
        old = [keyword for keyword in call.keywords if keyword.arg in _OLD]
        if old and _is_loss(scene.outside(path, call.func)):
            yield _finding(scene, path, call, old)


def _attribute(scene: Scene, path: str, node: ast.Assign, target: ast.Attribute) -> Iterator[Finding]:
    """``criterion.size_average = False`` on what is shown to be a loss."""
    kind = scene.kind(path, target.value) if target.attr in _OLD else None
    if not isinstance(kind, Instance) or not all(_is_loss(str(k.cls)) for k in (kind, *kind.others)):
        return
    span = scene.span(path, node)
    value = _reduction(scene, path, {target.attr: node.value})
    if target.attr == "reduce" and value != "'none'":
        value = None  # size_average decides then, and may have been given before
    if value is None or not kind.scalar:
        message = messages.unknown_reduction()
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("unresolved-arguments", message))
    elif scene.target < _SINCE:
        message = messages.too_old("reduction", "0.4.1")
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("target-too-old", message))
    else:
        edit = ReplaceStatement(span, f"{scene.text(path, target.value)}.reduction = {value}")
        yield Finding(TEXT.code, path, span, messages.reduction(value), (edit,))


def _is_loss(name: str | None) -> bool:
    if name is None or not name.startswith("torch.nn."):
        return False
    module, _, last = name.rpartition(".")
    return last in LOSS_CLASSES or (module == "torch.nn.functional" and last in LOSSES)


def _finding(scene: Scene, path: str, call: ast.Call, old: list[ast.keyword]) -> Finding:
    span = scene.span(path, old[0])
    reduction = _reduction(scene, path, {str(k.arg): k.value for k in old})
    if reduction is None:
        message = messages.unknown_reduction()
        return Finding(TEXT.code, path, span, message, refusal=Refusal("unresolved-arguments", message))
    if scene.target < _SINCE:
        message = messages.too_old("reduction=", "0.4.1")
        return Finding(TEXT.code, path, span, message, refusal=Refusal("target-too-old", message))
    if len(old) == 1:
        edit = scene.rewritten(path, call, [(span, f"reduction={reduction}")])
        return Finding(TEXT.code, path, span, messages.reduction(reduction), (edit,))
    first, second = (scene.span(path, keyword) for keyword in sorted(old, key=lambda k: (k.lineno, k.col_offset)))
    text = scene.source(path)
    comma = text.rfind(",", first.end, second.start)
    between = type(first)(comma, second.end)
    edit = scene.rewritten(path, call, [(first, f"reduction={reduction}"), (between, "")])
    return Finding(TEXT.code, path, span, messages.reduction(reduction), (edit,))


def _reduction(scene: Scene, path: str, given: dict[str, ast.expr]) -> str | None:
    """What ``reduction=`` has to be."""
    average, reduce = given.get("size_average"), given.get("reduce")
    fixed = reduce.value if isinstance(reduce, ast.Constant) else None
    if reduce is not None and fixed is not None and not fixed:
        return "'none'"
    if average is None:
        return f"'mean' if {scene.text(path, reduce)} else 'none'" if reduce is not None and fixed is None else "'mean'"
    if reduce is not None and not isinstance(reduce, ast.Constant):
        return None
    if isinstance(average, ast.Constant):
        return "'mean'" if average.value or average.value is None else "'sum'"
    return f"'mean' if {scene.text(path, average)} else 'sum'"


RULE = Rule(TEXT, find)
