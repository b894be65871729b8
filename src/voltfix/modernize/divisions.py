"""Divisions that gave whole numbers: of tensors on 0.3, and of numbers on Python 2."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.modernize.kinds import NUMBER, OTHER, Tensor
from voltfix.modernize.scene import Scene
from voltfix.program.bindings import Builtin
from voltfix.rules import obstacles

_KIND = "integer-division"
_TENSORS = obstacles.divides_tensors()
_NUMBERS = obstacles.divides_numbers()
_SIZED = ("torch.nn.", "torch.zeros", "torch.ones", "torch.rand", "torch.arange", "torch.empty")


def find(scene: Scene, path: str, node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """The division at ``node``, if it is one of those."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        if _is_whole_tensor(scene, path, node.left) and not _is_fraction(scene, path, node.right):
            if not _is_cut(scene, path, node):
                yield node, _KIND, _TENSORS
        elif _is_needed_whole(scene, path, node) and not (_is_float(node.left) or _is_float(node.right)):
            yield node, _KIND, _NUMBERS
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
        if _is_whole_tensor(scene, path, node.target) and not _is_fraction(scene, path, node.value):
            yield node, _KIND, _TENSORS
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("div", "div_"):
        given = node.args[0] if len(node.args) == 1 and not node.keywords else None
        whole = given is not None and _is_whole_tensor(scene, path, node.func.value)
        if whole and given is not None and not _is_fraction(scene, path, given):
            yield node, _KIND, _TENSORS


def _is_whole_tensor(scene: Scene, path: str, node: ast.expr) -> bool:
    """Is it a tensor of whole numbers? The sum of plain data was a Python number on 0.3."""
    kind = scene.kind(path, node)
    if not isinstance(kind, Tensor) or kind.dtype not in ("long", "byte", "bool") or kind.maybe:
        return False
    return not (kind.dim == 0 and kind.plain is True)


def _is_cut(scene: Scene, path: str, node: ast.expr) -> bool:
    """``int(t / n)``: int() cuts off what 0.3 left out."""
    above = scene.project.parent(path, node)
    return isinstance(above, ast.Call) and scene.project.resolve(path, None, above.func) == Builtin("int")


def _is_fraction(scene: Scene, path: str, node: ast.expr) -> bool:
    kind = scene.kind(path, node)
    return kind != NUMBER and not (isinstance(kind, Tensor) and kind.dtype in ("long", "byte", "bool"))


def _is_needed_whole(scene: Scene, path: str, node: ast.BinOp) -> bool:
    """Does the quotient stand where only whole numbers can: range, an index, a size?"""
    above = scene.project.parent(path, node)
    if isinstance(above, ast.Slice):
        return True
    if isinstance(above, ast.Subscript) and above.slice is node:
        return scene.kind(path, above.value) != OTHER  # a dictionary may have any key
    if not isinstance(above, ast.Call) or node not in above.args:
        return False
    if scene.project.resolve(path, None, above.func) == Builtin("range"):
        return True
    outside = scene.outside(path, above.func)
    if outside is not None:
        return outside.startswith(_SIZED) and not _takes_fractions(outside)
    viewing = isinstance(above.func, ast.Attribute) and above.func.attr in ("view", "resize_", "expand", "narrow")
    return viewing and isinstance(above.func, ast.Attribute) and isinstance(scene.kind(path, above.func.value), Tensor)


def _takes_fractions(name: str) -> bool:
    last = name.rsplit(".", 1)[-1]
    sized = last.startswith(("Linear", "Conv", "LSTM", "GRU", "RNN", "Embedding", "BatchNorm", "MaxPool", "AvgPool"))
    return name.startswith("torch.nn.") and not sized


def _is_float(node: ast.expr) -> bool:
    """Is it written as a float, so that the quotient was one on Python 2, too?"""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "float"
    if isinstance(node, ast.BinOp):
        return _is_float(node.left) or _is_float(node.right)
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
