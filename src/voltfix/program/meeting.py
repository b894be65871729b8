"""Which files of a project may meet: those that may be loaded in one process, whatever that was started from.

Two scripts that nothing imports never meet: what the one makes is gone when the other runs. What both import meets
each of them. An entry may be any file: a script, a module of a package, a notebook. What only defines something, and is
imported by nobody, is for somebody who is not in view: he may import all of this kind.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.model import file_of
from voltfix.program.bindings import External, ProjectClass, ProjectFunction, is_one_of
from voltfix.program.closure import closure
from voltfix.program.imports import LIBRARIES, Index, shared_by
from voltfix.program.scopes import Import
from voltfix.program.spelled import ends_of
from voltfix.program.walking import walk
from voltfix.torchmodel.library import GIVES_MODULE, LOADS_MODULE, RUNS_FILES, UNPICKLES
from voltfix.torchmodel.python import SHOWS_NAMES

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_RUN = re.compile(r"%run\s+(?P<told>.*)", re.DOTALL)
_RUNS_OTHERS = re.compile(r"%(?:run|autocall|load|macro|rerun|recall)\b")
_NAMES_A_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::\w+)?")  # 'envs.maze:Maze', as for registries
_ASKS_IPYTHON = frozenset({"magic", "run_line_magic", "run_cell", "run_cell_magic", "safe_execfile"})
_UNASKED = frozenset({"sitecustomize.py", "usercustomize.py"})  # what Python loads before any program
# methods, whatever they are of, that load a module, and functions that do
_LOADS = LOADS_MODULE | {"loadTestsFromName", "loadTestsFromNames", "discover", "iter_entry_points"}
# the words for what loads a module or runs a file, where they say that
_WORDS = _LOADS | {name.rpartition(".")[2] for name in GIVES_MODULE | RUNS_FILES} - {"modules", "locate"}
_IN_A_TEXT = re.compile(r"\b(?:__import__|import_module|execfile)\(")


class Meeting:
    """Answers for the files of a project, found at the first question."""

    def __init__(self, project: Project, index: Index) -> None:
        self.project = project
        self.index = index
        self._loaded_by: dict[str, set[str]] | None = None
        self._waiting: set[str] = set()  # what only defines, and nobody in view imports
        self._kept: dict[str, bool] = {}
        self._notebooks = [path for path in project.paths if path.endswith(".ipynb")]
        self._tops = ("", *shared_by(project.paths))

    def meet(self, one: str, other: str) -> bool:
        """May two files be loaded in one process? Nothing else hands a function, or a value, over.

        Of a package that others install, any two: they import what they like.
        """
        if one == other or self.project.for_others:
            return True
        if self._loaded_by is None:
            self._loaded_by = self._found()
        first, second = self._loaded_by.get(one), self._loaded_by.get(other)
        return first is None or second is None or not first.isdisjoint(second)

    def programs(self) -> list[frozenset[str]]:
        """The sets of files that one process may load, none of them within another; several may hold the same library.

        What waits for somebody who is not in view may come into any, by a name in a file that nobody reads here.
        """
        if self.project.for_others:
            return [frozenset(self.project.paths)]
        if self._loaded_by is None:
            self._loaded_by = self._found()
        loads: dict[str, set[str]] = {}
        for path in self.project.paths:
            for entry in self._loaded_by[path]:
                loads.setdefault(entry, set()).add(path)
        anywhere = {path for path in self.project.paths if not self._loaded_by[path].isdisjoint(self._waiting)}
        found = sorted({frozenset(each | anywhere) for each in loads.values()}, key=sorted)
        return [each for each in found if not any(each < other for other in found)]

    def keeps_its_names(self, path: str) -> bool:
        """Does nobody but a file itself find what its names stand for? No other loads it, and it does not show them.

        It is a script then: what runs it ends with it. A notebook's names are whoever's runs the next cell.
        """
        if path not in self._kept:
            self._kept[path] = self._keeps(path)
        return self._kept[path]

    def _keeps(self, path: str) -> bool:
        if self.project.for_others or file_of(path) != path or not path.endswith(".py"):
            return False
        if self._loaded_by is None:
            self._loaded_by = self._found()
        return self._loaded_by.get(path) == {path} and self._is_started(path) and not any(
            isinstance(node, ast.Name) and node.id in SHOWS_NAMES for node in self.project.nodes(path)) and not any(
            asks_for_main(node) for other in self.project.paths if self.meet(path, other)
            for node in self.project.nodes(other))

    def _found(self) -> dict[str, set[str]]:
        """By file, the entries from which it may be loaded."""
        edges = self._edges()
        importing: dict[str, set[str]] = {path: set() for path in self.project.paths}
        for path, others in edges.items():
            for each in others:
                importing.setdefault(each, set()).add(path)
        found = {path: closure([path], importing) for path in importing}
        tests = {path for path in found if _is_test(path)}  # one run of pytest loads them all
        waiting = {path for path in found if found[path] == {path} and not self._is_started(path)}
        self._waiting = waiting
        for group in (tests, waiting):
            for path in found:
                if not found[path].isdisjoint(group):
                    found[path] |= group
        return found

    def _edges(self) -> dict[str, set[str]]:
        unasked = {path for path in self.project.paths if posixpath.basename(path) in _UNASKED}
        edges: dict[str, set[str]] = {path: set(unasked) for path in self.project.paths}
        for path in edges:
            edges[path] |= {each for found in self._imported(path) for each in (found, *self._packages(found))}
            edges[path] |= {*self._asked_for(path), *self._told_to_run(path)}
            edges[path] |= {file_of(path), *self._packages(path)}
        imported = {each for path, others in edges.items() for each in others if each != file_of(path)}
        for path in edges:
            if self._unpickles(path):
                edges[path] |= imported  # the modules of what was saved; a script's own classes are no module's
        return edges

    def _imported(self, path: str) -> Iterator[str]:
        table = self.project.table(path)
        for scope in table.scopes.values() if table is not None else ():
            imported = [d for found in scope.definitions.values() for d in found if d.source is not None]
            wholes = [alias.name for d in imported if isinstance(d.node, ast.Import) for alias in d.node.names]
            for source in (*(Import(name, None, 0) for name in wholes), *(d.source for d in imported if d.source),
                           *scope.stars):
                yield from self._meant(path, source)
            for star in scope.stars:
                for found in {*self._meant(path, star)}:
                    yield from self._listed(found)
        for node in self.project.nodes(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200 \
                    and _NAMES_A_MODULE.fullmatch(node.value):
                yield from self._meant(path, Import(node.value.partition(":")[0], None, 0))

    def _listed(self, path: str) -> Iterator[str]:
        """What ``import *`` loads of a package that says by ``__all__`` what it is of: any module in it."""
        if posixpath.basename(path) == "__init__.py" and any(
                isinstance(node, ast.Name) and node.id == "__all__" for node in self.project.nodes(path)):
            folder = posixpath.dirname(path)
            yield from (other for other in self.project.paths
                        if folder in (posixpath.dirname(other), posixpath.dirname(posixpath.dirname(other))))

    def _meant(self, path: str, source: Import) -> Iterator[str]:
        """What an import may bring in: the module, what it names of a package, and all that stand on the way."""
        parts = source.module.split(".")
        yield from self._below_the_root(source)
        for count in range(1, len(parts) + 1):
            name = ".".join(parts[:count])
            found = self.index.find(path, name, source.level)
            for each in (found, *(self.index.named(path, name) if not source.level else ())):
                if each is not None:
                    yield each
                    inside = self.index.within(each, source.name) if source.name else None
                    if inside is not None:
                        yield inside
        yield from (other for other in self._notebooks  # as ``import_ipynb`` has it
                    if posixpath.basename(other)[:-6] in (*parts, source.name))

    def _below_the_root(self, source: Import) -> Iterator[str]:
        """The folder that is looked at may be a package, or in one: what follows its name is a path from there."""
        parts = [*source.module.split("."), *([source.name] if source.name else [])]
        if source.level or parts[0] in LIBRARIES:
            return
        for first in range(1, len(parts)):
            for last in range(first + 1, len(parts) + 1):
                stem = "/".join(parts[first:last])
                yield from (each for top in self._tops for each in (f"{top}{stem}.py", f"{top}{stem}/__init__.py")
                            if each in self.project.modules)

    def _in_the_root(self, start: str) -> list[str]:
        """The modules below a name that the folder itself may have: by how what follows it starts, else next to it."""
        return [path for top in self._tops for path in self.project.paths if path.startswith(top + start) and (
            start or "/" not in path[len(top):].removesuffix("/__init__.py"))]

    def _packages(self, path: str) -> Iterator[str]:
        """The packages that a module stands in: they are loaded before it."""
        folder = posixpath.dirname(path)
        while folder:
            yield f"{folder}/__init__.py"
            folder = posixpath.dirname(folder)

    def _asked_for(self, path: str) -> Iterator[str]:
        """Those that a call may bring in: by how the name starts where that is written, else all.

        All as well where what loads them is handed on, looked for, or called by a text.
        """
        table = self.project.table(path)
        known = set()
        for call in table.calls if table is not None else ():
            called = self.project.resolve(path, None, call.func)
            if is_one_of(called, RUNS_FILES | {"builtins.compile"}) or (
                    isinstance(call.func, ast.Attribute) and call.func.attr in _ASKS_IPYTHON) or (
                    isinstance(call.func, ast.Name) and call.func.id == "execfile"):
                yield from self.project.paths
            elif is_one_of(called, GIVES_MODULE):
                asked = [*call.args[:1], *(each.value for each in call.keywords if each.arg in ("name", None))]
                start = ends_of(asked[0])[0].strip(".").replace(".", "/") if asked else ""
                named = [other for other in self.project.paths if f"/{start}" in f"/{other}"]
                if not named and not isinstance(asked[0], ast.Constant) and start.partition("/")[0] not in LIBRARIES:
                    named = self._in_the_root(start.partition("/")[2])
                yield from named
                known.add(id(call.func))
            elif isinstance(called, (ProjectFunction, ProjectClass)):
                known.add(id(call.func))
        if any(id(node) not in known and _may_load(node) for node in self.project.nodes(path)):
            yield from self.project.paths

    def _told_to_run(self, path: str) -> Iterator[str]:
        """What IPython is told to run in the namespace of a notebook."""
        for line in self.project.modules[path].magics:
            run = _RUN.search(line)
            if run is not None and not any(sign in run["told"] for sign in "{$*"):
                told = run["told"]
                yield from (other for other in self.project.paths if re.search(
                    rf"(?<!\w){re.escape(posixpath.splitext(posixpath.basename(other))[0])}(?!\w)", told))
            elif run is not None or _RUNS_OTHERS.match(line):
                yield from self.project.paths

    def _is_started(self, path: str) -> bool:
        """Does a module do something when it is loaded, or when it is run?"""
        tree = self.project.tree(path)
        body = tree.body if tree is not None else []
        return file_of(path) != path or path.endswith("__main__.py") or any(
            isinstance(each, (ast.For, ast.While, ast.With))
            or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Call))
            or (isinstance(each, ast.If) and any(
                isinstance(part, ast.Name) and part.id == "__name__" for part in walk(each.test)))
            for each in body)

    def _unpickles(self, path: str) -> bool:
        table = self.project.table(path)
        return any(isinstance(found, External) and (found.name in UNPICKLES or found.name.endswith((".load", ".loads")))
                   for call in (table.calls if table is not None else ())
                   if isinstance(call.func, (ast.Name, ast.Attribute))
                   and (found := self.project.resolve(path, None, call.func)) is not None)


def programs(project: Project) -> list[frozenset[str]]:
    """The programs of a project, worked out once."""
    return Meeting(project, Index(project.paths)).programs()


def _may_load(node: ast.AST) -> bool:
    """Is it a word for what loads a module, or a text that says one?"""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and (node.value in _WORDS or _IN_A_TEXT.search(node.value) is not None)
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)) in _WORDS


def asks_for_main(node: ast.AST) -> bool:
    """May it look at the names of the script that was started, which no import names?"""
    if isinstance(node, ast.Attribute):
        return node.attr in ("f_globals", "f_locals", "__globals__") or (
            node.attr == "modules" and isinstance(node.value, ast.Name) and node.value.id == "sys")
    if isinstance(node, ast.Call):  # ``import_module('__main__')``
        return any(isinstance(each, ast.Constant) and each.value == "__main__"
                   for each in (*node.args, *(given.value for given in node.keywords)))
    if isinstance(node, ast.Import):
        return any(alias.name == "__main__" or (alias.name == "sys" and alias.asname) for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module == "__main__" or (
        node.module == "sys" and any(alias.name in ("modules", "*") for alias in node.names)))


def _is_test(path: str) -> bool:
    """Does pytest, or unittest, collect a file by its name?"""
    name = posixpath.basename(file_of(path))
    return name.startswith("test") or name.endswith(("_test.py", "_tests.py")) or name == "conftest.py"
