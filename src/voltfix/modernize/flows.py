"""Where does a value go: into numbers and text alone, to ``backward()``, or out of sight?"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from voltfix.modernize.kinds import OTHER
from voltfix.modernize.scene import Scene
from voltfix.program.bindings import Builtin
from voltfix.program.resolve import find_scope
from voltfix.program.scopes import Scope
from voltfix.torchmodel import python
from voltfix.torchmodel.tables import PLAIN_ATTRIBUTES, having
from voltfix.torchmodel.traits import ASKS, ENDS

Fate = Literal["ends", "asked", "escapes"]  # no gradient can be asked of it; one is; nobody knows

_ENDING_ATTRIBUTES = having(ENDS) & PLAIN_ATTRIBUTES
_ENDING_METHODS = having(ENDS) - PLAIN_ATTRIBUTES
_ASKING = having(ASKS)
_ENDING_MODULES = frozenset({"math", "numpy", "time", "logging", "json", "sys", "csv", "warnings"})


def name_of(scene: Scene, path: str, node: ast.Name) -> tuple[str, Scope]:
    """A name and the scope that binds it: what all its uses share."""
    table = scene.project.table(path)
    assert table is not None
    return node.id, find_scope(table.owner[node], node.id) or table.root


def mentions(scene: Scene, path: str, name: tuple[str, Scope]) -> Iterator[ast.Name]:
    """Every place in the module where the name stands."""
    for node in scene.nodes(path):
        if isinstance(node, ast.Name) and node.id == name[0] and name_of(scene, path, node) == name:
            yield node


class Flow:
    """Follows a value through one module."""

    def __init__(self, scene: Scene, path: str) -> None:
        self.scene, self.path = scene, path
        self._seen: set[tuple[str, Scope]] = set()

    def name(self, name: tuple[str, Scope]) -> Fate:
        """The fate of what a name holds, by all its uses."""
        if name in self._seen:
            return "ends"
        self._seen.add(name)
        if name[1].is_class:
            return "escapes"
        uses = mentions(self.scene, self.path, name)
        return worst(self.value(node) for node in uses if isinstance(node.ctx, ast.Load))

    def value(self, node: ast.expr) -> Fate:
        """The fate of an expression's value."""
        above = self.scene.project.parent(self.path, node)
        follow = _FOLLOW.get(type(above))
        return follow(self, node, above) if follow is not None else "escapes"

    # --- by what stands around ---------------------------------------------------------------------------------

    def _attribute(self, node: ast.expr, above: ast.Attribute) -> Fate:
        call = self.scene.project.parent(self.path, above)
        if not isinstance(call, ast.Call) or call.func is not above:
            return "ends" if above.attr in _ENDING_ATTRIBUTES else "escapes"
        if above.attr in _ASKING:
            return "asked"
        if above.attr in _ENDING_METHODS:
            return "ends"
        return "escapes" if above.attr.endswith("_") else self.value(call)

    def _argument(self, node: ast.expr, call: ast.Call) -> Fate:
        if call.func is node:
            return "escapes"
        binding = self.scene.project.resolve(self.path, None, call.func)
        if isinstance(binding, Builtin):
            passed = binding.name in python.PASSING
            return "ends" if binding.name in python.ENDING else self.value(call) if passed else "escapes"
        if isinstance(call.func, ast.Attribute) and call.func.attr == "format" and self._is_text(call.func.value):
            return "ends"
        outside = self.scene.outside(self.path, call.func)
        if outside is None:
            return "escapes"
        if outside.startswith("torch.autograd."):
            return "asked"
        if outside.startswith("torch.") and outside not in ("torch.save", "torch.utils.data.DataLoader"):
            return self.value(call)
        return "ends" if outside.split(".")[0] in _ENDING_MODULES else "escapes"

    def _keyword(self, node: ast.expr, above: ast.keyword) -> Fate:
        call = self.scene.project.parent(self.path, above)
        return self._argument(node, call) if isinstance(call, ast.Call) else "escapes"

    def _operand(self, node: ast.expr, above: ast.BinOp) -> Fate:
        formats = isinstance(above.op, ast.Mod) and above.right is node and self._is_text(above.left)
        return "ends" if formats else self.value(above)

    def _tuple(self, node: ast.expr, above: ast.Tuple) -> Fate:
        around = self.scene.project.parent(self.path, above)
        if isinstance(around, (ast.BinOp, ast.Expr)):
            return self.value(above)
        return "escapes"

    def _unary(self, node: ast.expr, above: ast.UnaryOp) -> Fate:
        return "ends" if isinstance(above.op, ast.Not) else self.value(above)

    def _part(self, node: ast.expr, above: ast.Subscript) -> Fate:
        return self.value(above) if above.value is node and isinstance(above.ctx, ast.Load) else "escapes"

    def _choice(self, node: ast.expr, above: ast.IfExp) -> Fate:
        return "ends" if above.test is node else self.value(above)

    def _passed(self, node: ast.expr, above: ast.expr) -> Fate:
        return self.value(above)

    def _ended(self, node: ast.expr, above: ast.AST) -> Fate:
        return "ends"

    def _assigned(self, node: ast.expr, above: ast.Assign) -> Fate:
        if not all(isinstance(target, ast.Name) for target in above.targets):
            return "escapes"
        targets = [target for target in above.targets if isinstance(target, ast.Name)]
        return worst(self.name(name_of(self.scene, self.path, target)) for target in targets)

    def _added(self, node: ast.expr, above: ast.AugAssign) -> Fate:
        if not isinstance(above.target, ast.Name):
            return "escapes"
        return self.name(name_of(self.scene, self.path, above.target))

    def _iterated(self, node: ast.expr, above: ast.For | ast.comprehension) -> Fate:
        if above.iter is not node or not isinstance(above.target, ast.Name):
            return "escapes"
        fate = self.name(name_of(self.scene, self.path, above.target))
        if fate == "ends" and isinstance(above, ast.comprehension):
            return "ends"
        return fate

    def _element(self, node: ast.expr, above: ast.ListComp | ast.GeneratorExp) -> Fate:
        return self.value(above)

    def _is_text(self, node: ast.expr) -> bool:
        return self.scene.kind(self.path, node) == OTHER and not isinstance(node, (ast.List, ast.Tuple))


_FOLLOW: dict[type, Callable[..., Fate]] = {
    ast.Attribute: Flow._attribute, ast.Call: Flow._argument, ast.keyword: Flow._keyword, ast.BinOp: Flow._operand,
    ast.Tuple: Flow._tuple, ast.UnaryOp: Flow._unary, ast.Subscript: Flow._part, ast.IfExp: Flow._choice,
    ast.BoolOp: Flow._passed, ast.Compare: Flow._ended, ast.FormattedValue: Flow._ended, ast.Expr: Flow._ended,
    ast.If: Flow._ended, ast.While: Flow._ended, ast.Assert: Flow._ended, ast.Assign: Flow._assigned,
    ast.AugAssign: Flow._added, ast.For: Flow._iterated, ast.comprehension: Flow._iterated,
    ast.ListComp: Flow._element, ast.GeneratorExp: Flow._element,
}  # fmt: skip


def worst(fates: Iterable[Fate]) -> Fate:
    """What is known of a value that meets all of ``fates``: one that asks decides, then one that is unknown."""
    found = set(fates)
    return "asked" if "asked" in found else "escapes" if "escapes" in found else "ends"
