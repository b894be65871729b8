"""Does the use of a value show that it was a Python number on 0.3?"""

from __future__ import annotations

import ast

from voltfix.modernize.kinds import Tensor
from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.scene import Scene

_FILLING = frozenset({"fill_", "masked_fill_", "masked_fill"})


def was_number(scene: Scene, path: str, node: ast.expr) -> bool:
    """Is ``node``, or the name that it is assigned to, used as only a number can be?

    On 0.3 a tensor could not be an index of a list or a useful key of a dictionary, nor fill another one.
    """
    if _needs_number(scene, path, node):
        return True
    above = scene.project.parent(path, node)
    if not isinstance(above, ast.Assign) or len(above.targets) != 1 or above.value is not node:
        return False
    target = above.targets[0]
    if not isinstance(target, ast.Name):
        return False
    made = Reach("value", above, node)
    return any(
        isinstance(use, ast.Name)
        and use.id == target.id
        and scene.kinds.reaches(path, use) == {made}
        and _needs_number(scene, path, use)
        for use in scene.nodes(path)
        if isinstance(use, ast.Name)
    )


def _needs_number(scene: Scene, path: str, node: ast.expr) -> bool:
    above = scene.project.parent(path, node)
    if isinstance(above, ast.Subscript) and above.slice is node:
        return not isinstance(scene.kind(path, above.value), Tensor)
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and node in above.args:
        return above.func.attr in _FILLING
    return False
