"""Networks in a ``DataParallel``: copies of them run, each on its part of the arguments, and what they give is joined.

On one device the network itself runs on the arguments taken apart, and on none on the arguments themselves. So what it
writes into them may be lost, and what it writes on itself, too.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from voltfix.domains.conditions import Formula
from voltfix.machine.derived import Derived
from voltfix.machine.values import Cell, ClassValue, Frame, Ref, Value, choose, single
from voltfix.program.rebound import Rebound

INSIDE = "<inside>"  # on the module around it: the class of the network that it was made of
OF_NETWORK = "module"  # under which name Python has that network there


class Copied(Derived):
    """The part of the machine that looks into a ``DataParallel`` where that tells what of it is volatile."""

    rebound: Rebound

    @abstractmethod
    def call_ref(self, ref: Ref, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> Value:
        """Call an object (see ``calls``)."""
        ...

    @abstractmethod
    def runs_in_view(self, cell: Cell, values: list[Value]) -> bool:
        """Is it an object of the project whose body is interpreted when it is called (see ``calls``)?"""
        ...

    def holder(self, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A module of torch.nn that is made; what holds one network of the project's remembers its class."""
        network = args[0] if args else kwargs.get(OF_NETWORK, ())
        cell = self.heap[network[0][1].cell] if len(network) == 1 and isinstance(network[0][1], Ref) else None
        known = cell is not None and cell.kind == "object" and cell.owner is not None and not any(
            cell.attr(run) for run in ("forward", "__call__"))
        owner = cell.owner if cell is not None and known else None
        return self.new("module", text=name,
                        attrs=((INSIDE, single(owner, self.algebra)),) if owner is not None else ())

    def run_inside(self, ref: Ref, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                   frame: Frame) -> Value | None:
        """What the network in a ``DataParallel`` gives that is handed something volatile and something that is not.

        None where it is not in view, or all that it is handed is volatile: then what it gives is.
        """
        inside, values = self.heap[ref.cell].attr(INSIDE), [*args, *kwargs.values()]
        if inside is None or self.rebound.is_patched(OF_NETWORK) or not self.are_unlike(values):
            return None
        owner = inside[0][1]
        network = self.new("object", owner=owner, text="self")[0][1]
        if not isinstance(network, Ref) or not isinstance(owner, ClassValue) or (
                not self.runs_in_view(self.heap[network.cell], values)):
            return None
        self.received(network, owner)  # what it is set to by now, nobody knows
        before = dict(self.liveness.numbered(values))
        given = self.call_ref(network, args, kwargs, node, frame)
        self.perhaps_on_a_copy(before)
        return self.gathered(given, node, frame)

    def are_unlike(self, values: list[Value]) -> bool:
        """Is a tensor among the values that is not volatile where something else is?"""
        leaves = self.leaves(values)
        vol = self.pc & self.volatility_among(leaves)
        return any(cell.kind == "tensor" and not (vol & guard & ~cell.vol).is_false for guard, cell in leaves)

    def perhaps_on_a_copy(self, before: dict[int, Cell]) -> None:
        """What was written into these since may have been written into copies that nobody has any more."""
        lost = self.unknown_truth()
        for number, old in before.items():
            new = self.heap[number]
            if new is old:
                continue
            vol, req = (self.algebra.ite(lost, one, other) for one, other in ((old.vol, new.vol), (old.req, new.req)))
            items = new.items if new.items == old.items else (
                *((there & lost, value) for there, value in old.items),
                *((there & ~lost, value) for there, value in new.items))
            attrs = tuple((name, self.either(lost, old.attr(name), value) if name.startswith("[") else value)
                          for name, value in {**dict(old.attrs), **dict(new.attrs)}.items())
            self.heap[number] = new.but(vol=vol, req=req, items=items, attrs=attrs,
                                        exact=new.exact and items is new.items)

    def either(self, lost: Formula, old: Value | None, new: Value) -> Value:
        """What an entry is that may have been put in, or replaced; where it is in no more, asking for it raises."""
        return choose(lost, old if old is not None else self.unknown(), new)

    def gathered(self, value: Value, node: ast.AST, frame: Frame) -> Value:
        """What the copies gave, joined: each tensor by an operation, which takes its graph on from there."""
        out: Value | None = None
        for guard, thing in value:
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            part = single(thing, self.algebra)
            if cell is not None and cell.kind in ("tensor", "unknown"):
                part = self.operate(node, frame, [part], kind=cell.kind, text="DataParallel")
            elif cell is not None and cell.kind == "list" and cell.exact:
                part = self.sequence([self.gathered(item, node, frame) for _, item in cell.items])
            out = part if out is None else choose(guard, part, out)
        return out if out is not None else value
