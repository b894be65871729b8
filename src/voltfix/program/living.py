"""Which names live at the head of a loop: those whose value a later round, or what follows, may still read.

Some live on other paths alone: those that wait in the other arm of a condition, that have left the loop by ``break``,
or that have not come to it yet.

The backward analysis of the textbooks (Aho, Lam, Sethi, Ullman, 9.2.5), on syntax alone. What cannot be told lives: a
name that a function inside reads, one that is global, all names where ``locals()`` may be asked, and those of modules
and classes, which others read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from voltfix.program.walking import children, of_node, walk
from voltfix.torchmodel.python import SHOWS_NAMES

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LATER = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.GeneratorExp)  # what is in them may run at another time
Names = frozenset[str]
NONE: Names = frozenset()


class Alive(NamedTuple):
    """The names that live at the head of a loop, and those that live there or on another path."""

    here: Names
    anywhere: Names


@of_node
def living(function: ast.AST) -> dict[int, Alive] | None:
    """By node id of a loop of the function itself, what lives at its head; None: all of its names do."""
    if not isinstance(function, FUNCTIONS) or any(
            isinstance(n, ast.Name) and n.id in SHOWS_NAMES for n in walk(function)):
        return None
    always = {name for n in walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    for inner in walk(function):
        if isinstance(inner, LATER) and inner is not function:
            always |= {n.id for n in walk(inner) if isinstance(n, ast.Name)} - own(inner)
    heads = Heads()
    heads.suite(function.body, NONE, Around(frozenset(always), NONE, NONE, NONE))
    return heads.found


def own(inner: ast.AST) -> Names:
    """The names of a function that are its own: what they hold outside of it is not seen in it."""
    if not isinstance(inner, (*FUNCTIONS, ast.Lambda)) or any(
            isinstance(n, LATER) and n is not inner for n in walk(inner)):
        return NONE
    apart = {id(n.target) for n in walk(inner) if isinstance(n, ast.comprehension)}
    apart |= {id(name) for n in walk(inner) if id(n) in apart for name in walk(n)}
    stored = [n for n in walk(inner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    held = {name.id for name in stored if id(name) not in apart}
    held |= {n.arg for n in walk(inner.args) if isinstance(n, ast.arg)}
    said = {name for n in walk(inner) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    around = [*getattr(inner, "decorator_list", []), *inner.args.defaults, *filter(None, inner.args.kw_defaults)]
    return frozenset(held - said - read(*around))


@of_node
def closed_over(inner: ast.AST) -> Names | None:
    """The names around a function that it holds on to: those that it reads; None: all, where it may ask for any."""
    names = read(inner)
    return None if names & SHOWS_NAMES else names - own(inner)


def called_in_sight(around: ast.AST, inner: ast.AST) -> bool:
    """Is a function that another one defines called by that one's own statements, and nothing else done with it?"""
    if not isinstance(inner, FUNCTIONS) or inner.decorator_list:
        return False
    later = [n for n in walk(around) if isinstance(n, LATER) and n is not around]
    if any(n is inner for each in later if each is not inner for n in walk(each)):
        return False
    inside = {id(n) for each in later for n in walk(each)}
    called = {id(n.func) for n in walk(around) if isinstance(n, ast.Call) and id(n) not in inside}
    names = [n for n in walk(around) if isinstance(n, ast.Name)]
    said = {name for n in walk(around) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    return inner.name not in said and not any(
        n.id in SHOWS_NAMES or (n.id == inner.name and isinstance(n.ctx, ast.Load) and id(n) not in called)
        for n in names)


def bound_in_rounds(around: ast.AST, inner: ast.AST) -> Names:
    """The names that loops of a function bind in which another one is defined: the next round does it after that."""
    loops = [n for n in walk(around) if isinstance(n, (ast.For, ast.AsyncFor, ast.While)) and any(
        each is inner for each in walk(n))]
    names = [n for loop in loops for n in walk(loop) if isinstance(n, ast.Name)]
    return frozenset(n.id for n in names if not isinstance(n.ctx, ast.Load))


def asks_the_same_later(around: ast.AST, test: ast.expr) -> bool:
    """Is a test of names against constants, or whether one holds, and nothing binds them after it, no loop repeats it?

    What a thing is, or what it is equal to as a constant, no method of it changes; how much is in it, one may:
    whether a name holds is asked only of one of which a function does nothing but ask.
    """
    names = read(test)
    asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    if isinstance(asked, ast.Name):
        if not _is_only_asked(around, asked.id):
            return False
    elif not isinstance(test, ast.Compare) or not all(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops) or any(
            not isinstance(side, (ast.Name, ast.Constant)) for side in (test.left, *test.comparators)):
        return False
    for node in walk(around):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and not names.isdisjoint(node.names):
            return False
        if isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load) and (
                node.lineno > test.lineno):
            return False
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and any(inner is test for inner in walk(node)):
            return False
    return True


def _is_only_asked(around: ast.AST, name: str) -> bool:
    """Does a function ask whether a name holds, or what it is equal to, and nothing else?

    And nothing that it stands for has another name there.
    """
    asked, bound = _asked_and_bound(around)
    named = [node for node in walk(around) if isinstance(node, ast.Name) and node.id == name]
    return all(id(node) in asked if isinstance(node.ctx, ast.Load) else (
        id(node) in bound and _is_made_there(bound[id(node)], name)) for node in named)


def _asked_and_bound(around: ast.AST) -> tuple[set[int], dict[int, ast.expr]]:
    """Expressions that are asked whether they hold, or compared; and what names are bound to. All by id."""
    asked: set[int] = set()
    bound: dict[int, ast.expr] = {}
    for node in walk(around):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            asked.add(id(node.test))
        elif isinstance(node, ast.BoolOp):
            asked.update(map(id, node.values))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            asked.add(id(node.operand))
        elif isinstance(node, ast.Compare):
            asked.update(map(id, (node.left, *node.comparators)))
        elif isinstance(node, ast.Assign):
            bound.update((id(target), node.value) for target in node.targets)
    return asked, bound


def _is_made_there(value: ast.expr, name: str) -> bool:
    """Is a value made by the expression, or what the name held before, and not what some other name stands for?"""
    if isinstance(value, ast.BoolOp):
        return all(_is_made_there(each, name) for each in value.values)
    return isinstance(value, (ast.Call, ast.Compare, ast.Constant)) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)) or (
        isinstance(value, ast.Name) and value.id == name)


class Around(NamedTuple):
    """What lives elsewhere: where a statement ends in another way than by its end, and where other paths wait."""

    always: Names
    after: Names  # a ``break``
    again: Names  # a ``continue``
    waiting: Names

    def beside(self, *others: Names) -> Around:
        """The same where more paths wait."""
        return self._replace(waiting=self.waiting.union(*others))


class Heads:
    """Goes through a function from its end to its beginning; ``found``: what lives at the heads of its loops."""

    def __init__(self) -> None:
        self.found: dict[int, Alive] = {}

    def suite(self, body: Sequence[ast.stmt], out: Names, around: Around) -> Names:
        """What lives before the statements, where ``out`` lives after them."""
        for statement in reversed(body):
            out = self.statement(statement, out | around.always, around)
        return out | around.always

    def statement(self, node: ast.stmt, out: Names, around: Around) -> Names:
        """The same of one statement."""
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self.loop(node, out, around)
        if isinstance(node, ast.If):
            other = self.suite(node.orelse, out, around.beside(out))
            return read(node.test) | other | self.suite(node.body, out, around.beside(out, other))
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self.attempt(node, out, around)  # type: ignore[arg-type]
        if isinstance(node, (ast.With, ast.AsyncWith)):  # one that swallows an exception leaves from anywhere inside
            inside = around.beside(out)._replace(always=around.always | out)
            return read(*node.items) | self.suite(node.body, out, inside)
        if isinstance(node, ast.Match):
            return self.match(node, out, around)
        if isinstance(node, (ast.Return, ast.Raise)):
            return read(node)
        if isinstance(node, (ast.Break, ast.Continue)):
            return around.after if isinstance(node, ast.Break) else around.again
        return (out - bound(node)) | read(node)

    def loop(self, node: ast.For | ast.AsyncFor | ast.While, out: Names, around: Around) -> Names:
        """A loop: what lives at its head is what its rounds and what follows need, until that stands still."""
        test = read(node.test) if isinstance(node, ast.While) else read(node.target)
        targets = NONE if isinstance(node, ast.While) else names_of(node.target)
        head = self.suite(node.orelse, out, around.beside(out)) | test
        while True:
            inside = around.beside(out, head)._replace(after=out, again=head)
            more = head | (self.suite(node.body, head, inside) - targets) | around.always
            if more == head:
                break
            head = more
        self.found[id(node)] = Alive(head, head | out | around.waiting)
        return head if isinstance(node, ast.While) else head | read(node.iter)

    def match(self, node: ast.Match, out: Names, around: Around) -> Names:
        """``match``: where one case runs, paths wait in the others."""
        waiting, alive = around.beside(out), out
        for case in reversed(node.cases):
            alive |= read(case.pattern, case.guard) | self.suite(case.body, out, waiting)
            waiting = waiting.beside(alive)
        return alive | read(node.subject)

    def attempt(self, node: ast.Try, out: Names, around: Around) -> Names:
        """``try``: from anywhere inside its handlers may run, and what ends it."""
        last = self.suite(node.finalbody, out, around)
        if node.finalbody:  # it runs however the others are left
            last |= around.after | around.again
            around = around._replace(always=around.always | last)
        around = around.beside(out, last)
        handlers = NONE
        for handler in reversed(node.handlers):
            handlers |= read(handler.type) | self.suite(handler.body, last, around.beside(handlers))
        inside = around.beside(handlers)._replace(always=around.always | handlers)
        return self.suite(node.body, self.suite(node.orelse, last, inside), inside)


def read(*nodes: ast.AST | None) -> Names:
    """The names that are read in the nodes; what is changed in place is read."""
    found = set()
    for node in nodes:
        for inner in walk(node) if node is not None else ():
            if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                found.add(inner.target.id)
    return frozenset(found)


def bound(node: ast.stmt) -> Names:
    """The names that a simple statement binds, whatever it does."""
    if isinstance(node, ast.Assign):
        return NONE.union(*map(names_of, node.targets))
    if isinstance(node, ast.AnnAssign):
        return names_of(node.target) if node.value is not None else NONE
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return frozenset((alias.asname or alias.name).split(".")[0] for alias in node.names)
    return frozenset({node.name}) if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else NONE


def names_of(target: ast.AST) -> Names:
    """The names that a target binds; an item or attribute of a name reads that."""
    if isinstance(target, ast.Name):
        return frozenset({target.id})
    parts: Iterable[ast.AST] = children(target) if isinstance(target, (ast.Tuple, ast.List, ast.Starred)) else ()
    return NONE.union(*map(names_of, parts))
