"""Attributes that hold layers and are only looked through: ``self.blocks[i](x)``, ``for block in self.blocks``.

What a ``ModuleList`` was made of stays what it holds where nothing can put another layer in: no place puts one in, and
none hands the list on to where that could happen.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions
from voltfix.program.walking import walk
from voltfix.torchmodel.layers import ADDS_LAYERS
from voltfix.torchmodel.python import ITERATING, TELLING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

FILLS = ADDS_LAYERS - {"append", "extend", "insert"}  # those that no list has


class Layered:
    """Which attributes hold the layers that ``__init__`` put into them, and no others."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[str, int], bool] = {}
        self._filled: bool | None = None

    def stays(self, name: str, init: ast.AST) -> bool:
        """Is what an attribute of that name holds only looked at, but for what ``init`` itself does?"""
        key = (name, id(init))
        if key not in self._known:
            self._known[key] = not self._sets_any(init) and all(
                self._looks(path, node) or init in self._project.parents(path, node)
                for path, node in self._project.computed(Mentions).of({name}, attributes=True))
        return self._known[key]

    def is_left_alone(self, name: str) -> bool:
        """Is what an attribute of that name holds only looked at wherever it is named, and filled from nowhere else?

        Whoever goes over the parts of a network, and puts layers into those that he finds, names no attribute.
        """
        mentions = self._project.computed(Mentions)
        if self._filled is None:
            self._filled = any(not _is_of_self(node) for _, node in mentions.of(FILLS, attributes=True))
        return not self._filled and all(self._looks(*place) for place in mentions.of({name}, attributes=True))

    def go_by_name(self) -> bool:
        """Is a layer only ever put into a network under a name, and not into the dictionary that Python finds it in?"""
        return not any(True for _ in self._project.computed(Mentions).of({"_modules"}, attributes=True))

    def _sets_any(self, init: ast.AST) -> bool:
        """Does the class of ``init`` bind attributes whose names are not written down?"""
        around = next((cls for cls in self._project.classes() if init in cls.node.body), None)
        calls = [n for n in walk(around.node) if isinstance(n, ast.Call)] if around is not None else []
        return any(isinstance(call.func, ast.Name) and call.func.id == "setattr" and len(call.args) > 1
                   and not isinstance(call.args[1], ast.Constant) for call in calls)

    def _looks(self, path: str, node: ast.AST) -> bool:
        """Does a place that names the attribute only look at what it holds, or replace it as a whole?"""
        above = self._project.parent(path, node)
        if isinstance(above, ast.Attribute):
            return above.attr not in ADDS_LAYERS and isinstance(above.ctx, ast.Load)
        if isinstance(above, ast.Subscript):
            return above.value is not node or isinstance(above.ctx, ast.Load)
        if isinstance(above, (ast.For, ast.comprehension)):
            return above.iter is node
        if isinstance(above, ast.Call):
            return above.func is node or last_word(above.func) in ITERATING | TELLING
        return isinstance(above, (ast.Starred, ast.Compare))


def _is_of_self(node: ast.AST) -> bool:
    """Is something asked of the object of a method, whose class says what it holds?"""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
