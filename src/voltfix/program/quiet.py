"""Which bodies bind names and make layers alone, so that they leave the same behind whether gradients are on or off.

Three things are told apart of an expression. It is *plain* where no tensor of it has a graph in any mode: numbers,
arrays, what is made from them, what is taken by ``.data``. It is *quiet* where what it gives is the same thing in any
mode, so that it may be kept: a name, a layer, a parameter, what is plain. It is *harmless* where working it out runs
nothing of the project; its value may have a graph in one mode and none in the other, so that it is kept nowhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from voltfix.program.bindings import Binding, Builtin, External, ProjectClass, ProjectFunction
from voltfix.program.classes import receiver_name
from voltfix.program.scopes import arguments_of
from voltfix.program.walking import walk
from voltfix.torchmodel import python, tables
from voltfix.torchmodel.inplace import is_inplace_name
from voltfix.torchmodel.layers import ADDS_LAYERS, HOLDS_MODULES
from voltfix.torchmodel.library import PARAMETERS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_LOSSES = frozenset(tables.LOSS_MODULES) | tables.CONTAGIOUS_LOSSES
_PARTS = (ast.Tuple, ast.List, ast.Dict, ast.Set)
_RUNS = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)
_COUNTED = ("numpy.", "math.")
_MAY_HAND_BACK = ("tensor", "as_tensor")  # what they are given, with its graph
_PARTS_OF = tables.WEIGHT_LISTS | {"modules", "children"}
_ANSWERS = (python.EFFECTLESS & python.PLAIN_BUILTINS) - {"vars"} | {"range", "xrange"}
_COUNTS = python.EFFECTLESS - {"getattr", "vars"}  # they may go over what they are given, and run it
_PUTS = frozenset(name for name in ADDS_LAYERS if name.isalpha() or name.startswith("add")) | {"register_buffer"}
_DEEP = 4  # methods that an ``__init__`` runs, and they in turn


class Classes(Protocol):
    """What is known of the classes of a project and their functions."""

    def only_binds(self, path: str, node: ast.ClassDef, *, numbers: bool = False) -> bool: ...  # noqa: D102
    def method_of(self, cls: ProjectClass, name: str) -> ProjectFunction | None: ...  # noqa: D102
    def names_of_functions(self) -> frozenset[str]: ...  # noqa: D102
    def found_out(self) -> frozenset[str]: ...  # noqa: D102


class Quiet:
    """One body, with the name of its receiver and the names that the class of that binds.

    ``family``: the class whose object is being made, and those above it, in order; none where no object is made, and
    then nothing counts but what binds names. ``numbers``: what the body is given are numbers and text.
    """

    def __init__(self, project: Project, making: Classes, function: ProjectFunction, own: str, taken: set[str],
                 family: tuple[ProjectClass, ...] = (), *, numbers: bool = False, above: int = 0) -> None:
        self._project, self._making, self._function, self._own = project, making, function, own
        self._taken, self._family, self._above = taken, family, above
        node = function.node
        self._body = node.body if isinstance(node, ast.FunctionDef) else []
        self._plain = self._given(node) if numbers and isinstance(node, ast.FunctionDef) else set()
        self._loose: set[str] = set()
        if family:
            self._sort_names()

    def binds(self) -> bool:
        """Does the body bind names and make layers, and nothing else?"""
        return all(map(self._statement, self._body))

    def _meant(self, node: ast.expr) -> Binding:
        return self._project.resolve(self._function.path, None, node)

    # --- names -------------------------------------------------------------------------------------------------------

    def _given(self, node: ast.FunctionDef) -> set[str]:
        """The parameters that are numbers where all that is handed over is; a default may be something else."""
        each = node.args
        given = [*each.posonlyargs, *each.args]
        defaults = [*[None] * (len(given) - len(each.defaults)), *each.defaults, *each.kw_defaults]
        return {argument.arg for argument, default in zip([*given, *each.kwonlyargs], defaults, strict=True)
                if argument.arg != self._own and (default is None or isinstance(default, ast.Constant))}

    def _sort_names(self) -> None:
        """Which local names are plain, and which are bound to what must not be kept: the greatest fixpoints."""
        bound: dict[str, list[ast.expr | None]] = {}
        for part in (inner for statement in self._body for inner in walk(statement)):
            if isinstance(part, ast.Assign):
                for target in part.targets:
                    self._note(bound, target, part.value)
            elif isinstance(part, (ast.For, ast.comprehension)):
                self._note(bound, part.target, part.iter)
            elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
                longer = isinstance(part.value, (*_PARTS, ast.ListComp))  # a list that grows
                self._note(bound, part.target, part.value if longer else ast.BinOp(
                    ast.Name(part.target.id, ast.Load()), part.op, part.value))
        given = {each.arg for each in walk(self._function.node) if isinstance(each, ast.arg)} - self._plain
        self._plain |= bound.keys() - given
        while wrong := {name for name in self._plain & bound.keys() if not self._all_are(self._is_plain, bound[name])}:
            self._plain -= wrong
        while wrong := {name for name in bound.keys() - self._loose if not self._all_are(self._is_kept, bound[name])}:
            self._loose |= wrong

    @staticmethod
    def _all_are(holds: Callable[[ast.expr], bool], values: list[ast.expr | None]) -> bool:
        return all(value is not None and holds(value) for value in values)

    @staticmethod
    def _note(bound: dict[str, list[ast.expr | None]], target: ast.expr, value: ast.expr) -> None:
        """An item of something counts as what it is an item of; what is taken apart by several names as unknown."""
        for part in walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                bound.setdefault(part.id, []).append(value if isinstance(target, ast.Name) else None)

    def _is_kept(self, node: ast.expr) -> bool:
        return self._is_quiet(node) or self._goes_over(node)

    # --- statements --------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Pass):
            return True
        if isinstance(node, ast.Return):
            return node.value is None or self._is_quiet(node.value)
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Constant) or self._makes_base(node.value) or (
                bool(self._family) and isinstance(node.value, ast.Call) and self._call(node.value))
        if isinstance(node, ast.If):
            return self._is_harmless(node.test) and all(map(self._statement, (*node.body, *node.orelse)))
        if isinstance(node, ast.For):
            return bool(self._family) and isinstance(node.target, ast.Name) and self._goes_over(node.iter) and all(
                map(self._statement, (*node.body, *node.orelse)))
        if isinstance(node, ast.AugAssign):
            return isinstance(node.target, ast.Name) and bool(self._family) and (
                self._is_harmless(node.value) or self._is_quiet(node.value))
        return isinstance(node, ast.Assign) and all(self._binds(target, node.value) for target in node.targets)

    def _binds(self, target: ast.expr, value: ast.expr) -> bool:
        if isinstance(target, ast.Name):
            return target.id != self._own and (
                self._is_quiet(value) or (bool(self._family) and self._is_harmless(value)))
        if not isinstance(target, ast.Attribute):
            return False
        if isinstance(target.value, ast.Name) and target.value.id == self._own:
            return target.attr not in self._taken and self._is_quiet(value)
        return bool(self._family) and target.attr not in self._making.found_out() and self._fills(target, value)

    def _fills(self, target: ast.Attribute, value: ast.expr) -> bool:
        """``layer.weight = nn.Parameter(...)``, ``p.requires_grad = False``, ``layer.bias.data = ...``."""
        if {"__setattr__", "__set__"} & self._making.names_of_functions() or not self._is_harmless(target.value):
            return False
        if target.attr == "data":
            return self._is_harmless(value)
        return isinstance(value, ast.Constant) if target.attr == "requires_grad" else self._is_parameter(value)

    def _call(self, call: ast.Call) -> bool:
        """A call whose value nobody takes: it puts layers somewhere, writes into ``.data``, or begins weights."""
        if self._runs_own(call):
            return True
        given = arguments_of(call)
        found = self._meant(call.func)
        if found == Builtin("print") or (isinstance(found, External) and found.name.startswith("torch.nn.init.")):
            return all(map(self._is_harmless, given))
        if not isinstance(call.func, ast.Attribute) or call.func.attr in self._making.names_of_functions() or (
                not self._is_harmless(call.func.value)):
            return False
        if call.func.attr in _PUTS:
            return all(map(self._is_quiet, given))
        return is_inplace_name(call.func.attr) and self._is_plain(call.func.value) and all(
            map(self._is_harmless, given))

    def _makes_base(self, node: ast.expr) -> bool:
        """``super().__init__(...)``, ``Base.__init__(self, ...)``: what that runs is looked at with the class."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "__init__":
            return False
        base, given = node.func.value, node.args
        if isinstance(base, ast.Call):
            named = isinstance(base.func, ast.Name) and base.func.id == "super" and (
                self._meant(base.func) == Builtin("super"))
        else:
            named = bool(given) and isinstance(given[0], ast.Name) and given[0].id == self._own and isinstance(
                self._meant(base), (ProjectClass, External)) and self._is_above(base)
        return named and self._all_quiet(arguments_of(node))

    def _is_above(self, base: ast.expr) -> bool:
        """Is what is named one of the classes above, which are all looked at?"""
        cls = self._project.hierarchy.class_around(self._function.path, self._function.node)
        return cls is not None and self._meant(base) in self._project.mro(cls)[1:]

    def _runs_own(self, call: ast.Call) -> bool:
        """Is it a method of the object that is being made, of which the same is true?"""
        named = call.func
        if not isinstance(named, ast.Attribute) or not isinstance(named.value, ast.Name) or (
                named.value.id != self._own or self._above >= _DEEP):
            return False
        given = arguments_of(call)
        first = next((cls for cls in self._family if named.attr in self._project.names_in(cls.path, cls.node)), None)
        method = self._making.method_of(first, named.attr) if first is not None else None
        own = receiver_name(method.node) if method is not None else None
        return method is not None and own is not None and self._all_quiet(given) and Quiet(
            self._project, self._making, method, own, self._taken, self._family, above=self._above + 1).binds()

    # --- expressions -------------------------------------------------------------------------------------------------

    def _is_quiet(self, node: ast.expr) -> bool:
        """Is what an expression gives the same in any mode?

        An attribute of something else may be found out when it is read, and be kept with its graph.
        """
        if isinstance(node, ast.Name):
            return node.id not in self._loose
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self._own:
            return node.attr not in self._making.found_out()
        if isinstance(node, _PARTS):
            return self._all_quiet(each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        if isinstance(node, ast.ListComp):
            return self._is_quiet(node.elt) and all(self._goes_over(each.iter) and isinstance(
                each.target, ast.Name) and all(map(self._is_harmless, each.ifs)) for each in node.generators)
        return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and self._makes(node)) or (
            bool(self._family) and (self._is_plain(node) or self._is_parameter(node) or (
                isinstance(node, ast.Call) and self._runs_own(node))))

    def _all_quiet(self, nodes: Iterable[ast.expr]) -> bool:
        return all(map(self._is_quiet, nodes))

    def _makes(self, call: ast.Call) -> bool:
        """Is it a layer of torch's, or an object of a class of the project of which the same is true?"""
        found = self._meant(call.func)
        given = arguments_of(call)
        if isinstance(found, ProjectClass):
            return self._all_quiet(given) and self._making.only_binds(
                found.path, found.node, numbers=bool(self._family) and all(map(self._is_plain, given)))
        if not isinstance(found, External) or not found.name.startswith("torch.nn."):
            return False
        last = found.name.rsplit(".", 1)[-1]
        if found.name.count(".") != 2 or not last[:1].isupper() or last == "Parameter":
            return False
        if last in HOLDS_MODULES:
            return self._all_quiet(each.value if isinstance(each, ast.Starred) else each for each in given)
        if last in _LOSSES:  # they may keep a tensor
            return self._all_quiet(given)
        return all(map(self._is_harmless, given))

    def _is_parameter(self, node: ast.expr) -> bool:
        """A parameter has no graph behind it, whatever it is made of."""
        if not isinstance(node, ast.Call) or not self._family:
            return False
        found = self._meant(node.func)
        return isinstance(found, External) and found.name in PARAMETERS and all(
            map(self._is_harmless, arguments_of(node)))

    def _goes_over(self, node: ast.expr) -> bool:
        """Is what a loop goes over numbers, or the parts of the object that is being made?"""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return self._is_plain(node) or (isinstance(node, (ast.List, ast.Tuple)) and self._is_quiet(node))
        return node.func.attr in _PARTS_OF and node.func.attr not in self._taken and isinstance(
            node.func.value, ast.Name) and node.func.value.id == self._own and not node.args

    def _is_plain(self, node: ast.expr) -> bool:
        """Has no tensor of it a graph, in any mode?"""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return node.id in self._plain
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, *_PARTS)):
            return all(self._is_plain(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        if isinstance(node, ast.Subscript):
            return self._is_plain(node.value) and self._is_harmless(node.slice)
        if isinstance(node, ast.Attribute):
            return node.attr in tables.PLAIN_ATTRIBUTES - self._making.found_out() and self._is_harmless(node.value)
        return isinstance(node, ast.Call) and self._is_harmless(node) and self._gives_plain(node)

    def _gives_plain(self, call: ast.Call) -> bool:
        found = self._meant(call.func)
        given = arguments_of(call)
        if isinstance(found, Builtin):
            return found.name in python.PLAIN_BUILTINS or all(map(self._is_plain, given))
        if isinstance(found, External):
            last = found.name.rsplit(".", 1)[-1]
            return found.name.startswith(_COUNTED) or (
                found.name == f"torch.{last}" and (last in tables.FACTORIES or last == "from_numpy") and (
                    (last.islower() and last not in _MAY_HAND_BACK) or all(map(self._is_plain, given))))
        return isinstance(call.func, ast.Attribute) and self._is_plain(call.func.value) and (
            call.func.attr in tables.SHAPE_METHODS or all(map(self._is_plain, given)))

    def _is_harmless(self, node: ast.expr) -> bool:
        """Does working it out run nothing of the project, and nothing that may call it back?"""
        return not any(isinstance(part, _RUNS) or (isinstance(part, ast.Call) and not self._runs_nothing(part))
                       for part in walk(node))

    def _runs_nothing(self, call: ast.Call) -> bool:
        if not self._family:
            return False
        given = arguments_of(call)
        found = self._meant(call.func)
        if any(isinstance(part, (ast.Name, ast.Attribute)) and isinstance(
                self._meant(part), (ProjectFunction, ProjectClass))
                for each in given for part in walk(each)) and found != Builtin("isinstance"):
            return False
        if isinstance(found, Builtin):
            return found.name in _ANSWERS or (found.name in _COUNTS and all(map(self._is_plain, given)))
        if isinstance(found, External):
            library, _, last = found.name.rpartition(".")
            return found.name.startswith(_COUNTED) or (
                library == "torch" and (last in tables.FACTORIES or last == "from_numpy"))
        return isinstance(call.func, ast.Attribute) and call.func.attr in tables.TENSOR_METHODS and (
            call.func.attr not in self._making.names_of_functions())
