"""Where names are mentioned in one module: kept with its table."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

Numbered = tuple[int, ast.AST]  # the nodes of a module, in its own order

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
