"""Several values in one: where a name or an entry may hold more things than are told apart.

A joined cell remembers those that it stands for: what is written into it in place may have been written into any of
them.
Numbers, and lists of numbers, have no graph and pass nothing on, so that joining them takes no condition at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from voltfix.domains.conditions import Formula
from voltfix.domains.precision import EXACT
from voltfix.machine.state import Machine
from voltfix.machine.values import Abstract, Cell, Const, Plain, Ref, Value

TOLD_APART = 3  # entries of a container, where one of them is read and nobody knows which
DEPTH_NUMBERS = 4
MAX_OBJECTS = 32  # of classes of the project, that one name may hold: ``net = A() if kind == 'a' else B() if ...``
MAX_OPAQUE = 3  # conditions that nothing repeats, in what is joined

Rows = Iterable[tuple[Formula, Value]]


class Joins(Machine):
    """The part of the machine that makes one cell of several."""

    def limited(self, value: Value) -> Value:
        """The value itself, or one joined cell where it has too many alternatives."""
        if len(value) > 1:
            value = self.plain() if self.is_some_number(value) else self.alike_as_one(value)
        if len(value) <= self.precision.alternatives:
            return value
        if self.is_numbers(value):
            return self.numbers([value])
        if len(value) <= EXACT.alternatives and any(
                not isinstance(t, Ref) or self.heap[t.cell].kind not in ("tensor", "unknown") for _, t in value):
            return value  # of things that are no tensors too much would be lost
        if self.precision is EXACT and len(value) <= MAX_OBJECTS and all(map(self.is_object, value)):
            return value  # what they would be together, nobody knows: each may have classes of its own
        vol = self.volatility(value)
        return self.joined([value], vol, self.may_require(value) & ~vol)

    def is_object(self, alternative: tuple[Formula, Abstract]) -> bool:
        """Is it an object of a class of the project, that was made in view?"""
        thing = alternative[1]
        return isinstance(thing, Ref) and self.heap[thing.cell].kind == "object"

    def alike_as_one(self, value: Value) -> Value:
        """The value, with one cell in place of tensors of which the same is known: no condition tells them apart then.

        Such as have no graph: volatile whatever the conditions are, or in need of none where they are not.
        """
        groups: dict[object, list[tuple[Formula, Abstract]]] = {}
        for number, (guard, thing) in enumerate(value):
            look = self.looks(thing)
            groups.setdefault(number if look is None else look, []).append((guard, thing))
        return value if len(groups) == len(value) else tuple(map(self.as_one_of, groups.values()))

    def as_one_of(self, members: list[tuple[Formula, Abstract]]) -> tuple[Formula, Abstract]:
        """One cell for tensors of which the same is known, where any of them is meant."""
        first = members[0][1]
        if len(members) == 1 or not isinstance(first, Ref):
            return members[0]
        cell = self.heap[first.cell]
        ((_, whole),) = self.joined([tuple(members)], cell.vol, cell.req)
        assert isinstance(whole, Ref)
        self.heap[whole.cell] = self.heap[whole.cell].but(origin=cell.origin, fresh=cell.fresh, known=cell.known,
                                                          text=cell.text)
        return self.algebra.any(guard for guard, _ in members), whole

    def looks(self, thing: Abstract) -> object:
        """All that is known of a tensor without a graph; None of everything else."""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        if cell is None or not self.is_plain_tensor(thing) or cell.attrs or cell.items or (
                cell.cut is not None or cell.ran is not None):
            return None
        if not cell.vol.is_true and not cell.req.is_false:
            return None
        return (cell.kind, cell.vol.number, cell.req.number, cell.sites, cell.assumed, cell.doubt, cell.fresh,
                cell.idle, cell.known, cell.origin, cell.text)

    def any_entry(self, rows: Rows) -> Value | None:
        """One of the entries, whichever it is; None where they are more than numbers and tensors.

        It is volatile where all are that may be there, and perhaps where some are.
        """
        present = [(self.at_most(there), value) for there, value in rows]
        values = [value for _, value in present]
        if all(map(self.is_numbers, values)):
            return self.numbers(values)
        if not all(self.is_number(t) or self.is_plain_tensor(t) for value in values for _, t in value):
            return None
        some = self.algebra.any(there & self.volatility(value) for there, value in present)
        others = self.algebra.any(there & ~self.volatility(value) for there, value in present)
        if not some.excludes(others):
            some = some & (~others | self.unknown_truth())
        vol = self.shortened(some)
        req = self.shortened(self.algebra.any(there & self.may_require(value) for there, value in present))
        return self.joined(values, vol, req & ~vol)

    def joined(self, values: list[Value], vol: Formula, req: Formula) -> Value:
        """One cell for all that the values may be."""
        refs = {t.cell: self.heap[t.cell] for value in values for _, t in value if isinstance(t, Ref)}
        computed = any(cell.kind == "tensor" or cell.origin == "call" for cell in refs.values())
        tensors = all(isinstance(t, Ref) and refs[t.cell].kind == "tensor" for value in values for _, t in value)
        kind = "tensor" if tensors else "unknown"
        return self.new(kind, vol=vol, req=req, sites=self.origins(*values), assumed=self.assumed_of(*values),
                        made=self.liveness.made_or_not(values), origin="call" if computed else "",
                        idle=any(cell.idle for cell in refs.values()),
                        stands_for=frozenset(n for n, cell in refs.items() if cell.kind in ("tensor", "unknown")))

    # --- numbers -----------------------------------------------------------------------------------------------------

    def is_some_number(self, value: Value) -> bool:
        """Is it a number, and which one hangs on much that the root does not repeat?

        Such as a counter: it is what it began with, or another, and that by all that the loops around it have met.
        """
        atoms: set[int] = set()
        for guard, thing in value:
            if not (is_anonymous(thing) or (isinstance(thing, Const) and self.is_number(thing))):
                return False
            atoms |= guard.support()
        return len(atoms - self.texts.keys() - self.deciding) > MAX_OPAQUE

    def numbers(self, values: list[Value]) -> Value:
        """Data in place of numbers and lists of numbers; the lists remember it, should something else come into one."""
        made, number = self.data(), len(self.heap) - 1
        for container in self.containers(values):
            self.seen_as.setdefault(container, set()).add(number)
        return made

    def containers(self, values: Iterable[Value]) -> set[int]:
        """The lists and dictionaries in values, and those in them."""
        found: set[int] = set()
        waiting = list(values)
        while waiting:
            for _, thing in waiting.pop():
                if isinstance(thing, Ref) and thing.cell not in found:
                    cell = self.heap[thing.cell]
                    if cell.kind in ("list", "dict"):
                        found.add(thing.cell)
                        waiting += [value for _, value in (*cell.items, *cell.attrs)]
        return found

    def is_numbers(self, value: Value) -> bool:
        """Is there nothing but numbers, and lists and dictionaries of numbers?"""
        return all(self.is_number(thing, DEPTH_NUMBERS) for _, thing in value)

    def is_number(self, thing: Abstract, depth: int = 0) -> bool:
        """A number, plain data; down to a ``depth`` a container of such as well. Words and switches decide things."""
        if isinstance(thing, Const):
            return isinstance(thing.value, (int, float)) and not isinstance(thing.value, bool)
        if isinstance(thing, Plain):
            return True
        if not isinstance(thing, Ref):
            return False
        cell = self.heap[thing.cell]
        if cell.kind in ("list", "dict") and cell.owner is None:
            return depth > 0 and thing.cell not in self.at_top and all(
                self.is_number(t, depth - 1) for _, value in (*cell.items, *cell.attrs) for _, t in value)
        return is_data(cell)

    def is_plain_tensor(self, thing: Abstract) -> bool:
        """Is it a tensor, or something of which no more is known?"""
        cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
        return cell is not None and cell.kind in ("tensor", "unknown") and cell.owner is None

    def came_in(self, ref: Ref, values: Iterable[Value]) -> None:
        """Something is put into a container: where it is no number, what was read from it as numbers may be that."""
        known = self.seen_as.get(ref.cell)
        if not known or all(map(self.is_numbers, values)):
            return
        del self.seen_as[ref.cell]
        vol = self.volatility(*values) & self.unknown_truth()
        for number in known:
            cell = self.heap[number]
            self.heap[number] = cell.but(vol=vol, req=~vol, sites=self.origins(*values), origin="",
                                         assumed=self.assumed_of(*values), made=self.liveness.made_or_not(values))

    # --- conditions --------------------------------------------------------------------------------------------------

    def at_most(self, formula: Formula) -> Formula:
        """Where it can hold, whatever the conditions are that nothing repeats."""
        return formula.without(self.opaque & formula.support()) if self.opaque else formula

    def shortened(self, formula: Formula) -> Formula:
        """The formula itself, or with one condition in place of several that nothing repeats.

        Where it holds whatever they are, and where it does not, stays known.
        """
        gone = (self.opaque & formula.support()) - self.pc.support()
        if len(gone) <= MAX_OPAQUE:
            return formula
        upper, lower = formula.without(gone), ~((~formula).without(gone))
        return lower | (upper & self.unknown_truth())

    def as_one(self, formula: Formula) -> Formula:
        """The formula itself, or with one condition for it in place of several that the root does not repeat.

        The same formula becomes the same condition again. Where it holds whatever they are, and where it does not,
        stays known.
        """
        known = self.taken_for.get(formula)
        if known is None:
            gone = formula.support() - self.texts.keys() - self.deciding - self.pc.support()
            known = formula
            if len(gone) > MAX_OPAQUE:
                upper, lower = formula.without(gone), ~((~formula).without(gone))
                known = lower | (upper & self.algebra.atom(self.algebra.fresh()))
            self.taken_for[formula], self.taken_for[~formula] = known, ~known
        return known


def is_anonymous(thing: Abstract) -> bool:
    """Data that no condition tells from other data."""
    return isinstance(thing, Plain) and not thing.key and not thing.kind


def is_data(cell: Cell) -> bool:
    """Something of which is known only that no gradient belongs to it."""
    return cell.kind == "unknown" and cell.origin == "data" and cell.vol.is_false and cell.req.is_false and (
        not cell.attrs)
