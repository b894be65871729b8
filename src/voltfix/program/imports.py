"""Which file of the project an import means."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Collection, Iterable

from voltfix.program.walking import walk

# Never a file of the project: even in a folder named torch, `import torch` is the library.
LIBRARIES = frozenset({"torch", "numpy", "torchvision", "scipy", "chainer", "functools"})


class Index:
    """The modules of a project by path; a package without ``__init__`` is its folder."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = frozenset(paths)
        self._folders = {folder for path in self._files for folder in _ancestors(path)}
        self._by_tail: dict[str, list[str]] = {}
        for path in sorted(self._files):
            name = posixpath.basename(path)
            tail = posixpath.join(posixpath.basename(posixpath.dirname(path)), name) if name == "__init__.py" else name
            self._by_tail.setdefault(tail, []).append(path)
        self._found: dict[tuple[str, str, int], str | None] = {}
        self._tops: list[str] | None = None

    def find(self, importer: str, module: str, level: int = 0) -> str | None:
        """The path that ``module`` means when ``importer`` imports it; None if it is not in the project."""
        key = (importer, module, level)
        if key not in self._found:
            self._found[key] = self._find(importer, module, level)
        return self._found[key]

    def _find(self, importer: str, module: str, level: int) -> str | None:
        """Look for a module.

        Absolute names are looked for beside the importing file first, as in scripts, then upwards to the
        root, in ``src``, and last anywhere, if just one file fits. Relative ones count from its package.
        """
        parts = [part for part in module.split(".") if part]
        if level:
            return self._relative(importer, parts, level)
        if not parts or (parts[0] in LIBRARIES and not self._is_library(parts[0])):
            return None
        for folder in (*_ancestors(importer), "src", "lib"):
            found = self._at(folder, parts, importer)
            if found is not None:
                return found
        return self._anywhere(parts, importer)

    def within(self, package: str, name: str) -> str | None:
        """The submodule ``name`` of the package at ``package`` (its ``__init__`` file, or a folder)."""
        folder = package
        if package in self._files:
            if posixpath.splitext(posixpath.basename(package))[0] != "__init__":
                return None
            folder = posixpath.dirname(package)
        return self._at(folder, [name], "")

    def _is_library(self, name: str) -> bool:
        """Is the project that library itself?"""
        return name != "torch" and f"{name}/__init__.py" in self._files

    def _relative(self, importer: str, parts: list[str], level: int) -> str | None:
        folder = posixpath.dirname(importer)
        for _ in range(level - 1):
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        if parts:
            return self._at(folder, parts, "")
        init = posixpath.join(folder, "__init__.py")
        return init if init in self._files else folder

    def _at(self, folder: str, parts: list[str], importer: str) -> str | None:
        base = posixpath.join(folder, *parts)
        for path in (posixpath.join(base, "__init__.py"), base + ".py"):
            if path in self._files and path != importer:
                return path
        return base if base in self._folders else None

    def _anywhere(self, parts: list[str], importer: str) -> str | None:
        found = self._named(parts, importer)
        return found[0] if len(found) == 1 else None

    def _named(self, parts: list[str], importer: str) -> list[str]:
        """All files, wherever they are, whose paths end so."""
        tails = ("/" + "/".join(parts) + ".py", "/" + "/".join(parts) + "/__init__.py")
        named = self._by_tail.get(parts[-1] + ".py", []) + self._by_tail.get(parts[-1] + "/__init__.py", [])
        return [path for path in named if ("/" + path).endswith(tails) and path != importer]

    def named(self, importer: str, module: str) -> list[str]:
        """All files, near or not, that ``module`` may mean, whatever ``sys.path`` says."""
        parts = [part for part in module.split(".") if part]
        return [] if not parts or parts[0] in LIBRARIES else self._named(parts, importer)

    def several(self, importer: str, module: str) -> list[str]:
        """The files that ``module`` may mean where it is none that is near, and more than one elsewhere.

        Where all files are one package, that may go by another name than its folder has, as in a clone.
        """
        parts = [part for part in module.split(".") if part]
        if not parts or parts[0] in LIBRARIES or self.find(importer, module) is not None:
            return []
        within = (self._at(top, parts[1:], importer) for top in self._whole())
        return self._named(parts, importer) or [found for found in within if found is not None and found in self._files]

    def _whole(self) -> list[str]:
        """The folders, with an ``__init__``, that all files are in."""
        if self._tops is None:
            tops = ("", *shared_by(self._files))
            self._tops = [top.rstrip("/") for top in tops if f"{top}__init__.py" in self._files]
        return self._tops


def shared_by(paths: Collection[str]) -> list[str]:
    """The folders that all files lie in, as where the folder that was looked at is a package; they end with a slash."""
    common = posixpath.commonprefix([f"{posixpath.dirname(path)}/" for path in paths])
    return [common[:at + 1] for at, sign in enumerate(common) if sign == "/" and at]


def _ancestors(path: str) -> list[str]:
    """The folders above ``path``, the nearest first, the root last: "", or "/" (the folder above which is itself)."""
    folders = []
    while path != posixpath.dirname(path):
        path = posixpath.dirname(path)
        folders.append(path)
    return folders


def used_as_torch(module: ast.AST) -> frozenset[str]:
    """The names that a snippet uses as torch, whether it imports it or not: ``t.autograd.Variable``."""
    return frozenset(
        node.value.value.id for node in walk(module) if isinstance(node, ast.Attribute) and node.attr == "Variable"
        and isinstance(node.value, ast.Attribute) and node.value.attr == "autograd"
        and isinstance(node.value.value, ast.Name)
    )
