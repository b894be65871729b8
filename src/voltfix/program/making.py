"""Which classes make objects by binding names alone: nothing is computed there that could have a graph, or use one.

A network that is made where gradients are off is the network that it would be elsewhere, if its ``__init__`` makes
layers, fills and freezes them, and keeps what it is given, and does nothing else: weights ask for gradients whatever
the mode is, and what is written into ``.data`` never has a graph.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, External, ProjectClass, ProjectFunction
from voltfix.program.calls import CallGraph, is_property
from voltfix.program.classes import receiver_name
from voltfix.program.mentions import names_of_functions
from voltfix.program.quiet import Quiet
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_MODULES = frozenset({"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"})
_OWN_WAYS = frozenset({"__new__", "__setattr__", "__getattr__", "__getattribute__", "__slots__"})


class Making:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[ast.AST, bool], bool] = {}
        self._computed: frozenset[str] | None = None

    def only_binds(self, path: str, node: ast.ClassDef, *, numbers: bool = False) -> bool:
        """Does making an object of a class bind names and make layers, and nothing else?

        With ``numbers`` for an object that is made of numbers and text alone: what is counted with them is a number.
        """
        if (node, numbers) not in self._known:
            self._known[node, numbers] = False  # one that makes itself
            self._known[node, numbers] = self._binds(path, node, numbers)
        return self._known[node, numbers]

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
        own = receiver_name(method.node)
        return None not in family and own is not None and Quiet(self._project, self, method, own, taken).binds()

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

    def _binds(self, path: str, node: ast.ClassDef, numbers: bool) -> bool:
        cls = next((each for each in self._project.classes() if each.node is node and each.path == path), None)
        names = self._named_in(cls) if cls is not None else None
        if cls is None or names is None:
            return False
        above = [each for each in self._project.mro(cls) if isinstance(each, ProjectClass)]
        inits = [(each, found) for each in above for found in (self.method_of(each, "__init__"),) if found is not None]
        return len(inits) == sum("__init__" in self._project.names_in(e.path, e.node) for e in above) and all(
            Quiet(self._project, self, init, own, names, tuple(above), numbers=numbers and each is inits[0][0]).binds()
            if (own := receiver_name(init.node)) is not None else False for each, init in inits)

    @staticmethod
    def method_of(cls: ProjectClass, name: str) -> ProjectFunction | None:
        """The one function of a name that the body of a class says, without a decorator."""
        found = [each for each in cls.node.body if isinstance(each, ast.FunctionDef) and each.name == name]
        return ProjectFunction(cls.path, f"{cls.qualname}.{name}", found[0]) if len(found) == 1 and (
            not found[0].decorator_list) else None

    def names_of_functions(self) -> frozenset[str]:
        """The names that functions of the project have: a call of an attribute of that name may run one of them."""
        return self._project.computed(names_of_functions)

    def found_out(self) -> frozenset[str]:
        """The attributes that something is computed for when they are read; all of them where a class answers any."""
        if self._computed is None:
            functions = list(self._project.functions())
            named = self.names_of_functions()
            wide = named & {"__getattr__", "__getattribute__"} and {
                n.attr for path in self._project.paths for n in walk(self._project.tree(path) or ast.Module([], []))
                if isinstance(n, ast.Attribute)}
            self._computed = frozenset(wide or ()) | {
                getattr(f.node, "name", "") for f in functions if is_property(f.node)}
        return self._computed
