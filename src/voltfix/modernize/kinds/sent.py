"""What a module calls ``backward()`` on without a gradient: that has one element, and so has what it is
computed from by arithmetic."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.modernize.kinds.reaching import Reach
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.modernize.kinds.asking import Kinds

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


class Sent:
    """``definitions`` whose value goes backward on some path, and the ``callees`` that made such values.

    ``loss = raw; loss = loss + penalty; loss.backward()``: broadcasting never shrinks, so raw is one number.
    """

    def __init__(self, kinds: Kinds, path: str) -> None:
        self.definitions: set[Reach] = set()
        self.callees: set[str] = set()
        self._kinds, self._path = kinds, path
        tree = kinds.project.tree(path)
        for node in walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr == "backward" and isinstance(node.func.value, ast.Name):
                self._take(node.func.value)

    def _take(self, node: ast.expr) -> None:
        """Take in what goes backward."""
        if isinstance(node, ast.Name):
            for reach in self._kinds.reaches(self._path, node) - self.definitions:
                self._define(reach)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            self._take(node.left)
            self._take(node.right)
        elif isinstance(node, ast.Call):
            self.callees |= self._kinds.callees(self._path, node.func)

    def _define(self, reach: Reach) -> None:
        if reach.how not in ("value", "aug") or reach.path or reach.value is None:
            return
        self.definitions.add(reach)
        self._take(reach.value)
        if isinstance(reach.node, ast.AugAssign) and isinstance(reach.node.target, ast.Name):
            self._take(reach.node.target)
