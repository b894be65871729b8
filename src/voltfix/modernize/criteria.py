"""Values that are losses by all appearances, although nobody sees the criterion that made them."""

from __future__ import annotations

import ast
import re

from voltfix.modernize.kinds.reaching import Reach, in_order
from voltfix.modernize.scene import Scene

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# of a name: compute_loss, lossFn, G_criterion
_CRITERION = frozenset({"cost", "crit", "criteria", "criterion", "criterions", "loss", "losses", "lossfn", "objective"})



def maker(scene: Scene, path: str, node: ast.expr) -> str | None:
    """The callee, as written, whose call made ``node`` if its name says that it is a criterion; through arithmetic."""
    return _maker(scene, path, node, set())


def _maker(scene: Scene, path: str, node: ast.expr, seen: set[Reach]) -> str | None:
    if isinstance(node, ast.Call):
        callee = node.func
        name = callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""
        words = {word.lower() for word in _WORD.findall(name)}
        return ast.unparse(callee) if words & _CRITERION else None
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
