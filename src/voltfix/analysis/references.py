"""Every place of a project that names a function or class of it.

Resolving every name of a project costs more than all else that is asked of names. So the index holds mentions by
their last word, and only those that may mean a target are resolved: its own name, and what is assigned from it.
"""

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
Place = tuple[int, str, ast.AST]  # a number that orders all places, the module, the node

_LAMBDA = "<lambda>"


class Reference(NamedTuple):
    """One mention; ``node`` is the Call for calls, else the name, attribute, import statement or string."""

    path: str
    node: ast.AST
    kind: Kind


class References:
    """The index of all mentions, built once per project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._places: dict[str, list[Place]] = {}
        self._strings: dict[str, list[Place]] = {}
        self._bound: dict[str, set[str]] = {}  # name -> names that are bound to what may be it
        self._found: dict[Key, list[Reference]] = {}
        self._count = 0
        for path in project.paths:
            self._index(path)

    def of(self, target: ProjectFunction | ProjectClass) -> list[Reference]:
        """The mentions of ``target``; for a method also those that may mean it by its name alone."""
        key = _key(target)
        if key not in self._found:
            self._found[key] = self._look(target, key)
        return list(self._found[key])

    # --- the index -----------------------------------------------------------------------------------------

    def _index(self, path: str) -> None:
        table = self._project.table(path)
        for node in table.owner if table is not None else ():
            kind = type(node)
            if kind is ast.Name and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                self._note(self._places, node.id, path, node)  # type: ignore[attr-defined]
            elif kind is ast.Attribute and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                self._note(self._places, node.attr, path, node)  # type: ignore[attr-defined]
            elif isinstance(node, ast.Call):
                self._by_string(path, node)
            elif isinstance(node, ast.ImportFrom):
                self._imported(path, node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self._bind(node.target, node.value)

    def _note(self, places: dict[str, list[Place]], name: str, path: str, node: ast.AST) -> None:
        self._count += 1
        places.setdefault(name, []).append((self._count, path, node))

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        names = [_last(part) for part in _parts(target)]
        for end in _ends(value):
            self._bound.setdefault(end, set()).update(name for name in names if name is not None)

    def _by_string(self, path: str, call: ast.Call) -> None:
        """``getattr(obj, "name")`` and its kin."""
        asker = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if asker not in ("getattr", "methodcaller", "attrgetter"):
            return
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self._note(self._strings, argument.value, path, argument)

    def _imported(self, path: str, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self._note(self._places, alias.asname or alias.name, path, node)
                if alias.asname is not None:
                    self._bound.setdefault(alias.name, set()).add(alias.asname)

    # --- looking up ----------------------------------------------------------------------------------------

    def _look(self, target: ProjectFunction | ProjectClass, key: Key) -> list[Reference]:
        name = target.qualname.rsplit(".", 1)[-1]
        words = self._words(_LAMBDA if isinstance(target.node, ast.Lambda) else name)
        sure: list[tuple[int, Reference]] = []
        maybe: list[tuple[int, Reference]] = [
            (number, Reference(path, node, "maybe")) for number, path, node in self._strings.get(name, ())
        ]
        for word in words:
            for number, path, node in self._places.get(word, ()):
                kind, at, binding = self._meant(path, node, word)
                if any(_key(found) == key for found in _targets(binding)):
                    sure.append((number, Reference(path, at, kind)))
                if word == name and isinstance(node, ast.Attribute) and isinstance(binding, (Unknown, Local)):
                    vague: Kind = "maybe-call" if kind == "call" else "maybe"
                    maybe.append((number, Reference(path, at, vague)))
        around = self._project.hierarchy.class_around(target.path, target.node)
        if around is None and not isinstance(target, ProjectClass) and target.qualname != name:
            maybe = []
        return [reference for found in (sure, maybe) for _, reference in sorted(found, key=lambda item: item[0])]

    def _words(self, name: str) -> set[str]:
        """The words that may stand for what ``name`` is: itself, and what is bound to it, and so on."""
        words, waiting = {name}, [name]
        while waiting:
            fresh = self._bound.get(waiting.pop(), set()) - words
            words |= fresh
            waiting += fresh
        return words

    def _meant(self, path: str, node: ast.AST, word: str) -> tuple[Kind, ast.AST, Binding]:
        if not isinstance(node, ast.expr):
            return "import", node, self._project.resolve(path, self._project.scope(path, node), word)
        kind, at = self._use(path, node)
        return kind, at, self._project.resolve(path, None, node)

    def _use(self, path: str, node: ast.expr) -> tuple[Kind, ast.AST]:
        above = self._project.parent(path, node)
        if isinstance(above, ast.Call) and above.func is node:
            return "call", above
        if isinstance(above, ast.ClassDef) and node in above.bases:
            return "base", node
        return "value", node


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
            yield _LAMBDA
        elif isinstance(part, (ast.Tuple, ast.List)):
            waiting += part.elts
        elif isinstance(part, ast.IfExp):
            waiting += [part.body, part.orelse]
        elif isinstance(part, ast.BoolOp):
            waiting += part.values
        elif isinstance(part, ast.Call) and len(part.args) == 1:  # staticmethod(f), under whatever name
            waiting += part.args if isinstance(part.func, ast.Name) else []
        elif (word := _last(part)) is not None:
            yield word


def _last(expression: ast.expr) -> str | None:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else None


def _targets(binding: Binding) -> Iterator[ProjectFunction | ProjectClass]:
    if isinstance(binding, (ProjectFunction, ProjectClass)):
        yield binding
    elif isinstance(binding, Ambiguous):
        for candidate in binding.candidates:
            yield from _targets(candidate)


def _key(target: ProjectFunction | ProjectClass) -> Key:
    return (target.path, target.qualname, target.node.lineno, target.node.col_offset)
