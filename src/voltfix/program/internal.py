"""What a package keeps to itself: a module whose name begins with an underscore is no interface (PEP 8).

Its functions are others' all the same where a module with a public name hands them on: an ``__init__`` that imports one
and has no use for it, ``__all__``, a star.
"""

from __future__ import annotations

import ast
import posixpath

from voltfix.model import file_of
from voltfix.program.bindings import ProjectFunction
from voltfix.program.mentions import Mentions
from voltfix.program.resolve import Project
from voltfix.program.walking import walk


class Internal:
    """Which functions no code outside of their package has a name for."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[int, bool] = {}

    def is_own(self, function: ProjectFunction) -> bool:
        """Is it a function of an internal module, and handed on by none that is public?"""
        key = id(function.node)
        if key not in self._known:
            self._known[key] = "." not in function.qualname and is_underscored(function.path) and (
                not self._is_handed_on(function))
        return self._known[key]

    def _is_handed_on(self, function: ProjectFunction) -> bool:
        name, stem = function.qualname, posixpath.splitext(posixpath.basename(file_of(function.path)))[0]
        stem = stem if stem != "__init__" else posixpath.basename(posixpath.dirname(file_of(function.path)))
        for path in self._project.paths:
            if is_underscored(path):
                continue
            for node in self._project.nodes(path):
                if isinstance(node, ast.ImportFrom) and self._brings(path, node, name, stem):
                    return True
        return False

    def _brings(self, path: str, node: ast.ImportFrom, name: str, stem: str) -> bool:
        """Does an import in a public module make the function a name of that module, too?"""
        if any(alias.name == "*" for alias in node.names):
            return (node.module or stem).rpartition(".")[2] == stem
        for alias in node.names:
            if alias.name == name:
                called = alias.asname or alias.name
                inits = posixpath.basename(file_of(path)) == "__init__.py"
                if called in self._exported(path) or (inits and not self._is_used(path, called)):
                    return True
        return False

    def _exported(self, path: str) -> set[str]:
        """The names in ``__all__``."""
        found: set[str] = set()
        for node in self._project.nodes(path):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
                    found |= {n.value for n in walk(node.value) if isinstance(n, ast.Constant)
                              and isinstance(n.value, str)}
        return found

    def _is_used(self, path: str, name: str) -> bool:
        """Is the name read in the module itself?"""
        mentions = self._project.computed(Mentions).of({name})
        return any(at == path and isinstance(node, ast.Name) and node.id == name for at, node in mentions)


def is_underscored(path: str) -> bool:
    """Does the name of a module, or of a package around it, begin with an underscore?"""
    parts = posixpath.splitext(file_of(path))[0].split("/")
    return any(part.startswith("_") and not part.startswith("__") for part in parts)
