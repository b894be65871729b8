"""Part of VF204: arithmetic on comparisons, which gave bytes on 0.3 and give bool tensors today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Edit, Refusal, Span
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding
from voltfix.modernize.kinds import NUMBER, Kind, Tensor
from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, replaced

_BOOL_SINCE = (1, 2)
# of a sum of masks: what treats 1 and 2 alike, and what counts
_MASKING = frozenset({"masked_select", "masked_fill", "masked_fill_", "masked_scatter", "masked_scatter_"})
_ALIKE = frozenset({"nonzero", "any", "bool"})
_COUNTING = frozenset({"sum", "float", "long", "int", "double", "mean", "max", "eq", "ne", "cumsum", "tolist", "numpy"})


def find(scene: Scene, path: str, node: ast.AST, code: str) -> Iterator[Finding]:
    """``-`` and ``+`` of comparisons."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        yield from _difference(scene, path, node, code)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _sum(scene, path, node, code)
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
        both = _is_mask(scene.kind(path, node.target)) and _is_mask(scene.kind(path, node.value))
        if both or (isinstance(node.op, ast.Sub) and _is_mask(scene.kind(path, node.target))):
            yield _refused(scene, path, node, code, messages.masks("changes"))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_mask(scene.kind(path, node.operand)):
        yield _refused(scene, path, node, code, messages.masks("negates"))


def _difference(scene: Scene, path: str, node: ast.BinOp, code: str) -> Iterator[Finding]:
    left, right = scene.kind(path, node.left), scene.kind(path, node.right)
    if not _is_mask(left) and not _is_mask(right):
        return
    span = scene.span(path, node)
    one = isinstance(node.left, ast.Constant) and node.left.value == 1
    if one and _is_mask(right):
        if scene.target >= _BOOL_SINCE:  # before, there was no ~ of bytes, and 1 - bytes worked
            edits: tuple[Edit, ...] = (replaced(scene, path, node, f"~{atom(scene, path, node.right)}"),)
            yield Finding(code, path, span, messages.opposite(), edits, suggested=_unsure(right))
    elif _is_bytes(left) and _is_bytes(right):
        yield _cast(scene, path, node, code)
    else:
        message = messages.masks("subtracts")
        yield _refused(scene, path, node, code, message)


def _sum(scene: Scene, path: str, node: ast.BinOp, code: str) -> Iterator[Finding]:
    if not _is_mask(scene.kind(path, node.left)) or not _is_mask(scene.kind(path, node.right)):
        return
    above = scene.project.parent(path, node)
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add) and _is_mask(scene.kind(path, above)):
        return  # a part of a longer sum, which is looked at as a whole
    uses = {_use(scene, path, use) for use in _uses(scene, path, node)}
    if uses and uses <= {"masks"}:
        return
    if uses and uses <= {"counts"}:
        yield _cast(scene, path, node, code)
    else:
        message = messages.adds_masks()
        yield _refused(scene, path, node, code, message)


def _uses(scene: Scene, path: str, node: ast.expr) -> list[ast.expr]:
    """Where the value is used: here, or wherever the name stands that it is assigned to."""
    above = scene.project.parent(path, node)
    target = above.targets[0] if isinstance(above, ast.Assign) and len(above.targets) == 1 else None
    if not isinstance(above, ast.Assign) or not isinstance(target, ast.Name):
        return [node]
    made = Reach("value", above, node)
    names = [n for n in scene.nodes(path) if isinstance(n, ast.Name) and n.id == target.id and n is not target]
    used = [n for n in names if made in scene.kinds.reaches(path, n)]
    alone = all(scene.kinds.reaches(path, n) == {made} for n in used)
    inside = all(scene.kinds.reaches(path, n) or not isinstance(n.ctx, ast.Load) for n in names)
    return list(used) if alone and inside else [node]


def _use(scene: Scene, path: str, node: ast.expr) -> str:
    """Does this use ``mask``, where 1 and 2 are the same, or ``count``?"""
    above = scene.project.parent(path, node)
    if isinstance(above, ast.Subscript) and above.slice is node:
        return "masks"
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and node in above.args:
        return "masks" if above.func.attr in _MASKING and above.args.index(node) < 2 else "unknown"
    if isinstance(above, ast.Attribute):
        return "masks" if above.attr in _ALIKE else "counts" if above.attr in _COUNTING else "unknown"
    if isinstance(above, ast.Compare) and len(above.ops) == 1 and above.left is node:
        return _compared(above.ops[0], above.comparators[0])
    return "unknown"


def _compared(operator: ast.cmpop, with_what: ast.expr) -> str:
    """``> 0`` and ``>= 1`` ask whether any holds; every other comparison counts."""
    value = with_what.value if isinstance(with_what, ast.Constant) else None
    any_holds = (isinstance(operator, ast.Gt) and value == 0) or (isinstance(operator, ast.GtE) and value == 1)
    return "masks" if any_holds and type(value) is int else "counts"


def _cast(scene: Scene, path: str, node: ast.BinOp, code: str) -> Finding:
    """The edit that makes bytes, as on 0.3, of the comparisons in a sum or difference."""
    operands = list(_operands(scene, path, node))
    parts = [(_with_parentheses(scene, path, one), f"{atom(scene, path, one)}.byte()") for one in operands]
    edit, unsure = scene.rewritten(path, node, parts), any(_unsure(scene.kind(path, one)) for one in operands)
    return Finding(code, path, scene.span(path, node), messages.counted(), (edit,), suggested=unsure)


def _with_parentheses(scene: Scene, path: str, operand: ast.expr) -> Span:
    """What an operand covers, with a pair of parentheses right around it."""
    span, text = scene.span(path, operand), scene.source(path)
    around = text[span.start - 1 : span.start] + text[span.end : span.end + 1]
    return Span(span.start - 1, span.end + 1) if around == "()" else span


def _operands(scene: Scene, path: str, node: ast.expr) -> Iterator[ast.expr]:
    whole = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
    if whole and isinstance(node, ast.BinOp):
        yield from _operands(scene, path, node.left)
        yield from _operands(scene, path, node.right)
    elif _is_mask(scene.kind(path, node)):
        yield node


def _refused(scene: Scene, path: str, node: ast.AST, code: str, message: str) -> Finding:
    return Finding(code, path, scene.span(path, node), message, refusal=Refusal("arithmetic-on-masks", message))


def _is_mask(kind: Kind) -> bool:
    return isinstance(kind, Tensor) and kind.dtype == "bool"


def _unsure(kind: Kind) -> bool:
    return isinstance(kind, Tensor) and kind.unsure


def _is_bytes(kind: Kind) -> bool:
    """Was it bytes on 0.3, or a number beside them?"""
    return kind == NUMBER or (isinstance(kind, Tensor) and kind.dtype in ("bool", "byte"))
