"""VF204: masks are bool."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal
from voltfix.modernize import messages, vf204_arithmetic
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import UNKNOWN, Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, replaced
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF204",
    name="masks are bool",
    what="""
        Adds `.bool()` to a mask of bytes where it selects or fills: as an index, and as the mask of
        `masked_select`, `masked_fill`, `masked_scatter`. Turns `1 - mask` of a comparison into `~mask`, and
        adds `.byte()` to comparisons that are subtracted otherwise, or added up and counted.
    """,
    why="""
        Since 1.2 comparisons give bool tensors; byte tensors do not mask any more: `masked_select` and
        assigning to `x[bytes]` raise. `1 - mask` raises on bool, and `a.eq(0) + b.eq(0)` is "or": what was
        2 is True.
    """,
    before="""
        rest = 1 - done.eq(0)
        both = a.eq(0) + b.eq(0) == 2
        v[torch.ByteTensor(alive)] = scores.masked_select(mask)
    """,
    after="""
        rest = ~done.eq(0)
        both = a.eq(0).byte() + b.eq(0).byte() == 2
        v[torch.ByteTensor(alive).bool()] = scores.masked_select(mask.bool())
    """,
    safety="""
        Safe: `.bool()` of a bool tensor is itself. An index is touched only where it is shown to be a
        tensor of bytes, `1 - x` only where `x` is shown to be a comparison, and `.byte()` is what a
        comparison was on 0.3. A sum of comparisons that only masks is left alone; one that goes out of
        sight, and `mask -= ...`, are refused. Where only a use says that it is a tensor, or it may be a number
        instead, the edit is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("arithmetic-on-masks", "may-be-no-tensor", "target-too-old"),
    references=("https://github.com/pytorch/pytorch/releases/tag/v1.2.0",),
    default=False,
)
_METHODS = frozenset({"masked_select", "masked_fill", "masked_fill_", "masked_scatter", "masked_scatter_"})
_FUNCTIONS = {f"torch.{name}": 1 for name in _METHODS}
_BOOL_SINCE = (1, 2)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Masks of bytes, and arithmetic on comparisons."""
    for node in scene.nodes(path):
        if isinstance(node, ast.Call):
            mask, unsure = _mask_of(scene, path, node)
            if mask is not None:
                yield from _masked(scene, path, mask, unsure)
        elif isinstance(node, ast.Subscript):
            yield from _index(scene, path, node)
        else:
            yield from vf204_arithmetic.find(scene, path, node, TEXT.code)


def _mask_of(scene: Scene, path: str, call: ast.Call) -> tuple[ast.expr | None, bool]:
    """The mask that a call of torch's masked functions gets; whether the method may be of something else."""
    func, unsure = call.func, False
    outside = scene.outside(path, func)
    if outside is not None:
        position = _FUNCTIONS.get(outside)
    elif isinstance(func, ast.Attribute) and func.attr in _METHODS and scene.kinds.speaks_torch(path):
        kind = scene.kind(path, func.value)
        position = 0 if isinstance(kind, Tensor) or kind == UNKNOWN else None
        known = kind if isinstance(kind, Tensor) else Tensor(guessed="module")
        unsure = scene.kinds.settled(known, func.attr) != ""
    else:
        return None, False
    if position is None or any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
        return None, False
    named = next((k.value for k in call.keywords if k.arg == "mask"), None)
    return named or (call.args[position] if len(call.args) > position else None), unsure


def _masked(scene: Scene, path: str, mask: ast.expr, unsure: bool) -> Iterator[Finding]:
    kind = scene.kind(path, mask)
    if (isinstance(kind, Tensor) and kind.dtype == "bool") or _is_cast(mask):
        return
    if isinstance(kind, Tensor) or kind == UNKNOWN:
        yield _to_bool(scene, path, mask, unsure)


def _is_cast(mask: ast.expr) -> bool:
    return isinstance(mask, ast.Call) and isinstance(mask.func, ast.Attribute) and mask.func.attr == "bool"


def _index(scene: Scene, path: str, node: ast.Subscript) -> Iterator[Finding]:
    for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        kind = scene.kind(path, index) if not isinstance(index, (ast.Slice, ast.Starred)) else None
        if isinstance(kind, Tensor) and kind.dtype == "byte" and kind.dim != 0:
            base = scene.kind(path, node.value)
            if isinstance(base, Tensor) or (base == UNKNOWN and scene.kinds.speaks_torch(path)):
                # modules and options are no index
                yield _to_bool(scene, path, index, kind.maybe or kind.guessed in ("table", "own"))


def _to_bool(scene: Scene, path: str, mask: ast.expr, unsure: bool) -> Finding:
    span = scene.span(path, mask)
    if scene.target < _BOOL_SINCE:
        message = messages.too_old("a bool mask", "1.2")
        return Finding(TEXT.code, path, span, message, refusal=Refusal("target-too-old", message))
    inner = _of_bytes(mask)
    text = f"{atom(scene, path, mask if inner is None else inner)}.bool()"
    return Finding(TEXT.code, path, span, messages.boolean(), (replaced(scene, path, mask, text),), suggested=unsure)


def _of_bytes(mask: ast.expr) -> ast.expr | None:
    """``x`` of ``x.byte()``."""
    if isinstance(mask, ast.Call) and isinstance(mask.func, ast.Attribute) and mask.func.attr == "byte":
        return mask.func.value if not mask.args and not mask.keywords else None
    return None


RULE = Rule(TEXT, find)
