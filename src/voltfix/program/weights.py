"""What a body computes from the weights of an object alone, and keeps: volatility does not reach it, whatever comes in.

The object is ``self`` of a method, the module that a hook is given, what a function is handed. Its parts are whatever
is asked of it: attributes, items, what its own methods list, what ``getattr`` finds under a name that is put together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from voltfix.program.arguments import default_of
from voltfix.program.bindings import VARIABLE, Builtin, External, Local, ProjectClass, ProjectFunction, Unknown
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.kept import Kept, bindings, filled, kept_as, namespace_of
from voltfix.program.mentions import stores
from voltfix.program.registered import Registered
from voltfix.program.scopes import arguments_of, parameters_of
from voltfix.program.ungraphed import has_no_graph_here
from voltfix.program.walking import children, of_node, walk
from voltfix.torchmodel.inplace import is_inplace_name
from voltfix.torchmodel.layers import WEIGHTLESS_MODULES
from voltfix.torchmodel.python import PLAIN_BUILTINS
from voltfix.torchmodel.tables import CONTAGIOUS_LOSSES, LOSS_MODULES, NON_CONTAGIOUS, WEIGHT_LISTS, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project
    from voltfix.program.scopes import Function

# the class of an object, a body, and the name that the body has for the object: that of its receiver, or this one
Run = tuple[ProjectClass | None, ProjectFunction, str | None]
_COMPREHENDING = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_HOLDING = (ast.Tuple, ast.List, ast.Set)


class Given:
    """Which bodies give what is made of weights alone, and what the values of classes mean; for a whole project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[tuple[ast.AST, ast.AST | None, str | None, int | None, bool], bool] = {}
        self._meant: dict[ast.expr, object] = {}

    def gives(self, owner: ProjectClass | None, function: ProjectFunction, own: str | None = None,
              place: int | None = None, *, changed: bool = False) -> bool:
        """Does a body return something that is computed from weights of what it knows as ``own`` alone?

        ``place``: of the tuple that it returns, this one is taken; ``changed``: who has it may write into it.
        """
        key = (function.node, owner.node if owner is not None else None, own, place, changed)
        if key not in self._known:
            self._known[key] = False  # one that comes back to itself gives what it gives elsewhere
            self._known[key] = OfWeights(self.project, owner, function, own, changed=changed).gives(place)
        return self._known[key]

    def meant(self, called: ast.expr) -> object:
        """What an expression of any file means."""
        if called not in self._meant:
            of = next((path for path in self.project.paths if (table := self.project.table(path)) is not None
                       and called in table.owner), None)
            self._meant[called] = Unknown() if of is None else self.project.resolve(of, None, called)
        return self._meant[called]


class OfWeights:
    """What one body computes from weights of the object that it knows as ``own``."""

    def __init__(self, project: Project, owner: ProjectClass | None, function: ProjectFunction,
                 own: str | None = None, *, changed: bool = False) -> None:
        self.project, self.owner, self.function = project, owner, function
        self._changed = changed  # may who has what it gives write into that?
        self.others = project.computed(Given)
        self.own = receiver_name(function.node) if own is None else own
        self.nodes = _inside(function.node)
        self._asked: dict[tuple[ast.Call, bool, tuple[int, ...], tuple[str, ...], int | None], bool] = {}
        self._parts: set[str] = {self.own} if self.own else set()  # names for the object and its parts
        self._tensors: set[str] = set()  # for a weight
        self._carrying: set[str] = set()  # for weights, and what holds or is computed from them
        self._computing: set[str] = set()  # for what has a graph
        self._off: dict[ast.Call, bool] = {}  # what is made where the author has turned gradients off
        self._known = False  # are these found out? Most bodies keep nothing and give nothing: they are not asked

    @cached_property
    def _held(self) -> tuple[dict[str, list[ast.expr]], dict[str, list[ast.expr]]]:
        """By name, what is bound to it, and what is put into it."""
        bound: dict[str, list[ast.expr]] = {}
        held: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            for target, value in bindings(node):
                for name in walk(target):
                    if isinstance(name, ast.Name) and not isinstance(target, (ast.Attribute, ast.Subscript)):
                        bound.setdefault(name.id, []).append(
                            _in_its_place(target, name, value) if isinstance(node, ast.Assign) else value)
            for holder, value in filled(node):
                if isinstance(holder, ast.Name):
                    held.setdefault(holder.id, []).append(value)
        return bound, held

    @cached_property
    def _given(self) -> set[str]:
        """The names that may hold something of the arguments.

        Of a choice, what holds it either way: the other may be a weight. So may what the body has for an argument that
        is left off (``if w is None: w = self.w``).
        """
        bound, held = self._held
        function = self.function
        method = self.project.hierarchy.class_around(function.path, function.node) is not None
        left_off = {parameter.arg for parameter in parameters_of(function.node)
                    if parameter.arg in bound and default_of(function.node, parameter) is not None}
        given = volatile_parameters(function.node) - left_off - {
            self.own, receiver_name(function.node) if method else None}
        values = {name: [*bound.get(name, ()), *held.get(name, ())] for name in {*bound, *held}}
        grown = True
        while grown:
            fresh = {name for name, each in values.items()
                     if name not in given and any(self._holds(value, given) for value in each)}
            given, grown = given | fresh, bool(fresh)
        return given

    def _holds(self, value: ast.AST, given: set[str]) -> bool:
        """Does an expression compute with one of those names, whichever way its choices go?"""
        if isinstance(value, ast.IfExp):
            return self._holds(value.body, given) and self._holds(value.orelse, given)
        if isinstance(value, ast.BoolOp):
            return all(self._holds(each, given) for each in value.values)
        if not any(isinstance(part, (ast.IfExp, ast.BoolOp)) for part in walk(value)):
            return not self._names(value).isdisjoint(given)
        return any(self._holds(part, given) for part in self._counting(value))

    def _find_out(self) -> None:
        """Find what the names of the body stand for."""
        self._known = True
        bound, held = self._held
        asks = ((self._parts, self._is_own), (self._tensors, self._is_tensor), (self._carrying, self._carries),
                (self._computing, self._computes))
        grown = True
        while grown:
            grown = False
            for names, ask in asks:
                fresh = {name for name, values in (*bound.items(), *held.items())
                         if name not in names and any(map(ask, values))}
                names |= fresh
                grown = grown or bool(fresh)

    # --- what is kept -------------------------------------------------------------------------------------------------

    def left(self) -> Iterator[Kept]:
        """Under which attributes something is kept that is made of weights alone."""
        for node in self.nodes:
            for target, value in (*bindings(node), *filled(node)):
                for each in target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,):
                    kept = kept_as(each)
                    if kept is not None and self.is_of_weights(value) and not self._is_registered(each):
                        yield kept

    def _is_registered(self, target: ast.expr) -> bool:
        """Is it an attribute of the object that takes nothing but a parameter?"""
        return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and (
            target.value.id == self.own and self.owner is not None
            and self.project.computed(Registered).holds(self.owner, target.attr))

    def left_in_globals(self) -> Iterator[str]:
        """The names of its module under which it keeps what is made of weights alone: bound, or lists that it fills."""
        outer = {name for node in self.nodes if isinstance(node, ast.Global) for name in node.names}
        local = self._held[0].keys() - outer | {parameter.arg for parameter in parameters_of(self.function.node)}
        for node in self.nodes:
            for target, value in bindings(node):
                if isinstance(target, ast.Name) and target.id in outer and self.is_of_weights(value):
                    yield target.id
            for holder, value in filled(node):
                if isinstance(holder, ast.Name) and holder.id not in local and self.is_of_weights(value):
                    yield holder.id

    def keeps(self) -> bool:
        """Does it keep anything of the kind?"""
        return next(self.left(), None) is not None or next(self.left_in_globals(), None) is not None

    def gives(self, place: int | None = None) -> bool:
        """Does it return something that is computed from weights alone? ``place``: of a tuple, this one is taken."""
        body = self.function.node.body
        if isinstance(self.function.node, ast.Lambda):
            return isinstance(body, ast.expr) and self.is_of_weights(body)
        decorated = bool(self.function.node.decorator_list)  # what it does to the tuple is not known
        whole = decorated or getattr(self.function.node, "name", "") in self.project.computed(stores)
        return any(isinstance(node, ast.Return) and node.value is not None and self.is_of_weights(
            node.value if whole else _taken(node.value, place)) for node in self.nodes)

    def is_of_weights(self, value: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
        """Is a value, or anything in it, computed from weights, and from none of the arguments?"""
        parts: list[ast.expr] = []
        if isinstance(value, _HOLDING):
            parts = value.elts
        elif isinstance(value, ast.Dict):
            parts = value.values
        elif isinstance(value, ast.IfExp):
            parts = [value.body, value.orelse]
        elif isinstance(value, ast.Call) and self._bundles(value):
            parts = arguments_of(value)
        elif isinstance(value, ast.Name) and value.id not in seen:
            parts = self._held[1].get(value.id, [])
            seen = seen | {value.id}
        return any(self.is_of_weights(part, seen) for part in parts) or (
            not self._holds(value, self._given) and self._makes_graph(value))

    def _bundles(self, call: ast.Call) -> bool:
        """Does a call put its arguments together?"""
        if isinstance(call.func, ast.Name) and call.func.id in ("list", "tuple", "dict", "set"):
            return True
        return isinstance(self._meant(call.func), ProjectClass)

    # --- what is computed ---------------------------------------------------------------------------------------------

    def _makes_graph(self, value: ast.expr) -> bool:
        if not self._known:
            self._find_out()
        return self._computes(value)

    def _computes(self, node: ast.AST) -> bool:
        """Does an expression make a graph of weights?"""
        if isinstance(node, ast.Name):
            return node.id in self._computing
        if has_no_graph(node) or (isinstance(node, ast.Call) and self._is_off(node)):
            return False
        if isinstance(node, ast.IfExp):
            return self._computes(node.body) or self._computes(node.orelse)  # what decides is no part of what it gives
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            return any(self._carries(part) for part in children(node))
        if isinstance(node, ast.Attribute) and node.attr in WITHOUT_GRAPH:
            return False
        if isinstance(node, ast.Subscript) and self._is_tensor(node.value):
            return True
        if isinstance(node, _COMPREHENDING):
            return self._computes(node.elt)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call) and (
                isinstance(node.slice, ast.Constant) and type(node.slice.value) is int):
            return self._call_computes(node.value, node.slice.value)
        return self._call_computes(node) if isinstance(node, ast.Call) else any(map(self._computes, children(node)))

    @cached_property
    def _writes(self) -> bool:
        """May it, or who has what it gives, write into a tensor, or ask for a gradient of one?"""
        return self._changed or any(
            isinstance(node, ast.AugAssign)
            or (isinstance(node, ast.Attribute) and (
                is_inplace_name(node.attr) or node.attr.startswith("requires_grad")))
            or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)) for node in self.nodes)

    def _is_off(self, node: ast.Call) -> bool:
        """Is it made where the author has turned gradients off?"""
        if node not in self._off:
            self._off[node] = not self._writes and has_no_graph_here(self.project, self.function.path, node)
        return self._off[node]

    def _call_computes(self, node: ast.Call, place: int | None = None) -> bool:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in WITHOUT_GRAPH | WEIGHT_LISTS:
            return False
        if isinstance(called, ast.Attribute) and self._lists(called.value):
            return False  # what is in it, one by one
        meant = self._meant(called)
        if meant == External(VARIABLE):
            return False  # made of data
        parts = (*node.args, *(k.value for k in node.keywords))
        if isinstance(meant, Builtin):
            makes = isinstance(called, ast.Name) and called.id not in PLAIN_BUILTINS
            return makes and (any(map(self._computes, parts)) or (isinstance(called, ast.Name) and (
                called.id in ("sum", "abs", "pow", "map")) and any(map(self._carries, parts))))
        if any(map(self._carries, parts)) or self._is_given(node, place):
            return True
        fed = any(self._names(part) or self._makes_variable(part) for part in node.args)
        return (fed and self._is_layer(called)) or (isinstance(called, ast.Attribute) and self._carries(called.value))

    def _is_given(self, call: ast.Call, place: int | None = None) -> bool:
        """Does a method of the object or of its parts give it, or a function that is given one of them?

        ``place``: of the tuple that it gives, this one is taken.
        """
        own = isinstance(call.func, ast.Attribute) and self._is_own(call.func.value)
        handed = tuple(number for number, part in enumerate(call.args) if self._is_own(part))
        named = tuple(k.arg for k in call.keywords if k.arg is not None and self._is_own(k.value))
        key = (call, own, handed, named, place)
        if key not in self._asked:
            self._asked[key] = (own or bool(handed) or bool(named)) and any(
                self.others.gives(*run, place=None if self._writes else place, changed=self._writes)
                for run in self._runs(call, own, handed, named))
        return self._asked[key]

    def _runs(self, call: ast.Call, own: bool, handed: tuple[int, ...], named: tuple[str, ...]) -> Iterator[Run]:
        """What such a call may run, each with the class of the object, and the name that it has for that."""
        given: list[tuple[int | str, ast.expr]] = [(place, call.args[place]) for place in handed]
        given += [(k.arg, k.value) for k in call.keywords if k.arg in named and k.arg is not None]
        for each in self.project.computed(CallGraph).targets(self.function.path, call)[0]:
            owner = self.project.hierarchy.class_around(each.path, each.node)
            if own and owner is not None:
                yield owner, each, None
            names = [parameter.arg for parameter in (*each.node.args.posonlyargs, *each.node.args.args)]
            names = names[1:] if owner is not None and receiver_name(each.node) is not None else names
            for place, part in given:
                name = place if isinstance(place, str) else next(iter(names[place : place + 1]), None)
                if name is not None:
                    yield self.project.instance(self.function.path, part) if _stands(part) else None, each, name

    def _names(self, node: ast.AST) -> set[str]:
        """The names in an expression whose tensors it computes with: not those asked for sizes, types or data.

        Nor those of which it makes a Variable without a flag: on 0.3 that took plain data. Nor what only decides.
        """
        if isinstance(node, ast.Name):
            return {node.id}
        return {name for part in self._counting(node) for name in self._names(part)}

    def _counting(self, node: ast.AST) -> list[ast.AST]:
        """The parts of an expression whose tensors it computes with."""
        if (isinstance(node, ast.Attribute) and node.attr in WITHOUT_GRAPH) or self._makes_variable(node):
            return []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLAIN_BUILTINS:
            return []
        spared: list[ast.expr] = self._spared(node) if isinstance(node, ast.Call) else (
            [node.test] if isinstance(node, ast.IfExp) else [])
        return [part for part in children(node) if part not in spared]

    def _spared(self, call: ast.Call) -> list[ast.expr]:
        """The arguments of an operation that pass no volatility on: labels, indices, masks."""
        asked = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        exempt = NON_CONTAGIOUS.get(asked, frozenset())
        first = 0 if exempt and isinstance(self._meant(call.func), External) else 1
        return [argument for place, argument in enumerate(call.args, first) if place in exempt] if exempt else []

    def _makes_variable(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and len(node.args) == 1 and all(
            keyword.arg == "requires_grad" for keyword in node.keywords) and (
            self._meant(node.func) == External(VARIABLE))

    def _meant(self, called: ast.expr) -> object:
        return self.project.resolve(self.function.path, None, called)

    # --- what is a weight ---------------------------------------------------------------------------------------------

    def _is_own(self, node: ast.AST) -> bool:
        """Is it the object, a part of it, or a list of its parts?"""
        if isinstance(node, ast.Name):
            return node.id in self._parts
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            return self._is_own(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._is_own(node.func.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id not in PLAIN_BUILTINS - {"vars"} and isinstance(
                self._meant(node.func), Builtin) and any(map(self._is_own, node.args))
        held = isinstance(node, (*_HOLDING, ast.ListComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp))
        return held and any(map(self._is_own, children(node)))

    def _carries(self, node: ast.AST) -> bool:
        """Is an expression a weight, a list of weights, or computed from one?"""
        if isinstance(node, ast.Name):
            return node.id in self._carrying or node.id in self._computing
        if isinstance(node, ast.Attribute):
            return node.attr not in WITHOUT_GRAPH and (
                self._is_tensor(node) or self._lists(node) or self._carries(node.value))
        if isinstance(node, ast.Call):
            return self._lists(node) or self._is_tensor(node) or self._computes(node) or (
                isinstance(node.func, ast.Attribute) and self._lists(node.func.value)) or (
                isinstance(node.func, ast.Name) and node.func.id not in PLAIN_BUILTINS and (
                    isinstance(self._meant(node.func), Builtin)) and any(map(self._carries, node.args)))
        if has_no_graph(node):
            return False
        parts = [node.elt] if isinstance(node, _COMPREHENDING) else (
            [node.body, node.orelse] if isinstance(node, ast.IfExp) else children(node))
        return any(map(self._carries, parts))

    def _lists(self, node: ast.AST) -> bool:
        """Is it a list of weights, or the method that gives one?"""
        if isinstance(node, ast.Call):
            return self._lists(node.func)
        if not isinstance(node, ast.Attribute) or not self._is_own(node.value):
            return False
        return node.attr in WEIGHT_LISTS or node.attr == "_parameters" or any(
            self._makes_weights(value) for value in self._values(node) if not self._makes_weight(value))

    def _is_tensor(self, node: ast.AST) -> bool:
        """A weight: ``self.w`` that is made as a parameter, ``self.fc.weight``, and what a built name may find."""
        if isinstance(node, ast.Name):
            return node.id in self._tensors
        if isinstance(node, ast.Subscript):
            return namespace_of(node.value) is not None and self._is_own(node.value) and self._is_found(node.slice)
        if isinstance(node, ast.Call):
            asks = isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1
            return asks and self._is_own(node.args[0]) and self._is_found(node.args[1])
        if not isinstance(node, ast.Attribute) or not self._is_own(node.value):
            return False
        return node.attr.startswith(("weight", "bias")) or any(map(self._makes_weight, self._values(node)))

    def _is_found(self, name: ast.expr) -> bool:
        """May a weight be what is asked for by that name?"""
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return name.value.startswith(("weight", "bias")) or any(
                map(self._makes_weight, self._stored(self.owner, name.value)))
        return True

    def _makes_weight(self, made: ast.expr) -> bool:
        if not isinstance(made, ast.Call):
            return False
        meant = self.others.meant(made.func)
        return (isinstance(meant, External) and meant.name.endswith(".Parameter")) or any(
            keyword.arg == "requires_grad" and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
            for keyword in made.keywords)

    def _makes_weights(self, made: ast.expr) -> bool:
        """Is it a container of what is made as weights?"""
        if isinstance(made, ast.Call) and isinstance(meant := self.others.meant(made.func), External) and (
                meant.name.startswith("torch.") and "Parameter" in meant.name):
            return True
        return isinstance(made, (*_HOLDING, ast.Dict, ast.ListComp)) and any(
            isinstance(node, ast.Call) and self._makes_weight(node) for node in walk(made))

    def _values(self, node: ast.Attribute) -> Iterator[ast.expr]:
        """What is assigned to an attribute of the object, or of a part whose class is known."""
        of = self.owner if isinstance(node.value, ast.Name) and node.value.id == self.own else (
            self.project.instance(self.function.path, node.value) if _stands(node) else None)
        return self._stored(of, node.attr)

    def _stored(self, owner: ProjectClass | None, name: str) -> Iterator[ast.expr]:
        """What is assigned under a name, either part of a choice, and the parameter that is registered under it."""
        if owner is None:
            return
        for value in self.project.hierarchy.stored(owner).get(name, ()):
            if isinstance(value, ast.IfExp):
                yield from (value.body, value.orelse)
            elif value is not None:
                yield value
        yield from (value for registered, value in _registered(owner.node) if registered == name)

    def _is_layer(self, called: ast.expr) -> bool:
        """``self.fc`` that holds a layer, or what the object was given; an item of a list of them, one of a loop."""
        if not isinstance(called, ast.Attribute):
            return self._is_own(called) and not (isinstance(called, ast.Name) and called.id == self.own)
        return isinstance(called.value, ast.Name) and called.value.id == self.own and any(
            isinstance(made, (ProjectClass, Local))
            or (isinstance(made, External) and made.name.startswith("torch.nn.") and not _is_weightless(made.name))
            for made in (self.others.meant(value.func if isinstance(value, ast.Call) else value)
                         for value in self._stored(self.owner, called.attr)))


def _in_its_place(target: ast.expr, name: ast.Name, value: ast.expr) -> ast.expr:
    """What a name of ``a, b = f(x)`` is bound to: an item of what the call gives."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, ast.Call) and name in target.elts and not any(
            isinstance(each, ast.Starred) for each in target.elts):
        return ast.Subscript(value, ast.Constant(target.elts.index(name)), ast.Load())
    return value


def _taken(value: ast.expr, place: int | None) -> ast.expr:
    """What stands in one place of a tuple that is written out; the whole where none is."""
    if place is None or not isinstance(value, ast.Tuple) or not 0 <= place < len(value.elts) or any(
            isinstance(each, ast.Starred) for each in value.elts):
        return value
    return value.elts[place]


def has_no_graph(node: ast.AST) -> bool:
    """Is it a comparison, or a ``not``? They give a truth, or a mask that no gradient comes through."""
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _is_weightless(name: str) -> bool:
    """Is it a class of torch's whose layers make a graph of what they are given, and of nothing else?"""
    return name.rsplit(".", 1)[-1] in WEIGHTLESS_MODULES | LOSS_MODULES.keys() | CONTAGIOUS_LOSSES


_inside = of_node(walk)


@of_node
def _registered(cls: ast.AST) -> list[tuple[object, ast.expr]]:
    """The parameters that a class registers by a name that is written out, with that name."""
    return [(node.args[0].value, node.args[1]) for node in walk(cls)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) > 1
            and node.func.attr == "register_parameter" and isinstance(node.args[0], ast.Constant)]


def volatile_parameters(node: Function) -> set[str]:
    """The parameters that may be tensors: not those with a number, a word or a bool for default."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
                *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    settings = {parameter.arg for parameter, default in defaults
                if isinstance(default, ast.Constant) and default.value is not None}
    return {parameter.arg for parameter in parameters_of(node)} - settings


def _stands(node: ast.AST) -> bool:
    """Is it an expression that stands in a file, and was not put together here?"""
    return hasattr(node, "lineno")
