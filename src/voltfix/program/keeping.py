"""Which methods keep what they are given, as it is, on their object: a buffer's ``push``, a setter."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import root_of, walk
from voltfix.torchmodel import tables

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_MOST = 4  # names that a value goes through in one method


class Keeping:
    """Answers for the methods of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.graph = project.computed(CallGraph)
        self._known: dict[ast.AST, bool] = {}

    def may_keep(self, path: str, call: ast.Call) -> bool:
        """May ``x.push(v)`` run a method of the project that keeps what it is given?"""
        return isinstance(call.func, ast.Attribute) and any(map(self.keeps, self.graph.targets(path, call)[0]))

    def keeps(self, function: ProjectFunction) -> bool:
        """Does a method put what it is given on its object: on an attribute, or into what an attribute holds?"""
        if function.node not in self._known:
            self._known[function.node] = False  # one that calls itself keeps what it keeps elsewhere
            self._known[function.node] = self._puts(function)
        return self._known[function.node]

    def _puts(self, function: ProjectFunction) -> bool:
        own = receiver_name(function.node)
        if own is None:
            return False
        nodes = list(walk(function.node))
        given = self._given(function, nodes, own)
        return any(self._is_kept(function, node, own, given) for node in nodes)

    def _given(self, function: ProjectFunction, nodes: list[ast.AST], own: str) -> set[str]:
        """The parameters of a method, and the names for what is one of them or holds one."""
        given = {parameter.arg for parameter in parameters_of(function.node)} - {own}
        bound = [(target, node.value) for node in nodes if isinstance(node, ast.Assign)
                 for whole in node.targets for target in _targets(whole)]
        bound += [(target, node.iter) for node in nodes if isinstance(node, ast.For)
                  for target in _targets(node.target)]
        for _ in range(_MOST):
            more = {target.id for target, value in bound
                    if isinstance(target, ast.Name) and _carries(self.project, function, value, given)}
            if more <= given:
                break
            given |= more
        return given

    def _is_kept(self, function: ProjectFunction, node: ast.AST, own: str, given: set[str]) -> bool:
        if isinstance(node, (ast.Assign, ast.AugAssign)) and _carries(self.project, function, node.value, given):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return any(isinstance(t, (ast.Attribute, ast.Subscript)) and _root(t) == own
                       for whole in targets for t in _targets(whole))
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or _root(node.func) != own:
            return False
        values = (*node.args, *(k.value for k in node.keywords))
        if not any(_carries(self.project, function, each, given) for each in values):
            return False
        return (node.func.attr in tables.STORING and not isinstance(node.func.value, ast.Name)) or any(
            map(self.keeps, self.graph.methods(node.func.attr)))


def _targets(target: ast.expr) -> Iterator[ast.expr]:
    """What is assigned to, one by one."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _targets(item)
    else:
        yield target.value if isinstance(target, ast.Starred) else target


def _carries(project: Project, function: ProjectFunction, value: ast.expr, given: set[str]) -> bool:
    """May a value be, or hold, one of the names as it was given?"""
    if isinstance(value, ast.Name):
        return value.id in given
    if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
        return any(_carries(project, function, item, given) for item in value.elts)
    if isinstance(value, ast.Dict):
        return any(_carries(project, function, item, given) for item in value.values)
    if isinstance(value, ast.Starred):
        return _carries(project, function, value.value, given)
    if isinstance(value, ast.IfExp):
        return any(_carries(project, function, part, given) for part in (value.body, value.orelse))
    if isinstance(value, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        names = {n.id for c in value.generators if _carries(project, function, c.iter, given)
                 for n in walk(c.target) if isinstance(n, ast.Name)}
        return _carries(project, function, value.elt, given | names)
    if isinstance(value, ast.Subscript):
        return _carries(project, function, value.value, given)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute):
        return value.func.attr in tables.LOOKS and _carries(project, function, value.func.value, given)
    return _only_bundles(project, function, value.func) and any(
        _carries(project, function, each, given) for each in (*value.args, *(k.value for k in value.keywords)))


def _only_bundles(project: Project, function: ProjectFunction, called: ast.expr) -> bool:
    """Does a call put its arguments together: a list, an object of the project, a named tuple?"""
    binding = project.resolve(function.path, None, called)
    if isinstance(binding, Builtin):
        return binding.name in ("list", "tuple", "dict", "set", "zip", "reversed", "sorted")
    return isinstance(binding, ProjectClass) or not isinstance(binding, ProjectFunction)


def _root(node: ast.expr) -> str:
    """The name that ``self.a[0].b`` starts with."""
    root = root_of(node)
    return root.id if isinstance(root, ast.Name) else ""
