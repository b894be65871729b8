"""Which classes of the project are losses without weights, by their text: they compute with what they are given alone.

What such an object gives of tensors without a graph has none, and it keeps nothing: numbers, settings and other
losses are all that its ``__init__`` puts on it, and nothing else puts anything there. So one object is as good as
another.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for
from voltfix.program.below import Below
from voltfix.program.bindings import Binding, Builtin, External, Local, ProjectClass
from voltfix.program.classes import receiver_name
from voltfix.program.rebound import rebound_in
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import walk
from voltfix.torchmodel.layers import WEIGHTLESS_MODULES
from voltfix.torchmodel.tables import CONTAGIOUS_LOSSES, LOSS_MODULES

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_MODULES = {"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module",
            "torch.nn.modules.loss._Loss"}
_NUMBERS = ("float", "int", "bool", "isinstance", "abs", "print")
_WEIGHTLESS = WEIGHTLESS_MODULES | LOSS_MODULES.keys() | CONTAGIOUS_LOSSES
_MAKES_WEIGHTS = frozenset({"Parameter", "ParameterList", "requires_grad", "requires_grad_"})
_HOLDING = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Lambda)
_DEEPEST = 4  # names that stand for one another


class Judging:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._rebound = project.computed(rebound_in)
        self._known: dict[ast.AST, bool] = {}

    def is_made(self, path: str, call: ast.Call, cls: ProjectClass) -> bool:
        """Does a call make an object of such a class, out of numbers, strings and settings alone?"""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        return all(keyword.arg is not None for keyword in call.keywords) and all(
            self._is_plain(path, each, _DEEPEST) or self._is_setting(path, call, each, cls) for each in given
        ) and self.is_loss(cls)

    def _is_setting(self, path: str, call: ast.Call, given: ast.expr, cls: ProjectClass) -> bool:
        """Is it read off an object that a library other than torch made (``args.cuda``), or read off it when the loss
        is made (``cfg``)? Nobody knows what it is, but it is no network that stands in sight beside the loss."""
        return self._is_of_library(path, given, _DEEPEST) and (isinstance(given, ast.Attribute) or (
            isinstance(given, ast.Name) and self._is_only_asked(call, given, cls)))

    def _is_of_library(self, path: str, value: ast.expr, depth: int) -> bool:
        """Is it what a library's call gave, or a part of that?"""
        while isinstance(value, ast.Attribute):
            value = value.value
        if isinstance(value, ast.Call):
            made = self._project.resolve(path, None, value.func)
            if isinstance(made, External):
                return made.name.partition(".")[0] != "torch"
            return isinstance(value.func, ast.Attribute) and self._is_of_library(path, value.func.value, depth)
        if not isinstance(value, ast.Name) or self._rebound.is_bound_elsewhere(path, value):
            return False
        bound = self._project.resolve(path, None, value)
        return isinstance(bound, Local) and bound.parameter is None and bound.complete and bool(bound.values) and (
            depth > 0 and all(self._is_of_library(bound.path, each, depth - 1) for each in bound.values))

    def _is_only_asked(self, call: ast.Call, given: ast.expr, cls: ProjectClass) -> bool:
        """Does the ``__init__`` that takes an argument do no more with it than to read attributes of it?"""
        for each in self._project.mro(cls):
            if not isinstance(each, ProjectClass):
                return False
            init = next((node for node in each.node.body
                         if isinstance(node, ast.FunctionDef) and node.name == "__init__"), None)
            if init is None:
                continue
            names = [p.arg for p in parameters_of(init) if argument_for(call, init, p, 1) is given]
            uses = [node for node in walk(init) if isinstance(node, ast.Name) and node.id in names]
            return len(names) == 1 and all(isinstance(above := self._project.parent(each.path, node), ast.Attribute)
                                           and isinstance(above.ctx, ast.Load) for node in uses)
        return False

    def of_definition(self, node: ast.ClassDef) -> bool:
        """As ``is_loss``, of the class that a definition makes."""
        cls = self._project.computed(Below).of(node)
        return cls is not None and self.is_loss(cls)

    def is_loss(self, cls: ProjectClass) -> bool:
        """Have objects of a class, and the parts that it makes, no weights, and do they keep nothing?"""
        if cls.node not in self._known:
            self._known[cls.node] = False  # one that makes itself
            order = self._project.mro(cls)
            own = [each for each in order if isinstance(each, ProjectClass)]
            rest = [each for each in order if not isinstance(each, ProjectClass)]
            self._known[cls.node] = any(map(_is_module, rest)) and all(
                _is_module(each) or each == Builtin("object") for each in rest) and all(
                    self._is_plainly_written(each, self._names_of(own)) for each in own)
        return self._known[cls.node]

    def _names_of(self, order: list[ProjectClass]) -> frozenset[str]:
        """What an object has under its names: methods, and what ``__init__`` puts there."""
        bound = {node.attr for cls in order for node in walk(cls.node)
                 if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
        return frozenset(bound | {name for cls in order for name in self._project.names_in(cls.path, cls.node)})

    def _is_plainly_written(self, cls: ProjectClass, names: frozenset[str]) -> bool:
        if cls.node.decorator_list or cls.node.keywords:
            return False
        for statement in cls.node.body:
            if isinstance(statement, ast.FunctionDef):
                if not self._is_plain_method(cls.path, statement, names):
                    return False
            elif not isinstance(statement, ast.Pass) and not _is_constant(statement):
                return False
        return True

    def _is_plain_method(self, path: str, method: ast.FunctionDef, names: frozenset[str]) -> bool:
        """Does a method put nothing on the object, or numbers and losses if it makes it, and give it to nobody?"""
        own, makes = receiver_name(method), method.name == "__init__"
        if own is None or method.decorator_list or self._rebound.is_patched(method.name) or (
                method.name.startswith("__") and not makes and method.name != "__call__"):
            return False
        defaults = [*method.args.defaults, *(each for each in method.args.kw_defaults if each is not None)]
        if not all(isinstance(each, ast.Constant) for each in defaults):
            return False
        for node in walk(method):
            word = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
            if word in _MAKES_WEIGHTS or isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom)):
                return False
            if isinstance(node, ast.Call) and not self._makes_no_weights(path, node):
                return False
            if makes and (isinstance(node, _HOLDING) or (
                    isinstance(node, ast.Call) and not self._is_for_init(path, node))):
                return False
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and (
                    not makes or self._rebound.is_patched(node.attr)):
                return False
            if isinstance(node, ast.Name) and node.id == own and not self._is_looked_at(path, node, names):
                return False
        return True

    def _is_looked_at(self, path: str, own: ast.Name, names: frozenset[str]) -> bool:
        """Is the object asked for something that its class has, or handed to that above it when it is made?"""
        above = self._project.parent(path, own)
        if isinstance(above, ast.Call) and own in above.args:
            return (isinstance(above.func, ast.Name) and above.func.id == "super") or (
                isinstance(above.func, ast.Attribute) and above.func.attr == "__init__")
        return isinstance(own.ctx, ast.Load) and isinstance(above, ast.Attribute) and above.attr in names

    def _is_for_init(self, path: str, call: ast.Call) -> bool:
        """Does a call make the object of the class above, a loss, or a number?"""
        made = self._project.resolve(path, None, call.func)
        return made == Builtin("super") or isinstance(made, ProjectClass) or (
            isinstance(call.func, ast.Attribute) and call.func.attr == "__init__") or (
            isinstance(made, External) and made.name.startswith("torch.nn.")) or (
            isinstance(made, Builtin) and made.name in _NUMBERS)

    def _makes_no_weights(self, path: str, call: ast.Call) -> bool:
        made = self._project.resolve(path, None, call.func)
        if isinstance(made, External) and made.name.startswith("torch.nn."):
            last = made.name.rpartition(".")[2]
            return last in _WEIGHTLESS or not last[:1].isupper()
        return not isinstance(made, ProjectClass) or self.is_loss(made)

    def _is_plain(self, path: str, value: ast.expr, depth: int) -> bool:
        """Is it a number, a string or None that is written out, or a name for one?"""
        if isinstance(value, ast.UnaryOp):
            return self._is_plain(path, value.operand, depth)
        if not isinstance(value, ast.Name):
            return isinstance(value, ast.Constant)
        bound = self._project.resolve(path, None, value)
        return isinstance(bound, Local) and bound.parameter is None and bound.complete and bool(bound.values) and (
            depth > 0 and all(self._is_plain(bound.path, each, depth - 1) for each in bound.values))


def _is_constant(statement: ast.stmt) -> bool:
    """Is it text, or a name for a number or for text?"""
    return isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign)) and isinstance(statement.value, ast.Constant)


def _is_module(base: Binding) -> bool:
    return isinstance(base, External) and base.name in _MODULES
