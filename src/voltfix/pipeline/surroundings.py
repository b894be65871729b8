"""The modules that a module runs with: what it imports, by name or by star, and what those import in turn.

A trial that lacks one knows nothing of its functions, while the solver read them: it would compare two guesses. And
who imports it: what its functions are given is said there.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator

from voltfix.pipeline.loading import Project
from voltfix.program.imports import Index

LARGEST = 400_000  # characters of the modules that go with a change: the nearest first, those beyond are unknown
LARGEST_AGAIN = 1_600_000  # of those that go with it when it is looked at again


class Surroundings:
    """Who imports whom in a project, found out where it is asked for."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files = {module.path for module in project.modules}
        self._index = Index(self._files)
        self._imports: dict[str, list[str]] = {}

    def of(self, paths: Iterable[str], largest: int | None = None) -> list[str]:
        """``paths`` and the modules that they import, directly or not, the nearest first."""
        largest = LARGEST if largest is None else largest
        found = list(dict.fromkeys(paths))
        size = sum(map(self._size, found))
        for path in found:  # grows on the way
            for other in self._imported(path):
                if other not in found and size + self._size(other) <= largest:
                    found.append(other)
                    size += self._size(other)
        return found

    def importers(self, paths: Iterable[str], largest: int) -> list[str]:
        """The modules that import one of ``paths``, directly or not, the nearest first, up to that many characters."""
        start = list(dict.fromkeys(paths))
        found, size = list(start), 0
        for path in found:  # grows on the way
            for other in self._importing(path):
                if other not in found and size + self._size(other) <= largest:
                    found.append(other)
                    size += self._size(other)
        return found[len(start) :]

    def _importing(self, path: str) -> Iterator[str]:
        name = posixpath.basename(path).removesuffix(".py")
        word = posixpath.basename(posixpath.dirname(path)) if name == "__init__" else name
        for module in self._project.modules:
            if module.path != path and word in module.text and path in self._imported(module.path):
                yield module.path

    def _size(self, path: str) -> int:
        return len(self._project.module(path).text)

    def _imported(self, path: str) -> list[str]:
        if path not in self._imports:
            try:
                tree = ast.parse(self._project.module(path).text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                tree = ast.Module([], [])
            targets = (target for node in ast.walk(tree) for target in self._targets(path, node))
            self._imports[path] = [each for each in dict.fromkeys(targets) if each in self._files and each != path]
        return self._imports[path]

    def _targets(self, path: str, node: ast.AST) -> Iterator[str]:
        """The modules that an import statement may run."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                for end in range(1, len(parts) + 1):  # a package runs before what is in it
                    yield self._index.find(path, ".".join(parts[:end])) or ""
        elif isinstance(node, ast.ImportFrom):
            source = self._index.find(path, node.module or "", node.level)
            if source is not None:
                yield source
                for alias in node.names:
                    yield self._index.within(source, alias.name) or ""
