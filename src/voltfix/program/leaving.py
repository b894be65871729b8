"""Methods that leave on their object what they compute from weights alone, where somebody reads it afterwards.

Volatility reaches what a ``forward`` computes from its arguments. What it computes from weights has its graph, whatever
comes in: ``self.penalty = self.fc.weight.norm()``. A block around the call would take that graph away from whoever
reads ``net.penalty`` later. Who runs the network himself first reads what that run left.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import Ambiguous, Builtin, External, Local, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.closure import closure
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import children, root_of, walk
from voltfix.torchmodel.tables import WEIGHT_LISTS, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_WEIGHTS = frozenset({"weight", "bias"}) | WEIGHT_LISTS
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "items")
_COMPOUND = (ast.If, ast.For, ast.While, ast.Try, *FUNCTIONS, ast.ClassDef)


class Leaving:
    """Answers for the methods of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.graph = project.computed(CallGraph)
        self._known: dict[ast.AST, bool] = {}

    def may_leave(self, path: str, call: ast.Call) -> bool:
        """May a call run a method of the project that leaves a graph of weights for others to read?"""
        return any(map(self.leaves, self.graph.targets(path, call)[0]))

    def leaves(self, function: ProjectFunction) -> bool:
        """Does a method keep what is made of weights alone on its object, and does another function read it?"""
        if function.node not in self._known:
            owner = self.project.hierarchy.class_around(function.path, function.node)
            run = self._run_by(owner, function) if owner is not None else []
            self._known[function.node] = owner is not None and any(
                self._is_read(owner, name, run) for each in run for name in _Body(self.project, owner, each).left())
        return self._known[function.node]

    def _run_by(self, owner: ProjectClass, function: ProjectFunction) -> list[ProjectFunction]:
        """A method, and those that it calls on its own object."""
        found = {function.node: function}
        waiting = [function]
        while waiting:
            fresh = [each for each in _own_calls(self.project, owner, waiting.pop()) if each.node not in found]
            found |= {each.node: each for each in fresh}
            waiting += fresh
        return list(found.values())

    def _is_read(self, owner: ProjectClass, name: str, run: list[ProjectFunction]) -> bool:
        mentions = self.project.computed(Mentions)
        return any(True for _ in mentions.asked_for(name)) or any(
            isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and self._wants(owner, path, node, run)
            for path, node in mentions.of({name}, attributes=True))

    def _wants(self, owner: ProjectClass, path: str, node: ast.Attribute, run: list[ProjectFunction]) -> bool:
        """Does a read ask for the graph that an earlier run left?"""
        above = self.project.parent(path, node)
        if isinstance(above, ast.Compare) or (isinstance(above, ast.Attribute) and above.attr in WITHOUT_GRAPH):
            return False
        table = self.project.table(path)
        scope = table.owner.get(node) if table is not None else None
        known = self.project.hierarchy.instance(path, scope, node.value) if scope is not None else None
        if known is not None and all(cls.node is not owner.node for cls in self.project.hierarchy.family(known)):
            return False
        around = self.project.function(path, self.project.scope(path, node))
        inside = next((each for each in run if around is not None and each.node is around.node), None)
        if inside is not None:
            return any(store.lineno >= node.lineno for store in _stores(inside.node, node.attr))
        receiver = ast.unparse(node.value)
        if self._ran_before(path, node, receiver):
            return False
        if around is None or receiver != receiver_name(around.node) or (
                self.project.hierarchy.class_around(path, around.node) is None):
            return True
        called = [each for each in self.project.computed(References).of(around) if isinstance(each.node, ast.Call)]
        return any(not (isinstance(each.node, ast.Call) and isinstance(each.node.func, ast.Attribute) and
                        self._ran_before(each.path, each.node, ast.unparse(each.node.func.value))) for each in called)

    def _ran_before(self, path: str, node: ast.AST, receiver: str) -> bool:
        """Did a statement before, or one around, surely call ``receiver`` itself?"""
        at: ast.AST = node
        for above in self.project.parents(path, node):
            if isinstance(at, ast.stmt):
                for block in (getattr(above, field, None) for field in _BLOCKS):
                    before = block[: block.index(at)] if isinstance(block, list) and at in block else []
                    if any(_calls(each, receiver) for each in before if not isinstance(each, _COMPOUND)):
                        return True
            elif isinstance(above, ast.stmt) and not isinstance(above, _COMPOUND) and any(
                    call.end_lineno is not None and (call.end_lineno, call.end_col_offset) <= _start(node)
                    for call in _calls(above, receiver)):
                return True
            if isinstance(above, FUNCTIONS):
                return False
            at = above
        return False


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _calls(node: ast.AST, receiver: str) -> list[ast.Call]:
    return [each for each in walk(node) if isinstance(each, ast.Call) and ast.unparse(each.func) == receiver]


def _own_calls(project: Project, owner: ProjectClass, function: ProjectFunction) -> Iterator[ProjectFunction]:
    """The methods that a method calls on its own object, as any class of the family has them."""
    own = receiver_name(function.node)
    for node in walk(function.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                isinstance(node.func.value, ast.Name) and node.func.value.id == own):
            found = project.hierarchy.on_instance(owner, node.func.attr)
            for each in found.candidates if isinstance(found, Ambiguous) else (found,):
                if isinstance(each, ProjectFunction):
                    yield each


def _stores(node: ast.AST, name: str) -> list[ast.Attribute]:
    return [each for each in walk(node)
            if isinstance(each, ast.Attribute) and each.attr == name and isinstance(each.ctx, ast.Store)]


class _Body:
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
        feeds = {name: {n.id for value in values for n in walk(value) if isinstance(n, ast.Name)}
                 for name, values in self.bound.items()}
        self.given = {name for name in {*given, *feeds} if not given.isdisjoint(closure([name], feeds))}

    def left(self) -> Iterator[str]:
        """The attributes that are kept on the object, or on what it holds, and are made of weights alone."""
        for node in walk(self.function.node):
            for target, value in _bindings(node):
                for each in target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,):
                    root = root_of(each)
                    if isinstance(each, ast.Attribute) and isinstance(root, ast.Name) and root.id == self.own and (
                            self.is_of_weights(value)):
                        yield each.attr

    def is_of_weights(self, value: ast.expr) -> bool:
        """Is a value computed from weights, and from none of the arguments?"""
        names = {node.id for node in walk(value) if isinstance(node, ast.Name)}
        return names.isdisjoint(self.given) and self._computes(value, frozenset())

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
        given = any(self._carries(part, seen) for part in (*node.args, *(k.value for k in node.keywords)))
        method = self._method(node.func)
        if method is not None:
            return given or self._gives(method)
        if isinstance(self.project.resolve(self.function.path, None, node.func), Builtin):
            return given and isinstance(node.func, ast.Name) and node.func.id in ("sum", "abs", "pow")
        return given or (bool(node.args) and self._is_layer(node.func)) or (
            isinstance(node.func, ast.Attribute) and self._carries(node.func.value, seen))

    def _gives(self, method: ProjectFunction) -> bool:
        """Does a method return something that is computed from weights alone?"""
        if method.node in self.inside:
            return False
        body = _Body(self.project, self.owner, method, self.inside)
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
        if not isinstance(root, ast.Name) or root.id != self.own:
            return False
        if node.attr in _WEIGHTS:
            return True
        return isinstance(node.value, ast.Name) and any(
            isinstance(made, External) and made.name.endswith(".Parameter") for made in self._made(node.attr))

    def _is_layer(self, called: ast.expr) -> bool:
        """``self.fc`` that holds a layer, or what the object was given."""
        return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and (
            called.value.id == self.own) and any(
            isinstance(made, (ProjectClass, Local))
            or (isinstance(made, External) and made.name.startswith("torch.nn."))
            for made in self._made(called.attr))

    def _made(self, name: str) -> Iterator[object]:
        for value in self.project.hierarchy.stored(self.owner).get(name, ()):
            asked = value.func if isinstance(value, ast.Call) else value
            yield self.project.resolve(self.owner.path, None, asked) if asked is not None else None


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
