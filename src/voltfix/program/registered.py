"""Which attributes of torch's modules hold a parameter for good: under the name of one a module takes nothing else.

What is assigned there later is a parameter, which has no graph, or PyTorch raises. That holds where each assignment in
the project makes a parameter, or begins with what stands there already: ``self.scale = self.scale.cuda()``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, External, ProjectClass
from voltfix.program.kept import assigned_to, begins_with_itself
from voltfix.program.mentions import Mentions, names_of_functions, stores
from voltfix.program.put import Put
from voltfix.torchmodel.library import PARAMETERS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# what puts something in the place of a parameter without an assignment, or takes one away
_AROUND = frozenset({"__dict__", "_parameters", "__setattr__", "weight_norm", "spectral_norm"})
_ATTRIBUTES = frozenset({"__setattr__", "__getattr__", "__getattribute__", "__delattr__"})


class Registered:
    """Answers for the classes of a project, remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[tuple[ast.AST, str], bool] = {}

    def holds(self, cls: ProjectClass, name: str) -> bool:
        """Does an object of the class hold a parameter under that name, or nothing?"""
        key = (cls.node, name)
        if key not in self._known:
            self._known[key] = self._look(cls, name)
        return self._known[key]

    def _look(self, cls: ProjectClass, name: str) -> bool:
        family = self.project.hierarchy.family(cls)
        assigned = [(path, node) for path, node in self.project.computed(stores).get(name, ())
                    if not self._is_of_others(path, node, family)]
        made = [self._makes(path, node) for path, node in assigned]
        others = [place for one, place in zip(made, assigned, strict=True) if not one]
        return any(made) and all(begins_with_itself(self.project, *place) for place in others) and (
            self._is_plain(family, name))

    def _is_plain(self, family: list[ProjectClass], name: str) -> bool:
        """Are they modules of torch's that nothing but such assignments puts anything under that name on?"""
        if not all(map(self._is_module, family)) or any(
                name in self.project.names_in(each.path, each.node) for each in family):
            return False
        if not _ATTRIBUTES.isdisjoint(self.project.computed(names_of_functions)) or (
                self.project.computed(Put).may_be(name)):
            return False
        return not any(map(self._is_mentioned, sorted(_AROUND))) and not any(
            isinstance(node, ast.Constant) and node.value == name
            for path in self.project.paths for node in self.project.nodes(path))

    def _is_mentioned(self, word: str) -> bool:
        """Does the project say a word: as a name, an attribute or an import?"""
        return any(True for _ in self.project.computed(Mentions).places(word)) or bool(
            self.project.computed(stores).get(word, ()))

    def _is_module(self, cls: ProjectClass) -> bool:
        above = [each for each in self.project.mro(cls) if not isinstance(each, ProjectClass)]
        return any(isinstance(each, External) for each in above) and all(
            isinstance(each, Builtin) or (isinstance(each, External) and each.name.startswith("torch.nn."))
            for each in above)

    def _is_of_others(self, path: str, node: ast.Attribute, family: list[ProjectClass]) -> bool:
        """Is it an attribute of an object of another class?"""
        of = self.project.instance(path, node.value)
        return of is not None and all(each.node is not of.node for each in family)

    def _makes(self, path: str, node: ast.Attribute) -> bool:
        value = assigned_to(self.project, path, node)
        of = self.project.resolve(path, None, value.func) if isinstance(value, ast.Call) else None
        return isinstance(of, External) and of.name in PARAMETERS
