"""Of which classes an object is that callers hand over, where the class says what an operator of Python runs.

``data[i]`` of a parameter runs the ``__getitem__`` of its class: that is known where all who hand something over make
an object of a class in sight, and where the functions that it goes through are called by their names alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, External, Local, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph, by_python, fits
from voltfix.program.layered import Layered
from voltfix.program.mentions import Mentions
from voltfix.program.rebound import rebound_in
from voltfix.program.receivers import Given, given, is_looked_at
from voltfix.program.references import Reference, References
from voltfix.torchmodel.layers import HOOK_TABLES

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

BY_ITEM, BY_LOOP, BY_WITH = ("__getitem__",), ("__iter__", "__getitem__"), ("__enter__",)
BY_CALL = ("__call__",)
BY_NEXT = ("__next__", "next")  # what Python asks of the object that ``__iter__`` gave, today and in its time
_WHEN_CALLED = ("__call__", "forward")  # torch's own ``__call__`` runs the other
_MADE_ANOTHER = ("__class__", "__bases__", "__call__")  # where one is put on anything, a class does not say what runs


class OfClass:
    """Answers for the expressions of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._known: dict[ast.expr, Given | None] = {}
        self._named: dict[ast.AST, bool] = {}
        self._run_by: dict[ast.AST, list[tuple[str, ast.expr]]] = {}

    def classes(self, path: str, asked: ast.expr, surely: bool = False) -> tuple[ProjectClass, ...]:
        """All classes of which an object may be that callers hand over, or of one below; none where that is open.

        ``surely``: none as well where it may be None.
        """
        if asked not in self._known:
            found = given(self._project, self._rebound, path, asked)
            self._known[asked] = found if found is not None and all(map(self.is_named, found.through)) else None
        known = self._known[asked]
        return known.classes if known is not None and not (surely and known.or_none) else ()

    def running(self, path: str, asked: ast.expr, names: tuple[str, ...]) -> dict[ProjectClass, ProjectFunction]:
        """By class of the object, what an operator runs: of ``names`` the first; nothing where one has none."""
        table = self._project.table(path)
        classes = self.classes(path, asked, surely=True) if table is not None and asked in table.owner else ()
        return dict(zip(classes, self._methods_of(classes, names), strict=False))

    def when_called(self, path: str, asked: ast.expr) -> list[ProjectFunction]:
        """What calling an object runs that callers hand over, of whichever class it is; nothing where that is open."""
        if any(True for _ in self._project.computed(Mentions).of(HOOK_TABLES, attributes=True)):
            return []
        if isinstance(asked, ast.Subscript):
            classes = self._layers(path, asked.value)
            running = dict(zip(classes, self._methods_of(classes, _WHEN_CALLED), strict=False))
        else:
            running = self.running(path, asked, _WHEN_CALLED)
        made_another = any(self._rebound.is_set(name, cls) for cls in running for name in _MADE_ANOTHER)
        return [] if made_another else list(running.values())

    def _methods_of(self, classes: tuple[ProjectClass, ...], names: tuple[str, ...]) -> list[ProjectFunction]:
        """Of each class the first of several methods; nothing where one has none."""
        found = []
        for cls in classes:
            name = next((each for each in names if self._project.method(cls, each) is not None), None)
            method = self._method(cls, name) if name is not None else None
            if method is None:
                return []
            found.append(method)
        return found

    def _layers(self, path: str, listed: ast.expr) -> tuple[ProjectClass, ...]:
        """The classes of all layers in an attribute that holds a list of them; none where that is open."""
        name = listed.attr if isinstance(listed, ast.Attribute) else ""
        held = self._project.resolve(path, None, listed) if name and not self._rebound.is_patched(name) else None
        layered = self._project.computed(Layered)
        if not isinstance(held, Local) or not held.complete or not (
                layered.go_by_name(name) and layered.is_left_alone(name)):
            return ()
        classes = [self._project.instance(held.path, layer) for value in held.values
                   for layer in self._put_in(held.path, value)]
        return tuple(dict.fromkeys(each for each in classes if each is not None)) if None not in classes else ()

    def _put_in(self, path: str, value: ast.expr) -> list[ast.expr]:
        """What a ``ModuleList`` is made of, each as it is written; itself where that is open."""
        if isinstance(value, ast.Call) and self._project.resolve(path, None, value.func) == External(
                "torch.nn.ModuleList") and not value.keywords and len(value.args) == 1:
            layers = value.args[0]
            if isinstance(layers, ast.ListComp):
                return [layers.elt]
            if isinstance(layers, (ast.List, ast.Tuple)):
                return layers.elts
        return [value]

    def run_by_operators(self, method: ProjectFunction) -> list[tuple[str, ast.expr]]:
        """The expressions for an object that an operator of Python asks for what a method says."""
        if method.node not in self._run_by:
            name = method.qualname.rsplit(".", 1)[-1]
            first = BY_LOOP[0] if name in BY_NEXT else name
            self._run_by[method.node] = [
                (path, asked) for path in (self._project.paths if first in (*BY_ITEM, *BY_LOOP, *BY_WITH) else ())
                for node in self._project.nodes(path) for asked, names in asked_by(node)
                if first in names and any(
                    method.node in (each.node, *self._asked_after(cls, each))
                    for cls, each in self.running(path, asked, names).items())
                and self._is_run(path, asked)]
        return self._run_by[method.node]

    def _asked_after(self, cls: ProjectClass, method: ProjectFunction) -> list[ast.AST]:
        """The method of an object that a loop asks for each item, after ``__iter__``, which may have given it back."""
        if method.qualname.rsplit(".", 1)[-1] != BY_LOOP[0]:
            return []
        found = next((each for name in BY_NEXT if (each := self._method(cls, name)) is not None), None)
        return [found.node] if found is not None else []

    def _is_run(self, path: str, node: ast.AST) -> bool:
        """Does anything in the project name the function around, or run it without a name?"""
        around = next((found for above in self._project.parents(path, node)
                       if (found := self._project.function(path, above)) is not None), None)
        if around is None or isinstance(around.node, ast.Lambda) or around.node.decorator_list or by_python(
                around.qualname.rsplit(".", 1)[-1]):
            return True
        return any(each.kind != "import" for each in self._project.computed(References).of(around))

    def _method(self, cls: ProjectClass, name: str) -> ProjectFunction | None:
        """The one method of that name that an object of a class has, whichever class below it is its own."""
        project = self._project
        if self._rebound.is_assigned(name, cls):
            return None
        for each in (cls, *project.hierarchy.subclasses(cls)):
            order = project.mro(each)
            if not all(is_readable(above) for above in order) or any(
                    "__new__" in project.names_in(above.path, above.node)
                    for above in order if isinstance(above, ProjectClass)):
                return None
        found = project.hierarchy.on_instance(cls, name)
        return found if isinstance(found, ProjectFunction) and not getattr(found.node, "decorator_list", True) else None

    def is_named(self, function: ProjectFunction) -> bool:
        """Is a function only ever called, by its name? An ``__init__`` is, where its class is only named to be made."""
        if function.node not in self._named:
            self._named[function.node] = self._is_named(function)
        return self._named[function.node]

    def _is_named(self, function: ProjectFunction) -> bool:
        project, name = self._project, function.qualname.rsplit(".", 1)[-1]
        graph, references = project.computed(CallGraph), project.computed(References)
        owner = project.hierarchy.class_around(function.path, function.node)
        makes = owner is not None and name == "__init__"
        if project.for_others or (not isinstance(function.node, ast.Lambda) and function.node.decorator_list):
            return False
        if owner is not None and makes:
            below = project.hierarchy.subclasses(owner)
            if any(cls.node.decorator_list for cls in (owner, *below)):
                return False  # it has the class, and makes what it likes of it
            if any(len(cls.node.bases) != 1 for cls in below) or any(
                    each.kind not in ("call", "import", "base") and not is_looked_at(project, each.path, each.node)
                    and not self._is_asked_for_function(cls, each) for cls in (owner, *below)
                    for each in references.of(cls)):
                return False
        if any(each.kind not in ("call", "import") and not (makes and each.of_above) and not self._is_another(
                function, owner, each) for each in references.of(function)):
            return False
        return not any(True for _ in project.computed(Mentions).asked_for(name)) and not any(
            built.may_be(name) for built in graph.built_names() if not makes)

    def _is_asked_for_function(self, cls: ProjectClass, reference: Reference) -> bool:
        """``Class.f``: is a class only asked for a function that is written out in it, and that is not handed it?"""
        above = self._project.parent(reference.path, reference.node)
        name = above.attr if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load) else "__init__"
        found = self._project.method(cls, name)
        node = found.node if isinstance(found, ProjectFunction) else None
        return not name.startswith("__") and isinstance(node, ast.FunctionDef) and all(
            isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list) and (
            not self._rebound.is_assigned(name, cls))

    def _is_another(self, function: ProjectFunction, owner: ProjectClass | None, reference: Reference) -> bool:
        """Does a mention of the name mean something else, or only ask whether there is anything?

        A call that this one would raise for is of another's method, and so is what is asked of an object of a class
        that has nothing to do with its own.
        """
        node = reference.node
        if reference.kind == "maybe-call" and isinstance(node, ast.Call):
            if not any(fits(function.node, node, filled) for filled in (0, 1)):
                return True
            node = node.func
        elif reference.kind == "maybe" and _is_tested(self._project.parent(reference.path, node), node):
            return True
        if reference.kind not in ("maybe", "maybe-call") or not isinstance(node, ast.Attribute) or owner is None:
            return False
        of = self._project.instance(reference.path, node.value)
        return of is not None and not any(
            isinstance(above, ProjectClass) and above.node is owner.node
            for each in (of, *self._project.hierarchy.subclasses(of)) for above in self._project.mro(each))


def objects_handed(project: Project) -> OfClass:
    """The answers for a project."""
    return OfClass(project, project.computed(rebound_in))


def _is_tested(above: ast.AST | None, node: ast.AST) -> bool:
    """Is it the test of a branch?"""
    return (isinstance(above, (ast.If, ast.While, ast.IfExp)) and above.test is node) or (
        isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not))


def asked_by(node: ast.AST) -> Iterator[tuple[ast.expr, tuple[str, ...]]]:
    """The objects that an operator asks, and which methods it looks for, one after the other."""
    found: list[tuple[ast.expr, tuple[str, ...]]] = []
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        found = [(node.value, BY_ITEM)]
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        found = [(node.iter, BY_LOOP)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        found = [(each, BY_LOOP) for each in node.args]
    elif isinstance(node, ast.withitem):
        found = [(node.context_expr, BY_WITH)]
    elif isinstance(node, ast.YieldFrom) or (isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load)) or (
            isinstance(node, ast.Assign) and any(isinstance(each, (ast.Tuple, ast.List)) for each in node.targets)):
        found = [(node.value, BY_LOOP)]
    return ((asked, names) for asked, names in found if isinstance(asked, (ast.Name, ast.Attribute)))


def is_readable(above: object) -> bool:
    """Does a class of an order leave what Python runs of its objects to the methods that are written out?"""
    if isinstance(above, ProjectClass):
        return not above.node.decorator_list and not above.node.keywords
    return above == Builtin("object") or (isinstance(above, External) and above.name.startswith("torch."))
