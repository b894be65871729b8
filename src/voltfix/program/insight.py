"""Objects that never get out of sight: of a class that is named to make them, and that go from name to name alone.

Where it is known of every object of a class under which names it goes, nothing else is one: not what a library gave,
nor what was read from a file. Who puts an object away, hands it to code of others or gives it back has it from then on.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for, unpacks
from voltfix.program.bindings import Builtin, ProjectClass, ProjectFunction
from voltfix.program.callable import is_of_the_project
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.foundon import plain_methods
from voltfix.program.mentions import Mentions, names_of_functions
from voltfix.program.receivers import is_looked_at
from voltfix.program.references import References
from voltfix.program.scopes import is_said_outer, parameters_of
from voltfix.program.walking import walk
from voltfix.torchmodel.python import SHOWS_NAMES, TELLING

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_SHOWS_ALL = frozenset({"__dict__", "__getstate__", "__reduce__", "__reduce_ex__", "__class__", "__self__"})
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_MOST = 400  # expressions that are followed for one class


class InSight:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._known: dict[ast.AST, frozenset[ast.AST] | None] = {}
        self._shown: dict[str, bool] = {}

    def asked(self, cls: ProjectClass) -> frozenset[ast.AST] | None:
        """All that may ask an object of a class, or of one below it, for items; None where one gets out of sight."""
        if cls.node not in self._known:
            self._known[cls.node] = self._find(cls)
        return self._known[cls.node]

    def _find(self, cls: ProjectClass) -> frozenset[ast.AST] | None:
        project = self._project
        family = [cls, *project.hierarchy.subclasses(cls)]
        if project.for_others or not is_of_the_project(project, cls) or any(map(self._has_other_names, family)):
            return None
        named = [reference for each in family for reference in project.computed(References).of(each)]
        if any(r.kind not in ("call", "import", "base") and not is_looked_at(project, r.path, r.node) for r in named):
            return None
        found = Objects(project, self._rebound)
        found.add(*((r.path, r.node) for r in named if r.kind == "call"))
        for above in {each.node: each for below in family for each in project.mro(below)
                      if isinstance(each, ProjectClass)}.values():
            for statement in above.node.body:
                if not self._is_plain(statement):
                    return None
                own = receiver_name(statement)
                if own is not None:
                    found.add_name(above.path, statement, own)
        return found.all_asked()

    def _has_other_names(self, cls: ProjectClass) -> bool:
        """May a class be asked for by a string?"""
        graph, mentions = self._project.computed(CallGraph), self._project.computed(Mentions)
        return any(True for _ in mentions.asked_for(cls.node.name)) or mentions.is_written(cls.node.name) or any(
            built.may_be(cls.node.name) for built in graph.built_names())

    @staticmethod
    def _is_plain(statement: ast.stmt) -> bool:
        """Is it a method that only Python hands the object to, or a number, a word, a list of them?"""
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return all(isinstance(each, ast.Name) and each.id in ("property", "staticmethod")
                       for each in statement.decorator_list)
        return isinstance(statement, (ast.Pass, ast.Expr, ast.Assign, ast.AnnAssign)) and not any(
            isinstance(part, ast.Lambda) or (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
            for part in walk(statement))


class Objects:
    """The expressions that may be objects of one class, followed from where they are made."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._waiting: list[tuple[str, ast.AST]] = []
        self._seen: set[ast.AST] = set()
        self._names: set[tuple[ast.AST, str]] = set()
        self._asked: set[ast.AST] = set()
        self._lost = False

    def add(self, *found: tuple[str, ast.AST]) -> None:
        """These may be objects of the class."""
        self._waiting += [(path, node) for path, node in found if node not in self._seen]
        self._seen.update(node for _, node in found)

    def add_name(self, path: str, scope: ast.AST, name: str) -> None:
        """So may be what a name stands for in a function or at the top level of a module, and in what is in there."""
        if (scope, name) in self._names:
            return
        self._names.add((scope, name))
        uses = [node for node in walk(scope) if isinstance(node, ast.Name) and node.id == name]
        self._lost |= is_said_outer(self._project.nodes(path), name) or self._shows_names(path, scope)
        self.add(*((path, use) for use in uses if isinstance(use.ctx, ast.Load)))
        self._lost |= any(isinstance(self._project.parent(path, use), ast.AugAssign) for use in uses)

    def all_asked(self) -> frozenset[ast.AST] | None:
        """Whatever may ask one of them for items; None where one of them gets out of sight."""
        while self._waiting and not self._lost:
            path, node = self._waiting.pop()
            if len(self._seen) > _MOST or not self._stays(path, node):
                self._lost = True
        return None if self._lost else frozenset(self._asked)

    def _stays(self, path: str, node: ast.AST) -> bool:
        """Does nobody get an object where an expression for it stands, but names that are followed?"""
        project = self._project
        above = project.parent(path, node)
        if isinstance(above, ast.Attribute):
            return above.attr not in _SHOWS_ALL
        if (isinstance(above, ast.Subscript) and above.value is node) or (
                isinstance(above, _LOOPS) and above.iter is node):
            self._asked |= {node, above}
            return True
        if isinstance(above, (ast.If, ast.While, ast.Assert, ast.IfExp)):
            return above.test is node
        if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
            return self._is_bound(path, above.targets[0])
        if isinstance(above, (ast.Call, ast.keyword)):
            call = above if isinstance(above, ast.Call) else project.parent(path, above)
            return isinstance(call, ast.Call) and (call.func is node or self._is_handed(path, call, node))
        if isinstance(above, ast.Compare):
            return all(isinstance(each, (ast.Is, ast.IsNot)) for each in above.ops)
        return isinstance(above, ast.Expr) or (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not))

    def _is_bound(self, path: str, name: ast.Name) -> bool:
        """Is it bound to a name that can be followed?"""
        scope = self._project.scope(path, name)
        if isinstance(scope, ast.Module):
            mentions = self._project.computed(Mentions)
            if mentions.is_written(name.id) or any(at != path for _, at, _ in mentions.places(name.id)):
                return False  # another module may take it from here
        elif not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        self.add_name(path, scope, name.id)
        return True

    def _is_handed(self, path: str, call: ast.Call, node: ast.AST) -> bool:
        """Is it handed to a function of the project under a name, or to one of Python's that tells something of it?"""
        project, made = self._project, project_function(self._project, path, call)
        if isinstance(made, Builtin):
            above = project.parent(path, call)
            goes_over = made.name in ("enumerate", "zip") and isinstance(above, _LOOPS) and above.iter is call
            self._asked |= {node, call, above} if goes_over and above is not None else {node, call}
            return (made.name in TELLING and made.name != "type") or goes_over
        if unpacks(call):
            return False
        if made is None:
            return self._is_taken_by_methods(path, call, node)
        function, filled = made
        if (isinstance(call.func, ast.Name) and self._rebound.is_bound_elsewhere(path, call.func)) or (
                self._rebound.name(function.qualname.rsplit(".", 1)[-1])):
            return False
        return self._is_taken(call, node, function, filled)

    def _is_taken(self, call: ast.Call, node: ast.AST, function: ProjectFunction, filled: int) -> bool:
        """Is it handed to one parameter of a function?"""
        taken = [parameter.arg for parameter in parameters_of(function.node)
                 if argument_for(call, function.node, parameter, filled) is node]
        for name in taken:
            self.add_name(function.path, function.node, name)
        return len(taken) == 1

    def _is_taken_by_methods(self, path: str, call: ast.Call, node: ast.AST) -> bool:
        """Is it handed to methods of the project's, each of which has one parameter for it?"""
        methods = plain_methods(self._project, self._rebound, path, call.func)
        return bool(methods) and "__getattribute__" not in self._project.computed(names_of_functions) and all(
            self._is_taken(call, node, method, 1) for method in methods)

    def _shows_names(self, path: str, scope: ast.AST) -> bool:
        """Is there a call in it that has all that its names stand for?"""
        return any(isinstance(node, ast.Name) and node.id in SHOWS_NAMES
                   and self._project.resolve(path, None, node) == Builtin(node.id) for node in walk(scope))


def project_function(project: Project, path: str, call: ast.Call) -> tuple[ProjectFunction, int] | Builtin | None:
    """What a call surely runs: a function of the project, with how many of its parameters are filled, or a built-in."""
    found = project.resolve(path, None, call.func)
    if isinstance(found, Builtin):
        return found
    filled = 0
    if isinstance(found, ProjectClass):
        if not is_of_the_project(project, found) or project.method(found, "__new__") is not None:
            return None
        maker, filled = project.method(found, "__init__"), 1
    else:
        inside = isinstance(found, ProjectFunction) and project.hierarchy.class_around(found.path, found.node)
        maker = None if inside else found  # a class below may have another of that name
    if not isinstance(maker, ProjectFunction) or isinstance(maker.node, ast.Lambda) or maker.node.decorator_list:
        return None
    return maker, filled
