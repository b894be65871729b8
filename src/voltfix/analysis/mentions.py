"""Where names are mentioned: by module, which is kept with its table, and over all modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voltfix.analysis.names import Project


Place = tuple[str, list[ast.AST]]


class OfModule:
    """The mentions of one module."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.names: dict[str, list[ast.AST]] = {}  # read as ``name`` or ``x.name``
        self.attributes: dict[str, list[ast.AST]] = {}  # as ``x.name`` alone
        self.aliases: dict[str, set[str]] = {}
        self.texts: set[str] = set()  # strings that could be names
        for node in nodes:
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    self.names.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Attribute):
                if isinstance(node.ctx, ast.Load):
                    self.attributes.setdefault(node.attr, []).append(node)
                    self.names.setdefault(node.attr, []).append(node)
            elif isinstance(node, ast.Constant):
                if isinstance(node.value, str) and node.value.isidentifier():
                    self.texts.add(node.value)
            elif isinstance(node, (ast.ImportFrom, ast.Assign)):
                self._note_aliases(node)

    def _note_aliases(self, node: ast.ImportFrom | ast.Assign) -> None:
        """``import f as g``, ``g = f``, ``g = staticmethod(f)``, ``g = partial(f, ...)``."""
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.asname:
                    self.aliases.setdefault(alias.name, set()).add(alias.asname)
        elif len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            inner = value.args[0] if isinstance(value, ast.Call) and value.args else value
            if isinstance(inner, (ast.Name, ast.Attribute)):
                name = inner.id if isinstance(inner, ast.Name) else inner.attr
                self.aliases.setdefault(name, set()).add(node.targets[0].id)


class Mentions:
    """Where names are mentioned, over all modules."""

    def __init__(self, project: Project) -> None:
        self._names: dict[str, list[Place]] = {}
        self._attributes: dict[str, list[Place]] = {}
        self._aliases: dict[str, set[str]] = {}
        self._texts: set[str] = set()
        for path in project.paths:
            table = project.table(path)
            if table is not None:
                self._add(path, table.mentions)

    def _add(self, path: str, module: OfModule) -> None:
        for name, nodes in module.names.items():
            self._names.setdefault(name, []).append((path, nodes))
        for name, nodes in module.attributes.items():
            self._attributes.setdefault(name, []).append((path, nodes))
        for name, aliases in module.aliases.items():
            self._aliases.setdefault(name, set()).update(aliases)
        self._texts |= module.texts

    def of(self, names: Iterable[str], attributes: bool = False) -> list[tuple[str, ast.AST]]:
        """The mentions of any of the names and their aliases; ``attributes``: only as ``x.name``."""
        wanted = set(names)
        todo = [] if attributes else list(wanted)
        while todo:
            fresh = self._aliases.get(todo.pop(), set()) - wanted
            wanted |= fresh
            todo += fresh
        index = self._attributes if attributes else self._names
        return [(path, node) for name in sorted(wanted) for path, nodes in index.get(name, ()) for node in nodes]

    def is_written(self, name: str) -> bool:
        """Does a string say the name, as ``getattr`` takes it?"""
        return name in self._texts
