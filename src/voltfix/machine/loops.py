"""Loops: their bodies run until what they leave behind is known, not once for each of the author's iterations."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from voltfix.domains.conditions import Formula, OutOfBudget
from voltfix.machine.evaluate import Expressions
from voltfix.machine.facts import Conflict
from voltfix.machine.liveness import Rounds, carried_names
from voltfix.machine.values import (
    Abstract,
    Bound,
    Cell,
    Const,
    Extern,
    Frame,
    Loop,
    Ref,
    Truth,
    Value,
    choose,
    is_constant,
    on_paths,
)
from voltfix.program.bindings import VARIABLE
from voltfix.program.living import living
from voltfix.program.walking import of_node, walk
from voltfix.records import dataclass
from voltfix.torchmodel.python import ITERATING, PASSING

MAX_ITERATIONS = 8
MAX_JOINED = 8  # more rounds, in which a name keeps what it held
PARTS = ITERATING & PASSING  # what gives parts of what it is given, and calls nothing
EACH = PARTS - {"max", "min", "next", "sum"}  # of which one gives what was in it, and no part of that
State = dict[str, "Look"]
Held = dict[str, Value]


@dataclass(frozen=True)
class Look:
    """What blocks depend on of a value: which things without a graph it can be, where it can be volatile and can be
    not, where it can require grad, and where a test would show that it does not."""

    plain: frozenset[object]
    vol: Formula
    steady: Formula
    req: Formula
    free: Formula

    def within(self, other: Look) -> bool:
        """Is it no more than another one, so that what was found of that is all there is to find?"""
        return self is other or (self.plain <= other.plain and self.vol.implies(other.vol)
                                 and self.steady.implies(other.steady) and self.req.implies(other.req)
                                 and self.free.implies(other.free))


@dataclass(frozen=True)
class Turn:
    """A round of a loop: for which element, what it brought to lines that ask for gradients, and was refused there."""

    guard: Formula
    conflicts: Sequence[Conflict]
    granted: Set[tuple[ast.AST, ...]]  # the lines to which it brought something that is not volatile on some path


class Loops(Expressions):
    """The part of the machine that executes ``for`` and ``while``."""

    entry_names: frozenset[str]  # the names under which dictionaries alone give out what is in them
    _visible: dict[int, dict[int, Formula]]  # what ``shown`` answered, by the first atoms

    @abstractmethod
    def run(self, body: list[ast.stmt], frame: Frame) -> None:
        """Execute a suite (see ``statements``)."""
        ...

    def exec_For(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:  # noqa: N802
        """``for``: one round for each element of a short list, as many as it takes where two stand for all."""
        self.open_ended = False
        rounds = self.iterate(node.iter, frame)
        open_ended, self.open_ended = self.open_ended, False
        pc, broke, waiting = self.pc, self.algebra.false, frame.leaving
        begun = self.begin_rounds(node, frame)
        taken = carried_names(node) & bound_in(node.target)
        if self.is_of_entries(node.iter, frame):
            taken = taken & added_to(node)  # of a dictionary: no code runs between two rounds
        each = written_each(node)
        if each is not None:
            self.written[id(each)] = []
        given: list[tuple[Formula, Value]] = []
        turns: list[Turn] = []
        entered = self.algebra.false
        for number, (guard, item) in enumerate(self.until_settled(rounds, open_ended, node, frame)):
            if number:
                self.ask_anew(item, at_head(node, frame), frame)
            skipped = pc & ~guard  # paths without this element may have the next one
            first = self.algebra.fresh()
            self.pc = pc & guard
            if self.pc.is_false:
                continue
            loop = Loop(self.algebra.false, self.algebra.false)
            found, granted = len(self.conflicts), len(self.granted)
            frame.loops.append(loop)
            self.liveness.note_start(begun, held_by(carried_names(node), frame))
            with self.suspend(frame, skipped | broke):
                self.bind(node.target, item, frame, sure=True)
                given += [(self.pc, value) for value in held_by(taken, frame).values()]
                entered = entered | self.pc
                self.run(node.body, frame)
            frame.loops.pop()
            self.gather(frame, waiting)
            turns.append(Turn(guard, self.conflicts[found:], set(self.granted[granted:])))
            pc, broke = self.pc | loop.continued | skipped, broke | loop.broke
            pc = pc.without(a for a in pc.support() if a > first and a not in self.texts)
            self.pc = pc
        self.pc = pc
        self.compare_turns(turns)
        if each is not None:
            self.replace_each(each, node, frame, begun.atoms, self.written.pop(id(each)))
        self.carry(begun, node, frame, entered)
        # whatever an iterator gives out it may keep, and compute with in the next round; not what took its name since
        given += [(self.pc, value) for value in held_by(taken & added_to(node), frame).values()]
        for where, value in given:
            self.liveness.mark(where, [on_paths(value, where)])
        self.run_without_break(node.orelse, broke, frame)

    def compare_turns(self, turns: Sequence[Turn]) -> None:
        """Of rounds of which only one can be, whichever it is, what each is given are alternatives of one value.

        Where one brings a line something volatile and another brings it something else, it is the condition between
        them that kept the first from being run, as it is where both come under one name.
        """
        for turn in turns:
            others = [other for other in turns if other is not turn and (other.guard & turn.guard).is_false]
            for conflict in turn.conflicts:
                if conflict.chain and not conflict.assumed and any(conflict.chain in o.granted for o in others):
                    self.conflicts = [each for each in self.conflicts if each is not conflict]

    def is_of_entries(self, iterated: ast.expr, frame: Frame) -> bool:
        """``x.items()``, ``sorted(x.items())``: is what is in dictionaries gone over, and nothing beside it?"""
        called = iterated.func if isinstance(iterated, ast.Call) else None
        if not isinstance(iterated, ast.Call) or isinstance(called, ast.Attribute):
            return isinstance(iterated, ast.Call) and isinstance(called, ast.Attribute) and (
                called.attr in self.entry_names and not iterated.args and not iterated.keywords)
        first, *others = iterated.args or [iterated.func]
        return isinstance(called, ast.Name) and called.id in EACH and self.lookup(called.id, frame) is None and (
            self.is_of_entries(first, frame)) and all(
            isinstance(each, ast.Constant) or self.is_of_entries(each, frame) for each in others)

    def run_without_break(self, body: list[ast.stmt], broke: Formula, frame: Frame) -> None:
        """What stands behind ``else`` of a loop: run where no round came to a ``break``, and no place for those."""
        if body:
            self.pc = self.pc & ~broke
            with self.suspend(frame, broke):
                self.run(body, frame)
        self.pc = self.pc | broke

    def ask_anew(self, item: Value, names: Iterable[str], frame: Frame) -> None:
        """Another round begins: what was asked of the element before says nothing of the next one.

        One condition stands for the question in every round, as the code asks it anew. What ``names`` hold from the
        round before hangs on the answer of then, which nothing repeats.
        """
        asked = {atom for number, _ in self.liveness.numbered([item]) for atom in self.asked_of.get(Ref(number), ())}
        if not asked:
            return
        past: dict[int, int] = {}
        for name, value in held_by(names, frame).items():
            frame.env[name] = self.of_then(value, asked & self.decided_by(value), past)
            for place, cell in list(self.liveness.numbered([value])):
                vol, req = self.asked_then(cell.vol, asked, past), self.asked_then(cell.req, asked, past)
                if vol is not cell.vol or req is not cell.req:
                    self.heap[place] = cell.but(vol=vol, req=req)
                within = asked & self.deciding  # what is in containers hangs on much else
                if within and (cell.attrs or cell.items):
                    attrs = tuple((key, self.of_then(held, within, past)) for key, held in cell.attrs)
                    items = tuple((self.asked_then(where, within, past), self.of_then(held, within, past))
                                  for where, held in cell.items)
                    self.heap[place] = self.heap[place].but(attrs=attrs, items=items)

    def decided_by(self, value: Value) -> set[int]:
        """The conditions that decide which tensor a value is, where that matters, and whether it is true."""
        cells = [(guard, self.heap[thing.cell]) for guard, thing in value if isinstance(thing, Ref)]
        unlike = len({(cell.vol.number, cell.req.number) for _, cell in cells}) > 1 or len(cells) < len(value)
        told = [guard for guard, cell in cells if unlike and cell.kind in ("tensor", "unknown")]
        atoms = {atom for guard in told for atom in guard.support()}
        for guard, thing in value:
            if isinstance(thing, Truth):
                atoms |= guard.support() | thing.formula.support()
        return atoms

    def of_then(self, value: Value, asked: set[int], past: dict[int, int]) -> Value:
        """A value whose conditions are those of an earlier round."""
        if all(asked.isdisjoint(guard.support()) and not isinstance(thing, Truth) for guard, thing in value):
            return value
        return tuple((self.asked_then(guard, asked, past), replace(thing, formula=self.asked_then(
            thing.formula, asked, past)) if isinstance(thing, Truth) else thing) for guard, thing in value)

    def asked_then(self, formula: Formula, asked: set[int], past: dict[int, int]) -> Formula:
        """The formula with conditions of an earlier round in place of those that are ``asked`` again."""
        for number in sorted(asked & formula.support()):
            if number not in past:
                past[number] = self.algebra.fresh()
                self.opaque.add(past[number])
            atom, then = self.algebra.atom(number), self.algebra.atom(past[number])
            formula = self.algebra.ite(then, (formula & atom).without({number}), (formula & ~atom).without({number}))
        return formula

    written: dict[int, list[Value]]  # what loops put for each element of a list, by node id of the target

    def replace_each(self, target: ast.Subscript, loop: ast.For | ast.AsyncFor, frame: Frame, atoms: int,
                     values: list[Value]) -> None:
        """After ``for i in range(len(xs)): xs[i] = Variable(...)`` no element is what it was before.

        An empty list has none, so that nothing gets volatile here that was not.
        """
        made = loop.body[0].value if isinstance(loop.body[0], ast.Assign) else None
        if not isinstance(made, ast.Call) or any(self.lookup(n, frame) is not None for n in ("range", "len")):
            return
        things = [thing for value in values for _, thing in value]
        cells = [self.heap[thing.cell] for thing in things if isinstance(thing, Ref)]
        if not cells or len(cells) < len(things) or any(cell.origin != "variable" for cell in cells) or any(
                not isinstance(t, Extern) or t.name != VARIABLE for _, t in self.eval(made.func, frame)):
            return
        vol = cells[-1].vol
        if any(cell.vol != vol for cell in cells) or any(atom > atoms for atom in vol.support()):
            return  # it hangs on what is asked in one round
        listed = frozenset({"list"})
        for guard, thing in self.lookup(target.value.id, frame) or () if isinstance(target.value, ast.Name) else ():
            if not isinstance(thing, Ref):
                continue
            cell = self.heap[thing.cell]
            if cell.kind == "unknown" and (self.pc & guard).implies(self.atom(("is a", thing, listed))):
                self.update(thing, guard, vol=cell.vol & vol)
                cell = self.heap[thing.cell]
                attrs = tuple(a for a in cell.attrs if not a[0].startswith("["))
                self.heap[thing.cell] = cell.but(attrs=attrs, worded=None)
            elif cell.kind == "list":
                where = self.pc & guard
                items = tuple((p, self.limited(choose(where, self.copied(cells[-1]), old))) for p, old in cell.items)
                self.heap[thing.cell] = cell.but(items=items)

    def copied(self, cell: Cell) -> Value:
        """A cell of its own that is as another one is."""
        made = self.new(cell.kind)
        for _, thing in made:
            if isinstance(thing, Ref):
                self.heap[thing.cell] = cell
        return made

    exec_AsyncFor = exec_For  # noqa: N815

    def until_settled(self, rounds: list[tuple[Formula, Value]], open_ended: bool, node: ast.AST,
                      frame: Frame) -> Iterator[tuple[Formula, Value]]:
        """The rounds, and the last one again while the loop still changes what its names hold.

        Where that does not come to rest, each name holds what it held before the round, too.
        """
        if not open_ended:
            for each in rounds:
                let_go(node, frame)
                yield each
            return
        names, seen, atoms = at_head(node, frame), list[State](), self.algebra.atoms
        before: Held = {}
        least = min(len(rounds), self.least_rounds)
        for number in range(MAX_ITERATIONS + MAX_JOINED):
            state = self.state_of(names, frame, atoms)
            if number >= least and (not rounds or self.pc.is_false or was_run(state, seen)):
                return
            if number >= MAX_ITERATIONS:
                state = self.joined_state(before, names, frame, atoms)
                if was_run(state, seen):
                    return
            seen.append(state)
            let_go(node, frame)
            before = held_by(names, frame)
            yield rounds[number] if number < len(rounds) else (self.unknown_truth(), rounds[-1][1])
        raise OutOfBudget(f"line {getattr(node, 'lineno', 0)} carries too much to its next round")

    @property
    def least_rounds(self) -> int:
        """How many rounds are run in any case: what one does with what the one before left is seen in the second.

        What is around a root, and what is imported, is run for what it leaves behind and for nothing else: where a
        round left the names of a loop as it found them, another one does, too.
        """
        return 1 if self.around or self.importing else 2

    def joined_state(self, before: Held, names: tuple[str, ...], frame: Frame, atoms: int) -> State:
        """The state when each name may hold what it held ``before`` the last round: it only grows from here on."""
        either = self.unknown_truth()
        for name, old in before.items():
            now = frame.env.get(name)
            if now is not None and now is not old:
                frame.env[name] = self.limited(choose(either, now, old))
        return self.state_of(names, frame, atoms)

    def begin_rounds(self, loop: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> Rounds:
        """What a loop may hand on from round to round, as it is before it."""
        return self.liveness.begin(self.algebra.atoms, self.taking_part(loop, frame))

    def carry(self, begun: Rounds, loop: ast.For | ast.AsyncFor | ast.While, frame: Frame, where: Formula) -> None:
        """What one iteration leaves to the next may reach further than those that were run; ``where`` one was."""
        bound = bound_in(loop)
        taken = carried_names(loop).intersection(at_head(loop, frame))
        carried = {name: on_paths(value, where) for name, value in held_by(taken, frame).items()}
        self.liveness.carry(begun, {name: v for name, v in carried.items() if name in bound},
                            {name: v for name, v in carried.items() if name not in bound})

    def taking_part(self, loop: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> list[Value]:
        """What the names hold that a loop binds, and the containers: what comes into one round goes through these."""
        bound = bound_in(loop) - only_given(loop)
        held = {name: on_paths(value, self.pc) for name, value in held_by(names_in(loop), frame).items()}
        return [value for name, value in held.items()
                if name in bound or any(map(self.holds_more, (thing for _, thing in value)))]

    def holds_more(self, thing: Abstract) -> bool:
        """Is it a container, or a method of one: may a round put something in?"""
        if isinstance(thing, Bound):
            return any(self.holds_more(receiver) for _, receiver in thing.receiver)
        return isinstance(thing, Ref) and self.heap[thing.cell].kind in ("list", "dict")

    def exec_While(self, node: ast.While, frame: Frame) -> None:  # noqa: N802
        """``while``: as ``for``, with a test before each round."""
        pc, done, broke, waiting = self.pc, self.algebra.false, self.algebra.false, frame.leaving
        names, seen, atoms = at_head(node, frame), list[State](), self.algebra.atoms
        begun, came = self.begin_rounds(node, frame), pc
        before: Held = {}
        for number in range(MAX_ITERATIONS + MAX_JOINED):
            self.pc = pc
            state = self.state_of(names, frame, atoms)
            if number >= self.least_rounds and (pc.is_false or was_run(state, seen)):
                break
            if number >= MAX_ITERATIONS:
                state = self.joined_state(before, names, frame, atoms)
                if was_run(state, seen):
                    break
            seen.append(state)
            let_go(node, frame)
            before = held_by(names, frame)
            self.liveness.note_start(begun, held_by(carried_names(node), frame))
            formula = self.test(node.test, frame)
            if formula.is_true:
                # it ends some time, by the test or not at all; what follows is reached from any iteration
                formula = self.unknown_truth() if not _breaks(node) else formula
            done = done | (self.pc & ~formula)
            self.pc = self.pc & formula
            frame.loops.append(Loop(self.algebra.false, self.algebra.false))
            with self.suspend(frame, done | broke):
                self.run(node.body, frame)
            loop = frame.loops.pop()
            self.gather(frame, waiting)
            pc, broke = self.pc | loop.continued, broke | loop.broke
        else:
            raise OutOfBudget(f"line {node.lineno} carries too much to its next round")
        self.pc = pc | done
        self.carry(begun, node, frame, came)
        self.run_without_break(node.orelse, broke, frame)

    def state_of(self, names: Iterable[str], frame: Frame, atoms: int) -> State:
        """What some names hold on the current path, as far as blocks depend on it: a loop is done when that is no more
        than what a round was run with.

        By conditions that were asked before the loop (the first ``atoms``); those of one round alone are left out of
        account.
        """
        return {name: self.state_of_value(frame.env[name], atoms) for name in names if name in frame.env}

    def state_of_value(self, value: Value, atoms: int) -> Look:
        """The state of one value; of numbers no more than that, but where all of them are written in the source.

        Where a tensor can require grad is where it may, at most: that it does not is known to a test of it alone, and
        of what was made with a flag for that.
        """
        false = self.algebra.false
        if self.is_numbers(value) and not is_constant(value):
            return Look(frozenset({"numbers"}), false, false, false, false)
        plain: set[object] = set()
        for guard, thing in value:
            if isinstance(thing, (Const, Truth)):
                where = thing.formula if isinstance(thing, Truth) else self.algebra.constant(bool(thing.value))
                plain |= {self.shown(guard, where, atoms).number, -self.shown(guard, ~where, atoms).number}
            elif not isinstance(thing, Ref):
                plain.add(type(thing).__name__)
        vol = steady = req = free = false
        either, shown = self.algebra.either, self.shown
        for guard, cell in self.leaves([value]):
            where = self.algebra.both(self.pc, guard)
            vol, steady = either(vol, shown(where, cell.vol, atoms)), either(steady, shown(where, ~cell.vol, atoms))
            req = either(req, shown(where, cell.req, atoms))
            free = either(free, shown(where, ~cell.req if cell.origin == "variable" else self.algebra.true, atoms))
        return Look(frozenset(plain), vol, steady, req, free)

    def shown(self, one: Formula, two: Formula, atoms: int) -> Formula:
        """Where both can hold by the first ``atoms`` conditions, without those that nothing repeats."""
        return self.algebra.seen(one, two, atoms, self.is_hidden, self._visible.setdefault(atoms, {}))

    def is_hidden(self, atom: int) -> bool:
        """Is it a condition that nothing repeats?"""
        return atom in self.opaque or atom in self.algebra.blurred


def was_run(state: State, seen: Iterable[State]) -> bool:
    """Was a round run with no less than this under the same names?"""
    return any(state.keys() == known.keys() and all(look.within(known[name]) for name, look in state.items())
               for known in seen)


def held_by(names: Iterable[str], frame: Frame) -> Held:
    """What names hold now."""
    return {name: frame.env[name] for name in names if name in frame.env}


def at_head(node: ast.AST, frame: Frame) -> tuple[str, ...]:
    """The names of a loop that a later round may read as the one before left them; what follows, too."""
    alive = living(frame.node)
    here = alive.get(id(node)) if alive is not None else None
    names: tuple[str, ...] = names_in(node)
    return names if here is None else tuple(name for name in names if name in here.here)


def let_go(node: ast.AST, frame: Frame) -> None:
    """Forget what the names of a loop hold that nothing reads again, on no path, before it is bound anew."""
    alive = living(frame.node)
    here = alive.get(id(node)) if alive is not None else None
    if here is not None:
        for name in bound_in(node) - here.anywhere:
            frame.env.pop(name, None)


@of_node
def names_in(node: ast.AST) -> tuple[str, ...]:
    """The names that occur in a loop."""
    return tuple(sorted({n.id for n in walk(node) if isinstance(n, ast.Name)}))


@of_node
def bound_in(node: ast.AST) -> frozenset[str]:
    """The names that a loop binds."""
    return frozenset(n.id for n in walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


@of_node
def only_given(loop: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    """The names that loops in it bind to parts of what no round binds: none of them holds what a round made."""
    bound = bound_in(loop)
    given = [name for node in walk(loop) if isinstance(node, ast.For) and goes_over_names(node.iter, bound)
             for name in walk(node.target) if isinstance(name, ast.Name)]
    others = {name.id for name in walk(loop) if isinstance(name, ast.Name) and not isinstance(name.ctx, ast.Load)
              and not any(name is other for other in given)}
    return frozenset(name.id for name in given) - others


def goes_over_names(node: ast.expr, bound: frozenset[str]) -> bool:
    """``xs``, ``zip(xs, ys)``: are names gone over, none of them in ``bound``, and nothing else?"""
    if isinstance(node, ast.Name):
        return node.id not in bound
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PARTS and (
        not node.keywords and all(goes_over_names(each, bound) for each in (node.func, *node.args)))


@of_node
def added_to(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """The names of which ``name += ...`` may change the object in place."""
    return frozenset(n.target.id for n in walk(loop) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name))


@of_node
def _breaks(node: ast.While) -> bool:
    """Does the loop leave by ``break`` or ``return``?"""
    return any(isinstance(n, (ast.Break, ast.Return)) for n in walk(node))


@of_node
def written_each(loop: ast.For | ast.AsyncFor) -> ast.Subscript | None:
    """What ``for i in range(len(xs)): xs[i] = ...`` assigns to, where it does nothing else; no other code runs in it.

    There may be one call, and methods of ``xs[i]``.
    """
    statement = loop.body[0]
    if len(loop.body) > 1 or loop.orelse or not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return None
    target, made, index = statement.targets[0], statement.value, loop.target
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or not isinstance(
            index, ast.Name) or ast.unparse(target.slice) != index.id or not isinstance(made, ast.Call):
        return None
    if ast.unparse(loop.iter) != f"range(len({target.value.id}))" or index.id == target.value.id:
        return None
    item = ast.unparse(target)
    inner = [node for part in (*made.args, *(k.value for k in made.keywords)) for node in walk(part)]
    quiet = all(_of_item(node, item) for node in inner if isinstance(node, ast.Call)) and not any(
        isinstance(node, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)) for node in inner)
    return target if quiet else None


def _of_item(call: ast.Call, item: str) -> bool:
    """Is it a method of the item, or of what one gave?"""
    part: ast.expr = call
    while ast.unparse(part) != item:
        if isinstance(part, ast.Call):
            part = part.func
        elif isinstance(part, ast.Attribute):
            part = part.value
        else:
            return False
    return True
