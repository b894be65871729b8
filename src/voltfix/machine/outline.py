"""Which top-level statements of a module can wait until somebody asks for the names that they bind.

Every root is run on a machine of its own, and so is the module around it. Most of a module are definitions and imports
that one root never looks at. Those that bind a name once, and mean the same whenever they are carried out, wait; what
could be seen from elsewhere (an attribute set on something imported, a name that is bound twice) is carried out in its
place, and so are the imports of modules that hold such a thing.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from voltfix.program.imports import Index
from voltfix.program.scopes import Definition, Table
from voltfix.program.walking import children, root_of, walk

_FRESH = (ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


class Waiting(NamedTuple):
    """A definition, or one name of an import, that can wait."""

    statement: ast.stmt
    alias: ast.alias | None = None


class Outline:
    """A module's top level: the statements that run in their place, and by name those that wait."""

    def __init__(self, tree: ast.Module, waiting: Mapping[str, Waiting]) -> None:
        self.waiting = waiting
        kept = {id(w.statement) for w in waiting.values()}
        self.at_once: list[ast.stmt] = []
        for statement in tree.body:
            if id(statement) not in kept:
                self.at_once.append(statement)
            elif isinstance(statement, _IMPORTS):
                rest = [a for a in statement.names if bound_name(a, statement) not in waiting]
                self.at_once += [with_names(statement, rest)] if rest else []
        found = [(w.statement.lineno, name) for name, w in waiting.items() if w.alias is None]
        self._starts = sorted(found)

    def name_at(self, line: int) -> str | None:
        """The name of the definition that waits and holds that line."""
        index = bisect_right(self._starts, (line, "\U0010ffff")) - 1
        if index < 0:
            return None
        name = self._starts[index][1]
        return name if line <= (self.waiting[name].statement.end_lineno or 0) else None


def bound_name(alias: ast.alias, statement: ast.stmt) -> str:
    """The name that one part of an import binds."""
    return alias.asname or (alias.name.split(".")[0] if isinstance(statement, ast.Import) else alias.name)


def with_names(statement: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> ast.stmt:
    """The import statement with some of its names only; the statement itself where that is all of them."""
    if len(names) == len(statement.names):
        return statement
    if isinstance(statement, ast.Import):
        return ast.copy_location(ast.Import(names), statement)
    return ast.copy_location(ast.ImportFrom(statement.module, names, statement.level), statement)


class Outlines:
    """The outlines of a project, each made when it is asked for."""

    def __init__(self, trees: Mapping[str, ast.Module], tables: Mapping[str, Table], index: Index) -> None:
        self._trees, self._tables, self._index = trees, tables, index
        self._made: dict[str, Outline] = {}
        self._loud = self._loud_modules()

    def of(self, path: str) -> Outline:
        """The outline of the module at ``path``."""
        if path not in self._made:
            tree = self._trees.get(path, ast.Module([], []))
            self._made[path] = Outline(tree, dict(self._waiting(path, tree)))
        return self._made[path]

    def _waiting(self, path: str, tree: ast.Module) -> Iterator[tuple[str, Waiting]]:
        table = self._tables.get(path)
        if table is None:
            return
        bound = table.root.definitions
        moved = {root.id for target in _targets(tree.body) if isinstance(root := root_of(target), ast.Name)}
        settled = frozenset(name for name, found in bound.items() if len(found) == 1 and name not in moved)
        for statement in tree.body:
            if isinstance(statement, _IMPORTS):
                for alias in statement.names:
                    name = bound_name(alias, statement)
                    if name in settled and not self._is_loud(path, statement, alias):
                        yield name, Waiting(statement, alias)
            elif isinstance(statement, _DEFINITIONS) and statement.name in settled and not statement.decorator_list:
                used = {node.id for node in _evaluated(statement) if isinstance(node, ast.Name)}
                if not any(name in bound and name not in settled for name in used):
                    yield statement.name, Waiting(statement)

    # --- modules whose import can be noticed -----------------------------------------------------------------------

    def _loud_modules(self) -> frozenset[str]:
        """Modules that change things of other modules when they are imported, and those that import such a module."""
        loud = {path for path, tree in self._trees.items() if self._changes_others(path, tree)}
        importers: dict[str, list[str]] = {}
        for path, tree in self._trees.items() if loud else ():
            for statement in _top_level(tree.body):
                if isinstance(statement, _IMPORTS):
                    for alias in statement.names:
                        for target in self._targets_of(path, statement, alias):
                            importers.setdefault(target, []).append(path)
        todo = list(loud)
        while todo:
            fresh = set(importers.get(todo.pop(), ())) - loud
            loud |= fresh
            todo += fresh
        return frozenset(loud)

    def _changes_others(self, path: str, tree: ast.Module) -> bool:
        """Is there an assignment at the top level to a part of something that may be another module's?"""
        return any(self._is_others(path, root_of(target)) for target in _targets(tree.body))

    def _is_others(self, path: str, root: ast.AST) -> bool:
        if not isinstance(root, ast.Name):
            return True
        found = self._tables[path].root.definitions.get(root.id, []) if path in self._tables else []
        return not found or not all(self._is_own(path, definition) for definition in found)

    def _is_own(self, path: str, found: Definition) -> bool:
        """Does the definition bind a thing that this module made, or one of a library?"""
        if found.source is not None:
            return self._index.find(path, found.source.module, found.source.level) is None
        return found.kind in ("function", "class") or isinstance(found.value, _FRESH)

    def _is_loud(self, path: str, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
        return any(target in self._loud for target in self._targets_of(path, statement, alias))

    def _targets_of(self, path: str, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Iterator[str]:
        """The modules of the project that one part of an import may run."""
        if isinstance(statement, ast.Import):
            found = self._index.find(path, alias.name if alias.asname else alias.name.split(".")[0])
            yield from [found] if found is not None else []
            return
        found = self._index.find(path, statement.module or "", statement.level)
        if found is not None:
            yield found
            inside = self._index.within(found, alias.name)
            yield from [inside] if inside is not None else []


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a suite and of the suites in it, class bodies included, functions not."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _top_level(getattr(statement, name, []))
        for handler in getattr(statement, "handlers", []):
            yield from _top_level(handler.body)
        for case in getattr(statement, "cases", []):
            yield from _top_level(case.body)


def _targets(body: list[ast.stmt]) -> Iterator[ast.Attribute | ast.Subscript]:
    """The attributes and items that the top level assigns to."""
    for statement in _top_level(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
            targets = [statement.target]
        for target in targets:
            for node in walk(target):
                if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
                    yield node


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """What is evaluated when a definition is carried out: defaults, bases, class bodies; not what functions hold."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack += [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
            stack += getattr(node, "decorator_list", [])
        else:
            stack += children(node)
