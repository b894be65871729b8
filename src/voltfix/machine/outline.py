"""Which top-level statements of a module can wait until somebody asks for the names that they bind.

Every root is run on a machine of its own, and so is the module around it. Most of a module are definitions and imports
that one root never looks at. Those that bind a name once, and mean the same whenever they are carried out, wait; what
could be seen from elsewhere (an attribute set on something imported, a name that is bound twice) is carried out in its
place, and so are the imports of modules that hold such a thing.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from voltfix.program.imports import Index
from voltfix.program.meeting import asks_for_main
from voltfix.program.scopes import Definition, Scope, Table
from voltfix.program.walking import children, root_of, walk

_FRESH = (ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
# top-level statements that only matter when the module itself is the root: they bind nothing that functions rely on
RUNS = (ast.Expr, ast.For, ast.While, ast.With, ast.Delete, ast.Assert)
_BY_NAME = frozenset({"globals", "locals", "vars", "eval", "exec"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9.]{0,200}")


class Waiting(NamedTuple):
    """A definition, or one name of an import, that can wait."""

    statement: ast.stmt
    alias: ast.alias | None = None


class Outline:
    """A module's top level: the statements that run in their place, and by name those that wait."""

    def __init__(self, tree: ast.Module, waiting: Mapping[str, Waiting], unread: frozenset[str] = frozenset()) -> None:
        self.waiting = waiting
        self.unread = unread  # names that only what runs at the top level itself asks for
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
        self._words: frozenset[str] | None = None
        self._taken_whole: frozenset[str] | None = None
        self._asks_for_main: bool | None = None
        self._loud = self._loud_modules()

    def of(self, path: str) -> Outline:
        """The outline of the module at ``path``."""
        if path not in self._made:
            tree = self._trees.get(path, ast.Module([], []))
            self._made[path] = Outline(tree, dict(self._waiting(path, tree)), self._unread(path, tree))
        return self._made[path]

    # --- names that nobody asks for who is not the top level itself ------------------------------------------------

    def _unread(self, path: str, tree: ast.Module) -> frozenset[str]:
        """Names of a module that neither a function of it asks for, nor what it runs when it is imported, nor another.

        ``scores = search(objective)`` and ``print(scores)``: whoever looks at a function of the module needs no scores.
        """
        own = [statement for statement in tree.body if not isinstance(statement, ast.ClassDef)]
        unread = {name for statement in _top_level(own) for name in bound_by(statement)}
        table = self._tables.get(path)
        if not unread or table is None or self._all_are_asked_for(path):
            return frozenset()
        started = [inner for statement in tree.body for inner in run_when_started(statement)]
        body = [*(statement for statement in tree.body if not run_when_started(statement)), *started]
        assigned = [(bound, _read_in(table, parts)) for statement in (*body, *_top_level(started))
                    if (bound := bound_by(statement)) for parts in [_run_by(statement)]]
        read = _read_in(table, _seen_on_import(body))
        unread -= read | (self._asked_elsewhere() - self._bound_in(table, started)) if _BY_NAME.isdisjoint(
            read) else unread
        while True:  # what is only computed from them into what is not asked for either
            found = {name for bound, names in assigned if not unread.issuperset(bound) for name in names}
            if unread.isdisjoint(found):
                return frozenset(unread)
            unread -= found

    def _asked_elsewhere(self) -> frozenset[str]:
        """The words under which a module may be asked for a name of its own, by whichever module, in any way."""
        if self._words is None:
            found: set[str] = set()
            for tree in self._trees.values():
                for node in walk(tree):
                    if isinstance(node, ast.Attribute):
                        found.add(node.attr)
                    elif isinstance(node, ast.alias):
                        found.update(node.name.split("."))
                    elif isinstance(node, (ast.Global, ast.Nonlocal)):
                        found.update(node.names)
                    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.fullmatch(node.value):
                        found.update(node.value.split("."))
            self._words = frozenset(found)
        return self._words

    def _bound_in(self, table: Table, started: Iterable[ast.stmt]) -> set[str]:
        """The names that nothing binds but what runs where the module is the program: no import finds one."""
        places = {id(node) for statement in started for node in walk(statement)}
        bound = table.root.definitions.items()
        found = {name for name, definitions in bound if all(id(each.node) in places for each in definitions)}
        return found if found and not self._main_is_asked_for() else set()

    def _main_is_asked_for(self) -> bool:
        """May a module look at the names of the one that was started?"""
        if self._asks_for_main is None:
            self._asks_for_main = any(asks_for_main(node) for tree in self._trees.values() for node in walk(tree))
        return self._asks_for_main

    def _all_are_asked_for(self, path: str) -> bool:
        """Does a module take over all names of this one?"""
        if self._taken_whole is None:
            self._taken_whole = frozenset(
                target for other, tree in self._trees.items() for statement in walk(tree)
                if isinstance(statement, ast.ImportFrom) for alias in statement.names if alias.name == "*"
                for target in self._targets_of(other, statement, alias))
        return path in self._taken_whole

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


def _read_in(table: Table, nodes: Iterable[ast.AST]) -> set[str]:
    """The names of the module that these nodes ask for."""
    found: set[str] = set()
    for node in nodes:
        named = node.target if isinstance(node, ast.AugAssign) else node
        if isinstance(named, ast.Name) and (named is not node or isinstance(named.ctx, ast.Load)):
            scope: Scope | None = table.owner.get(named, table.root)
            while scope is not None and (scope.is_class or named.id not in scope.definitions):
                scope = scope.parent
            if scope is None or scope.parent is None:
                found.add(named.id)
    return found


def bound_by(statement: ast.stmt) -> list[str]:
    """The names that an assignment binds; none where it does anything else with one of its targets."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    parts = [part for target in targets for part in (
        target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []


def run_when_started(statement: ast.stmt) -> list[ast.stmt]:
    """What a module runs where it is the program itself, and no import of it does: ``if __name__ == "__main__":``."""
    if not isinstance(statement, ast.If) or statement.orelse or not isinstance(statement.test, ast.Compare):
        return []
    sides = [statement.test.left, *statement.test.comparators]
    asked = sorted(side.id if isinstance(side, ast.Name) else str(getattr(side, "value", "")) for side in sides)
    return statement.body if asked == ["__main__", "__name__"] and isinstance(statement.test.ops[0], ast.Eq) else []


def _seen_on_import(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """All of a top level but what it does where it binds nothing, or nothing but names; the functions in that, too."""
    for statement in body:
        hidden = isinstance(statement, RUNS) or bound_by(statement)
        for node in walk(statement):
            if not hidden:
                yield node
            elif isinstance(node, (ast.Lambda, *_DEFINITIONS)):
                yield from walk(node)


def _run_by(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement runs itself: not what is in functions."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        stack += [] if isinstance(node, ast.Lambda) else children(node)


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
