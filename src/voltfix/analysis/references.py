"""Every place of a project that names a function or class of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from voltfix.analysis.bindings import Ambiguous, Binding, Local, ProjectClass, ProjectFunction, Unknown

if TYPE_CHECKING:
    from voltfix.analysis.names import Project

# call: called by that name. value: handed over, stored, returned, decorated with. base: a class derives from
# it. import: an import statement brings it in. maybe, maybe-call: ``obj.name`` of an object that nobody here
# knows, or a string of that name given to getattr: it may or may not be this one.
Kind = Literal["call", "value", "base", "import", "maybe-call", "maybe"]
Key = tuple[str, str, int, int]


class Reference(NamedTuple):
    """One mention; ``node`` is the Call for calls, else the name, attribute, import statement or string."""

    path: str
    node: ast.AST
    kind: Kind


class References:
    """The index of all mentions, built once per project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sure: dict[Key, list[Reference]] = {}
        self._by_name: dict[str, list[Reference]] = {}
        for path in project.paths:
            self._index(path)

    def of(self, target: ProjectFunction | ProjectClass) -> list[Reference]:
        """The mentions of ``target``; for a method also those that may mean it by its name alone."""
        found = list(self._sure.get(_key(target), ()))
        name = target.qualname.rsplit(".", 1)[-1]
        around = self._project.hierarchy.class_around(target.path, target.node)
        if around is not None or isinstance(target, ProjectClass) or target.qualname == name:
            found += self._by_name.get(name, ())
        return found

    def _index(self, path: str) -> None:
        table = self._project.table(path)
        if table is None:
            return
        for node in list(table.owner):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                self._mention(path, node)
            elif isinstance(node, ast.Call):
                self._by_string(path, node)
            elif isinstance(node, ast.ImportFrom):
                self._imported(path, node)

    def _mention(self, path: str, node: ast.Name | ast.Attribute) -> None:
        kind, at = self._use(path, node)
        binding = self._project.resolve(path, None, node)
        for target in _targets(binding):
            self._sure.setdefault(_key(target), []).append(Reference(path, at, kind))
        if isinstance(node, ast.Attribute) and isinstance(binding, (Unknown, Local)):
            maybe: Kind = "maybe-call" if kind == "call" else "maybe"
            self._by_name.setdefault(node.attr, []).append(Reference(path, at, maybe))

    def _use(self, path: str, node: ast.expr) -> tuple[Kind, ast.AST]:
        above = self._project.parent(path, node)
        if isinstance(above, ast.Call) and above.func is node:
            return "call", above
        if isinstance(above, ast.ClassDef) and node in above.bases:
            return "base", node
        return "value", node

    def _by_string(self, path: str, call: ast.Call) -> None:
        """``getattr(obj, "name")`` and its kin."""
        asker = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if asker not in ("getattr", "methodcaller", "attrgetter"):
            return
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self._by_name.setdefault(argument.value, []).append(Reference(path, argument, "maybe"))

    def _imported(self, path: str, node: ast.ImportFrom) -> None:
        scope = self._project.scope(path, node)
        for alias in node.names:
            if alias.name == "*":
                continue
            binding = self._project.resolve(path, scope, alias.asname or alias.name)
            for target in _targets(binding):
                self._sure.setdefault(_key(target), []).append(Reference(path, node, "import"))


def _targets(binding: Binding) -> Iterator[ProjectFunction | ProjectClass]:
    if isinstance(binding, (ProjectFunction, ProjectClass)):
        yield binding
    elif isinstance(binding, Ambiguous):
        for candidate in binding.candidates:
            yield from _targets(candidate)


def _key(target: ProjectFunction | ProjectClass) -> Key:
    return (target.path, target.qualname, target.node.lineno, target.node.col_offset)
