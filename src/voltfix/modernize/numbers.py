"""Does the use of a value show that it was a Python number on 0.3?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from voltfix.modernize.kinds import UNKNOWN, Tensor
from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.kinds.values import NUMPY
from voltfix.modernize.scene import Scene

_FILLING = frozenset({"fill_", "masked_fill_", "masked_fill"})


Need = Literal["surely", "maybe"]


def was_number(scene: Scene, path: str, node: ast.expr) -> Need | None:
    """Is ``node``, or the name that it is assigned to, used as only a number can be?

    On 0.3 a tensor could not be an index of a list or a useful key of a dictionary, nor fill another one. ``maybe``:
    what it is an index of may be a tensor or an array, which a row of numbers picks from as well.
    """
    found = {_needs_number(scene, path, use) for use in _uses(scene, path, node)}
    return "surely" if "surely" in found else "maybe" if "maybe" in found else None


def _uses(scene: Scene, path: str, node: ast.expr) -> Iterator[ast.expr]:
    yield node
    above = scene.project.parent(path, node)
    if not isinstance(above, ast.Assign) or len(above.targets) != 1 or above.value is not node:
        return
    target = above.targets[0]
    made = Reach("value", above, node)
    for use in scene.nodes(path) if isinstance(target, ast.Name) else ():
        same = isinstance(use, ast.Name) and isinstance(target, ast.Name) and use.id == target.id
        if same and isinstance(use, ast.Name) and scene.kinds.reaches(path, use) == {made}:
            yield use


def _needs_number(scene: Scene, path: str, node: ast.expr) -> Need | None:
    above = scene.project.parent(path, node)
    if isinstance(above, ast.Subscript) and above.slice is node:
        kind = scene.kind(path, above.value)
        return None if isinstance(kind, Tensor) else "maybe" if kind in (UNKNOWN, NUMPY) else "surely"
    filling = isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and node in above.args
    if filling and isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute):
        return "surely" if above.func.attr in _FILLING else None
    return None
