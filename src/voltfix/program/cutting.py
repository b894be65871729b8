"""Networks that let a graph end: after ``x = Variable(x.data)`` in ``forward`` what comes out is volatile for nobody.

Of a call of something that nobody has seen, what it gives is taken to be volatile as what it was given is. Where all
that the project ever puts under the name that is called is an object whose ``forward`` goes on with the data alone, it
is not: it has the graph of the weights that come after that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for, calls_of, unpacks
from voltfix.program.bindings import Builtin, External, Local, ProjectClass, ProjectFunction
from voltfix.program.layered import Layered
from voltfix.program.mentions import Mentions, stores
from voltfix.program.ofclass import is_readable, objects_handed
from voltfix.program.rebound import rebound_in
from voltfix.program.scopes import parameters_of
from voltfix.program.sealed import Sealed
from voltfix.program.walking import walk
from voltfix.torchmodel.layers import HOOK_TABLES
from voltfix.torchmodel.python import PLAIN_BUILTINS
from voltfix.torchmodel.tables import PLAIN_ATTRIBUTES, PLAIN_METHODS, RETURNS_SELF, SHOWS_GRAPH

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_RUNS = ("__call__", "forward")  # torch's own ``__call__`` runs the other
_MAKES_ANOTHER = ("__new__", "__getattr__", "__getattribute__", "__setattr__", "__call__", "__class__")
# what depends on the flag in another way than by what is computed, or needs the graph there
_ASKS = SHOWS_GRAPH | {"volatile", "backward", "grad", "register_hook", "detach_", "retain_grad"}
_SCOPED = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Lambda)


class Cutting:
    """Answers for the calls of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._rebound = project.computed(rebound_in)
        self._put: dict[str, tuple[ProjectFunction, ...]] = {}
        self._known: dict[tuple[ast.AST, frozenset[str]], bool] = {}

    def ends_in(self, path: str, call: ast.Call, volatile: Iterable[ast.expr]) -> bool:
        """Is a call surely of networks whose results are made of the data alone of these arguments?"""
        found = self._run_by(path, call.func) if not unpacks(call) else ()
        return bool(found) and all(self._ends(each, call, volatile) for each in found)

    def _run_by(self, path: str, called: ast.expr) -> tuple[ProjectFunction, ...]:
        """Every ``forward`` that may be called; nothing where that is open."""
        if isinstance(called, ast.Name):
            return tuple(self._project.computed(objects_handed).when_called(path, called))
        if not isinstance(called, ast.Attribute):
            return ()
        if self._may_be_of_library(path, called.value, set()):
            return ()
        if called.attr not in self._put:
            self._put[called.attr] = tuple(self._put_under(called.attr))
        return self._put[called.attr]

    def _may_be_of_library(self, path: str, held: ast.expr, seen: set[ast.expr]) -> bool:
        """Is it, as far as is seen, an object that a library's call gave? Its parts go by names of the library's own.
        """
        while isinstance(held, ast.Attribute) or (
                isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and held.func.attr in RETURNS_SELF):
            held = held.value if isinstance(held, ast.Attribute) else held.func
        if held in seen:
            return False
        seen.add(held)
        if isinstance(held, ast.Call):
            return isinstance(self._project.resolve(path, None, held.func), External)
        found = self._project.resolve(path, None, held) if isinstance(held, ast.Name) else None
        if not isinstance(found, Local):
            return isinstance(found, External)
        places = [(found.path, value) for value in found.values]
        if found.parameter is not None:
            places += self._handed_as(found.path, found.parameter)
        return any(self._may_be_of_library(*place, seen) for place in places)

    def _handed_as(self, path: str, parameter: ast.arg) -> list[tuple[str, ast.expr]]:
        """What the calls in sight hand over as a parameter."""
        function = self._project.function(path, self._project.scope(path, parameter))
        given = [(at, argument_for(call, function.node, parameter, filled))
                 for at, call, filled in calls_of(self._project, function)] if function is not None else []
        return [(at, value) for at, value in given if value is not None]

    def _put_under(self, name: str) -> list[ProjectFunction]:
        """What calling runs of all that is ever assigned to an attribute of that name; nothing where that is open."""
        project = self._project
        if not project.computed(Layered).go_by_name(name) or self._is_bound_otherwise(name):
            return []
        found = [self._forward(path, node) for path, node in project.computed(stores).get(name, ())]
        known = [each for each in found if each is not None]
        return known if len(known) == len(found) else []

    def _is_bound_otherwise(self, name: str) -> bool:
        """May something have that name in a class or a module, or by a word in a string?"""
        project, mentions = self._project, self._project.computed(Mentions)
        if name in project.computed(_named_in_words):
            return True
        return project.for_others or name in self._rebound.said or self._rebound.is_patched(name) or any(
            True for _ in mentions.of(HOOK_TABLES, attributes=True)) or any(
            name in project.names_in(cls.path, cls.node) for cls in project.classes()) or any(
            name in project.names_in(path, tree) for path in project.paths if (tree := project.tree(path)) is not None)

    def _forward(self, path: str, stored: ast.Attribute) -> ProjectFunction | None:
        """What calling the object runs that is made where an attribute is bound to it; None where it is no such."""
        above = self._project.parent(path, stored)
        made = above.value if isinstance(above, ast.Assign) and above.targets == [stored] else None
        if not isinstance(made, ast.Call) or not isinstance(made.func, (ast.Name, ast.Attribute)):
            return None
        cls = self._project.resolve(path, None, made.func)
        replaced = self._rebound.is_bound_elsewhere(path, made.func) if isinstance(made.func, ast.Name) else (
            self._rebound.is_patched(made.func.attr))
        if not isinstance(cls, ProjectClass) or replaced:
            return None
        order = self._project.mro(cls)
        own = [each for each in order if isinstance(each, ProjectClass)]
        if not all(map(is_readable, order)) or any(
                self._rebound.is_set(name, cls) for name in (*_RUNS, *_MAKES_ANOTHER)) or any(
                name in self._project.names_in(each.path, each.node) for each in own for name in _MAKES_ANOTHER):
            return None
        found = self._project.method(cls, _RUNS[1])
        return found if isinstance(found, ProjectFunction) else None

    def _ends(self, method: ProjectFunction, call: ast.Call, volatile: Iterable[ast.expr]) -> bool:
        """Does what a method gives for a call depend on the data alone of these arguments?"""
        node = method.node
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            return False
        given = list(volatile)
        taken = frozenset(p.arg for p in parameters_of(node) if argument_for(call, node, p, 1) in given)
        key = (node, taken)
        if key not in self._known:
            self._known[key] = len(taken) == len(given) and self._is_sealed(method) and (
                Body(self._project, method).ends(taken))
        return self._known[key]

    def _is_sealed(self, method: ProjectFunction) -> bool:
        cls = self._project.hierarchy.class_around(method.path, method.node)
        return cls is not None and self._project.computed(Sealed).is_sealed(cls)


def _named_in_words(project: Project) -> frozenset[str]:
    """Names that a class made of words has (``namedtuple('Nets', 'eye mouth')``), or an object made of keywords."""
    found: set[str] = set()
    for path in project.paths:
        for node in project.nodes(path):
            if isinstance(node, ast.keyword):
                found |= {node.arg} if node.arg is not None else _words(node.value)
            elif isinstance(node, ast.Call):
                made = project.resolve(path, None, node.func)
                of_words = made in (External("collections.namedtuple"), External("typing.NamedTuple"), Builtin("type"))
                of_torch = isinstance(made, External) and made.name.startswith("torch.")
                for each in node.args:
                    found |= _words(each) if of_words or (isinstance(each, ast.Dict) and not of_torch) else set()
    return frozenset(found)


def _words(node: ast.expr) -> set[str]:
    texts = [each.value for each in walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return {word for text in texts for word in text.replace(",", " ").split()}


class Body:
    """One method, statement by statement: which of its names may depend on more than data."""

    def __init__(self, project: Project, method: ProjectFunction) -> None:
        self._project = project
        self._path = method.path
        self._node = method.node
        around = project.hierarchy.class_around(method.path, method.node)
        self._methods = {name for cls in (project.mro(around) if around is not None else ())
                         if isinstance(cls, ProjectClass) for name in project.names_in(cls.path, cls.node)}
        self._gone = False  # what it was given is kept, or handed to where it may be

    def ends(self, taken: frozenset[str]) -> bool:
        """Is what it returns made of no more than the data of what the parameters ``taken`` are?"""
        assert isinstance(self._node, ast.FunctionDef)
        if any(isinstance(part, _SCOPED) or (isinstance(part, ast.Attribute) and part.attr in _ASKS)
               or (isinstance(part, ast.keyword) and part.arg in ("volatile", None, "out"))
               for statement in self._node.body for part in walk(statement)):
            return False
        self._suite(self._node.body, set(taken), weak=False)
        return not self._gone

    def _suite(self, suite: list[ast.stmt], names: set[str], *, weak: bool) -> set[str]:
        """The names that depend on more than data after a suite, given those before; ``weak``: it may not run through.
        """
        for statement in suite:
            names = self._statement(statement, names, weak=weak)
        return names

    def _statement(self, statement: ast.stmt, names: set[str], *, weak: bool) -> set[str]:
        if isinstance(statement, ast.If):
            self._calls(statement.test, names)
            return self._suite(statement.body, set(names), weak=weak) | self._suite(
                statement.orelse, set(names), weak=weak)
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement, names)
        self._calls(statement, names)
        if isinstance(statement, ast.Assign):
            return self._bound(statement, names, weak=weak)
        if isinstance(statement, (ast.Return, ast.AugAssign)):
            value = statement.value
            into = isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name) and (
                statement.target.id in names)
            self._gone |= value is not None and self._depends(value, names) and not into
        elif not isinstance(statement, (ast.Expr, ast.Pass, ast.Assert, ast.Break, ast.Continue)):
            self._gone = True
        return names

    def _loop(self, loop: ast.For | ast.While, names: set[str]) -> set[str]:
        """Whatever a round takes off the flag, it may not come to that: names only come in."""
        while True:
            inside = set(names)
            if isinstance(loop, ast.For):
                self._calls(loop.iter, inside)
                if self._depends(loop.iter, inside):
                    inside |= {part.id for part in walk(loop.target) if isinstance(part, ast.Name)}
            else:
                self._calls(loop.test, inside)
            inside |= self._suite(loop.body, set(inside), weak=True)
            if inside == names:
                return self._suite(loop.orelse, names, weak=True)
            names = inside

    def _bound(self, statement: ast.Assign, names: set[str], *, weak: bool) -> set[str]:
        depends = self._depends(statement.value, names)
        for target in statement.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            if not all(isinstance(part, ast.Name) for part in parts):
                self._gone |= depends  # somebody has it
                continue
            bound = {part.id for part in parts if isinstance(part, ast.Name)}
            names = names | bound if depends else names if weak else names - bound
        return names

    def _depends(self, value: ast.AST, names: set[str]) -> bool:
        """May a value be volatile if what these names stand for is?"""
        if isinstance(value, ast.Name):
            return value.id in names
        if isinstance(value, ast.Attribute) and value.attr in PLAIN_ATTRIBUTES and value.attr != "data":
            return False  # of a packed sequence, or of a batch, ``data`` is a Variable
        if isinstance(value, ast.Call):
            called = value.func
            if self._makes_variable(value):
                return False
            if isinstance(called, ast.Attribute) and called.attr in PLAIN_METHODS:
                return False
            if isinstance(called, ast.Name) and self._is_plain_built_in(called):
                return False
        if isinstance(value, ast.Compare) and all(isinstance(each, (ast.Is, ast.IsNot)) for each in value.ops):
            return False
        return any(self._depends(part, names) for part in ast.iter_child_nodes(value))

    def _makes_variable(self, call: ast.Call) -> bool:
        """Is it ``Variable(data)``? 0.3 raised where it was given anything but the data of one."""
        return len(call.args) == 1 and not isinstance(call.args[0], ast.Starred) and self._project.resolve(
            self._path, None, call.func) == External("torch.autograd.Variable")

    def _is_plain_built_in(self, called: ast.Name) -> bool:
        return called.id in PLAIN_BUILTINS and self._project.resolve(self._path, None, called) == Builtin(called.id)

    def _calls(self, part: ast.AST, names: set[str]) -> None:
        """Is what depends on more than data handed to something that may keep it, or put it where others find it?

        Layers take it, operations of torch, its own methods (of a tensor), and built-ins that only look.
        """
        loops = [each for each in walk(part) if isinstance(each, ast.comprehension)]
        for each in loops:  # an outer one stands before an inner one
            if self._depends(each.iter, names):
                names = names | {name.id for name in walk(each.target) if isinstance(name, ast.Name)}
        for call in walk(part):
            if not isinstance(call, ast.Call):
                continue
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if any(self._depends(each, names) for each in given):
                self._gone |= not self._only_takes(call.func, names)

    def _only_takes(self, called: ast.expr, names: set[str]) -> bool:
        if isinstance(called, ast.Name) and self._is_plain_built_in(called):
            return True
        found = self._project.resolve(self._path, None, called)
        if isinstance(found, External):
            return found.name.startswith("torch.") and not found.name.endswith("_")
        if not isinstance(called, ast.Attribute):
            return False
        held = called.value
        first = parameters_of(self._node)[0].arg
        if isinstance(held, ast.Name) and held.id == first:
            return called.attr not in self._methods  # a layer, and no method, which may leave it on the object
        return self._depends(held, names)
