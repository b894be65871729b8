"""Where names are mentioned: by module, which is kept with its table, and over all modules.

Mentions are found by their last word; what they mean is for ``references`` to say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from voltfix.program.closure import closure

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

Numbered = tuple[int, ast.AST]  # the nodes of a module, in its own order
Place = tuple[int, int]  # orders all mentions: the number of the module, and of the node

LAMBDA = "<lambda>"


class OfModule:
    """The mentions of one module."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.names: dict[str, list[Numbered]] = {}  # read as ``name`` or ``x.name``
        self.imports: dict[str, list[Numbered]] = {}  # brought in by ``from``
        self.asked: dict[str, list[Numbered]] = {}  # strings given to ``getattr`` and its kin
        self.bound: dict[str, set[str]] = {}  # name -> names that are bound to what may be it
        self.aliases: dict[str, set[str]] = {}  # the same, of imports and single names alone, through any call
        self.texts: set[str] = set()  # strings that could be names
        for number, node in enumerate(nodes):
            kind = type(node)
            if kind is ast.Name:
                if isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                    self.names.setdefault(node.id, []).append((number, node))  # type: ignore[attr-defined]
            elif kind is ast.Attribute:
                if isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                    self.names.setdefault(node.attr, []).append((number, node))  # type: ignore[attr-defined]
            elif isinstance(node, ast.Constant):
                if isinstance(node.value, str) and node.value.isidentifier():
                    self.texts.add(node.value)
            elif isinstance(node, ast.Call):
                self._note_strings(number, node)
            elif isinstance(node, ast.ImportFrom):
                self._note_import(number, node)
            elif isinstance(node, ast.Assign):
                self._note_assignment(node)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self._bind(node.target, node.value)

    def _note_strings(self, number: int, call: ast.Call) -> None:
        """``getattr(obj, "name")`` and its kin."""
        asker = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if asker not in ("getattr", "methodcaller", "attrgetter"):
            return
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self.asked.setdefault(argument.value, []).append((number, argument))

    def _note_import(self, number: int, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.imports.setdefault(alias.asname or alias.name, []).append((number, node))
            if alias.asname:
                self.bound.setdefault(alias.name, set()).add(alias.asname)
                self.aliases.setdefault(alias.name, set()).add(alias.asname)

    def _note_assignment(self, node: ast.Assign) -> None:
        """``g = f``, ``g = staticmethod(f)``; as an alias, ``g = partial(f, ...)`` too."""
        for target in node.targets:
            self._bind(target, node.value)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            name = last_word(value.args[0] if isinstance(value, ast.Call) and value.args else value)
            if name is not None:
                self.aliases.setdefault(name, set()).add(node.targets[0].id)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        names = [name for part in _parts(target) if (name := last_word(part)) is not None]
        for end in _ends(value) if names else ():
            self.bound.setdefault(end, set()).update(names)


class Mentions:
    """Where names are mentioned, over all modules."""

    def __init__(self, project: Project) -> None:
        self._modules: list[tuple[str, OfModule]] = []
        self._having: dict[str, list[int]] = {}  # word -> the modules that mention it, in whatever way
        self._bound: dict[str, set[str]] = {}
        self._aliases: dict[str, set[str]] = {}
        self._texts: set[str] = set()
        for path in project.paths:
            table = project.table(path)
            if table is not None:
                self._add(path, table.mentions)

    def _add(self, path: str, module: OfModule) -> None:
        for name in {*module.names, *module.imports, *module.asked}:
            self._having.setdefault(name, []).append(len(self._modules))
        self._modules.append((path, module))
        for mine, theirs in ((self._bound, module.bound), (self._aliases, module.aliases)):
            for name, others in theirs.items():
                mine.setdefault(name, set()).update(others)
        self._texts |= module.texts

    def of(self, names: Iterable[str], attributes: bool = False) -> list[tuple[str, ast.AST]]:
        """The reads of any of the names and their aliases; ``attributes``: of the names alone, as ``x.name``."""
        return [
            (path, node)
            for name in sorted(names if attributes else closure(names, self._aliases))
            for _, path, module in self._in(name)
            for _, node in module.names.get(name, ())
            if not attributes or isinstance(node, ast.Attribute)
        ]

    def places(self, word: str) -> Iterator[tuple[Place, str, ast.AST]]:
        """The reads and the imports of what ends in ``word``."""
        for index, path, module in self._in(word):
            for number, node in (*module.names.get(word, ()), *module.imports.get(word, ())):
                yield (index, number), path, node

    def asked_for(self, name: str) -> Iterator[tuple[Place, str, ast.AST]]:
        """The strings of that name that are given to ``getattr`` and its kin."""
        for index, path, module in self._in(name):
            for number, node in module.asked.get(name, ()):
                yield (index, number), path, node

    def bound_to(self, name: str) -> set[str]:
        """The words that may stand for what ``name`` is: itself, and what is bound to it, and so on."""
        return closure([name], self._bound)

    def is_written(self, name: str) -> bool:
        """Does a string say the name, as ``getattr`` takes it?"""
        return name in self._texts

    def _in(self, word: str) -> Iterator[tuple[int, str, OfModule]]:
        for index in self._having.get(word, ()):
            yield index, *self._modules[index]


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    """The names and attributes that an assignment binds."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _parts(element)
    else:
        yield target


def _ends(value: ast.expr) -> Iterator[str]:
    """The last words of what ``value`` may be, as far as names are followed; each part of a tuple counts."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Lambda):
            yield LAMBDA
        elif isinstance(part, (ast.Tuple, ast.List)):
            waiting += part.elts
        elif isinstance(part, ast.IfExp):
            waiting += [part.body, part.orelse]
        elif isinstance(part, ast.BoolOp):
            waiting += part.values
        elif isinstance(part, ast.Call) and len(part.args) == 1:  # staticmethod(f), under whatever name
            waiting += part.args if isinstance(part.func, ast.Name) else []
        elif (word := last_word(part)) is not None:
            yield word


def last_word(expression: ast.expr) -> str | None:
    """What a name or an attribute ends in."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else None
