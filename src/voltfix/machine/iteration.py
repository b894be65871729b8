"""Objects of the project that are gone over: a ``for`` calls their ``__iter__``, ``__next__`` or ``__getitem__``."""

from __future__ import annotations

import ast

from voltfix.machine.parameters import Weights
from voltfix.machine.values import Abstract, Bound, Cell, Frame, Function, Ref, Value, choose, single

DEEPEST = 3  # iterables that give iterables


class Iterables(Weights):
    """The part of the machine that goes over instances of the project's classes."""

    def gone_over(self, value: Value, node: ast.AST, frame: Frame, depth: int = 0) -> Value:
        """What a loop over ``value`` goes over: for an object of the project, the list of what its methods give."""
        out: Value | None = None
        for guard, thing in value if self.iterable(value) else ():
            with self.narrowed(guard):
                part = self.elements_of(thing, node, frame, depth)
            out = part if out is None else choose(guard, part, out)
        return value if out is None else self.limited(out)

    def iterable(self, value: Value) -> bool:
        """Is there an object whose class says how it is gone over?"""
        return any(isinstance(t, Ref) and self.asked_by_loop(self.heap[t.cell]) for _, t in value)

    def asked_by_loop(self, cell: Cell) -> str:
        """The method that a loop over the object calls; "" where its class is not in view, or has none."""
        if cell.kind != "object" or cell.owner is None or self.importing:
            return ""
        for name in ("__iter__", "__getitem__"):
            found = cell.owner.lookup(name)
            if found is not None:
                return name if len(found) == 1 and isinstance(found[0][1], Function) else ""
        return ""

    def elements_of(self, thing: Abstract, node: ast.AST, frame: Frame, depth: int) -> Value:
        """The list that stands for all elements of one thing."""
        name = self.asked_by_loop(self.heap[thing.cell]) if isinstance(thing, Ref) else ""
        whole = single(thing, self.algebra)
        if not name or not isinstance(thing, Ref):
            return whole
        self.consumed.add(id(node))
        if name == "__getitem__":
            return self.several(self.asked(thing, name, [self.data("index")], node, frame))
        given = self.asked(thing, name, [], node, frame)
        if all(inner == thing for _, inner in given):
            owner = self.heap[thing.cell].owner
            following = next((n for n in ("__next__", "next") if owner is not None and owner.lookup(n)), "")
            return self.several(self.asked(thing, following, [], node, frame)) if following else whole
        return self.gone_over(given, node, frame, depth + 1) if depth < DEEPEST else given

    def asked(self, ref: Ref, name: str, args: list[Value], node: ast.AST, frame: Frame) -> Value:
        """What a special method of an object gives."""
        owner = self.heap[ref.cell].owner
        found = owner.lookup(name) if owner is not None else None
        function = found[0][1] if found else None
        if not isinstance(function, Function):
            return self.unknown()
        receiver = single(ref, self.algebra)
        return self.call_value(single(Bound(receiver, name, function), self.algebra), args, {}, node, frame)

    def several(self, element: Value) -> Value:
        """A list of unknown length whose elements are all alike."""
        return self.new("list", items=tuple((self.unknown_truth(), element) for _ in range(2)))
