"""Which files of a project may hand functions to each other: those that a chain of imports joins."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.bindings import is_one_of
from voltfix.program.closure import closure
from voltfix.program.imports import Index
from voltfix.program.scopes import Import
from voltfix.program.spelled import ends_of
from voltfix.torchmodel.library import GIVES_MODULE

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


class Meeting:
    """Answers for the files of a project, found at the first question."""

    def __init__(self, project: Project, index: Index) -> None:
        self.project = project
        self.index = index
        self._parts: dict[str, str] = {}

    def meet(self, one: str, other: str) -> bool:
        """Does a chain of imports join two files, in whatever direction? Nothing else hands a function over."""
        if not self._parts:
            joined: dict[str, set[str]] = {path: set() for path in self.project.paths}
            for path, other_path in (*self._imports(), *self._asked_for()):
                joined[path].add(other_path)
                joined.setdefault(other_path, set()).add(path)
            for path in joined:
                if path not in self._parts:
                    self._parts |= dict.fromkeys(closure([path], joined), path)
        return self._parts.get(one) == self._parts.get(other)

    def _imports(self) -> Iterator[tuple[str, str]]:
        for path in self.project.paths:
            table = self.project.table(path)
            for scope in table.scopes.values() if table is not None else ():
                imported = [d for found in scope.definitions.values() for d in found if d.source is not None]
                wholes = [alias.name for d in imported if isinstance(d.node, ast.Import) for alias in d.node.names]
                for source in (*(Import(name, None, 0) for name in wholes), *(d.source for d in imported if d.source),
                               *scope.stars):
                    found = self.index.find(path, source.module, source.level)
                    inside = self.index.within(found, source.name) if found is not None and source.name else None
                    yield from ((path, each) for each in (found, inside) if each is not None)

    def _asked_for(self) -> Iterator[tuple[str, str]]:
        """Those that a call of ``import_module`` may bring in, by how the name starts."""
        for path in self.project.paths:
            table = self.project.table(path)
            for call in table.calls if table is not None else ():
                if call.args and is_one_of(self.project.resolve(path, None, call.func), GIVES_MODULE):
                    start = ends_of(call.args[0])[0].strip(".").replace(".", "/")
                    yield from ((path, other) for other in self.project.paths if f"/{start}" in f"/{other}")
