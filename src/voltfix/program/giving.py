"""What a method gives that is surely no Variable: text, numbers, data, containers of these; of a tuple, which parts.

An object that nobody has seen may be of the project's class whose method has the name that is called. What all methods
of that name give as a list of words, or under the same place of a tuple, is taken to be no tensor then. It is looked at
as types are inferred: what a name is bound to, and what is put into it, is data if all of it is, loops included.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import Builtin, External, Local, ProjectFunction, ProjectModule
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.scopes import FUNCTIONS, Function
from voltfix.program.sharing import OVER, SHOWN, Names
from voltfix.program.walking import walk
from voltfix.torchmodel import python, tables
from voltfix.torchmodel.library import takes_numbers

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_NUMBERS = python.LOOKING & python.TELLING - {"print", "type"}  # built-ins that give a number or a text
_MOST = 120  # statements of a function that is looked at
_OF_TEXT = tables.NEUTRAL_METHODS.intersection(dir(str)) - tables.TENSOR_METHODS - {"__init__"}  # ``startswith``
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


class Given(NamedTuple):
    """Of what a function gives: is all of it data; how long is the tuple that it is, and which parts of that are.

    ``looks``: it runs nothing but what looks at what it is given, and puts together text and numbers.
    """

    whole: bool
    length: int = 0
    parts: frozenset[int] = frozenset()
    looks: bool = False

    def part(self, index: int, length: int) -> bool:
        """Is one part of so many data?"""
        return self.whole or (self.length == length and index in self.parts)


_NOTHING, _DATA = Given(False), Given(True, looks=True)


class Giving:
    """Answers for the functions of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._graph = project.computed(CallGraph)
        self._known: dict[Function, Given] = {}
        self._waiting: list[Function] = []  # those that are looked at, and taken to give data while they are
        self._relied: set[Function] = set()  # those of them that somebody asked for

    def by_name(self, path: str, name: str, call: ast.Call) -> Given:
        """What all methods of a name give alike, where that can be unpacked as the call is."""
        found = self._graph.methods(name) if name not in tables.USUAL_METHODS | tables.TENSOR_METHODS else []
        given = _common([self.of(each) for each in found])
        above = self.project.parent(path, call)
        targets = above.targets if isinstance(above, ast.Assign) else []
        unpacked = [len(each.elts) for each in targets if isinstance(each, (ast.Tuple, ast.List))]
        return given if given.whole or all(length == given.length for length in unpacked) else _NOTHING

    def of(self, function: ProjectFunction) -> Given:
        """What one function gives; those that ask each other give what they give otherwise."""
        node = function.node
        if node in self._waiting:
            self._relied.add(node)
            return _DATA
        if node not in self._known:
            before = set(self._known)
            self._waiting.append(node)
            made = self._looked_at(function)
            self._waiting.remove(node)
            if node in self._relied and not (made.whole and made.looks):  # what was found out meanwhile need not be so
                self._known = {each: known for each, known in self._known.items() if each in before}
                made = _NOTHING
            if not self._waiting:
                self._relied.clear()
            self._known[node] = made
        return self._known[node]

    def _looked_at(self, function: ProjectFunction) -> Given:
        node = function.node
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or (
                sum(isinstance(each, ast.stmt) for each in walk(node)) > _MOST):
            return _NOTHING
        inside = _Inside(self, function)
        if any(isinstance(each, (ast.Yield, ast.YieldFrom, *FUNCTIONS, ast.ClassDef, ast.Global, ast.Nonlocal))
               for each in walk(node) if each is not node):
            return _NOTHING
        given = [each.value for each in walk(node) if isinstance(each, ast.Return)]
        found = _common([_DATA, *(inside.given(value) for value in given if value is not None)])
        return found._replace(looks=inside.looks())


def _common(given: list[Given]) -> Given:
    """What several give alike."""
    looks = all(each.looks for each in given)
    some = [each for each in given if not each.whole]
    if not some:
        return Given(bool(given), looks=looks)
    lengths = {each.length for each in some}
    if len(lengths) != 1 or 0 in lengths:
        return _NOTHING
    parts = frozenset.intersection(*(each.parts for each in some))
    return Given(False, lengths.pop(), parts, looks)


class _Inside:
    """One function, looked at from inside."""

    def __init__(self, giving: Giving, function: ProjectFunction) -> None:
        self.giving = giving
        self.function = function
        self.path = function.path
        self.names = Names(giving.project, function)
        self.known: dict[str, bool] = {}  # the names that stand for data
        self.settle()

    def settle(self) -> None:
        """Find out of which names all is data that they stand for: of all, less those that are shown to hold more."""
        self.known = dict.fromkeys(self.names.bound, True) | dict.fromkeys(self.names.parameters, False)
        while more := [name for name, plain in self.known.items() if plain and not self.holds_data(name)]:
            self.known |= dict.fromkeys(more, False)

    def given(self, value: ast.expr) -> Given:
        """What a function gives that returns this."""
        if isinstance(value, ast.Tuple) and not any(isinstance(each, ast.Starred) for each in value.elts):
            parts = frozenset(index for index, each in enumerate(value.elts) if self.data(each))
            return Given(len(parts) == len(value.elts), len(value.elts), parts)
        called = self.called(value) if isinstance(value, ast.Call) else None
        return self.giving.of(called) if called is not None else Given(self.data(value))

    def data(self, node: ast.expr | None) -> bool:
        """Is an expression surely no Variable, and nothing that holds one?"""
        ask = getattr(self, f"of_{type(node).__name__}", None)
        return ask is not None and bool(ask(node))

    def of_Constant(self, _: ast.Constant) -> bool:  # noqa: N802
        return True

    of_JoinedStr = of_Constant  # noqa: N815

    def of_Name(self, node: ast.Name) -> bool:  # noqa: N802
        return self.known[node.id] if node.id in self.known else self.of_module(node)

    def holds_data(self, name: str) -> bool:
        """Is all data that a name is bound to, and all that is put into that?"""
        bound = self.names.bound[name]
        if not all(self.part(each.value, each.part, each.length) for each in bound):
            return False
        return all(self.is_fixed(each.value) and not each.length for each in bound) or all(
            map(self.data, self.names.put_into(name)))

    def is_fixed(self, node: ast.expr | None) -> bool:
        """Is it a number or a text, into which nothing can be put?"""
        if isinstance(node, ast.BinOp):
            return self.is_fixed(node.left) and self.is_fixed(node.right)
        return isinstance(node, (ast.Constant, ast.JoinedStr)) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NUMBERS)

    def part(self, value: ast.expr | None, index: int, length: int) -> bool:
        """Is one part of a value data, or all of it?"""
        if not length:
            return self.data(value)
        called = self.called(value) if isinstance(value, ast.Call) else None
        return self.giving.of(called).part(index, length) if called is not None else self.data(value)

    def of_module(self, node: ast.expr) -> bool:
        """Is it a constant of a module?"""
        project = self.giving.project
        if isinstance(node, ast.Attribute) and not isinstance(
                project.resolve(self.path, None, node.value), ProjectModule):
            return False  # an object's may be set from anywhere
        bound = project.resolve(self.path, None, node)
        return isinstance(bound, Local) and bound.complete and bool(bound.values) and all(
            isinstance(part, (ast.Constant, ast.Tuple, ast.UnaryOp, ast.unaryop, ast.expr_context))
            for value in bound.values for part in walk(value))

    def of_Attribute(self, node: ast.Attribute) -> bool:  # noqa: N802
        return node.attr in tables.PLAIN_ATTRIBUTES or self.of_module(node)

    def of_Subscript(self, node: ast.Subscript) -> bool:  # noqa: N802
        return self.data(node.value)

    of_Starred = of_Subscript  # noqa: N815

    def of_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> bool:  # noqa: N802
        return all(map(self.data, node.elts))

    of_List = of_Set = of_Tuple  # noqa: N815

    def of_Dict(self, node: ast.Dict) -> bool:  # noqa: N802
        return all(map(self.data, node.values))

    def of_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> bool:  # noqa: N802
        return self.data(node.elt)

    of_SetComp = of_GeneratorExp = of_ListComp  # noqa: N815

    def of_DictComp(self, node: ast.DictComp) -> bool:  # noqa: N802
        return self.data(node.value)

    def of_IfExp(self, node: ast.IfExp) -> bool:  # noqa: N802
        return self.data(node.body) and self.data(node.orelse)

    def of_BoolOp(self, node: ast.BoolOp) -> bool:  # noqa: N802
        return all(map(self.data, node.values))

    def of_UnaryOp(self, node: ast.UnaryOp) -> bool:  # noqa: N802
        return isinstance(node.op, ast.Not) or self.data(node.operand)

    def of_Compare(self, node: ast.Compare) -> bool:  # noqa: N802
        return all(isinstance(each, _IDENTITY) for each in node.ops) or all(
            map(self.data, [node.left, *node.comparators]))

    def of_BinOp(self, node: ast.BinOp) -> bool:  # noqa: N802
        if isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            return isinstance(node.left, ast.JoinedStr) or isinstance(node.left.value, str)
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return self.data(node.left)  # a list again and again
        if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.List):
            return self.data(node.right)
        return self.data(node.left) and self.data(node.right)

    def of_Call(self, node: ast.Call) -> bool:  # noqa: N802
        called = self.called(node)
        if called is not None:
            return self.giving.of(called).whole
        run = self.giving.project.resolve(self.path, None, node.func)
        if isinstance(run, Builtin):
            return run.name in SHOWN or (run.name in OVER and all(map(self.data, node.args)))
        if isinstance(run, External):
            return takes_numbers(run.name)
        return isinstance(node.func, ast.Attribute) and (
            node.func.attr in tables.PLAIN_METHODS or self.is_of_text(node) or self.data(node.func.value))

    def looks(self) -> bool:
        """Does nothing in the body run code that may compute with weights, or keep what it is given?"""
        nodes = list(walk(self.function.node))
        stored = [each for each in nodes if isinstance(each, (ast.Attribute, ast.Subscript))
                  and not isinstance(each.ctx, ast.Load)]
        return all(map(self.names.is_made_here, stored)) and all(
            self.only_looks(each) for each in nodes if isinstance(each, ast.Call))

    def only_looks(self, call: ast.Call) -> bool:
        """Is it a built-in, a method of text or of what is data, or a function of the project that only looks?"""
        called = self.called(call)
        if called is not None:
            return self.giving.of(called).looks
        run = self.giving.project.resolve(self.path, None, call.func)
        if isinstance(run, Builtin):
            return run.name in OVER or run.name.endswith(("Error", "Exception"))
        if isinstance(run, External) or not isinstance(call.func, ast.Attribute):
            return False
        return self.is_of_text(call) or self.data(call.func.value) or (
            call.func.attr in tables.STORING and self.names.is_made_here(call.func))

    def is_of_text(self, call: ast.Call) -> bool:
        """Is it a method that text has, and no tensor? One of a tensor is split into parts of a size."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        return name in _OF_TEXT or (name == "split" and not call.keywords and all(
            isinstance(each, ast.Constant) and isinstance(each.value, str) for each in call.args))

    def called(self, call: ast.Call) -> ProjectFunction | None:
        """The function of the project that a call runs: by its name, or of the object whose method asks."""
        called = call.func
        project = self.giving.project
        if isinstance(called, ast.Name):
            bound = project.resolve(self.path, None, called)
            return bound if isinstance(bound, ProjectFunction) else None
        cls = project.hierarchy.class_around(self.path, self.function.node)
        if cls is None or not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name) or (
                called.value.id != receiver_name(self.function.node)):
            return None
        found = {project.method(below, called.attr) for below in (cls, *project.hierarchy.subclasses(cls))}
        only = found.pop() if len(found) == 1 else None
        return only if isinstance(only, ProjectFunction) else None
