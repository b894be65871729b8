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
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions, stores
from voltfix.program.ofclass import OfClass
from voltfix.program.receivers import handed_over
from voltfix.program.spelled import ends_of
from voltfix.program.walking import walk
from voltfix.torchmodel import tables
from voltfix.torchmodel.inplace import is_inplace_name
from voltfix.torchmodel.layers import HOLDS_MODULES
from voltfix.torchmodel.library import takes_numbers
from voltfix.torchmodel.operations import OPERATIONS
from voltfix.torchmodel.python import LOOKING, TELLING

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_ANSWERS_ALL = frozenset({"__getattr__", "__getattribute__", "__setattr__"})
_LOSSES = frozenset(tables.LOSS_MODULES) | tables.CONTAGIOUS_LOSSES
_SETTINGS = ("argparse.ArgumentParser.parse_args", "argparse.ArgumentParser.parse_known_args")
_CONTAINERS = frozenset({"tolist", "storage"})  # somebody may put something else in
_REGISTERS = frozenset({"register_buffer", "register_parameter", "add_module"})
_REACHES_IN = frozenset({"_buffers", "_apply"})  # by these a buffer may become something else
# what gives a tensor of its own, and not, as ``cuda``, the one that it is asked of
_GIVES_ANEW = frozenset(n for n in tables.TENSOR_METHODS if not is_inplace_name(n)) - tables.SAME_VALUES
_MAKES_ANEW = frozenset(n for n in OPERATIONS if not is_inplace_name(n)) - tables.SAME_VALUES
_PERHAPS = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEEPEST = 6


class Counted:
    """Answers for the attributes of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound, of_class: OfClass) -> None:
        self._project = project
        self._rebound = rebound
        self._of_class = of_class
        self._asked: dict[ast.Attribute, bool] = {}
        self._known: dict[tuple[ast.ClassDef, str], bool] = {}
        self._buffers: dict[tuple[ast.ClassDef, str], bool] = {}

    def is_plain(self, path: str, asked: ast.Attribute) -> bool:
        """Is what is asked of an object surely something without a graph, whatever the object did before?"""
        if asked not in self._asked:
            classes = self._classes(path, asked.value)
            self._asked[asked] = bool(classes) and all(self.holds(cls, asked.attr) for cls in classes)
        return self._asked[asked]

    def is_buffer(self, path: str, asked: ast.Attribute) -> bool:
        """Is what is asked of a network surely a buffer of it? On 0.3 that was a plain tensor, or None.

        Whoever assigned a Variable to the name of a buffer got an error there. That the name is a buffer's by then is
        sure where the network makes it one before anything else, or where whoever assigns reads it for that.
        """
        if asked.attr not in self._project.computed(_named_buffers) or any(
                True for _ in self._project.computed(Mentions).of(_REACHES_IN, attributes=True)):
            return False
        classes = self._classes(path, asked.value)
        return bool(classes) and all(self._is_buffer(cls, asked.attr) for cls in classes)

    def _is_buffer(self, cls: ProjectClass, name: str) -> bool:
        if (cls.node, name) not in self._buffers:
            self._buffers[cls.node, name] = False
            self._buffers[cls.node, name] = self._stays_buffer(cls, name)
        return self._buffers[cls.node, name]

    def _stays_buffer(self, cls: ProjectClass, name: str) -> bool:
        project = self._project
        related = self._related(cls)
        if project.for_others or related is None or self._rebound.is_said(name, cls) or any(
                name in project.names_in(each.path, each.node) for each in related.values()):
            return False
        sure = made = False
        for path, call in project.computed(_registering):
            if not _may_register(call, name):
                continue
            of = project.instance(path, call.func.value) if isinstance(call.func, ast.Attribute) else None
            if of is not None and of.node not in related:
                continue
            if of is None or call.keywords or len(call.args) != 2 or not isinstance(call.args[0], ast.Constant) or (
                    last_word(call.func) != "register_buffer" or not self._plain(path, call.args[1])):
                return False
            made, sure = True, sure or self._is_made_first(path, call, cls)
        bound = [(path, node) for path, node in project.computed(stores).get(name, ())
                 if (of := project.instance(path, node.value)) is None or of.node in related]
        return made and all(
            self._computes(path, project.parent(path, node)) and (
                _reads_itself(project.parent(path, node), node) or (sure and not self._is_in_making(path, node)))
            for path, node in bound)

    def _computes(self, path: str, above: ast.AST | None) -> bool:
        """Is what an operation gives assigned? A weight, or a part, would take the place of a buffer."""
        if isinstance(above, ast.AugAssign):
            return True
        value = above.value if isinstance(above, ast.Assign) else None
        if isinstance(value, ast.Call):
            called = self._project.resolve(path, None, value.func)
            name = called.name if isinstance(called, External) else ""
            method = value.func.attr if isinstance(value.func, ast.Attribute) and not name else ""
            return (method in _GIVES_ANEW and not self._project.computed(CallGraph).methods(method)) or (
                name.startswith("torch.") and name.count(".") == 1 and name[6:] in _MAKES_ANEW)
        return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Constant)) or (
            isinstance(value, ast.Attribute) and value.attr == "data")

    def _is_made_first(self, path: str, call: ast.Call, cls: ProjectClass) -> bool:
        """Does an object of a class, or of one below it, surely register what a call does as it is made?"""
        statement, init = self._project.parent(path, call), self._project.scope(path, call)
        above = [each for each in self._project.mro(cls) if isinstance(each, ProjectClass)]
        return isinstance(init, ast.FunctionDef) and init.name == "__init__" and statement in init.body and any(
            init in each.node.body for each in above) and not any(
            isinstance(each, ProjectClass) and any(
                isinstance(part, ast.FunctionDef) and part.name == "__init__" and part is not init
                and not any(isinstance(node, ast.Name) and node.id == "super" for node in walk(part))
                for part in each.node.body)
            for below in (cls, *self._project.hierarchy.subclasses(cls)) for each in self._project.mro(below))

    def _is_in_making(self, path: str, node: ast.AST) -> bool:
        """Does a place stand in what makes an object?"""
        scope = self._project.scope(path, node)
        return not isinstance(scope, ast.FunctionDef) or scope.name in ("__init__", "__new__", "__setstate__")

    def _related(self, cls: ProjectClass) -> dict[ast.ClassDef, ProjectClass] | None:
        """The classes of which an object of a class may be; None where one of them answers for attributes itself."""
        project = self._project
        above = [each for below in (cls, *project.hierarchy.subclasses(cls)) for each in project.mro(below)]
        related = {each.node: each for each in above if isinstance(each, ProjectClass)}
        plain = all(isinstance(each, ProjectClass) or each == Builtin("object") or (
            isinstance(each, External) and each.name.startswith("torch.nn.")) for each in above)
        return None if not plain or any(
            each.node.decorator_list or each.node.keywords
            or not project.names_in(each.path, each.node).isdisjoint(_ANSWERS_ALL)
            for each in related.values()) else related

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
        related = self._related(cls)
        bound = False
        if related is None:
            return False
        for each in related.values():
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


def _reads_itself(above: ast.AST | None, bound: ast.Attribute) -> bool:
    """Is an attribute of a name read, on every path, for what is assigned to it: ``self.x = self.x * 0.9``?"""
    if isinstance(above, ast.AugAssign):
        return True
    if not isinstance(above, ast.Assign) or not isinstance(bound.value, ast.Name):
        return False
    perhaps = {inner for node in walk(above.value) if isinstance(node, _PERHAPS) for inner in walk(node)}
    return any(isinstance(node, ast.Attribute) and node.attr == bound.attr and isinstance(node.value, ast.Name)
               and node.value.id == bound.value.id and node not in perhaps for node in walk(above.value))


def _registering(project: Project) -> list[tuple[str, ast.Call]]:
    """The calls that give a module a buffer, a weight or a part under a name."""
    return [(path, call) for path in project.paths if (table := project.table(path)) is not None
            for call in table.calls if isinstance(call.func, ast.Attribute) and call.func.attr in _REGISTERS]


def _named_buffers(project: Project) -> frozenset[str]:
    """The names that are written out for buffers."""
    return frozenset(str(call.args[0].value) for _, call in project.computed(_registering) if call.args
                     and isinstance(call.args[0], ast.Constant) and last_word(call.func) == "register_buffer")


def _ends_of(call: ast.Call) -> tuple[str, str]:
    return ends_of(call.args[0]) if call.args else ("", "")


def _may_register(call: ast.Call, name: str) -> bool:
    """May a call give something that name?"""
    start, end = _ends_of(call)
    return name == start if call.args and isinstance(call.args[0], ast.Constant) else (
        name.startswith(start) and name.endswith(end))


def _registered(project: Project) -> frozenset[tuple[str, str]]:
    """How the names begin and end under which modules are handed buffers, weights and parts."""
    return frozenset(_ends_of(call) for _, call in project.computed(_registering))
