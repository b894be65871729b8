"""Dictionaries that are given to Variable as ``**options``: where the flag was put into them, and how it comes out.

A dictionary can be told where it is written out, by ``{...}`` or ``dict(...)``, in place, under a name, or by the
callers of a function that takes it; and where all that becomes of it is that ``**`` hands it to Variable.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from voltfix.model import Edit, ReplaceExpression, Span
from voltfix.program.arguments import argument_for, arguments_for
from voltfix.program.bindings import Builtin, Local, ProjectFunction
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.strategies import drop

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_DEEPEST = 4
_ADDS = ("update", "setdefault")


@dataclass(frozen=True, eq=False)
class Source:
    """One place that puts a flag into a dictionary: its value, and the edit that takes it out."""

    path: str
    node: ast.AST
    value: ast.expr
    edit: Edit


class Unknown(Exception):  # noqa: N818
    """What the dictionary holds, or what becomes of it, cannot be told."""


def sources(
    project: Project, path: str, splat: ast.keyword, keys: frozenset[str], takes: Callable[[str, ast.Call], bool]
) -> list[Source] | None:
    """The places that put one of ``keys`` into the mapping of a ``**`` argument; None where that cannot be told.

    ``takes``: may a call have a dictionary without them, because it hands it to Variable and does nothing else?
    """
    try:
        return list(Search(project, keys, takes).of(path, splat.value, 0))
    except Unknown:
        return None


class Search:
    """Looks for the places that put keys into one mapping."""

    def __init__(self, project: Project, keys: frozenset[str], takes: Callable[[str, ast.Call], bool]) -> None:
        self.project, self.keys, self.takes = project, keys, takes

    def of(self, path: str, value: ast.expr, depth: int) -> Iterator[Source]:
        """The places of a mapping that is the value of an expression."""
        if depth > _DEEPEST:
            raise Unknown
        if isinstance(value, ast.Dict):
            yield from self.of_display(path, value, depth)
        elif isinstance(value, ast.Call):
            yield from self.of_call(path, value, depth)
        elif isinstance(value, ast.IfExp):
            yield from self.of(path, value.body, depth + 1)
            yield from self.of(path, value.orelse, depth + 1)
        elif isinstance(value, ast.Name):
            yield from self.of_name(path, value, depth)
        else:
            raise Unknown

    def of_display(self, path: str, display: ast.Dict, depth: int) -> Iterator[Source]:
        """``{'volatile': on, **more}``."""
        for number, (key, value) in enumerate(zip(display.keys, display.values, strict=True)):
            if key is None:
                yield from self.of(path, value, depth + 1)
            elif not isinstance(key, ast.Constant):
                raise Unknown
            elif key.value in self.keys:
                yield Source(path, value, value, self.without(path, display, number))

    def without(self, path: str, display: ast.Dict, number: int) -> Edit:
        """The display without one of its entries."""
        whole = self.project.span(path, display)
        text = self.project.modules[path].text
        starts = [self.entry(path, display, n) for n in range(len(display.values))]
        ends = [self.project.span(path, value).end for value in display.values]
        if number + 1 < len(starts):
            low, high = starts[number], starts[number + 1]
        elif number:
            low, high = ends[number - 1], ends[number]
        else:
            return ReplaceExpression(whole, "{}")
        return ReplaceExpression(whole, text[whole.start : low] + text[high : whole.end])

    def entry(self, path: str, display: ast.Dict, number: int) -> int:
        """Where an entry of a display starts."""
        key = display.keys[number]
        if key is not None:
            return self.project.span(path, key).start
        start = self.project.span(path, display.values[number]).start
        return self.project.modules[path].text.rindex("**", 0, start)

    def of_call(self, path: str, call: ast.Call, depth: int) -> Iterator[Source]:
        """``dict(more, volatile=on)``."""
        if not isinstance(call.func, ast.Name) or self.project.resolve(path, None, call.func) != Builtin("dict"):
            raise Unknown
        yield from self.of_arguments(path, call, depth)

    def of_arguments(self, path: str, call: ast.Call, depth: int) -> Iterator[Source]:
        """What the arguments of ``dict`` or ``update`` put into a mapping."""
        for argument in call.args:
            yield from self.of(path, argument, depth + 1)
        for keyword in call.keywords:
            if keyword.arg is None:
                yield from self.of(path, keyword.value, depth + 1)
            elif keyword.arg in self.keys:
                spans = self.project.span(path, call), self.project.span(path, keyword)
                yield Source(path, keyword, keyword.value, drop.argument(*spans))

    def of_name(self, path: str, name: ast.Name, depth: int) -> Iterator[Source]:
        """A dictionary under a name, in the function or module that the name belongs to."""
        binding = self.project.resolve(path, None, name)
        if not isinstance(binding, Local) or binding.path != path:
            raise Unknown
        table = self.project.table(path)
        if binding.parameter is not None:
            if binding.values or table is None:
                raise Unknown
            scope: ast.AST = table.owner[binding.parameter].node
            yield from self.of_parameter(path, scope, binding.parameter, depth)
        elif binding.complete and binding.values:
            scope = self.home(path, name)
            for value in binding.values:
                yield from self.of(path, value, depth + 1)
        else:
            raise Unknown
        yield from self.of_uses(path, scope, binding.name, depth)

    def home(self, path: str, name: ast.Name) -> ast.AST:
        """The body that a name belongs to: that of a function where it is bound there, else the module."""
        tree = self.project.tree(path)
        around = [n for n in self.project.parents(path, name) if isinstance(n, FUNCTIONS)]
        for function in around:
            stored = (n for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            if any(n.id == name.id for n in stored):
                return function
        if tree is None or self.known_elsewhere(path, name.id):
            raise Unknown
        return tree

    def known_elsewhere(self, path: str, name: str) -> bool:
        """Does another module speak of a name of this one's?"""
        mentions = self.project.computed(Mentions)
        return any(at != path or isinstance(node, (ast.Attribute, ast.ImportFrom))
                   for _, at, node in mentions.places(name))

    def of_parameter(self, path: str, node: ast.AST, parameter: ast.arg, depth: int) -> Iterator[Source]:
        """What the callers of a function hand over."""
        function = self.project.function(path, node) if isinstance(node, FUNCTIONS) else None
        if function is None or parameter in (function.node.args.kwarg, function.node.args.vararg):
            raise Unknown
        if {r.kind for r in self.project.computed(References).of(function)} - {"call", "import"}:
            raise Unknown
        handed = list(arguments_for(self.project, path, parameter))
        for at, value in handed:
            yield from self.of(at, value, depth + 1)
        if not handed:
            raise Unknown

    def of_uses(self, path: str, scope: ast.AST, name: str, depth: int) -> Iterator[Source]:
        """What is put into a named dictionary later on; raises where it is looked at or handed to somebody."""
        for node in list(walk(scope)):
            if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
                raise Unknown
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield from self.of_use(path, node, depth)

    def of_use(self, path: str, name: ast.Name, depth: int) -> Iterator[Source]:
        """What one use of a named dictionary puts into it."""
        above = self.project.parent(path, name)
        if isinstance(above, ast.keyword) and above.arg is None:
            call = self.project.parent(path, above)
            if not isinstance(call, ast.Call) or not self.takes(path, call):
                raise Unknown
        elif isinstance(above, ast.Subscript) and above.value is name:
            yield from self.of_item(path, above)
        elif isinstance(above, ast.Attribute) and above.attr in _ADDS:
            yield from self.of_adding(path, above, depth)
        elif not (isinstance(above, ast.Call) and name in above.args and self.hands_on(path, above, name)):
            raise Unknown

    def of_item(self, path: str, item: ast.Subscript) -> Iterator[Source]:
        """``options['volatile'] = on``."""
        if not isinstance(item.slice, ast.Constant):
            raise Unknown
        if item.slice.value not in self.keys:
            return
        statement = self.project.parent(path, item)
        if not isinstance(statement, ast.Assign) or statement.targets != [item]:
            raise Unknown
        yield Source(path, statement, statement.value, drop.statement(self.project.span(path, statement)))

    def of_adding(self, path: str, method: ast.Attribute, depth: int) -> Iterator[Source]:
        """``options.update(volatile=on)``."""
        call = self.project.parent(path, method)
        statement = self.project.parent(path, call) if isinstance(call, ast.Call) else None
        if method.attr != "update" or not isinstance(call, ast.Call) or not isinstance(statement, ast.Expr):
            raise Unknown
        found = list(self.of_arguments(path, call, depth))
        if len(call.keywords) == 1 and not call.args and len(found) == 1:
            span = self.project.span(path, statement)
            found = [Source(path, statement, found[0].value, drop.statement(span))]
        yield from found

    def hands_on(self, path: str, call: ast.Call, name: ast.Name) -> bool:
        """Is it given to a function of the project that hands it to Variable and does nothing else with it?"""
        target = self.project.resolve(path, None, call.func)
        if not isinstance(target, ProjectFunction) or isinstance(target.node, ast.Lambda):
            return False
        for parameter in target.node.args.args:
            if argument_for(call, target.node, parameter, int(target.bound)) is name:
                uses = [n for n in walk(target.node) if isinstance(n, ast.Name) and n.id == parameter.arg]
                return all(self.only_splat(target.path, use) for use in uses)
        return False

    def only_splat(self, path: str, name: ast.Name) -> bool:
        """Does ``**`` hand it to Variable there?"""
        above = self.project.parent(path, name)
        call = self.project.parent(path, above) if isinstance(above, ast.keyword) and above.arg is None else None
        return isinstance(call, ast.Call) and self.takes(path, call)


def inline(project: Project, path: str, call: Span, splat: ast.keyword, found: list[Source]) -> Edit | None:
    """``Variable(x, **{'volatile': on})``: the whole argument goes where nothing else is in it."""
    display = splat.value
    alone = isinstance(display, ast.Dict) and len(display.keys) == 1
    made = isinstance(display, ast.Call) and len(display.keywords) == 1 and not display.args
    return drop.argument(call, project.span(path, splat)) if (alone or made) and len(found) == 1 else None
