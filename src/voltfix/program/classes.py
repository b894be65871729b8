"""Classes of the project: bases, methods, and what is stored on self."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from voltfix import deadline
from voltfix.program.bindings import (
    Ambiguous,
    Binding,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    Unknown,
    merge,
)
from voltfix.program.order import linearized
from voltfix.program.scopes import Scope, Table
from voltfix.program.walking import walk
from voltfix.torchmodel.tables import RETURNS_SELF

_DEEPEST = 30


class Names(Protocol):
    """What ``Project`` answers to its classes: the two ask each other."""

    cycles: int  # how often a question came back to itself and was cut short
    until: float | None  # when the time of whoever asks is up

    @property
    def paths(self) -> tuple[str, ...]: ...  # noqa: D102
    def classes(self) -> Iterator[ProjectClass]: ...  # noqa: D102
    def table(self, path: str) -> Table | None: ...  # noqa: D102
    def parent(self, path: str, node: ast.AST) -> ast.AST | None: ...  # noqa: D102
    def scope(self, path: str, node: ast.AST) -> ast.AST: ...  # noqa: D102
    def resolve(self, path: str, scope: ast.AST | None, name: str | ast.expr) -> Binding: ...  # noqa: D102
    def lookup(self, path: str, scope: Scope, name: str) -> Binding: ...  # noqa: D102
    def alone(self, key: object, ask: Callable[[], Binding]) -> Binding: ...  # noqa: D102


class Hierarchy:
    """Answers about classes and instances; part of ``Project``, which owns the names."""

    def __init__(self, project: Names) -> None:
        self._project = project
        self._mros: dict[ProjectClass, list[Binding]] = {}
        self._plain: set[ast.ClassDef] = set()  # classes with an order of lookup that no cycle of bases cut short
        self._children: dict[ast.ClassDef, list[ProjectClass]] | None = None
        self._stored: dict[ProjectClass, dict[str, list[ast.expr | None]]] = {}
        self._assigned: dict[ast.ClassDef, list[tuple[str, ast.expr | None]]] = {}
        self._homes: dict[ast.expr, str] = {}  # in which module what is assigned stands
        self._members: dict[tuple[ProjectClass, str], Binding] = {}
        self._busy: set[object] = set()
        self._instances: dict[tuple[ast.expr, ast.AST], ProjectClass | None] = {}
        self._families: dict[ast.ClassDef, list[ProjectClass]] = {}
        self._depth = 0

    @property
    def busy(self) -> bool:
        """Is a question under way?"""
        return bool(self._busy)

    # --- bases ------------------------------------------------------------------------------------------

    def bases(self, cls: ProjectClass) -> list[Binding]:
        """What the bases written in the class statement mean."""
        return [self._project.resolve(cls.path, None, base) for base in cls.node.bases]

    def mro(self, cls: ProjectClass) -> list[Binding]:
        """``cls`` first; bases outside the project stand where they are and end their branch."""
        if cls in self._mros:
            return self._mros[cls]
        if cls in self._busy:
            self._project.cycles += 1
            return [cls]
        deadline.check(self._project.until)
        before = self._project.cycles
        self._busy.add(cls)
        try:
            bases = self.bases(cls)
            lines: list[list[Binding]] = [self.mro(b) if isinstance(b, ProjectClass) else [b] for b in bases]
        finally:
            self._busy.discard(cls)
        if self._project.cycles == before:
            self._plain.add(cls.node)
        only = bases[0] if len(bases) == 1 else None
        alone = isinstance(only, ProjectClass) and only.node in self._plain  # then there is nothing to merge
        self._mros[cls] = [cls, *(lines[0] if alone else linearized([*lines, bases]))]
        return self._mros[cls]

    def subclasses(self, cls: ProjectClass) -> list[ProjectClass]:
        """All classes of the project below ``cls``, at any distance."""
        if self._children is None:
            found: dict[ast.ClassDef, list[ProjectClass]] = {}
            for child in self._project.classes():
                for above in self.mro(child)[1:]:
                    if isinstance(above, ProjectClass):
                        found.setdefault(above.node, []).append(child)
            self._children = found
        return self._children.get(cls.node, [])

    def family(self, cls: ProjectClass) -> list[ProjectClass]:
        """``cls``, its bases and its subclasses in the project: those that share an instance with it."""
        known = self._families.get(cls.node)
        if known is None:
            deadline.check(self._project.until)
            before = self._project.cycles
            above = [c for c in self.mro(cls) if isinstance(c, ProjectClass)]
            known = list({c.node: c for c in (*above, *self.subclasses(cls))}.values())
            if self._project.cycles == before:
                self._families[cls.node] = known
        return known

    def method(self, cls: ProjectClass, name: str) -> Binding | None:
        """What the first class of the order of lookup binds ``name`` to; None if none of the project does."""
        for above in self.mro(cls):
            if isinstance(above, ProjectClass):
                found = self._own(above, name)
                if found is not None:
                    return found
        return None

    def _own(self, cls: ProjectClass, name: str) -> Binding | None:
        table = self._project.table(cls.path)
        if table is None or name not in table.scopes[cls.node].definitions:
            return None
        return self._project.lookup(cls.path, table.scopes[cls.node], name)

    def on_class(self, cls: ProjectClass, name: str) -> Binding:
        """``Class.name``: a function takes its instance as the first argument, unless it is a classmethod."""
        found = self.method(cls, name)
        if found is None:
            return Unknown()
        return _map(found, lambda f: replace(f, bound=_decorated(f, "classmethod")))

    def on_instance(self, cls: ProjectClass, name: str) -> Binding:
        """``self.name``: methods of the class and of subclasses that override them, or what is stored."""
        key = (cls, name)
        if key not in self._members:
            before = self._project.cycles
            found = self._project.alone(key, lambda: self._on_instance(cls, name))
            if self._project.cycles != before:  # inside a cycle the answer may be partial
                return found
            self._members[key] = found
        return self._members[key]

    def _on_instance(self, cls: ProjectClass, name: str) -> Binding:
        deadline.check(self._project.until)
        owners = [cls, *self.subclasses(cls)]
        found = [self.method(owner, name) for owner in owners]
        methods = [_bind(f) for f in dict.fromkeys(found) if f is not None]
        if methods and not (isinstance(methods[0], Local) and name in self.stored(cls)):
            return merge(methods)
        return self._stored_binding(cls, name)

    def _stored_binding(self, cls: ProjectClass, name: str) -> Binding:
        key = (cls, name)
        values = self.stored(cls).get(name)
        if not values:
            return Unknown()
        if key in self._busy:
            self._project.cycles += 1
            return Unknown()
        self._busy.add(key)
        try:
            found = [self._value(cls, name, value) for value in values]
        finally:
            self._busy.discard(key)
        return merge(found)

    def _value(self, cls: ProjectClass, name: str, value: ast.expr | None) -> Binding:
        if value is None:
            return Local(cls.path, name)
        path = self._homes[value]
        found = self._project.resolve(path, None, value)
        if isinstance(found, (External, ProjectFunction, ProjectClass)) and not isinstance(value, ast.Call):
            return found
        return Local(path, name, (value,), complete=True)

    # --- instances --------------------------------------------------------------------------------------

    def stored(self, cls: ProjectClass) -> dict[str, list[ast.expr | None]]:
        """What the class and its family assign to ``self.<name>``; None where no expression says it."""
        if cls not in self._stored:
            found: dict[str, list[ast.expr | None]] = {}
            for member in self.family(cls):
                if member.node not in self._assigned:
                    self._assigned[member.node] = list(self._assignments(member))
                for name, value in self._assigned[member.node]:
                    found.setdefault(name, []).append(value)
                    if value is not None:
                        self._homes[value] = member.path
            self._stored[cls] = found
        return self._stored[cls]

    def _assignments(self, cls: ProjectClass) -> Iterator[tuple[str, ast.expr | None]]:
        table = self._project.table(cls.path)
        for method in cls.node.body:
            own = receiver_name(method)
            if own is None or table is None:
                continue
            for node in walk(method):
                if type(node) in _BINDING:
                    yield from _self_targets(node, own)

    def class_around(self, path: str, node: ast.AST) -> ProjectClass | None:
        """The class whose method ``node`` (a def) is."""
        table = self._project.table(path)
        scope = table.scopes.get(node) if table is not None else None
        if scope is None or scope.parent is None or not isinstance(scope.parent.node, ast.ClassDef):
            return None
        return ProjectClass(path, scope.parent.qualname, scope.parent.node)

    def receiver(self, path: str, scope: Scope, name: str) -> ProjectClass | None:
        """The class of ``self``, where ``name`` is the first parameter of a method around."""
        at: Scope | None = scope
        while at is not None and name not in at.definitions:
            at = at.parent
        if at is None or receiver_name(at.node) != name:
            return None
        return self.class_around(path, at.node)

    def instance(self, path: str, scope: Scope, expression: ast.expr) -> ProjectClass | None:
        """The class of the project that ``expression`` is surely an instance of (or of a subclass)."""
        key = (expression, scope.node)
        if key in self._instances:
            return self._instances[key]
        if self._depth > _DEEPEST:
            self._project.cycles += 1
            return None
        before = self._project.cycles
        self._depth += 1
        try:
            found = self._instance(path, scope, expression)
        finally:
            self._depth -= 1
        if self._project.cycles == before:  # inside a cycle the answer may be partial
            self._instances[key] = found
        return found

    def _instance(self, path: str, scope: Scope, expression: ast.expr) -> ProjectClass | None:
        if isinstance(expression, ast.Name):
            own = self.receiver(path, scope, expression.id)
            if own is not None:
                return own
        if isinstance(expression, ast.Call):
            return self._made(path, scope, expression)
        if not isinstance(expression, (ast.Name, ast.Attribute)):
            return None
        binding = self._project.resolve(path, scope.node, expression)
        if not isinstance(binding, Local) or not binding.complete or not binding.values:
            return None
        key = (binding.path, binding.name, binding.values)
        if key in self._busy:
            self._project.cycles += 1
            return None
        self._busy.add(key)
        try:
            made = {self._instance_at(binding.path, value) for value in binding.values if not _none(value)}
        finally:
            self._busy.discard(key)
        return made.pop() if len(made) == 1 else None

    def _instance_at(self, path: str, value: ast.expr) -> ProjectClass | None:
        table = self._project.table(path)
        if table is None:
            return None
        return self.instance(path, table.owner.get(value, table.root), value)

    def _made(self, path: str, scope: Scope, call: ast.Call) -> ProjectClass | None:
        if isinstance(call.func, ast.Attribute) and call.func.attr in RETURNS_SELF:
            own = self.instance(path, scope, call.func.value)
            return own if own is not None and self._gives_itself(own, call.func.attr) else None
        called = self._project.resolve(path, scope.node, call.func)
        return called if isinstance(called, ProjectClass) else None

    def _gives_itself(self, cls: ProjectClass, name: str) -> bool:
        """Does a method that gives a module back give nothing else, where classes of the project have their own?"""
        found = (self.method(each, name) for each in (cls, *self.subclasses(cls)))
        return all(method is None or _gives_self(method.node, name) for method in found
                   if method is None or isinstance(method, ProjectFunction))

    def attribute(self, path: str, scope: Scope, expression: ast.Attribute) -> Binding | None:
        """What ``instance.name`` means; None where the left side is no instance of a class of the project."""
        orders = self._super(path, scope, expression.value)
        if orders is not None:
            return merge(list(dict.fromkeys(self._first(above, expression.attr) for above in orders)))
        cls = self.instance(path, scope, expression.value)
        return None if cls is None else self.on_instance(cls, expression.attr)

    def _first(self, owners: list[Binding], name: str) -> Binding:
        for above in owners:
            if not isinstance(above, ProjectClass):
                return External(f"{above.name}.{name}") if isinstance(above, External) else Unknown()
            found = self._own(above, name)
            if found is not None:
                return _bind(found)
        return Unknown()

    def _super(self, path: str, scope: Scope, expression: ast.expr) -> list[list[Binding]] | None:
        """What ``super()`` looks in: what comes next in the order of the class, and of each class below it."""
        if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Name):
            return None
        if expression.func.id != "super":
            return None
        at: Scope | None = scope
        while at is not None and not at.is_class:
            at = at.parent
        if at is None or not isinstance(at.node, ast.ClassDef):
            return None
        cls = ProjectClass(path, at.qualname, at.node)
        orders = [self.mro(below) for below in (cls, *self.subclasses(cls))]
        behind = [order[at + 1 :] for order in orders for at, each in enumerate(order)
                  if isinstance(each, ProjectClass) and each.node is cls.node]
        return [list(order) for order in dict.fromkeys(map(tuple, behind))] or [[]]


def receiver_name(node: ast.AST) -> str | None:
    """The name of the first parameter (``self``) of a def that is no staticmethod."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    if any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list):
        return None
    parameters = [*node.args.posonlyargs, *node.args.args]
    return parameters[0].arg if parameters else None


def _gives_self(method: ast.AST, name: str) -> bool:
    """Does a method give its object: by name, or as that of the class above does?"""
    own = receiver_name(method)
    given = [node.value for node in walk(method) if isinstance(node, ast.Return)]
    return not any(value is not None and not _none(value) and not (
        (isinstance(value, ast.Name) and value.id == own)
        or (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == name))
        for value in given)


_BINDING = frozenset({ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.withitem})


def _self_targets(node: ast.AST, own: str) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value, own)
    elif isinstance(node, ast.AnnAssign):
        yield from _pairs(node.target, node.value, own)
    elif isinstance(node, (ast.AugAssign, ast.For)):
        yield from _pairs(node.target, None, own)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _pairs(node.optional_vars, None, own)


def _pairs(target: ast.expr, value: ast.expr | None, own: str) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        for number, element in enumerate(target.elts):
            part = value.elts[number] if same and isinstance(value, (ast.Tuple, ast.List)) else None
            yield from _pairs(element, part, own)
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own:
        yield target.attr, value


def _bind(found: Binding) -> Binding:
    return _map(found, lambda f: replace(f, bound=not (f.static or _decorated(f, "staticmethod"))))


def _map(found: Binding, change: object) -> Binding:
    if isinstance(found, ProjectFunction) and callable(change):
        changed: Binding = change(found)
        return changed
    if isinstance(found, Ambiguous):
        return Ambiguous(tuple(_map(candidate, change) for candidate in found.candidates))
    return found


def _decorated(function: ProjectFunction, name: str) -> bool:
    node = function.node
    if isinstance(node, ast.Lambda):
        return False
    return any(isinstance(d, ast.Name) and d.id == name for d in node.decorator_list)


def _none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
