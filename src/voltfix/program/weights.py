"""What a method computes from weights alone, and keeps: volatility does not reach it, whatever comes in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import VARIABLE, Builtin, External, Local, ProjectClass, ProjectFunction
from voltfix.program.classes import receiver_name
from voltfix.program.closure import closure
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import children, root_of, walk
from voltfix.torchmodel.tables import NON_CONTAGIOUS, STORING, WEIGHT_LISTS, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


class OfWeights:
    """What one method computes from weights."""

    def __init__(self, project: Project, owner: ProjectClass, function: ProjectFunction,
                 inside: frozenset[ast.AST] = frozenset()) -> None:
        self.project, self.owner, self.function = project, owner, function
        self.inside = inside | {function.node}  # the methods that were gone through to get here
        self.own = receiver_name(function.node)
        self.bound: dict[str, list[ast.expr]] = {}
        for node in walk(function.node):
            for target, value in _bindings(node):
                for name in walk(target):
                    if isinstance(name, ast.Name):
                        self.bound.setdefault(name.id, []).append(value)
        given = {parameter.arg for parameter in parameters_of(function.node)} - {self.own}
        feeds = {name: {each for value in values for each in self._names(value)} for name, values in self.bound.items()}
        reached = {name: closure([name], feeds) for name in (*given, *feeds)}
        self.given = {name for name, behind in reached.items() if not given.isdisjoint(behind)}

    def left(self) -> Iterator[str]:
        """The attributes that are kept on the object, or on what it holds, and are made of weights alone."""
        for node in walk(self.function.node):
            for target, value in _bindings(node):
                for each in target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,):
                    if (name := self._kept_as(each)) and self.is_of_weights(value):
                        yield name
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STORING and (
                    name := self._kept_as(node.func.value)) and any(map(self.is_of_weights, node.args)):
                yield name

    def left_in_globals(self) -> Iterator[str]:
        """The names of its module under which it keeps what is made of weights alone: bound, or lists that it fills."""
        outer = {name for node in walk(self.function.node) if isinstance(node, ast.Global) for name in node.names}
        local = self.bound.keys() - outer | {parameter.arg for parameter in parameters_of(self.function.node)}
        for node in walk(self.function.node):
            for target, value in _bindings(node):
                if isinstance(target, ast.Name) and target.id in outer and self.is_of_weights(value):
                    yield target.id
            holder = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                node.func.attr in STORING) else None
            if isinstance(node, ast.Call) and isinstance(holder, ast.Name) and holder.id not in local and (
                    any(map(self.is_of_weights, node.args))):
                yield holder.id

    def _kept_as(self, target: ast.expr) -> str:
        """The attribute of the object, or of what it holds, that a target is, or is an item of."""
        while isinstance(target, ast.Subscript):
            target = target.value
        root = root_of(target)
        kept = isinstance(target, ast.Attribute) and target.attr not in WITHOUT_GRAPH  # data is copied, not kept
        return target.attr if isinstance(target, ast.Attribute) and kept and (
            isinstance(root, ast.Name) and root.id == self.own) else ""

    def is_of_weights(self, value: ast.expr) -> bool:
        """Is a value computed from weights, and from none of the arguments?"""
        return self._names(value).isdisjoint(self.given) and self._computes(value, frozenset())

    def _computes(self, node: ast.AST, seen: frozenset[str]) -> bool:
        """Does an expression make a graph of weights?"""
        if isinstance(node, ast.Name):
            return node.id not in seen and any(
                self._computes(value, seen | {node.id}) for value in self.bound.get(node.id, ()))
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            return any(self._carries(part, seen) for part in children(node))
        if isinstance(node, ast.Attribute) and node.attr in WITHOUT_GRAPH:
            return False
        if not isinstance(node, ast.Call):
            return any(self._computes(part, seen) for part in children(node))
        if isinstance(node.func, ast.Attribute) and node.func.attr in WITHOUT_GRAPH | WEIGHT_LISTS:
            return False
        if self.project.resolve(self.function.path, None, node.func) == External(VARIABLE):
            return False  # made of data
        given = any(self._carries(part, seen) for part in (*node.args, *(k.value for k in node.keywords)))
        method = self._method(node.func)
        if method is not None:
            return given or self._gives(method)
        if isinstance(self.project.resolve(self.function.path, None, node.func), Builtin):
            return given and isinstance(node.func, ast.Name) and node.func.id in ("sum", "abs", "pow")
        fed = any(self._names(part) or self._makes_variable(part) for part in node.args)
        return given or (fed and self._is_layer(node.func)) or (
            isinstance(node.func, ast.Attribute) and self._carries(node.func.value, seen))

    def _names(self, node: ast.AST) -> set[str]:
        """The names in an expression whose tensors it computes with: not those asked for sizes, types or data.

        Nor those of which it makes a Variable without a flag: on 0.3 that took plain data.
        """
        if isinstance(node, ast.Name):
            return {node.id}
        if (isinstance(node, ast.Attribute) and node.attr in WITHOUT_GRAPH) or self._makes_variable(node):
            return set()
        spared = self._spared(node) if isinstance(node, ast.Call) else ()
        return {name for part in children(node) if part not in spared for name in self._names(part)}

    def _spared(self, call: ast.Call) -> list[ast.expr]:
        """The arguments of an operation that pass no volatility on: labels, indices, masks."""
        asked = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        exempt = NON_CONTAGIOUS.get(asked, frozenset())
        first = 0 if isinstance(self.project.resolve(self.function.path, None, call.func), External) else 1
        return [argument for place, argument in enumerate(call.args, first) if place in exempt] if exempt else []

    def _makes_variable(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and len(node.args) == 1 and all(
            keyword.arg == "requires_grad" for keyword in node.keywords) and (
            self.project.resolve(self.function.path, None, node.func) == External(VARIABLE))

    def _gives(self, method: ProjectFunction) -> bool:
        """Does a method return something that is computed from weights alone?"""
        if method.node in self.inside:
            return False
        body = OfWeights(self.project, self.owner, method, self.inside)
        return any(isinstance(node, ast.Return) and node.value is not None and body.is_of_weights(node.value)
                   for node in walk(method.node))

    def _carries(self, node: ast.AST, seen: frozenset[str]) -> bool:
        """Is an expression a weight, or computed from one?"""
        if isinstance(node, ast.Name):
            return node.id not in seen and any(
                self._carries(value, seen | {node.id}) for value in self.bound.get(node.id, ()))
        if isinstance(node, ast.Attribute):
            return node.attr not in WITHOUT_GRAPH and (self._is_weight(node) or self._carries(node.value, seen))
        if isinstance(node, ast.Call):
            lists = isinstance(node.func, ast.Attribute) and node.func.attr in WEIGHT_LISTS and (
                isinstance(root := root_of(node.func), ast.Name) and root.id == self.own)
            return lists or self._computes(node, seen)
        return any(self._carries(part, seen) for part in children(node))

    def _method(self, called: ast.expr) -> ProjectFunction | None:
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == self.own:
            found = self.project.method(self.owner, called.attr)
            return found if isinstance(found, ProjectFunction) else None
        return None

    def _is_weight(self, node: ast.Attribute) -> bool:
        """``self.w`` that is made as a parameter, ``self.fc.weight``, ``self.parameters``."""
        root = root_of(node)
        if not isinstance(root, ast.Name) or not (root.id == self.own or any(
                isinstance(held := root_of(value), ast.Name) and held.id == self.own
                for value in self.bound.get(root.id, ()))):
            return False
        if node.attr in WEIGHT_LISTS or node.attr.startswith(("weight", "bias")):
            return True
        return isinstance(node.value, ast.Name) and (any(
            isinstance(made, External) and made.name.endswith(".Parameter") for made in self._made(node.attr)) or any(
            isinstance(value, ast.Call) and self._asks_gradients(value) for value in self._values(node.attr)))

    def _asks_gradients(self, made: ast.Call) -> bool:
        return any(keyword.arg == "requires_grad" and not (
            isinstance(keyword.value, ast.Constant) and not keyword.value.value) for keyword in made.keywords)

    def _values(self, name: str) -> Iterator[ast.expr]:
        """What is assigned to an attribute, either part of a choice, and the parameter that is registered under it."""
        for value in self.project.hierarchy.stored(self.owner).get(name, ()):
            if isinstance(value, ast.IfExp):
                yield from (value.body, value.orelse)
            elif value is not None:
                yield value
        for node in walk(self.owner.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) > 1 and (
                    node.func.attr == "register_parameter" and isinstance(node.args[0], ast.Constant)
                    and node.args[0].value == name):
                yield node.args[1]

    def _is_layer(self, called: ast.expr) -> bool:
        """``self.fc`` that holds a layer, or what the object was given."""
        return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and (
            called.value.id == self.own) and any(
            isinstance(made, (ProjectClass, Local))
            or (isinstance(made, External) and made.name.startswith("torch.nn."))
            for made in self._made(called.attr))

    def _made(self, name: str) -> Iterator[object]:
        for value in self._values(name):
            yield self.project.resolve(self.owner.path, None, value.func if isinstance(value, ast.Call) else value)


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a node binds to what."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr" and (
            len(node.args) == 3 and isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str)):
        yield ast.Attribute(node.args[0], node.args[1].value, ast.Store()), node.args[2]
