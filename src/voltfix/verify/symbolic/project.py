"""One side of a comparison: the texts of a project, its functions and classes, who calls whom, and how
modules load.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import itertools
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from voltfix.verify.plan import Origins
from voltfix.verify.symbolic import attributes, calls, copies, ops, tables, torchnames
from voltfix.verify.symbolic.acting import Acting, acting_in
from voltfix.verify.symbolic.builtin import builtin_names, lazy_zip, make_builtins
from voltfix.verify.symbolic.cells import apart
from voltfix.verify.symbolic.deferred import Deferred, deferred, is_inert, lean
from voltfix.verify.symbolic.neighbours import block_line
from voltfix.verify.symbolic.parts import Put, parts_in, put_in
from voltfix.verify.symbolic.rewrite import ForbiddenCodeError, fence, finish, mark, may_wait, prepare
from voltfix.verify.symbolic.sequences import lazy_map
from voltfix.verify.symbolic.skipping import Passed, guard
from voltfix.verify.symbolic.standin import StandIn, elsewhere, unknown
from voltfix.verify.symbolic.unbound import filled_from_outside, imported_by, never_bound
from voltfix.verify.symbolic.unweighted import Unweighted, text_of
from voltfix.verify.symbolic.walking import last_word, walk
from voltfix.verify.symbolic.weightless import Given, Names, given_in
from voltfix.verify.symbolic.world import Stopped, VolatileError, World, here

Mark = tuple[str, int, int]  # a statement: path, line and column
Function = ast.FunctionDef | ast.AsyncFunctionDef
_UNPREPARED = (SyntaxError, ValueError, RecursionError, ForbiddenCodeError, MemoryError)
_SIMPLE = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Lambda,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.Call,
    ast.keyword,
    ast.Starred,
    ast.UnaryOp,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Subscript,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
    ast.Slice,
    ast.JoinedStr,
    ast.FormattedValue,
)


@dataclass(frozen=True)
class Unit:
    """A function of the project: a top-level one or a method. ``name`` is "" for the body of a module."""

    path: str
    name: str


def _own_name(path: str) -> str:
    """The last word by which others import a module."""
    return path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]


@dataclass
class ClassInfo:
    """What a class of the project offers: names of its methods, and of what its methods store on self."""

    name: str
    path: str
    methods: set[str]
    stored: set[str]
    base_names: list[str]


@dataclass
class Side:
    """The texts of one side, ``path -> text``; everything is worked out when first asked for."""

    texts: Mapping[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    origins: Origins = field(default_factory=dict)  # where the lines stand in the documents, if elsewhere
    twin: Side | None = None  # the other side: a module that is the same there is prepared once
    _walked: dict[ast.AST, list[ast.AST]] = field(default_factory=dict)
    _parsed: dict[str, ast.Module] = field(default_factory=dict)

    def where(self, path: str, line: int) -> str:
        """``line 3``, in a notebook ``cell 2, line 3``: as a reader of the document finds it."""
        for first, at, cell in reversed(self.origins.get(path, ())):
            if first <= line:
                found = at + line - first
                return f"line {found}" if cell is None else f"cell {cell}, line {found}"
        return f"line {line}"

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """The rewritten trees of the modules that could be prepared; ``errors`` has the causes of the
        others.
        """
        found = {}
        for path, text in self.texts.items():
            try:
                if self.twin is not None and path in self.shared:
                    self._parsed[path] = self.twin._parsed[path]
                else:
                    self._parsed[path] = ast.parse(text, filename=path)
            except _UNPREPARED as error:
                self.errors[path] = str(error)
        filled = filled_from_outside({path: self.inside(tree) for path, tree in self._parsed.items()})
        for path, tree in self._parsed.items():
            if self.twin is not None and path in self.shared:
                found[path] = self.twin.trees[path]
                continue
            try:
                found[path] = prepare(
                    tree, path, may_wait(self.texts[path]), self.inside(tree), filled.get(_own_name(path), ())
                )
            except _UNPREPARED as error:
                self.errors[path] = str(error)
        return found

    @cached_property
    def shared(self) -> frozenset[str]:
        """The modules that are the same on the other side."""
        if self.twin is None:
            return frozenset()
        old = self.twin
        return frozenset(path for path, text in self.texts.items() if path in old.trees and old.texts[path] == text)

    def mark(self, marks: Iterable[Mark]) -> None:
        """Let these statements tell when they run; before anything does. What is shared, the other side marked."""
        places: dict[str, set[tuple[int, int]]] = {}
        for path, line, column in marks:
            places.setdefault(path, set()).add((line, column))
        for path in (places.keys() & self.trees.keys()) - self.shared:
            mark(self.trees[path], path, places[path])
            self.codes.clear()
            self.notes.pop(("definitions", path), None)

    def fence(self, blocks: Iterable[tuple[str, int]]) -> None:
        """Let what stands behind these blocks (path, line) tell when it is over; before anything runs."""
        lines: dict[str, set[int]] = {}
        for path, line in blocks:
            lines.setdefault(path, set()).add(line)
        for path in lines.keys() & self.trees.keys():
            fence(self.trees[path], path, lines[path])
            self.codes.clear()
            self.notes.pop(("definitions", path), None)

    def guard(self, path: str, statement: Passed) -> None:
        """Let runs go past a statement (``skipping.py``)."""
        if self.twin is not None and path in self.shared:
            self.twin.guard(path, statement)
        else:
            guard(self.trees[path], path, statement)
        self.codes.clear()
        for label in ("definitions", "parts", "deferred", "lean"):
            self.notes.pop((label, path), None)

    def inside(self, node: ast.AST) -> list[ast.AST]:
        """A node of a plain tree and all that is in it; walked once."""
        known = self._walked if self.twin is None else self.twin._walked
        found = known.get(node)
        if found is None:
            found = known[node] = walk(node)
        return found

    @cached_property
    def plain_trees(self) -> dict[str, ast.Module]:
        """The trees as written (for questions about the text)."""
        return {path: self._parsed[path] for path in self.trees}

    def is_whole(self, path: str) -> bool:
        """Is all that a module binds there once its definitions were run?"""
        label = ("whole", path)
        if label not in self.notes:
            body = self.plain_trees[path].body
            stars = [each for each in body if isinstance(each, ast.ImportFrom) and each.names[0].name == "*"]
            self.notes[label] = not stars and all(defines(each) or isinstance(each, ast.Expr) for each in body)
        found: bool = self.notes[label]
        return found

    @cached_property
    def codes(self) -> dict[tuple[str, bool, bool], types.CodeType]:
        """Compiled modules: (path, whole body?, cell by cell?)."""
        return {}

    def code(self, path: str, whole: bool, apart_: bool = False) -> types.CodeType:
        """The code of a module: its whole body, or its definitions only; ``apart_``: cell by cell (``cells.py``)."""
        if self.twin is not None and path in self.shared:
            return self.twin.code(path, whole, apart_)
        if (path, whole, apart_) not in self.codes:
            tree = self.trees[path]
            body = tree.body if whole else self._definitions(path)
            finish(body)
            module = ast.Module(body=apart(body, self.cells(path)) if apart_ else body, type_ignores=[])
            self.codes[path, whole, apart_] = compile(module, "vf:" + path, "exec", dont_inherit=True)
        return self.codes[path, whole, apart_]

    def cells(self, path: str) -> list[tuple[int, int]]:
        """The cells of a notebook: the first line of each, and its number."""
        return [(first, cell) for first, _, cell in self.origins.get(path, ()) if cell is not None]

    def _definitions(self, path: str) -> list[ast.stmt]:
        """What functions may use of a module, rewritten; found once, after the statements were marked."""
        if self.twin is not None and path in self.shared:
            return self.twin._definitions(path)
        label = ("definitions", path)
        if label not in self.notes:
            self.notes[label] = list(definitions(self.trees[path].body))
        found: list[ast.stmt] = self.notes[label]
        return found

    def parts(self, path: str) -> list[tuple[types.CodeType, set[str]]]:
        """The definitions of a module one by one, each with the names that it binds."""
        if self.twin is not None and path in self.shared:
            return self.twin.parts(path)
        label = ("parts", path)
        if label not in self.notes:
            finish(self.trees[path].body)
            self.notes[label] = [
                (compile(ast.Module([each], []), "vf:" + path, "exec", dont_inherit=True), bound_in(each) | _held(each))
                for each in self._definitions(path)
            ]
        found: list[tuple[types.CodeType, set[str]]] = self.notes[label]
        return found

    def deferred(self, path: str) -> Deferred:
        """The definitions of a module, apart: those that are run when it is loaded, and those that can wait."""
        label = ("deferred", path)
        if label not in self.notes:
            if self.twin is not None and path in self.shared and self._binds_alike:
                return self.twin.deferred(path)
            body = self._definitions(path)
            whole = self.inside(self.plain_trees[path])
            self.notes[label] = deferred(path, body, whole, builtin_names(), lambda node: self._can_wait(path, node))
        found: Deferred = self.notes[label]
        return found

    def lean(self, path: str) -> Deferred:
        """The same in lean runs."""
        label = ("lean", path)
        if label not in self.notes:
            if self.twin is not None and path in self.shared and self._binds_alike:
                return self.twin.lean(path)
            self.notes[label] = lean(path, self._definitions(path), self.deferred(path))
        found: Deferred = self.notes[label]
        return found

    @cached_property
    def _binds_alike(self) -> bool:
        """Do the modules that are not the same on the other side bind the same names there, and do as little else?"""
        twin = self.twin
        if twin is None or self.texts.keys() != twin.texts.keys() or self.trees.keys() != twin.trees.keys():
            return False
        own = [path for path in self.trees if path not in self.shared]
        alike = all(self._bound_by(path) == twin._bound_by(path) for path in own)
        return alike and all(self._is_inert(path) == twin._is_inert(path) for path in own)

    def _can_wait(self, path: str, node: ast.Import | ast.ImportFrom) -> bool:
        """Does it make no difference when this import is done? Of modules of the project, those that bind names alone,
        where it binds nothing in them."""
        if isinstance(node, ast.Import):
            for name in (each.name for each in node.names):
                own, top = self.resolve(path, name, 0), self.resolve(path, name.split(".")[0], 0)
                if (own or top) is not None and ("." in name or own is None or not self._is_inert(own)):
                    return False
            return True
        own = self.resolve(path, node.module or "", node.level)
        parts = self.modules_in(path, node.module or "", [each.name for each in node.names], node.level)
        if own is None and parts:  # modules of a folder that has no __init__.py
            return all(each.name in parts and self._is_inert(parts[each.name]) for each in node.names)
        if own is None or own not in self.trees:
            first = (node.module or "").split(".")[0]
            return not node.level and bool(first) and own is None and self.resolve(path, first, 0) is None
        there = self._bound_by(own)
        return self._is_inert(own) and all(each.name in there for each in node.names)

    def _bound_by(self, path: str) -> set[str]:
        """The names that the definitions of a module bind."""
        label = ("bound by", path)
        if label not in self.notes:
            body = self._definitions(path)
            self.notes[label] = {name for each in body for name in bound_in(each) | _held(each)}
        found: set[str] = self.notes[label]
        return found

    def _is_inert(self, path: str) -> bool:
        """Does a module bind names when it is loaded, and do nothing else; and so all that it imports?"""
        label = ("inert", path)
        if label not in self.notes:
            self.notes[label] = True  # for those that import each other
            body = self._definitions(path) if path in self.trees else [ast.Raise()]
            imports = [each for each in body if isinstance(each, (ast.Import, ast.ImportFrom))]
            rest = [each for each in body if not isinstance(each, (ast.Import, ast.ImportFrom))]
            self.notes[label] = all(map(is_inert, rest)) and all(self._can_wait(path, each) for each in imports)
        found: bool = self.notes[label]
        return found

    def late(self, path: str, main: bool) -> frozenset[str]:
        """The names that a module does not have yet while it runs (``main``), or never has (``unbound.py``)."""
        label = ("late", path, main)
        if label not in self.notes:
            tree, old, found = self.plain_trees[path], self.twin, frozenset[str]()
            if not any(self._is_elsewhere(path, each) for each in self.inside(tree)):
                if main:
                    found |= imported_by(tree)
                if old is not None and path in old.trees and path not in self.shared:
                    found |= never_bound(old.texts[path], self.texts[path])
            self.notes[label] = found
        known: frozenset[str] = self.notes[label]
        return known

    def _is_elsewhere(self, path: str, node: ast.AST) -> bool:
        """Is it a star import of a module that is not at hand? Nobody knows what that binds."""
        if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*":
            return False
        return (node.module or "").split(".")[0] != "torch" and (
            self.resolve(path, node.module or "", node.level) not in self.trees)

    @cached_property
    def notes(self) -> dict[Any, Any]:
        """What was worked out about the texts once and is asked for in every run."""
        return {}

    @cached_property
    def units(self) -> dict[Unit, Function]:
        """All top-level functions and methods."""
        return {
            Unit(path, name): node
            for path, tree in self.plain_trees.items()
            for name, node in _functions(tree.body)
        }

    @cached_property
    def flag_readers(self) -> frozenset[Unit]:
        """The functions that ask a tensor whether it is volatile."""

        def asks(node: ast.AST) -> bool:
            return (
                isinstance(node, ast.Attribute) and node.attr == "volatile" and isinstance(node.ctx, ast.Load)
            )

        return frozenset(
            unit for unit, node in self.units.items() if any(asks(each) for each in self.inside(node))
        )

    @cached_property
    def keyed(self) -> frozenset[str]:
        """The words under which functions put something into a container: with other settings others of them ran."""
        items = (each for node in self.units.values() for each in self.inside(node) if isinstance(each, ast.Subscript))
        stored = (each.slice for each in items if isinstance(each.ctx, ast.Store))
        return frozenset(word.value for word in stored if isinstance(word, ast.Constant) and type(word.value) is str)

    @cached_property
    def volatile_attributes(self) -> frozenset[str]:
        """The attributes in which this side never stores anything but volatile Variables, and that stay so."""
        stored: dict[str, bool] = {}
        for tree in self.plain_trees.values():
            nodes = self.inside(tree)
            plain = {
                id(target): each.value
                for each in nodes
                if isinstance(each, ast.Assign)
                for target in each.targets
            }
            for each in nodes:
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                    first = plain.get(id(each))
                    if isinstance(first, ast.Constant) and first.value is None:
                        continue  # nothing is there yet
                    volatile = id(each) in plain and _is_volatile_variable(plain[id(each)])
                    stored[each.attr] = stored.get(each.attr, True) and volatile
                    if each.attr in ("volatile", "data") and isinstance(each.value, ast.Attribute):
                        stored[each.value.attr] = False
        return frozenset(name for name, volatile in stored.items() if volatile)

    @cached_property
    def functions(self) -> Names:
        """The names that this side gives to nothing but what has no parameters."""
        return Names(self._given_in(path) for path in self.plain_trees)

    @cached_property
    def unweighted(self) -> Unweighted:
        """The names that this side gives to nothing but objects of its classes that have no weights."""
        return Unweighted({path: text_of(self.inside(tree)) for path, tree in self.plain_trees.items()})

    @cached_property
    def cutting(self) -> dict[str, tuple[str, str]]:
        """The attributes under which this side puts nothing but objects of one class that goes on with data alone."""
        found = {path: self._put_in(path, tree) for path, tree in self.plain_trees.items()}
        return parts_in(found, self.resolve)

    def _put_in(self, path: str, tree: ast.Module) -> Put:
        if self.twin is not None and path in self.shared:
            return self.twin._put_in(path, tree)
        label = ("put in", path)
        if label not in self.notes:
            self.notes[label] = put_in(tree, self.inside(tree))
        found: Put = self.notes[label]
        return found

    @cached_property
    def effects(self) -> frozenset[str]:
        """The names of what this side calls for its effect alone, and gives to nothing."""
        parts = [self._given_in(path) for path in self.plain_trees]
        called = {name for part in parts for name in part.effects} - self._assigned
        items = {item for part in parts for name, found in part.rounds.items() if name in called for item in found}
        return frozenset((called | items) - {item for part in parts for item in part.listed})

    def acting(self, path: str) -> Acting:
        """What a module calls for its effect alone, by line."""
        if self.twin is not None and path in self.shared:
            return self.twin.acting(path)
        label = ("acting", path)
        if label not in self.notes:
            tree = self.plain_trees.get(path)
            self.notes[label] = acting_in(self.inside(tree)) if tree is not None else {}
        found: Acting = self.notes[label]
        return found

    @cached_property
    def _assigned(self) -> set[str]:
        parts = [self._given_in(path) for path in self.plain_trees]
        return {name for part in parts for name in (*part.assigned, *part.stored)}

    def _given_in(self, path: str) -> Given:
        """What a module gives to names."""
        if self.twin is not None and path in self.shared:
            return self.twin._given_in(path)
        label = ("given in", path)
        if label not in self.notes:
            self.notes[label] = given_in(self.inside(self.plain_trees[path]))
        found: Given = self.notes[label]
        return found

    @cached_property
    def classes(self) -> dict[str, ClassInfo]:
        """The classes of the project by name."""
        return {info.name: info for path in self.plain_trees for info in self._classes_in(path)}

    def _classes_in(self, path: str) -> list[ClassInfo]:
        if self.twin is not None and path in self.shared:
            return self.twin._classes_in(path)
        label = ("classes in", path)
        if label not in self.notes:
            nodes = self.inside(self.plain_trees[path])
            self.notes[label] = [_class_info(path, node) for node in nodes if isinstance(node, ast.ClassDef)]
        found: list[ClassInfo] = self.notes[label]
        return found

    def members(self, name: str, seen: tuple[str, ...] = ()) -> tuple[set[str], set[str]]:
        """(methods, stored names) of a class, those of its bases in the project included."""
        info = self.classes.get(name)
        if info is None or name in seen:
            return set(), set()
        methods, stored = set(info.methods), set(info.stored)
        for base in info.base_names:
            more = self.members(base, (*seen, name))
            methods |= more[0]
            stored |= more[1]
        return methods, stored

    def resolve(self, importer: str, name: str, level: int) -> str | None:
        """The path of the project's module that ``import name`` in ``importer`` means; None: none of the
        project.
        """
        label = ("resolve", importer, name, level)
        if label not in self.notes:
            self.notes[label] = self._resolved(importer, name, level)
        found: str | None = self.notes[label]
        return found

    def modules_in(self, importer: str, name: str, wanted: Iterable[str], level: int) -> dict[str, str]:
        """The paths of the project's modules among what ``from NAME import WANTED`` in ``importer`` asks for."""
        found = {each: self.resolve(importer, f"{name}.{each}", level) for each in wanted}
        return {each: path for each, path in found.items() if path is not None}

    def _resolved(self, importer: str, name: str, level: int) -> str | None:
        parts = [part for part in name.split(".") if part]
        folder = importer.split("/")[:-1]
        if level > 0:
            return self._file([*folder[: len(folder) - level + 1], *parts])
        for start in (folder, []):
            found = self._file([*start, *parts])
            if found is not None and found != importer:  # what has a library's name, and imports that
                return found
        suffix = "/".join(parts)
        for path in self.texts:
            ends = path.endswith(("/" + suffix + ".py", "/" + suffix + "/__init__.py"))
            if ends and path != importer and (len(parts) > 1 or not self._is_another(importer, path)):
                return path
        return None

    def _is_another(self, importer: str, path: str) -> bool:
        """Does a module import another one by the name of its package? Its last name alone is another there."""
        label = ("dotted", importer)
        if label not in self.notes:
            nodes = self.inside(self._parsed[importer]) if importer in self._parsed else []
            froms = [each for each in nodes if isinstance(each, ast.ImportFrom) and each.module and not each.level]
            names = {alias.name for each in nodes if isinstance(each, ast.Import) for alias in each.names}
            names |= {each.module or "" for each in froms}
            names |= {f"{each.module}.{alias.name}" for each in froms for alias in each.names}
            self.notes[label] = {name.replace(".", "/") for name in names if "." in name}
        own = path.removesuffix(".py").removesuffix("/__init__")
        return any(("/" + own).endswith("/" + name) for name in self.notes[label])

    def _file(self, parts: list[str]) -> str | None:
        stem = "/".join(parts)
        for path in (stem + ".py", (stem + "/" if stem else "") + "__init__.py"):
            if path in self.texts:
                return path
        return None


def _functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _functions(node.body, prefix)
            yield from _functions(node.orelse, prefix)


def _is_volatile_variable(node: ast.expr) -> bool:
    """``Variable(x, volatile=True)``, perhaps moved to a device or cast."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in tables.VIEWS:
        node = node.func.value
    if not isinstance(node, ast.Call):
        return False
    name = last_word(node.func)
    flags = [each.value for each in node.keywords if each.arg == "volatile"] or node.args[2:3]
    return name == "Variable" and any(isinstance(each, ast.Constant) and each.value is True for each in flags)


def _class_info(path: str, node: ast.ClassDef) -> ClassInfo:
    methods = {each.name for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
    stored = {
        each.attr
        for each in walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }
    names = [base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases]
    return ClassInfo(node.name, path, methods, stored, names)


def defines(node: ast.stmt) -> bool:
    """Does this top-level statement define something that functions may use, without doing anything?"""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, ast.Assign):
        return all(_binds(target) for target in node.targets) and _simple(node.value)
    if isinstance(node, ast.AnnAssign):
        return node.value is not None and isinstance(node.target, ast.Name) and _simple(node.value)
    if isinstance(node, ast.With):  # a grad mode around it changes nothing
        inside = [each for each in node.body if not hasattr(each, "made")]
        return block_line(node) is not None and all(map(defines, inside))
    if isinstance(node, ast.For):  # a table that is filled for each of a few
        return isinstance(node.iter, (ast.List, ast.Tuple)) and all(map(defines, node.body)) and not node.orelse
    if isinstance(node, (ast.If, ast.Try)):
        parts = [*node.body, *node.orelse]
        parts += [each for handler in getattr(node, "handlers", ()) for each in handler.body]
        return all(defines(each) or isinstance(each, (ast.Pass, ast.Expr)) for each in parts)
    return False


def definitions(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What functions may use of these statements: those that define something, functions and classes inside of
    others. A module, a function or a class whose name the others bind again is not what they find there."""
    held: set[str] = set()
    for node in body:
        if defines(node):
            held |= _held(node)
            yield node
            continue
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            inside = [each for each in walk(node) if isinstance(each, ast.stmt)]
            scopes = [each for each in inside if isinstance(each, _SCOPES)]
            inner = {id(each) for scope in scopes for each in walk(scope) if each is not scope}
            yield from (each for each in scopes if id(each) not in inner)
        for name in sorted(held & bound_in(node)):
            held.discard(name)
            value = ast.Call(ast.Name("__vf_rebound__", ast.Load()), [ast.Constant(name)], [])
            made = ast.Assign([ast.Name(name, ast.Store())], value)
            yield ast.fix_missing_locations(ast.copy_location(made, node))


def _held(node: ast.stmt) -> set[str]:
    """The names that a statement gives to modules, functions and classes."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {each.asname or each.name.split(".")[0] for each in node.names}
    return {node.name} if isinstance(node, _SCOPES) else set()


def bound_in(node: ast.stmt) -> set[str]:
    """The names that a statement binds in the scope that it stands in."""
    found: set[str] = set()
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            found.add(each.id)
        if not isinstance(each, (*_SCOPES, ast.Lambda, *_COMPREHENSIONS)):
            waiting += ast.iter_child_nodes(each)
    return found


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _binds(target: ast.expr) -> bool:
    """A name, or a part of what a name holds: ``options.test = False``."""
    if isinstance(target, (ast.Attribute, ast.Subscript)):
        return _binds(target.value)
    return isinstance(target, (ast.Name, ast.Tuple))


def _simple(node: ast.expr) -> bool:
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.Call):
        inside = [*node.args, *(each.value for each in node.keywords)]
        return _simple(node.func) and all(_simple(each) for each in inside)
    return all(isinstance(each, _SIMPLE) for each in walk(node))


# what the protocols of stand-ins do lies in modules that import theirs
elsewhere.attribute, elsewhere.set_attribute = attributes.attribute, attributes.set_attribute
elsewhere.item, elsewhere.set_item, elsewhere.call = ops.item, ops.set_item, calls.call
_TORCH = {"Variable": "torch.autograd.Variable", "torch": "torch"}


class _Builtins(dict[str, Any]):
    """Builtins of a run; a name that nothing binds is an unknown global."""

    def __init__(self, world: World, *args: Any) -> None:
        super().__init__(*args)
        self._world = world
        self.waiting: dict[str, ast.stmt] = {}  # definitions of the module that nobody asked for yet
        self.names: dict[str, Any] = {}
        self.deferred: Deferred | None = None
        self.late: frozenset[str] = frozenset()  # ``Side.late``

    def define(self, name: str) -> Any:
        """Run the definition of a name that waits."""
        assert self.deferred is not None
        node, world = self.waiting[name], self._world
        for each in [each for each, other in self.waiting.items() if other is node]:
            del self.waiting[each]
        world.loading += 1
        try:
            exec(self.deferred.code_of(node), self.names)
        except Exception:
            if not world.filled:
                raise
            bound = bound_in(node) | _held(node)
            self.names.update((each, unknown(each)) for each in sorted(bound) if each not in self.names)
        finally:
            world.loading -= 1
        return self.names[name]

    def __missing__(self, name: str) -> Any:
        if name in self.waiting:
            return self.define(name)
        if name.startswith("__") or name in ("WindowsError",):
            raise KeyError(name)
        if name in self.late and not self._world.is_there(name):
            raise KeyError(name)
        if name in _TORCH:  # came with a star import of a module that is not at hand
            return torchnames.name(_TORCH[name])
        if name not in self._world.globals:
            self._world.globals[name] = unknown(name)
        return self._world.globals[name]


class _Module(types.ModuleType):
    """A module of the project. What others find in it, and its definitions do not bind, is unknown, as it is to itself:
    it is computed, or an import elsewhere puts it there."""

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["__builtins__"].waiting:
            return self.__dict__["__builtins__"].define(name)
        if name.startswith("__") or (self.__dict__.get("_vf_whole", False) and not here().filled):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        made = self.__dict__[name] = unknown(f"{self.__name__}.{name}")
        return made


class Loader:
    """The modules of one side in one run."""

    def __init__(self, side: Side, world: World) -> None:
        self.side = side
        self.modules: dict[str, types.ModuleType] = {}
        self.main: str | None = None
        self.namespaces: dict[str, types.SimpleNamespace] = {}
        self.builtins = make_builtins(self._import)
        world.hand_out(self.modules)

    def load(self, path: str, main: bool = False) -> types.ModuleType:
        """Run a module: its definitions; all of it when it is the one whose body is looked at."""
        if path in self.modules:
            return self.modules[path]
        name = "__main__" if main else path[: -len(".py")].replace("/", ".")
        module = _Module(name)
        self.modules[path] = module
        world = here()
        builtins = _Builtins(world, self.builtins)
        builtins.late = self.side.late(path, main)
        module.__dict__.update(__builtins__=builtins, __name__=name, __file__=path, _vf_path=path)
        module.__dict__["_vf_whole"] = not path.endswith("__init__.py") and self.side.is_whole(path)
        world.loading += 1
        try:
            self._run(path, main, module.__dict__)
        except Exception as error:
            world.unloaded = not (main or world.lean) and not isinstance(error, (VolatileError, Stopped))
            raise
        finally:
            world.loading -= 1
        return module

    def _run(self, path: str, main: bool, names: dict[str, Any]) -> None:
        """Run the definitions of a module; those that end at an error bind unknowns where all that is missing is
        filled in. What a module does while it is loaded is no doing of the function that is looked at."""
        if main:
            exec(self.side.code(path, main, here().onward), names)
            return
        builtins, filled = names["__builtins__"], here().filled
        parts = self.side.lean(path) if here().lean else self.side.deferred(path)
        waiting = parts.computed if filled else parts.waiting
        builtins.waiting, builtins.names, builtins.deferred = dict(waiting), names, parts
        if not filled:
            exec(parts.code(), names)
            return
        for code, bound in self.side.parts(path):
            if bound and bound <= waiting.keys():
                continue
            try:
                exec(code, names)
            except Exception:
                names.update((name, unknown(name)) for name in sorted(bound) if name not in names)

    def find(self, path: str, name: str) -> Any:
        """What a module of the project holds by a name; None where it binds none."""
        module = self.load(path)
        if name in module.__dict__["__builtins__"].waiting:
            return module.__dict__["__builtins__"].define(name)
        return module.__dict__.get(name)

    def _import(
        self,
        name: str,
        scope: Mapping[str, Any] | None = None,
        _: Any = None,
        wanted: Any = (),
        level: int = 0,
    ) -> Any:
        importer = str((scope or {}).get("_vf_path", ""))
        if "*" in (wanted or ()) and self.side.resolve(importer, name, level) is None:
            return _everything(name)
        path = self.side.resolve(importer, name, level)
        if path is not None and path in self.side.trees:
            return self._project(path, name, wanted, importer, level)
        own = self.side.resolve(importer, name.split(".")[0], level) if "." in name and not wanted else None
        if own is not None and own in self.side.trees:  # a part of a package of the project that is not at hand
            return self._top(name, importer, level, unknown(name, "imported"))
        if name == "torch" or name.startswith("torch."):
            return torchnames.name(name if wanted else "torch")
        if name == "__future__":
            return types.SimpleNamespace(**dict.fromkeys(wanted))
        real = _PURE.get(name)
        if real is not None:
            return real
        parts = self.side.modules_in(importer, name, wanted or (), level)
        if not self.side.trees.keys().isdisjoint(parts.values()):  # of a folder without __init__.py: Python looks there
            return types.SimpleNamespace(**{
                each: self.load(parts[each]) if parts.get(each) in self.side.trees else unknown(
                    f"{name}.{each}", "imported") for each in wanted})
        head = name.split(".")[0]
        return unknown(name, "imported") if wanted else _PURE.get(head) or unknown(head, "imported")

    def _project(self, path: str, name: str, wanted: Any, importer: str, level: int) -> Any:
        module = self.load(path)
        waiting = module.__dict__["__builtins__"].waiting
        while "*" in (wanted or ()) and waiting:
            module.__dict__["__builtins__"].define(next(iter(waiting)))
        for each in wanted or ():
            if each != "*" and each not in module.__dict__ and each not in waiting:
                inner = self.side.resolve(path if path.endswith("__init__.py") else importer, each, 1)
                inner = inner or self.side.resolve(importer, f"{name}.{each}", level)
                if inner is not None and inner in self.side.trees:
                    setattr(module, each, self.load(inner))
                else:
                    setattr(module, each, unknown(f"{module.__name__}.{each}", "imported"))
        return module if wanted or "." not in name else self._top(name, importer, level, module)

    def _top(self, name: str, importer: str, level: int, found: Any) -> Any:
        """What ``import a.b`` binds: ``a``, which has ``b`` from then on; ``found``: what ``a.b`` is."""
        first, *rest = name.split(".")
        path = self.side.resolve(importer, first, level)
        known = path is not None and path in self.side.trees
        top: Any = self.load(str(path)) if known else self.namespaces.setdefault(first, types.SimpleNamespace())
        place, told = top, first
        for part in rest[:-1]:
            told += "." + part
            path = self.side.resolve(importer, told, level)
            if part not in place.__dict__:
                known = path is not None and path in self.side.trees
                setattr(place, part, self.load(str(path)) if known else types.SimpleNamespace())
            place = getattr(place, part)
        setattr(place, rest[-1], found)
        return top


def _everything(name: str) -> Any:
    """``from NAME import *``: what torch really has there; of other modules the names are not known."""
    real = sys.modules.get(name) if name.split(".")[0] == "torch" else None
    names = [] if real is None else [each for each in dir(real) if not each.startswith("_")]
    found: dict[str, Any] = {each: torchnames.name(f"{name}.{each}") for each in names}
    return types.SimpleNamespace(__all__=names, **found)


def _partial(function: Any, *args: Any, **kwargs: Any) -> Any:
    def call(*more: Any, **named: Any) -> Any:
        return function(*args, *more, **{**kwargs, **named})

    return call


class _Context:
    """What ``contextlib.contextmanager`` makes of a generator."""

    __slots__ = ("_vf",)

    def __init__(self, generator: Iterator[Any]) -> None:
        self._vf = generator

    def __enter__(self) -> Any:
        return next(self._vf)

    def __exit__(self, kind: Any, error: Any, _: Any) -> bool:
        if error is None:
            next(self._vf, None)
            return False
        try:
            self._vf.throw(error)  # type: ignore[attr-defined]
        except StopIteration:
            return True
        raise RuntimeError("generator didn't stop after throw()")  # as contextlib has it


def _wraps(_: Any) -> Any:
    return lambda function: function


def _cached(*given: Any, **_: Any) -> Any:
    """``@lru_cache`` and ``@lru_cache(...)``: nothing is kept."""
    return given[0] if given and callable(given[0]) else lambda function: function


def _chain(*parts: Any) -> list[Any]:
    return _chained(parts)


def _chained(parts: Any) -> list[Any]:
    return [each for part in parts for each in part]


vars(_chain)["from_iterable"] = _chained


def _copy(thing: Any) -> Any:
    return (
        thing
        if isinstance(thing, StandIn)
        else (type(thing)(thing) if isinstance(thing, (list, dict)) else thing)
    )


class _Deque(collections.deque[Any]):
    """``deque``; of one whose length nobody knows, nothing falls out."""

    def __init__(self, things: Any = (), maxlen: Any = None) -> None:
        super().__init__(things, None if isinstance(maxlen, StandIn) else maxlen)


def _islice(things: Any, *bounds: Any) -> Any:
    """``islice``; an unknown end lets two rounds through, as an unknown range has."""
    return itertools.islice(things, *(2 if isinstance(each, StandIn) else each for each in bounds))


class _Pure(types.SimpleNamespace):
    """A module of Python's own of which code is given what is pure; the rest of it is unknown."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return unknown(f"{self.name}.{name}", "imported")


# what runs as it is: pure containers and combinators
_PURE: dict[str, Any] = {
    "collections": _Pure(
        name="collections",
        namedtuple=collections.namedtuple,
        OrderedDict=dict,
        defaultdict=collections.defaultdict,
        deque=_Deque,
        Counter=collections.Counter,
        Iterable=(list, tuple),
        Sequence=(list, tuple, str),
        Mapping=dict,
    ),
    "functools": _Pure(
        name="functools", partial=_partial, wraps=_wraps, reduce=functools.reduce, lru_cache=_cached, cache=_cached
    ),
    "itertools": _Pure(
        name="itertools",
        chain=_chain,
        product=itertools.product,
        islice=_islice,
        cycle=lambda things: [*things, *things],
        count=lambda start=0, step=1: iter((start, start + step)),
        repeat=lambda thing, n=2: [thing, thing],
        izip=lazy_zip,
        imap=lazy_map,
    ),
    "contextlib": _Pure(
        name="contextlib",
        contextmanager=lambda make: lambda *a, **k: _Context(make(*a, **k)),
        suppress=contextlib.suppress,
        closing=contextlib.closing,
        nullcontext=contextlib.nullcontext,
    ),
    "copy": _Pure(name="copy", copy=_copy, deepcopy=copies.deepcopy),
    "numbers": _Pure(name="numbers", Number=(int, float, complex), Real=(int, float), Integral=(int,)),
}
