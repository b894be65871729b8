"""Where names are mentioned, over all modules of a project.

Mentions are found by their last word; what they mean is for ``references`` to say.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from voltfix.program.closure import closure
from voltfix.program.mentioned import OfModule
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS

Place = tuple[int, int]  # orders all mentions: the number of the module, and of the node
# what gives the local names of a function and what they stand for, all at once
_ALL_LOCALS = frozenset({"locals", "vars", "f_locals"})



class Mentions:
    """Where names are mentioned, over all modules."""

    def __init__(self, project: Project) -> None:
        self._modules: list[tuple[str, OfModule]] = []
        self._having: dict[str, list[int]] = {}  # word -> the modules that mention it, in whatever way
        self._bound: dict[str, set[str]] = {}
        self._aliases: dict[str, set[str]] = {}
        self._texts: set[str] = set()
        for path in project.paths:
            table = project.table(path)
            if table is not None:
                self._add(path, table.mentions)

    def _add(self, path: str, module: OfModule) -> None:
        for name in {*module.names, *module.imports, *module.asked}:
            self._having.setdefault(name, []).append(len(self._modules))
        self._modules.append((path, module))
        for mine, theirs in ((self._bound, module.bound), (self._aliases, module.aliases)):
            for name, others in theirs.items():
                mine.setdefault(name, set()).update(others)
        self._texts |= module.texts

    def of(self, names: Iterable[str], attributes: bool = False) -> list[tuple[str, ast.AST]]:
        """The reads of any of the names and their aliases; ``attributes``: of the names alone, as ``x.name``."""
        return [
            (path, node)
            for name in sorted(names if attributes else closure(names, self._aliases))
            for _, path, module in self._in(name)
            for _, node in module.names.get(name, ())
            if not attributes or isinstance(node, ast.Attribute)
        ]

    def attributes(self, may_be: Callable[[str], bool]) -> list[tuple[str, ast.AST]]:
        """The reads of any attribute with a name like that."""
        return [place for name in sorted(filter(may_be, self._having)) for place in self.of({name}, attributes=True)]

    def places(self, word: str) -> Iterator[tuple[Place, str, ast.AST]]:
        """The reads and the imports of what ends in ``word``."""
        for index, path, module in self._in(word):
            for number, node in (*module.names.get(word, ()), *module.imports.get(word, ())):
                yield (index, number), path, node

    def asked_for(self, name: str) -> Iterator[tuple[Place, str, ast.AST]]:
        """The strings of that name that are given to ``getattr`` and its kin."""
        for index, path, module in self._in(name):
            for number, node in module.asked.get(name, ()):
                yield (index, number), path, node

    def asked_for_any(self, may_be: Callable[[str], bool]) -> Iterator[tuple[str, ast.AST]]:
        """The same of all names like that."""
        yield from ((path, node) for path, module in self._modules for name, found in module.asked.items()
                    if may_be(name) for _, node in found)

    def bound_to(self, *names: str) -> set[str]:
        """The words that may stand for what the names are: themselves, and what is bound to them, and so on."""
        return closure(names, self._bound)

    def is_written(self, name: str) -> bool:
        """Does a string say the name, as ``getattr`` takes it?"""
        return name in self._texts

    def _in(self, word: str) -> Iterator[tuple[int, str, OfModule]]:
        for index in self._having.get(word, ()):
            yield index, *self._modules[index]


def stores(project: Project) -> dict[str, list[tuple[str, ast.Attribute]]]:
    """By name, the places of a project that bind an attribute, or take one away."""
    found: dict[str, list[tuple[str, ast.Attribute]]] = {}
    for path in project.paths:
        for node in project.nodes(path):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, []).append((path, node))
    return found


def names_of_functions(project: Project) -> frozenset[str]:
    """The names that functions of a project have: a call of an attribute of that name may run one of them."""
    return frozenset(each.qualname.rsplit(".", 1)[-1] for each in project.functions())


def bound_names(project: Project) -> frozenset[str]:
    """The names that may be bound to objects of the project: in whatever way but by a bare ``def`` or ``class``.

    A local name of a function is no attribute of anything, where nobody asks Python for all that a function has.
    """
    found: set[str] = set(project.computed(stores))
    asked = any(True for _ in project.computed(Mentions).of(_ALL_LOCALS))
    for path in project.paths:
        for node in project.nodes(path):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                if asked or not isinstance(project.scope(path, node), FUNCTIONS):
                    found.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
                found.add(node.name)
            elif isinstance(node, ast.keyword) or (asked and isinstance(node, ast.arg)):
                found.add(node.arg or "")
            elif isinstance(node, ast.Global):
                found.update(node.names)
            elif isinstance(node, ast.alias):
                found.add(node.asname or node.name.rpartition(".")[2])
    return frozenset(found)
