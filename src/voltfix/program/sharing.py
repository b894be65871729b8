"""What the names of a function are bound to, and what goes into the containers that they stand for, as it is written.

A container goes under several names: what is put into it under one is in it under all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.bindings import Builtin, External, ProjectFunction
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import root_of, walk
from voltfix.torchmodel import python, tables
from voltfix.torchmodel.library import is_torch, takes_numbers

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# built-ins that only look at what they are given; and those that go over it, too, or give it back
SHOWN = python.PLAIN_BUILTINS & (python.TELLING | python.ENDING | {"range", "xrange", "chr", "ord", "hex"})
OVER = SHOWN | ((python.PASSING | python.LIST_BUILTINS) - {"next", "iter"}) | {"enumerate", "zip", "any", "all"}
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant)


class BoundTo(NamedTuple):
    """What a name is bound to: a value, or one part of so many of it (0: all of it); None where nobody can say."""

    value: ast.expr | None
    part: int = 0
    length: int = 0


class Names:
    """The names of one function."""

    def __init__(self, project: Project, function: ProjectFunction) -> None:
        self.project = project
        self.path = function.path
        self.parameters = {each.arg for each in parameters_of(function.node)}
        self.bound: dict[str, list[BoundTo]] = {}
        self.put: dict[str, list[ast.expr | None]] = {}  # what goes into the containers; None: nobody can say
        self.alike: dict[str, set[str]] = {}  # names under which parts of the same containers go
        for node in walk(function.node):
            self.note(node)

    def note(self, node: ast.AST) -> None:
        """Note what a part of the body binds, or puts somewhere."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.note_target(target, node.value)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            self.note_target(node.target, node.value)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.put.setdefault(node.target.id, []).append(node.value)  # of a list all that is the same grows
        elif isinstance(node, (ast.For, ast.comprehension)):
            over = node.iter
            counted = isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate"
            if counted and isinstance(node.target, ast.Tuple) and len(node.target.elts) == 2:
                self.note_target(node.target.elts[0], ast.Constant(0))
                self.note_target(node.target.elts[1], over)
            else:
                self.note_target(node.target, over)
        elif isinstance(node, (ast.withitem, ast.NamedExpr)):
            for each in walk(node):
                if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                    self.note_unknown(each.id)
        elif isinstance(node, (ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
            named = getattr(node, "asname", None) or getattr(node, "name", None) or getattr(node, "rest", None) or ""
            self.note_unknown(named.partition(".")[0])
        elif isinstance(node, ast.Call):
            self.note_call(node)

    def note_unknown(self, name: str) -> None:
        """Note that a name is bound to something of which nothing is known."""
        self.bound.setdefault(name, []).append(BoundTo(None))

    def note_target(self, target: ast.expr, value: ast.expr, part: tuple[int, int] = (0, 0)) -> None:
        """Note that a target is bound to a value, or to a part of it."""
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(BoundTo(value, *part))
            for name in self.shared(value):
                self.alike.setdefault(target.id, set()).add(name)
                self.alike.setdefault(name, set()).add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) and not part[1]
            starred = any(isinstance(each, ast.Starred) for each in target.elts)
            for index, each in enumerate(target.elts):
                if same and not starred and isinstance(value, (ast.Tuple, ast.List)):
                    self.note_target(each, value.elts[index])
                else:
                    self.note_target(each, value, (0, 0) if part[1] or starred else (index, len(target.elts)))
        elif isinstance(target, ast.Starred):
            self.note_target(target.value, value)
        else:
            root = _root(target)
            if root is not None:
                self.put.setdefault(root, []).append(None if part[1] else value)

    def note_call(self, call: ast.Call) -> None:
        """Note what a call may put into the names that it is given, or is a method of."""
        given = [*call.args, *(each.value for each in call.keywords)]
        name = _root(call.func) if isinstance(call.func, ast.Attribute) else None
        if name is not None:
            self.put.setdefault(name, []).extend(given)
        if self.keeps_out(call):
            return
        for each in given:
            for part in _handed(each):
                self.put.setdefault(part, []).append(None)

    def keeps_out(self, call: ast.Call) -> bool:
        """Does a call surely put nothing into the containers that it is given?"""
        if isinstance(call.func, ast.Attribute) and call.func.attr in tables.STORING | tables.NEUTRAL_METHODS:
            return True  # as it is, into another container
        run = self.project.resolve(self.path, None, call.func)
        return (isinstance(run, Builtin) and run.name in OVER) or (
            isinstance(run, External) and takes_numbers(run.name))

    def shared(self, node: ast.expr) -> Iterator[str]:
        """The names of containers that an expression is, holds, or is a part of."""
        if isinstance(node, ast.IfExp):
            inside = [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            inside = node.values
        elif isinstance(node, ast.BinOp):
            sides = node.left, node.right
            inside = [each for each in sides if isinstance(node.op, ast.Add) or isinstance(each, ast.List)]
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            inside = [node.elt]
        elif isinstance(node, ast.Call):
            inside = [] if self.is_made_anew(node) else [*node.args, *(each.value for each in node.keywords)]
            if inside and isinstance(node.func, ast.Attribute):
                yield from _handed(node.func.value)
        else:
            yield from _handed(node)
            return
        for each in inside:
            yield from self.shared(each)

    def is_made_anew(self, call: ast.Call) -> bool:
        """Does a call give nothing that it was given, nor a part of it; of the project's functions if it is data?"""
        if isinstance(call.func, ast.Attribute) and call.func.attr in tables.PLAIN_METHODS:
            return True
        run = self.project.resolve(self.path, None, call.func)
        return (isinstance(run, Builtin) and run.name in SHOWN) or isinstance(run, ProjectFunction) or (
            isinstance(run, External) and (takes_numbers(run.name) or is_torch(run.name)))

    def put_into(self, name: str) -> Iterator[ast.expr | None]:
        """What is put into what goes under a name, under whichever."""
        found, waiting = {name}, [name]
        while waiting:
            each = waiting.pop()
            yield from self.put.get(each, ())
            more = {other for other in self.alike.get(each, ()) if other in self.bound or other in self.parameters}
            waiting += more - found
            found |= more

    def is_made_here(self, part: ast.expr) -> bool:
        """Is it a part of a container that the function makes?"""
        bound = self.bound.get(_root(part) or "", [])
        return bool(bound) and all(isinstance(each.value, _DISPLAYS) for each in bound)


def _root(node: ast.expr) -> str | None:
    """The name whose part, or part of a part, an expression is."""
    root = root_of(node)
    return root.id if isinstance(root, ast.Name) else None


def _handed(node: ast.expr) -> Iterator[str]:
    """The names of containers that are handed over with an expression, as they are."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
        for each in node.values if isinstance(node, ast.Dict) else node.elts:
            yield from _handed(each)
    elif isinstance(node, (ast.Name, ast.Starred, ast.Subscript, ast.Attribute)):
        name = _root(node.value if isinstance(node, ast.Starred) else node)
        if name is not None:
            yield name
