"""Attributes that hold numbers, words and plain tensors alone: no call of their object leaves a graph in them.

``model.epoch``, ``net.hidden_size``: whoever binds such an attribute binds what has no graph, in the whole project; and
what is asked for it is of classes that are all in sight.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.between import is_sure
from voltfix.program.bindings import Builtin, External, Local, ProjectClass
from voltfix.program.calls import CallGraph
from voltfix.program.flow import made_by
from voltfix.program.mentions import stores
from voltfix.program.ofclass import OfClass
from voltfix.program.receivers import handed_over
from voltfix.program.spelled import ends_of
from voltfix.program.walking import walk
from voltfix.torchmodel import tables
from voltfix.torchmodel.layers import HOLDS_MODULES
from voltfix.torchmodel.library import takes_numbers
from voltfix.torchmodel.python import LOOKING, TELLING

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_ANSWERS_ALL = frozenset({"__getattr__", "__getattribute__", "__setattr__"})
_LOSSES = frozenset(tables.LOSS_MODULES) | tables.CONTAGIOUS_LOSSES
_SETTINGS = ("argparse.ArgumentParser.parse_args", "argparse.ArgumentParser.parse_known_args")
_CONTAINERS = frozenset({"tolist", "storage"})  # somebody may put something else in
_REGISTERS = frozenset({"register_buffer", "register_parameter", "add_module"})
_DEEPEST = 6


class Counted:
    """Answers for the attributes of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound, of_class: OfClass) -> None:
        self._project = project
        self._rebound = rebound
        self._of_class = of_class
        self._asked: dict[ast.Attribute, bool] = {}
        self._known: dict[tuple[ast.ClassDef, str], bool] = {}

    def is_plain(self, path: str, asked: ast.Attribute) -> bool:
        """Is what is asked of an object surely something without a graph, whatever the object did before?"""
        if asked not in self._asked:
            classes = self._classes(path, asked.value)
            self._asked[asked] = bool(classes) and all(self.holds(cls, asked.attr) for cls in classes)
        return self._asked[asked]

    def _classes(self, path: str, asked: ast.expr) -> tuple[ProjectClass, ...]:
        """All classes of which an object may be; none where that is not known."""
        own = self._project.instance(path, asked)
        if own is not None:
            return (own,)
        return self._of_class.classes(path, asked)

    def holds(self, cls: ProjectClass, name: str) -> bool:
        """Is all that is ever bound to an attribute of objects of a class, or of one below it, without a graph?"""
        if (cls.node, name) not in self._known:
            before = len(self._known)
            self._known[cls.node, name] = True  # what is bound to it may be made of it
            if not self._holds(cls, name):
                for key in list(self._known)[before:]:  # some of them for that alone
                    del self._known[key]
                self._known[cls.node, name] = False
        return self._known[cls.node, name]

    def _holds(self, cls: ProjectClass, name: str) -> bool:
        project = self._project
        if project.for_others or self._rebound.is_said(name, cls) or any(
                name.startswith(start) and name.endswith(end) for start, end in project.computed(_registered)):
            return False
        above = [each for below in (cls, *project.hierarchy.subclasses(cls)) for each in project.mro(below)]
        related = {each.node: each for each in above if isinstance(each, ProjectClass)}
        if not all(isinstance(each, ProjectClass) or each == Builtin("object") or (
                isinstance(each, External) and each.name.startswith("torch.nn.")) for each in above):
            return False
        bound = False
        for each in related.values():
            names = project.names_in(each.path, each.node)
            if each.node.decorator_list or each.node.keywords or not names.isdisjoint(_ANSWERS_ALL):
                return False
            for definition in project.definitions(each.path, each.node, name):
                bound = True
                if definition.value is None or not self._plain(each.path, definition.value):
                    return False
        for path, node in project.computed(stores).get(name, ()):
            of = project.instance(path, node.value)
            if of is None or of.node in related:
                bound = True
                if not self._binds_plain(path, node):
                    return False
        return bound

    def _binds_plain(self, path: str, node: ast.expr) -> bool:
        """Is what has no graph bound here, if what was there before has none?"""
        above = self._project.parent(path, node)
        if isinstance(above, ast.Assign):
            return self._plain(path, above.value)
        if isinstance(above, (ast.AugAssign, ast.AnnAssign)):
            return above.value is None or self._plain(path, above.value)
        if isinstance(above, ast.For):
            return self._is_range(path, above.iter)
        if isinstance(above, ast.Tuple):
            whole = self._project.parent(path, above)
            values = whole.value.elts if isinstance(whole, ast.Assign) and isinstance(whole.value, ast.Tuple) else []
            return len(values) == len(above.elts) and not any(
                isinstance(each, ast.Starred) for each in (*values, *above.elts)) and self._plain(
                path, values[above.elts.index(node)])
        return isinstance(above, ast.Delete)

    def _is_range(self, path: str, node: ast.expr) -> bool:
        called = self._project.resolve(path, None, node.func) if isinstance(node, ast.Call) else None
        return isinstance(called, Builtin) and called.name in ("range", "xrange")

    # --- values ------------------------------------------------------------------------------------------------------

    def _plain(self, path: str, node: ast.expr, depth: int = 0) -> bool:
        """Is an expression a number, a word, None, or a plain tensor? A container may be filled later."""
        if depth > _DEEPEST:
            return False

        def inner(*parts: ast.expr) -> bool:
            return all(self._plain(path, part, depth + 1) for part in parts)

        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) or inner(node.operand)
        if isinstance(node, ast.BinOp):
            return inner(node.left, node.right)
        if isinstance(node, ast.BoolOp):
            return inner(*node.values)
        if isinstance(node, ast.IfExp):
            return inner(node.body, node.orelse)
        if isinstance(node, ast.Tuple):
            return inner(*node.elts)
        if isinstance(node, ast.Subscript):
            return inner(node.value)
        if isinstance(node, ast.Attribute):
            return self._attribute(path, node.value, node.attr, depth)
        if isinstance(node, ast.Call):
            return self._call(path, node, depth)
        return isinstance(node, ast.Name) and self._name(path, node, depth)

    def _call(self, path: str, node: ast.Call, depth: int) -> bool:
        called = self._project.resolve(path, None, node.func)
        name = f"builtins.{called.name}" if isinstance(called, Builtin) else (
            called.name if isinstance(called, External) else "")
        if name in ("builtins.min", "builtins.max", "builtins.abs", "builtins.sum") or (
                takes_numbers(name) and not name.startswith(("builtins.", "torch."))):  # arrays may hold anything
            return not node.keywords and all(self._plain(path, each, depth + 1) for each in node.args)
        if name.startswith("builtins."):
            return name.removeprefix("builtins.") in TELLING | LOOKING
        if name:
            return takes_numbers(name)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""  # of a tensor, or of what is like one
        return method in tables.PLAIN_METHODS - _CONTAINERS and not self._project.computed(CallGraph).methods(method)

    def _attribute(self, path: str, of: ast.expr, name: str, depth: int) -> bool:
        if depth > _DEEPEST:
            return False
        if name in tables.PLAIN_ATTRIBUTES - {"data"} and not self._rebound.is_assigned(name):
            return True
        own = self._project.instance(path, of)
        if own is not None:
            return self.holds(own, name)
        if made_by(self._project, path, of) in _SETTINGS:
            return not self._rebound.is_patched(name)
        bound = self._project.resolve(path, None, of) if isinstance(of, ast.Name) else None
        if not isinstance(bound, Local) or self._is_bound_elsewhere(path, of):
            return False
        values = self._values(bound)
        return bool(values) and all(self._attribute(at, value, name, depth + 1) for at, value in values)

    def _name(self, path: str, node: ast.Name, depth: int) -> bool:
        bound = self._project.resolve(path, None, node)
        if not isinstance(bound, Local) or self._is_bound_elsewhere(path, node):
            return False
        if bound.parameter is not None and self._stays(bound) and self._is_counted(bound.path, bound.parameter):
            return True
        values = self._values(bound)
        return bool(values) and all(self._plain(at, value, depth + 1) for at, value in values)

    def _is_bound_elsewhere(self, path: str, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and self._rebound.is_bound_elsewhere(path, node)

    def _values(self, bound: Local) -> list[tuple[str, ast.expr]]:
        """All that a name can stand for: what is assigned to it, or what the callers hand over; none if not known."""
        if bound.parameter is None:
            return [(bound.path, value) for value in bound.values] if bound.complete else []
        function = self._project.function(bound.path, self._project.scope(bound.path, bound.parameter))
        if function is None or not self._stays(bound):
            return []
        return handed_over(self._project, function, bound.parameter) or [] if self._of_class.is_named(function) else []

    def _stays(self, bound: Local) -> bool:
        """Is a parameter bound by callers alone?"""
        scope = self._project.scope(bound.path, bound.parameter) if bound.parameter is not None else None
        return scope is not None and len(self._project.definitions(bound.path, scope, bound.name)) == 1

    def _is_counted(self, path: str, parameter: ast.arg) -> bool:
        """Is a parameter surely a number: is it given to what takes no tensor? A default says nothing of what is given.

        A layer of torch's is made of numbers, and so is a range: Python or torch raised for anything with a graph.
        """
        function = self._project.function(path, self._project.scope(path, parameter))
        if function is None or isinstance(function.node, ast.Lambda):
            return False
        return any(isinstance(node, ast.Name) and node.id == parameter.arg and (
                       is_sure(self._project, path, node, statement) and self._counts(path, node))
                   for statement in function.node.body if isinstance(statement, (ast.Assign, ast.Expr))
                   for node in walk(statement))

    def _counts(self, path: str, name: ast.Name) -> bool:
        """Is a name handed, as it is, to a layer that is made, or to ``range``?"""
        above = self._project.parent(path, name)
        if isinstance(above, ast.keyword):
            above = self._project.parent(path, above)
        if not isinstance(above, ast.Call) or above.func is name:
            return False
        called = self._project.resolve(path, None, above.func)
        if isinstance(called, Builtin):
            return called.name in ("range", "xrange")
        last = called.name.rsplit(".", 1)[-1] if isinstance(called, External) else ""
        return isinstance(called, External) and called.name == f"torch.nn.{last}" and last[:1].isupper() and (
            last != "Parameter" and last not in HOLDS_MODULES and last not in _LOSSES)


def _registered(project: Project) -> frozenset[tuple[str, str]]:
    """How the names begin and end under which modules are handed buffers, weights and parts."""
    tables_of = (project.table(path) for path in project.paths)
    calls = (call for table in tables_of if table is not None for call in table.calls)
    return frozenset(
        ends_of(call.args[0]) if call.args else ("", "") for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in _REGISTERS)
