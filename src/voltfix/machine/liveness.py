"""Whose graph can anybody reach? A graph that nobody reaches cannot be missed.

An operation that builds a graph forbids a block. Where that is in the way, it is asked what became of the result: sent
backward, handed to code that nobody has seen, kept where later code finds it, returned; or only looked at (``.data``,
printed) and forgotten. In the last case a block takes nothing away that anybody had.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from voltfix.domains.conditions import Formula
from voltfix.machine.values import Abstract, Bound, Cell, Function, Partial, Ref, Value
from voltfix.program.living import Names, closed_over
from voltfix.program.walking import children, of_node
from voltfix.records import dataclass

if TYPE_CHECKING:
    from voltfix.machine.facts import Fact
    from voltfix.machine.values import Frame


@dataclass(frozen=True)
class Rounds:
    """A loop as it begins: the last number and the conditions so far; ``starts``: by name, the numbers of what its
    rounds began with."""

    first: int
    atoms: int
    starts: dict[str, set[int]]


class Liveness:
    """The graphs that one interpretation builds: by number of the operation, where its result is reached."""

    def __init__(self, heap: dict[int, Cell], false: Formula, wider: Callable[[Formula], Formula]) -> None:
        self.heap = heap
        self.wider = wider  # a simpler formula that holds wherever one does
        self.false = false
        self.parents: dict[int, frozenset[int]] = {}
        self.ends: dict[int, Formula] = {}  # where a volatile result has no graph that leads on
        self.reached: dict[int, Formula] = {}
        self.closures: list[tuple[Frame, Names | None]] = []  # the frames around them, and the names that they read
        self.own: set[int] = set()  # numbers of what shares its data with nothing that was there before
        self.rooted: set[int] = set()  # numbers of what shares its data with nothing but what has a number
        self.written: dict[int, set[int]] = {}  # what was written in place, later, into what shares data with a number
        self.loops: list[tuple[Rounds, str, frozenset[int]]] = []  # by loop and name, what rounds hand on
        self.elsewhere: frozenset[int] = frozenset()  # the number that stands for what has none
        self.plain: dict[int, Formula] = {}  # by their places in the heap, cells that are plain data, and where
        self.open: set[int] = set()  # containers that somebody may look into later, by their places in the heap

    def number(self, parents: frozenset[int], volatile: Formula) -> int:
        """The number of a new operation, on results of ``parents``; where it is volatile it reaches none of them."""
        self.parents[len(self.parents) + 1] = parents
        self.ends[len(self.parents)] = volatile
        return len(self.parents)

    def constructed(self) -> frozenset[int]:
        """The number of a Variable that was just made: it has no graph, and may get one by a write in place."""
        number = self.number(frozenset(), self.false)
        self.own.add(number)
        self.rooted.add(number)
        return frozenset({number})

    def note_result(self, made: frozenset[int], first: int, inputs: Iterable[Cell], own: bool) -> frozenset[int]:
        """The numbers of what an operation gives, one after ``first`` if it has a new one.

        It may be a view of its inputs, unless it is its ``own``. Inputs that have no number are stood for by one.
        """
        rooted = own or all(self.is_rooted(cell) for cell in inputs)
        new = {number for number in made if number > first}
        if rooted:
            self.rooted |= new
        if own:
            self.own |= new
        return made if rooted or new or not made else made | self.others()

    def others(self) -> frozenset[int]:
        """A number that stands for all that have none."""
        if not self.elsewhere:
            self.elsewhere = frozenset({self.number(frozenset(), self.false)})
        return self.elsewhere

    def is_rooted(self, cell: Cell) -> bool:
        """Is all that may share data with a cell known by a number?"""
        return bool(cell.made) and cell.made <= self.rooted

    def write(self, receiver: Cell, made: frozenset[int]) -> None:
        """Something was written in place into a rooted cell: all that shares data with it has that graph."""
        waiting, seen = list(receiver.made), set[int]()
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                self.written.setdefault(number, set()).update(made - {number})
                waiting += () if number in self.own else self.parents[number]

    def begin(self, atoms: int, values: Iterable[Value]) -> Rounds:
        """A loop begins, with ``values`` under the names in it; ``atoms``: how many conditions there are so far."""
        for number, cell in [*self.numbered(values)]:
            if not cell.made and cell.kind in ("tensor", "unknown"):
                self.heap[number] = cell.but(made=frozenset({self.number(frozenset(), self.false)}))
        return Rounds(len(self.parents), atoms, {})

    def note_start(self, loop: Rounds, held: Mapping[str, Value]) -> None:
        """A round begins with this under the names that it may read."""
        for name, value in held.items():
            loop.starts.setdefault(name, set()).update(self.made_of([value]))

    def carry(self, loop: Rounds, carried: Mapping[str, Value], kept: Mapping[str, Value]) -> None:
        """A loop hands values on to rounds that were not run; they reach what those that were reach of theirs.

        ``carried``: what the names hold at the end that a round binds; ``kept``: what those hold that none binds. Of
        those each round finds what was there before the loop, and the rounds that were run show what becomes of it;
        what is in them may have come from another part of them.
        """
        found = {thing.cell for value in kept.values() for _, thing in value if isinstance(thing, Ref)}
        same = {number for place in found for number in self.heap[place].made if number <= loop.first}
        for name, value in carried.items():
            self.loops.append((loop, name, self.made_of([value])))
        for name, value in kept.items():
            inner = {n for place, cell in self.numbered([value]) if place not in found for n in cell.made}
            self.loops.append((loop, name, (self.made_of([value]) - same) | inner))

    def made_or_not(self, values: Iterable[Value]) -> frozenset[int]:
        """As ``made_of``, for what may be any one of several: with a number for those that have none."""
        values = list(values)
        made = frozenset(number for cell in self.opened(values) for number in cell.made)
        if made and any(not cell.made for cell in self.reachable(values) if cell.kind in ("tensor", "unknown")):
            made |= self.others()
        return made

    def made_of(self, values: Iterable[Value]) -> frozenset[int]:
        """The operations whose graphs can be reached from values."""
        if not self.parents:
            return frozenset()
        return frozenset(n for cell in self.reachable(values) for n in cell.made)

    def mark(self, pc: Formula, values: Iterable[Value]) -> None:
        """Where ``pc`` holds, somebody may ask for gradients of the values, and of what comes into them later."""
        waiting = [(pc, guard, thing) for value in values for guard, thing in value]
        known: dict[Abstract, Formula] = {}
        while waiting:
            where, guard, thing = waiting.pop()
            if not isinstance(thing, (Ref, Bound, Partial, Function)):
                continue
            before = known.get(thing)
            if isinstance(thing, Ref) and thing.cell in self.plain:
                where = where & guard & ~self.plain[thing.cell]
            if where.is_false or (before is not None and where.implies(before)):
                continue
            where = self.wider(where)
            known[thing] = where if before is None else before | where
            if isinstance(thing, Ref):
                cell = self.heap[thing.cell]
                if cell.kind in ("list", "dict"):
                    self.open.add(thing.cell)
                for number in cell.made:
                    self.reached[number] = self.wider(self.reached.get(number, self.false) | where)
            waiting += [(where, guard, part) for value in self.inside(thing) for guard, part in value]

    def note_plain(self, place: int, where: Formula) -> None:
        """A cell is a number, a word, or other plain data where it was asked for that and was it: it has no graph."""
        self.plain[place] = self.plain.get(place, self.false) | where

    def opened(self, values: Iterable[Value]) -> list[Cell]:
        """The cells that values lead to, when somebody has them who may keep the containers among them."""
        cells = []
        for number, cell in self.numbered(values):
            cells.append(cell)
            if cell.kind in ("list", "dict"):
                self.open.add(number)
        return cells

    def put(self, container: int, pc: Formula, values: Iterable[Value]) -> None:
        """Values come into a container: who had it before has them, too."""
        if container in self.open:
            self.mark(pc, values)

    def settle(self, facts: list[Fact], pc: Formula) -> list[Fact]:
        """The facts, with where nobody reaches the graph; closures are taken to run at the end, where ``pc`` is."""
        for frame, names in self.closures:
            self.mark(pc, held_by(frame, names))
        self.spread(self.reached)
        more = {number for loop in self.loops for number in self.handed_on(*loop)}
        while more:
            self.spread(more)
            more = {number for loop in self.loops for number in self.handed_on(*loop)}
        return [replace(f, idle=~self.reached.get(f.number, self.false)) if f.number else f for f in facts]

    def spread(self, changed: Iterable[int]) -> None:
        """From what is reached to what it was made of, and to what was written into that."""
        waiting = sorted(-number for number in changed)
        queued = set(waiting)
        while waiting:
            number = -heappop(waiting)
            queued.discard(-number)
            reached = self.reached[number] & ~self.ends[number]
            if reached.is_false:
                continue
            for other in (*self.parents[number], *self.written.get(number, ())):
                before = self.reached.get(other, self.false)
                after = self.wider(before | reached)
                if after is not before:
                    self.reached[other] = after
                    if -other not in queued:
                        queued.add(-other)
                        heappush(waiting, -other)

    def handed_on(self, loop: Rounds, name: str, carried: frozenset[int]) -> Iterator[int]:
        """What is reached as well: where a round reaches what it began with, a later one reaches what is handed on.

        That the number is reached which stands for all that have none says nothing: beside it each has one of its own.
        """
        reached = self.false
        for number in (loop.starts.get(name, set()) & self.reached.keys()) - self.elsewhere:
            reached = reached | (self.reached[number] & ~self.ends[number])
        reached = reached.without(a for a in reached.support() if a > loop.atoms)
        for number in sorted(carried) if not reached.is_false else ():
            before = self.reached.get(number, self.false)
            if not reached.implies(before):
                self.reached[number] = before | reached
                yield number

    def forget(self) -> None:
        """Let go of everything: the interpretation is over."""
        self.heap = {}
        self.closures.clear()
        self.parents.clear()
        self.ends.clear()
        self.reached.clear()
        self.open.clear()
        self.plain.clear()
        self.own.clear()
        self.rooted.clear()
        self.written.clear()
        self.loops.clear()

    def reachable(self, values: Iterable[Value]) -> Iterator[Cell]:
        """The cells that values lead to."""
        return (cell for _, cell in self.numbered(values))

    def numbered(self, values: Iterable[Value]) -> Iterator[tuple[int, Cell]]:
        """The cells that values lead to, with their places in the heap."""
        waiting: list[Abstract] = [thing for value in values for _, thing in value]
        seen: set[int] = set()
        known: set[Function] = set()
        heap = self.heap
        while waiting:
            thing = waiting.pop()
            if isinstance(thing, Ref):
                number = thing.cell
                if number in seen:
                    continue
                seen.add(number)
                yield number, heap[number]
                cell = heap[number]  # it may be another one by now
                for rows in (cell.items, cell.attrs):
                    for _, value in rows:
                        waiting += [part for _, part in value]
                continue
            if isinstance(thing, Function):
                if thing in known:
                    continue
                known.add(thing)
            waiting += [part for value in self.inside(thing) for _, part in value]

    def inside(self, thing: Abstract) -> list[Value]:
        """The values that one thing leads to."""
        if isinstance(thing, Ref):
            cell = self.heap[thing.cell]
            return [value for _, value in (*cell.items, *cell.attrs)]
        if isinstance(thing, Bound):
            return [thing.receiver]
        if isinstance(thing, Partial):
            return [thing.function, *thing.args, *(value for _, value in thing.kwargs)]
        if isinstance(thing, Function):
            return [*held_by(thing.frame, closed_over(thing.node)), *(value for _, value in thing.defaults)]
        return []


def holds(frame: Frame) -> bool:
    """Does a function made in this frame hold on to what is bound there? (A module's names are there anyway.)"""
    return not isinstance(frame.node, (ast.Module, ast.ClassDef))


def held_by(frame: Frame, names: Names | None) -> list[Value]:
    """What a function made in ``frame`` holds on to, which reads these names of it; None: all."""
    return [value for scope in scopes(frame) for name, value in scope.env.items() if names is None or name in names]


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
