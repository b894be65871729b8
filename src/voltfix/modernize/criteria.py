"""Values that are losses by all appearances, although nobody sees the criterion that made them."""

from __future__ import annotations

import ast

from voltfix.modernize.kinds.reaching import Reach, in_order
from voltfix.modernize.scene import Scene
from voltfix.program.mentioned import last_word
from voltfix.torchmodel.names import is_criterion


def maker(scene: Scene, path: str, node: ast.expr) -> str | None:
    """The callee, as written, whose call made ``node`` if its name says that it is a criterion; through arithmetic."""
    return _maker(scene, path, node, set())


def _maker(scene: Scene, path: str, node: ast.expr, seen: set[Reach]) -> str | None:
    if isinstance(node, ast.Call):
        callee = node.func
        return ast.unparse(callee) if is_criterion(last_word(callee) or "") else None
    if isinstance(node, ast.BinOp):
        return _maker(scene, path, node.left, seen) or _maker(scene, path, node.right, seen)
    if not isinstance(node, ast.Name):
        return None
    for reach in in_order(scene.kinds.reaches(path, node) - seen):
        seen.add(reach)
        if reach.how in ("value", "aug") and reach.value is not None and not reach.path:
            found = _maker(scene, path, reach.value, seen)
            if found is not None:
                return found
    return None
