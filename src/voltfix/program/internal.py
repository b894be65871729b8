"""What a package keeps to itself: a module whose name begins with an underscore is no interface (PEP 8).

Its functions are others' all the same where a module with a public name may hand them on: an ``__init__`` that imports
one, ``__all__``, a star, an import that the module has no use for or that gives another name, a value that is stored.
"""

from __future__ import annotations

import ast
import posixpath

from voltfix.model import file_of
from voltfix.program.bindings import ProjectFunction
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.walking import walk


class Internal:
    """Which functions no code outside of their package has a name for."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[int, bool] = {}
        self._imports: list[tuple[str, ast.Import | ast.ImportFrom]] | None = None

    def is_own(self, function: ProjectFunction) -> bool:
        """Is it a function of an internal module, and handed on by none that is public?"""
        key = id(function.node)
        if key not in self._known:
            self._known[key] = "." not in function.qualname and is_underscored(function.path) and (
                not self._is_handed_on(function))
        return self._known[key]

    def _is_handed_on(self, function: ProjectFunction) -> bool:
        """Does a module that others may import have it, or its module, under a name of its own?

        Rather said of one too many: a star, an ``__init__`` that imports anything of it, a module that imports it and
        has no use for it, that is imported whole by a star, or that gives it another name.
        """
        name, stem = function.qualname, posixpath.splitext(posixpath.basename(file_of(function.path)))[0]
        stem = stem if stem != "__init__" else posixpath.basename(posixpath.dirname(file_of(function.path)))
        references = self._project.computed(References).of(function)
        if any(reference.kind not in ("call", "import") for reference in references):
            return True
        return any(self._brings(path, node, name, stem) for path, node in self._all_imports())

    def _all_imports(self) -> list[tuple[str, ast.Import | ast.ImportFrom]]:
        """Every import of the project, with the module that it stands in."""
        if self._imports is None:
            self._imports = [(path, node) for path in self._project.paths for node in self._project.nodes(path)
                             if isinstance(node, (ast.Import, ast.ImportFrom))]
        return self._imports

    def _brings(self, path: str, node: ast.Import | ast.ImportFrom, name: str, stem: str) -> bool:
        """May an import make the function, or its module, a name that others find?"""
        inits = posixpath.basename(file_of(path)) == "__init__.py"
        if isinstance(node, ast.Import):
            return inits and any(alias.name.rpartition(".")[2] == stem for alias in node.names)
        of_it = (node.module or "").rpartition(".")[2] == stem
        for alias in node.names:
            if alias.name == stem and inits:
                return True
            if of_it and alias.name == "*":
                return True
            if of_it and alias.name == name and (
                    inits or alias.asname not in (None, name) or name in self._exported(path)
                    or not self._is_used(path, name) or self._is_spread(path, name)):
                return True
        return False

    def _is_spread(self, path: str, name: str) -> bool:
        """Is a module imported by a star somewhere, or is the name taken out of it?"""
        stem = posixpath.splitext(posixpath.basename(file_of(path)))[0]
        return any(isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == stem
                   and any(alias.name in ("*", name) for alias in node.names) for _, node in self._all_imports())

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
