"""Which classes make objects by binding names alone: nothing is computed there that could have a graph, or use one.

A network that is made where gradients are off is the network that it would be elsewhere, if its ``__init__`` makes
layers and keeps what it is given, and does nothing else: weights ask for gradients whatever the mode is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, External, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph, is_property
from voltfix.program.classes import receiver_name
from voltfix.program.walking import walk
from voltfix.torchmodel import tables
from voltfix.torchmodel.layers import HOLDS_MODULES

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_MODULES = frozenset({"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"})
_LOSSES = frozenset(tables.LOSS_MODULES) | tables.CONTAGIOUS_LOSSES
_OWN_WAYS = frozenset({"__new__", "__setattr__", "__getattr__", "__getattribute__", "__slots__"})
_PARTS = (ast.Tuple, ast.List, ast.Dict, ast.Set)


class Making:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[ast.AST, bool] = {}
        self._computed: frozenset[str] | None = None

    def only_binds(self, path: str, node: ast.ClassDef) -> bool:
        """Does making an object of a class bind names and make layers, and nothing else?"""
        if node not in self._known:
            self._known[node] = False  # one that makes itself
            self._known[node] = self._binds(path, node)
        return self._known[node]

    def only_keeps(self, path: str, call: ast.Call) -> bool:
        """Does a call surely run methods of the project that bind names alone: ``self.layer.set_mask(mask)``?"""
        found, named = self._project.computed(CallGraph).targets(path, call)
        return named and bool(found) and all(map(self._only_keeps, found))

    def _only_keeps(self, method: ProjectFunction) -> bool:
        cls = self._project.hierarchy.class_around(method.path, method.node)
        if cls is None or not isinstance(method.node, ast.FunctionDef) or method.node.decorator_list:
            return False
        family = [self._named_in(each) for each in (cls, *self._project.hierarchy.subclasses(cls))]
        taken = {name for names in family if names is not None for name in names}
        return None not in family and self._all_bind(method, taken)

    def _named_in(self, cls: ProjectClass) -> set[str] | None:
        """The names that a class and those above it bind; None where setting an attribute may run anything."""
        order = self._project.mro(cls)
        above = [each for each in order if isinstance(each, ProjectClass)]
        rest = [each for each in order if not isinstance(each, ProjectClass)]
        if not above or any(not (each == Builtin("object") or (
                isinstance(each, External) and each.name in _MODULES)) for each in rest):
            return None
        names = {name for each in above for name in self._project.names_in(each.path, each.node)}
        wild = names & _OWN_WAYS or any(each.node.decorator_list or each.node.keywords for each in above)
        return None if wild else names

    def _binds(self, path: str, node: ast.ClassDef) -> bool:
        cls = next((each for each in self._project.classes() if each.node is node and each.path == path), None)
        names = self._named_in(cls) if cls is not None else None
        if cls is None or names is None:
            return False
        above = [each for each in self._project.mro(cls) if isinstance(each, ProjectClass)]
        inits = [ProjectFunction(each.path, f"{each.qualname}.__init__", statement) for each in above
                 for statement in each.node.body
                 if isinstance(statement, ast.FunctionDef) and statement.name == "__init__"]
        return len(inits) == sum("__init__" in self._project.names_in(e.path, e.node) for e in above) and all(
            not init.node.decorator_list and self._all_bind(init, names)  # type: ignore[union-attr]
            for init in inits)

    def _all_bind(self, init: ProjectFunction, taken: set[str]) -> bool:
        own = receiver_name(init.node)
        body = init.node.body if isinstance(init.node, ast.FunctionDef) else []
        return own is not None and all(self._statement(init, statement, own, taken) for statement in body)

    def _statement(self, init: ProjectFunction, statement: ast.stmt, own: str, taken: set[str]) -> bool:
        if isinstance(statement, ast.Pass):
            return True
        if isinstance(statement, ast.Return):
            return statement.value is None or isinstance(statement.value, (ast.Constant, ast.Name))
        if isinstance(statement, ast.Expr):
            return isinstance(statement.value, ast.Constant) or self._makes_base(init, statement.value, own)
        if isinstance(statement, ast.If):
            return self._counts(statement.test) and all(
                self._statement(init, inner, own, taken) for inner in (*statement.body, *statement.orelse))
        if not isinstance(statement, ast.Assign):
            return False
        return self._quiet(init, statement.value) and all(
            (isinstance(target, ast.Name) and target.id != own) or (
                isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own
                and target.attr not in taken) for target in statement.targets)

    def _makes_base(self, init: ProjectFunction, node: ast.expr, own: str) -> bool:
        """``super().__init__(...)``, ``Base.__init__(self, ...)``: what that runs is looked at with the class."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "__init__":
            return False
        base, given = node.func.value, node.args
        if isinstance(base, ast.Call):
            named = isinstance(base.func, ast.Name) and base.func.id == "super" and (
                self._project.resolve(init.path, None, base.func) == Builtin("super"))
        else:
            named = bool(given) and isinstance(given[0], ast.Name) and given[0].id == own and isinstance(
                self._project.resolve(init.path, None, base), (ProjectClass, External))
            named = named and self._is_above(init, base)
        return named and self._all_quiet(init, [*given, *(keyword.value for keyword in node.keywords)])

    def _is_above(self, init: ProjectFunction, base: ast.expr) -> bool:
        """Is what is named one of the classes above, which are all looked at?"""
        cls = self._project.hierarchy.class_around(init.path, init.node)
        return cls is not None and self._project.resolve(init.path, None, base) in self._project.mro(cls)[1:]

    def _quiet(self, init: ProjectFunction, node: ast.expr) -> bool:
        """Does an expression only name things, put them together, or make layers of them?

        An attribute of something else may be found out when it is read, and be kept with its graph.
        """
        if isinstance(node, (ast.Constant, ast.Name)):
            return True
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == receiver_name(init.node) and (
                node.attr not in self._found_out())
        if isinstance(node, _PARTS):
            return self._all_quiet(init, (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)))
        return isinstance(node, ast.Call) and self._makes(init, node)

    def _all_quiet(self, init: ProjectFunction, nodes: Iterable[ast.expr]) -> bool:
        return all(self._quiet(init, node) for node in nodes)

    def _makes(self, init: ProjectFunction, call: ast.Call) -> bool:
        """Is it a layer of torch's, or an object of a class of the project of which the same is true?"""
        found = self._project.resolve(init.path, None, call.func)
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(found, ProjectClass):
            return self._all_quiet(init, given) and self.only_binds(found.path, found.node)
        if not isinstance(found, External) or not found.name.startswith("torch.nn."):
            return False
        last = found.name.rsplit(".", 1)[-1]
        if found.name.count(".") != 2 or not last[:1].isupper() or last == "Parameter":
            return False
        if last in HOLDS_MODULES:
            return self._all_quiet(init, (each.value if isinstance(each, ast.Starred) else each for each in given))
        if last in _LOSSES:  # they may keep a tensor
            return self._all_quiet(init, given)
        return all(self._counts(each) for each in given)

    @staticmethod
    def _counts(node: ast.expr) -> bool:
        """Is it an expression of which nothing is kept but a number, or whether it is true? Calls may do more."""
        return not any(isinstance(part, (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda))
                       for part in walk(node))

    def _found_out(self) -> frozenset[str]:
        """The attributes that something is computed for when they are read; all of them where a class answers any."""
        if self._computed is None:
            functions = list(self._project.functions())
            named = frozenset(getattr(f.node, "name", "") for f in functions)
            wide = named & {"__getattr__", "__getattribute__"} and {
                n.attr for path in self._project.paths for n in walk(self._project.tree(path) or ast.Module([], []))
                if isinstance(n, ast.Attribute)}
            self._computed = frozenset(wide or ()) | {
                getattr(f.node, "name", "") for f in functions if is_property(f.node)}
        return self._computed
