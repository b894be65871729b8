"""Which classes of the project judge what they are given by numbers alone: losses without weights, by their text.

What such an object gives of tensors without a graph has none. The text only says for which classes it is worth while
to run what is written there: running it says the rest.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Binding, Builtin, External, Local, ProjectClass
from voltfix.program.rebound import rebound_in
from voltfix.program.walking import walk
from voltfix.torchmodel.layers import WEIGHTLESS_MODULES
from voltfix.torchmodel.tables import CONTAGIOUS_LOSSES, LOSS_MODULES

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_BASES = {"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module", "torch.nn.modules.loss._Loss"}
_WEIGHTLESS = WEIGHTLESS_MODULES | LOSS_MODULES.keys() | CONTAGIOUS_LOSSES
_MAKES_WEIGHTS = frozenset({"Parameter", "ParameterList", "register_parameter", "requires_grad", "requires_grad_"})
_IN_SECRET = frozenset({"__new__", "__getattr__", "__getattribute__", "__setattr__", "__class__", "__dict__"})
_DEEPEST = 4  # names that stand for one another


class Judging:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._rebound = project.computed(rebound_in)
        self._known: dict[ast.AST, bool] = {}
        self._classes: dict[ast.AST, ProjectClass] | None = None

    def is_made(self, path: str, call: ast.Call, cls: ProjectClass) -> bool:
        """Does a call make an object of a class without weights, out of numbers and strings alone?"""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        return all(keyword.arg is not None for keyword in call.keywords) and all(
            self._is_plain(path, each, _DEEPEST) for each in given) and self.has_no_weights(cls)

    def of_definition(self, node: ast.AST) -> bool:
        """As ``has_no_weights``, of the class that a definition makes."""
        if self._classes is None:
            self._classes = {cls.node: cls for cls in self._project.classes()}
        cls = self._classes.get(node)
        return cls is not None and self.has_no_weights(cls)

    def has_no_weights(self, cls: ProjectClass) -> bool:
        """Is there nothing in the text of a class, of those above it and of the parts that they make, that has any?"""
        if cls.node not in self._known:
            self._known[cls.node] = False  # one that makes itself
            order = self._project.mro(cls)
            own = [each for each in order if isinstance(each, ProjectClass)]
            self._known[cls.node] = all(isinstance(each, ProjectClass) or _is_base(each) for each in order) and all(
                map(self._is_plainly_written, own))
        return self._known[cls.node]

    def _is_plainly_written(self, cls: ProjectClass) -> bool:
        if cls.node.decorator_list or cls.node.keywords:
            return False
        for node in walk(cls.node):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", getattr(node, "name", None))
            bound = isinstance(node, ast.FunctionDef) or (
                isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
            if name in _MAKES_WEIGHTS | _IN_SECRET or (bound and self._rebound.is_patched(str(name))):
                return False
            if isinstance(node, ast.Call) and not self._makes_no_weights(cls.path, node):
                return False
        return True

    def _makes_no_weights(self, path: str, call: ast.Call) -> bool:
        made = self._project.resolve(path, None, call.func)
        if isinstance(made, External) and made.name.startswith("torch.nn."):
            last = made.name.rpartition(".")[2]
            return last in _WEIGHTLESS or not last[:1].isupper()
        return not isinstance(made, ProjectClass) or self.has_no_weights(made)

    def _is_plain(self, path: str, value: ast.expr, depth: int) -> bool:
        """Is it a number, a string or None that is written out, or a name for one?"""
        if isinstance(value, ast.UnaryOp):
            return self._is_plain(path, value.operand, depth)
        if not isinstance(value, ast.Name):
            return isinstance(value, ast.Constant)
        bound = self._project.resolve(path, None, value)
        return isinstance(bound, Local) and bound.parameter is None and bound.complete and bool(bound.values) and (
            depth > 0 and all(self._is_plain(bound.path, each, depth - 1) for each in bound.values))


def _is_base(base: Binding) -> bool:
    return base == Builtin("object") or (isinstance(base, External) and base.name in _BASES)
