"""Whose graph can anybody reach? A graph that nobody reaches cannot be missed.

An operation that builds a graph forbids a block. Where that is in the way, it is asked what became of the result: sent
backward, handed to code that nobody has seen, kept where later code finds it, returned; or only looked at (``.data``,
printed) and forgotten. In the last case a block takes nothing away that anybody had.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from voltfix.domains.conditions import Formula
from voltfix.machine.values import Abstract, Bound, Cell, Function, Partial, Ref, Value
from voltfix.program.walking import children, of_node

if TYPE_CHECKING:
    from voltfix.machine.facts import Fact
    from voltfix.machine.values import Frame


class Liveness:
    """The graphs that one interpretation builds: by number of the operation, where its result is reached."""

    def __init__(self, heap: dict[int, Cell], false: Formula) -> None:
        self.heap = heap
        self.false = false
        self.parents: dict[int, frozenset[int]] = {}
        self.ends: dict[int, Formula] = {}  # where a volatile result has no graph that leads on
        self.reached: dict[int, Formula] = {}
        self.frames: list[Frame] = []  # those that closures hold on to

    def number(self, parents: frozenset[int], volatile: Formula) -> int:
        """The number of a new operation, on results of ``parents``; where it is volatile it reaches none of them."""
        self.parents[len(self.parents) + 1] = parents
        self.ends[len(self.parents)] = volatile
        return len(self.parents)

    def made_of(self, values: Iterable[Value]) -> frozenset[int]:
        """The operations whose graphs can be reached from values."""
        if not self.parents:
            return frozenset()
        return frozenset(n for cell in self.reachable(values) for n in cell.made)

    def mark(self, pc: Formula, values: Iterable[Value]) -> None:
        """Where ``pc`` holds, somebody may ask for gradients of the values."""
        for number in self.made_of(values):
            self.reached[number] = self.reached.get(number, self.false) | pc

    def settle(self, facts: list[Fact], pc: Formula) -> list[Fact]:
        """The facts, with where nobody reaches the graph; closures are taken to run at the end, where ``pc`` is."""
        for frame in self.frames:
            self.mark(pc, [value for scope in scopes(frame) for value in scope.env.values()])
        for number in sorted(self.parents, reverse=True):
            reached = self.reached.get(number)
            if reached is not None:
                reached = reached & ~self.ends[number]
            if reached is not None and not reached.is_false:
                for parent in self.parents[number]:
                    self.reached[parent] = self.reached.get(parent, self.false) | reached
        return [replace(f, idle=~self.reached.get(f.number, self.false)) if f.number else f for f in facts]

    def forget(self) -> None:
        """Let go of everything: the interpretation is over."""
        self.heap = {}
        self.frames.clear()
        self.parents.clear()
        self.ends.clear()
        self.reached.clear()

    def reachable(self, values: Iterable[Value]) -> Iterator[Cell]:
        """The cells that values lead to."""
        waiting: list[Abstract] = [thing for value in values for _, thing in value]
        seen: set[object] = set()
        while waiting:
            thing = waiting.pop()
            if isinstance(thing, Ref):
                if thing.cell in seen:
                    continue
                seen.add(thing.cell)
                cell = self.heap[thing.cell]
                yield cell
                inside = [value for _, value in (*cell.items, *cell.attrs)]
            elif isinstance(thing, Bound):
                inside = [thing.receiver]
            elif isinstance(thing, Partial):
                inside = [thing.function, *thing.args, *(value for _, value in thing.kwargs)]
            elif isinstance(thing, Function) and id(thing) not in seen:
                fresh = [scope for scope in scopes(thing.frame) if id(scope) not in seen]
                seen.update((id(thing), *map(id, fresh)))
                inside = [*(value for scope in fresh for value in scope.env.values()),
                          *(value for _, value in thing.defaults)]
            else:
                continue
            waiting += [part for value in inside for _, part in value]


def holds(frame: Frame) -> bool:
    """Does a function made in this frame hold on to what is bound there? (A module's names are there anyway.)"""
    return not isinstance(frame.node, (ast.Module, ast.ClassDef))


def scopes(frame: Frame) -> Iterator[Frame]:
    """The frames whose names a function made in ``frame`` can see, but for the module's."""
    scope: Frame | None = frame
    while scope is not None:
        if holds(scope):
            yield scope
        scope = scope.closure


@of_node
def carried_names(loop: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    """The names that a loop's body reads before it binds them: what they hold comes from the iteration before."""
    first: dict[str, bool] = {}

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            first.setdefault(node.id, isinstance(node.ctx, ast.Load))
            return
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            first.setdefault(node.target.id, True)
        for child in sorted(children(node), key=lambda c: c is not getattr(node, "value", None)):
            visit(child)  # what is assigned, before what it is assigned to

    for statement in loop.body:
        visit(statement)
    return frozenset(name for name, read in first.items() if read)
