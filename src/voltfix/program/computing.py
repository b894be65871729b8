"""Calls that only compute: what they run gives a value, leaves nothing anywhere, and sends no gradients.

A graph that such a call makes is wanted where its result is, and nowhere else. Of any other function that nobody looked
into it has to be feared that it trains, or puts what it computed where somebody trains with it later.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import Ambiguous, Builtin, External, Local, ProjectClass, ProjectFunction, Unknown
from voltfix.program.calls import RUN_BY_OBJECT, SENDS, CallGraph
from voltfix.program.foreign import holds_layer
from voltfix.program.hooks import may_keep_what_passes
from voltfix.program.layered import Layered
from voltfix.program.mentions import Mentions, bound_names, stores
from voltfix.program.ofclass import objects_handed
from voltfix.program.reached import reached
from voltfix.program.scopes import Function
from voltfix.program.walking import walk
from voltfix.torchmodel import python, tables
from voltfix.torchmodel.inplace import is_inplace_name
from voltfix.torchmodel.library import is_torch, takes_numbers
from voltfix.torchmodel.operations import OPERATIONS

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr, ast.If, ast.For, ast.While, ast.Assert, ast.Raise,
               ast.Pass, ast.Break, ast.Continue)
_HIDES = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.GeneratorExp)
_GOES_OVER = (ast.For, ast.comprehension, ast.Tuple, ast.List, ast.Starred)
_ITEM, _ITEMS = "__getitem__", ("__iter__", "__next__", "__getitem__")
_MADE_AND_SHOWN = ("__init__", "__new__", "__call__", "__del__", "__repr__", "__str__")
# what is run for a copy, by ``with``, or by assigning to a part: none of that is anything that only computes
_ELSEWHERE = ("__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__", "__enter__",
              "__exit__", "__setitem__", "__delitem__", "__setattr__", "__delattr__")
_TO_BE_OVERRIDDEN = External("abc.abstractmethod")  # the function itself, with a mark on it
_MODULES = ("torch", "torch.nn.functional")
_ANSWERS = tables.EFFECTLESS_METHODS - tables.USUAL_METHODS  # of containers, texts and layers
_MARKS = SENDS | {"requires_grad_", "register_hook", "retain_grad", "creator"}
_BUILTINS = python.EFFECTLESS - {"getattr", "vars"} | {"range", "xrange", "zip", "enumerate"}

_OF_DICTIONARY = frozenset({"get", "keys", "values", "items", "has_key"})


class Computing:
    """Answers for the calls of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._graph = project.computed(CallGraph)
        self._of_class = project.computed(objects_handed)
        self._known: dict[Function, bool] = {}
        self._hooked: bool | None = None
        self._specials: dict[str, bool] | None = None

    def only_computes(self, path: str, call: ast.Call) -> bool:
        """Does a call surely run functions of the project that only compute, or a method that arrays alone have?

        Or ask a dictionary for what it has.
        """
        if self._hooked is None:
            self._hooked = may_keep_what_passes(self._project)
        run = self._run(path, call) if not self._hooked else []
        return all(self._is_known(each) or self._is_pure_so(each, call) for each in run) if run else (
            self._is_of_array(path, call) or self._is_of_dictionary(path, call))

    def _is_of_dictionary(self, path: str, call: ast.Call) -> bool:
        """Is a dictionary that an object keeps asked for what it has, as all that is bound there is one of Python's?

        What it gives was made before. Of a key Python asks its hash, and whether it is the one.
        """
        called = call.func
        if not isinstance(called, ast.Attribute) or called.attr not in _OF_DICTIONARY or any(
                map(self._graph.methods, ("__hash__", "__eq__", "__cmp__", "__getattribute__"))):
            return False
        held, kept = called.value, self._held(path, called.value)
        return isinstance(held, ast.Attribute) and bool(kept) and not self._is_bound_beside(path, held) and not (
            self._may_be_added(held.attr) or self._is_said_by_a_class(held.attr)) and all(
            isinstance(value, (ast.Dict, ast.DictComp)) or (isinstance(value, ast.Call) and self._project.resolve(
                at, None, value.func) == Builtin("dict")) for at, value in kept)

    def _is_said_by_a_class(self, name: str) -> bool:
        """Does the body of a class bind a name? A property there gives what it likes."""
        return any(name in self._project.names_in(cls.path, cls.node) for cls in self._project.classes())

    def _is_of_array(self, path: str, call: ast.Call) -> bool:
        """Is it a method that arrays of numbers have, and no tensor of 0.3 had, nor any object of the project has?

        Shapes and types are handed to it, and nothing that a call makes but a number of Python's own.
        """
        called = call.func
        if not isinstance(called, ast.Attribute) or called.attr not in tables.ARRAY_METHODS or any(
                isinstance(part, ast.Call) and not isinstance(self._project.resolve(path, None, part.func), Builtin)
                for each in (*call.args, *call.keywords) for part in walk(each)):
            return False
        name, project = called.attr, self._project
        said = name in project.computed(bound_names) or project.computed(Mentions).is_written(name)
        return isinstance(project.resolve(path, None, called), Unknown) and not (
            said or self._graph.methods(name) or self._may_be_added(name) or self._rebound.is_set(name))

    def _is_pure_so(self, function: ProjectFunction, call: ast.Call) -> bool:
        """Is all harmless that a call comes to, with the constants that it hands over?"""
        if not self._is_plain(function.path, function.node) or not all(
                isinstance(part, _STATEMENTS) for part in walk(function.node)
                if isinstance(part, ast.stmt) and part is not function.node):
            return False
        come_to = reached(self._project, function, call)
        parts = [part for each in come_to or () for part in walk(each)]
        return come_to is not None and self._are_harmless(function.path, parts)

    def makes_data(self, path: str, called: ast.expr) -> bool:
        """Is it an attribute that stands for a function of torch's which makes a tensor of numbers, whatever binds it?

        ``self.floats = torch.cuda.FloatTensor if cuda else torch.FloatTensor``.
        """
        if not isinstance(called, ast.Attribute) or self._rebound.is_patched_at(path, called) or (
                self._is_bound_beside(path, called)) or self._may_be_added(called.attr):
            return False
        of = self._project.resolve(path, None, called)
        bound = of.candidates if isinstance(of, Ambiguous) else (of,)
        if isinstance(of, Local):
            bound = tuple(self._project.resolve(at, None, each) for at, value in self._held(path, called)
                          for each in arms_of(value))
        return bool(bound) and all(isinstance(each, External) and is_torch(each.name) and takes_numbers(each.name) and (
            not self._may_be_put(each.name.rpartition(".")[2])) for each in bound)

    def _may_be_put(self, name: str) -> bool:
        """May something be put under that name into what is no object of the project, such as torch?"""
        return any(self._project.instance(path, node.value) is None
                   for path, node in self._project.computed(stores).get(name, ()))

    def _may_be_added(self, name: str) -> bool:
        """May an object have an attribute of that name by ``add_module``, or say itself what it gives for any name?"""
        return not self._project.computed(Layered).go_by_name(name) or any(
            map(self._graph.methods, ("__getattr__", "__getattribute__")))

    def _is_bound_beside(self, path: str, asked: ast.Attribute) -> bool:
        """May an object of a class below have the attribute from a class that this one knows nothing of?"""
        cls = self._project.instance(path, asked.value)
        if cls is None:
            return True
        own = {each.node for each in self._project.mro(cls) if isinstance(each, ProjectClass)}
        beside = {above.node for each in self._project.hierarchy.subclasses(cls) for above in self._project.mro(each)
                  if isinstance(above, ProjectClass)} - own
        places = self._project.computed(stores).get(asked.attr, ())
        return any(of is not None and of.node in beside for at, node in places
                   for of in [self._project.instance(at, node.value)])

    def _run(self, path: str, call: ast.Call) -> list[ProjectFunction]:
        """The functions of the project that a call runs; none where that is not sure."""
        found, named = self._graph.targets(path, call)
        asked = [each for each in walk(call.func) if isinstance(each, ast.Attribute)]
        patched = any(self._rebound.is_patched_at(path, each) for each in asked)
        if named and found:
            last = {each.qualname.rsplit(".", 1)[-1] for each in found} - {each.attr for each in asked}
            return found if not patched and not any(map(self._rebound.is_patched, last)) else []
        if handed := self._of_handed(path, call.func):
            return handed
        of = self._project.instance(path, call.func)
        if of is None or any(self._rebound.is_patched(name, of) for name in RUN_BY_OBJECT):
            return []
        return self._graph.of_object(of) if not patched else []

    def _of_handed(self, path: str, called: ast.expr) -> list[ProjectFunction]:
        """The methods of a name, one a class, where all callers hand over an object of one of these classes."""
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, (ast.Name, ast.Attribute)):
            return []
        running = self._of_class.running(path, called.value, (called.attr,))
        if any(self._project.method(cls, "__getattribute__") is not None for cls in running):
            return []
        return list(running.values())

    def _is_known(self, function: ProjectFunction) -> bool:
        if function.node not in self._known:
            self._known[function.node] = False  # what calls itself is not looked at twice
            self._known[function.node] = self._is_pure(function.path, function.node)
        return self._known[function.node]

    def _is_pure(self, path: str, node: Function) -> bool:
        return isinstance(node, ast.FunctionDef) and self._is_plain(path, node) and self._are_harmless(
            path, [part for statement in node.body for part in walk(statement)])

    def _is_plain(self, path: str, node: Function) -> bool:
        """Is it a function that nothing is made of but itself?"""
        return isinstance(node, ast.FunctionDef) and node.name != "__init__" and all(
            self._project.resolve(path, None, each) == _TO_BE_OVERRIDDEN for each in node.decorator_list)

    def _are_harmless(self, path: str, parts: list[ast.AST]) -> bool:
        return all(self._is_harmless(path, part) for part in parts) and self._asks_nobody(parts)

    def _is_harmless(self, path: str, node: ast.AST) -> bool:
        """Is it nothing that keeps, sends or hides anything? What it consists of is asked by itself."""
        if isinstance(node, ast.stmt):
            return isinstance(node, _STATEMENTS)
        if isinstance(node, ast.Attribute):
            return isinstance(node.ctx, ast.Load) and node.attr not in _MARKS and not self._graph.unasked(node.attr)
        if isinstance(node, ast.Subscript):
            return isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Call):
            return self._calls_harmless(path, node)
        return not isinstance(node, _HIDES)

    def _calls_harmless(self, path: str, call: ast.Call) -> bool:
        if any(keyword.arg in (None, "out", "inplace") for keyword in call.keywords):
            return False
        of = self._project.resolve(path, None, call.func)
        if isinstance(of, Builtin):
            return of.name in _BUILTINS
        if isinstance(of, External):
            module, _, name = of.name.rpartition(".")
            return of.name == "torch.autograd.Variable" or (module in _MODULES and _is_operation(name) and not any(
                isinstance(each, ast.Constant) and each.value is True for each in call.args))
        if holds_layer(self._project, self._rebound, path, call.func):
            return True
        if run := self._run(path, call):
            return all(map(self._is_known, run))
        return self._is_of_dictionary(path, call) or (isinstance(call.func, ast.Attribute) and (
            _is_operation(call.func.attr) or call.func.attr in _ANSWERS) and (
            self._is_of_torch(path, call.func.value) or not (
                self._graph.methods(call.func.attr) or self._rebound.is_set(call.func.attr))))

    def _is_of_torch(self, path: str, asked: ast.expr) -> bool:
        """Is it surely a layer of torch's, or a tensor that a function of torch's gave?"""
        if isinstance(asked, ast.Call):
            of = self._project.resolve(path, None, asked.func)
            module, _, name = of.name.rpartition(".") if isinstance(of, External) else ("", "", "")
            return module in _MODULES and _is_operation(name)
        held = self._project.resolve(path, None, asked) if isinstance(asked, ast.Name) else None
        if isinstance(held, Local) and held.complete and held.values:
            return all(isinstance(each, ast.Call) and self._is_of_torch(held.path, each) for each in held.values)
        return holds_layer(self._project, self._rebound, path, asked)

    def _held(self, path: str, called: ast.expr) -> list[tuple[str, ast.expr]]:
        """All that is bound to an attribute, with the file it stands in; nothing where others may bind it."""
        if not isinstance(called, ast.Attribute) or self._rebound.is_patched_at(path, called):
            return []
        held = self._project.resolve(path, None, called)
        return [(held.path, value) for value in held.values] if isinstance(held, Local) and held.complete else []

    # --- what Python runs, though nothing calls it -------------------------------------------------------------------

    def _asks_nobody(self, parts: list[ast.AST]) -> bool:
        """Does no operator in a body run a method of the project that keeps anything?"""
        asked = {name for part in parts for name in self._asked(part)}
        return not any(keeps and (name in asked or (name not in _ITEMS and "" in asked))
                       for name, keeps in self._special_methods().items())

    def _asked(self, node: ast.AST) -> Iterator[str]:
        """The special methods that a node may run; the empty name stands for all that are not asked for items."""
        if isinstance(node, ast.Subscript):
            yield _ITEM
        elif isinstance(node, _GOES_OVER):
            yield from _ITEMS
        elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Call, ast.If, ast.While,
                               ast.IfExp, ast.Attribute, ast.Assert)):
            yield ""
            if isinstance(node, ast.Call):
                yield from _ITEMS

    def _special_methods(self) -> dict[str, bool]:
        """The special methods of the project, and whether any of that name leaves something behind."""
        if self._specials is None:
            self._specials = {}
            for function in self._project.functions():
                name = function.qualname.rsplit(".", 1)[-1]
                if name.startswith("__") and name.endswith("__") and name not in (
                        *_MADE_AND_SHOWN, *_ELSEWHERE):
                    self._specials[name] = self._specials.get(name, False) or any(
                        map(_leaves, walk(function.node)))
        return self._specials


def arms_of(value: ast.expr) -> list[ast.expr]:
    """The values of which a choice gives one."""
    return [each for arm in (value.body, value.orelse) for each in arms_of(arm)] if isinstance(
        value, ast.IfExp) else [value]


def _is_operation(name: str) -> bool:
    """Is it a function or method of torch's that gives something new, and writes into nothing?"""
    return name in OPERATIONS and not is_inplace_name(name) and name not in _MARKS


def _is_count(value: ast.expr | None) -> bool:
    """Is it a constant, a length, or what is reckoned with these?"""
    if isinstance(value, ast.BinOp):
        return _is_count(value.left) and _is_count(value.right)
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len")


def _leaves(node: ast.AST) -> bool:
    """May a part of a body put something where it stays, or send gradients? A number written out has no graph."""
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return not _is_count(node.value) and any(
            not isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context))
            for target in targets for part in walk(target))
    if isinstance(node, (ast.Global, ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom)):
        return not isinstance(node, (ast.Yield, ast.YieldFrom, ast.Delete))
    return isinstance(node, ast.Attribute) and node.attr in tables.STORING | tables.PUTTING | SENDS
