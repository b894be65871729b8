"""Methods that leave on their object what they compute from weights alone, where somebody reads it afterwards.

Volatility reaches what a ``forward`` computes from its arguments. What it computes from weights has its graph, whatever
comes in: ``self.penalty = self.fc.weight.norm()``. A block around the call would take that graph away from whoever
reads ``net.penalty`` later. Who runs the network himself first reads what that run left.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import VARIABLE, Ambiguous, Builtin, External, Local, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph, is_property
from voltfix.program.classes import receiver_name
from voltfix.program.closure import closure
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import children, root_of, walk
from voltfix.torchmodel.tables import STORING, WEIGHT_LISTS, WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With, *FUNCTIONS, ast.ClassDef)
_PERHAPS = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MOST = 60  # functions that one call is followed through

Runs = frozenset[ast.Call]


class Leaving:
    """Answers for the methods of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.graph = project.computed(CallGraph)
        self._known: dict[ast.AST, list[Runs]] = {}

    def may_leave(self, path: str, call: ast.Call) -> bool:
        """May a call run a method of the project that leaves a graph of weights for others to read?"""
        return any(not runs or call in runs for each in self.graph.may_run(path, call)[0] for runs in self.reads(each))

    def reads(self, function: ProjectFunction) -> list[Runs]:
        """Of each read of what a method leaves: the calls by which the reader surely ran the object before."""
        if function.node not in self._known:
            owner = self.project.hierarchy.class_around(function.path, function.node)
            self._known[function.node] = [] if owner is None else list(self._reads(owner, function))
        return self._known[function.node]

    def _reads(self, owner: ProjectClass, function: ProjectFunction) -> Iterator[Runs]:
        run = self._run_by(owner, function)
        mentions = self.project.computed(Mentions)
        for name in dict.fromkeys(name for each in run for name in _Body(self.project, owner, each).left()):
            yield from (frozenset[ast.Call]() for _ in mentions.asked_for(name))
            for path, node in mentions.of({name}, attributes=True):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and (
                        self._asks(owner, path, node)):
                    yield from self._before(path, node, run, Between(self.project, self.graph, function))

    def _run_by(self, owner: ProjectClass, function: ProjectFunction) -> list[ProjectFunction]:
        """A method, and those that it calls on its own object."""
        found = {function.node: function}
        waiting = [function]
        while waiting:
            fresh = [each for each in _own_calls(self.project, owner, waiting.pop()) if each.node not in found]
            found |= {each.node: each for each in fresh}
            waiting += fresh
        return list(found.values())

    def _asks(self, owner: ProjectClass, path: str, node: ast.Attribute) -> bool:
        """May a read be one of an object of the class, and ask for more than data?"""
        above = self.project.parent(path, node)
        if isinstance(above, ast.Compare) or (isinstance(above, ast.Attribute) and above.attr in WITHOUT_GRAPH):
            return False
        known = self.project.instance(path, node.value)
        return known is None or any(cls.node is owner.node for cls in self.project.hierarchy.family(known))

    def _before(self, path: str, node: ast.Attribute, run: list[ProjectFunction], between: Between) -> Iterator[Runs]:
        around = self.project.function(path, self.project.scope(path, node))
        inside = around is not None and any(each.node is around.node for each in run)
        if inside and around is not None and any(
                store.attr == node.attr for each in _statements_before(self.project, path, node)
                if not isinstance(each, _COMPOUND) for store in _stores(each)):
            return  # it reads what this run has just put there
        root = root_of(node)
        own = receiver_name(around.node) if around is not None else None
        if around is None or not isinstance(root, ast.Name) or root.id != own or is_property(around.node) or (
                self.project.hierarchy.class_around(path, around.node) is None):
            if not inside:
                yield between.last_run(path, node, _prefixes(node.value))
            return
        if inside and any(store.attr == node.attr for store in _stores(around.node)):
            yield frozenset()  # what another run put there
        ran = between.last_run(path, node, _prefixes(node.value) - {root.id})
        callers = [each for each in self.project.computed(References).of(around) if each.kind != "import"]
        if ran or (not callers and node.value is not root):
            yield ran
            return
        for each in callers:
            if isinstance(each.node, ast.Call) and not any(
                    above is other.node for above in self.project.parents(each.path, each.node) for other in run):
                of = each.node.func.value if isinstance(each.node.func, ast.Attribute) else None
                yield between.last_run(each.path, each.node, _prefixes(of)) if of is not None else frozenset()


def _prefixes(node: ast.expr) -> frozenset[str]:
    """``net.l1``, and ``net``, which runs what it holds."""
    found = {ast.unparse(node)}
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        found.add(ast.unparse(node))
    return frozenset(found)


def _statements_before(project: Project, path: str, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements of the same function that surely ran before one, the last first; no loop is left for them."""
    at: ast.AST = node
    for above in project.parents(path, node):
        if isinstance(at, ast.stmt):
            for block in (getattr(above, field, None) for field in ("body", "orelse", "finalbody")):
                if isinstance(block, list) and at in block:
                    yield from reversed(block[: block.index(at)])
        if isinstance(above, (*FUNCTIONS, ast.For, ast.While, ast.ClassDef)):
            return
        at = above


class Between:
    """What ran an object last before a place, where nothing behind that run may have run it again."""

    def __init__(self, project: Project, graph: CallGraph, leaving: ProjectFunction) -> None:
        self.project, self.graph, self.leaving = project, graph, leaving

    def last_run(self, path: str, node: ast.AST, receivers: frozenset[str]) -> Runs:
        """The calls of the object, one of which surely was the last before ``node``; none where that is not sure."""
        stands = next((p for p in (node, *self.project.parents(path, node)) if isinstance(p, ast.stmt)), None)
        start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        if stands is not None and not isinstance(stands, _COMPOUND):
            found = self._in(path, [call for call in _calls(stands) if _end(call) <= start], receivers, stands)
            if found is not None:
                return found
        for statement in _statements_before(self.project, path, node):
            found = self._by(path, statement, receivers)
            if found is not None:
                return found
        return frozenset()

    def _by(self, path: str, statement: ast.stmt, receivers: frozenset[str]) -> Runs | None:
        """What a statement ran last; None where it runs nothing of the kind, and nothing where it may."""
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return None
        if isinstance(statement, ast.If):
            arms = [self._of(path, block, receivers) for block in (statement.body, statement.orelse)]
            if arms == [None, None]:
                return self._in(path, _calls(statement.test), receivers, statement.test)
            return frozenset().union(*(arm or () for arm in arms)) if all(arms) else frozenset()
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            found = self._of(path, statement.body, receivers)
            return found if found is not None else self._in(
                path, [call for item in statement.items for call in _calls(item)], receivers, statement)
        found = self._in(path, _calls(statement), receivers, statement)
        return found if found is None or not isinstance(statement, _COMPOUND) else frozenset()

    def _of(self, path: str, block: list[ast.stmt], receivers: frozenset[str]) -> Runs | None:
        for statement in reversed(block):
            found = self._by(path, statement, receivers)
            if found is not None:
                return found
        return None

    def _in(self, path: str, calls: list[ast.Call], receivers: frozenset[str], top: ast.AST) -> Runs | None:
        bound = {name.id for name in walk(top) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        if bound & receivers:
            return frozenset()
        for call in sorted(calls, key=_end, reverse=True):
            if ast.unparse(call.func) in receivers:
                sure = not any(isinstance(above, _PERHAPS) for above in self._up_to(path, call, top))
                return frozenset({call}) if sure else frozenset()
            if not self._is_quiet(path, call, receivers):
                return frozenset()
        return None

    def _up_to(self, path: str, node: ast.AST, top: ast.AST) -> Iterator[ast.AST]:
        for above in self.project.parents(path, node):
            if above is top:
                return
            yield above

    def _is_quiet(self, path: str, call: ast.Call, receivers: frozenset[str]) -> bool:
        """Can a call not come to a run of the method?"""
        found, named = self.graph.may_run(path, call)
        given = {ast.unparse(each) for each in (*call.args, *(keyword.value for keyword in call.keywords))}
        if not found:
            return named or isinstance(call.func, ast.Attribute) or given.isdisjoint(receivers)
        seen: dict[ast.AST, ProjectFunction] = {}
        waiting = found
        while waiting:
            each = waiting.pop()
            if each.node is self.leaving.node or len(seen) > _MOST:
                return False
            if each.node not in seen:
                seen[each.node] = each
                waiting += self.graph.callees(each)
        return True


def _calls(node: ast.AST) -> list[ast.Call]:
    return [each for each in walk(node) if isinstance(each, ast.Call)]


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _own_calls(project: Project, owner: ProjectClass, function: ProjectFunction) -> Iterator[ProjectFunction]:
    """The methods that a method calls on its own object, and properties that it reads, as any class below has them."""
    own = receiver_name(function.node)
    for node in walk(function.node):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
            found = project.hierarchy.on_instance(owner, node.attr)
            above = project.parent(function.path, node)
            for each in found.candidates if isinstance(found, Ambiguous) else (found,):
                if isinstance(each, ProjectFunction) and (
                        is_property(each.node) or (isinstance(above, ast.Call) and above.func is node)):
                    yield each


def _stores(node: ast.AST) -> list[ast.Attribute]:
    return [each for each in walk(node) if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)]


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
        feeds = {name: {each for value in values for each in _names(value)} for name, values in self.bound.items()}
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
        return _names(value).isdisjoint(self.given) and self._computes(value, frozenset())

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
        fed = any(_names(part) for part in node.args)
        return given or (fed and self._is_layer(node.func)) or (
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


def _names(node: ast.AST) -> set[str]:
    """The names in an expression whose tensors it computes with: not those that are asked for sizes, types or data."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute) and node.attr in WITHOUT_GRAPH:
        return set()
    return {name for part in children(node) for name in _names(part)}


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
