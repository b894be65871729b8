"""The parameters of a network as one value: what ``p.volatile = on`` for each of them does to what it computes.

On 0.3 one volatile parameter was enough to make all that was computed with it volatile. A network's cell holds a tensor
that stands for all of its parameters; the layers taken from it share that. After the migration they do not require
grad instead, so that what a network computes of them alone has no graph; a block is needed where something else that
goes in requires grad, or where the result goes into a network that trains.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import TYPE_CHECKING

from voltfix.domains.conditions import Formula
from voltfix.machine.facts import AttributeWrite, VolatileWrite
from voltfix.machine.loops import Loops
from voltfix.machine.values import Frame, Ref, SiteKey, Truth, Value, single
from voltfix.program.mentions import Mentions
from voltfix.program.walking import walk
from voltfix.torchmodel.tables import SAME_WEIGHTS, WEIGHT_LISTS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

WEIGHTS = "<weights>"  # the attribute of a network's cell
ASKED = "<requires grad>"  # of the weights' cell: what the author's own code says of requires_grad
DEEPEST = 4


class Weights(Loops):
    """The part of the machine that knows whose parameters are volatile."""

    deciding: set[int]
    asking: set[int]  # writes of ``requires_grad`` of parameters, by node id

    def weights_of(self, ref: Ref) -> Value | None:
        """The parameters of a network that somebody has asked for; None of anything else."""
        return self.heap[ref.cell].attr(WEIGHTS) if self.freezes else None

    def frozen(self, ref: Ref) -> Value | None:
        """The parameters of a network, where they are volatile."""
        weights = self.weights_of(ref)
        return None if weights is None or (self.pc & self.volatility(weights)).is_false else weights

    def parameters(self, ref: Ref, name: str) -> Value:
        """``net.parameters()`` and ``net.named_parameters()``."""
        items: list[Value] = []
        for item in self.all_weights(ref, None, 0):
            if item not in items:
                items.append(item)
        rows = [self.sequence([self.data("name"), item]) if name == "named_parameters" else item for item in items]
        return self.sequence(rows)

    def all_weights(self, ref: Ref, above: Value | None, depth: int) -> list[Value]:
        """The weights of a network and of its parts; those that have none share the network's."""
        cell = self.heap[ref.cell]
        own = cell.attr(WEIGHTS)
        if own is None:
            own = above or self.new("tensor", req=self.algebra.true, text=f"{cell.text}.parameters()",
                                    origin=f"weights/{cell.origin}", attrs=((ASKED, self.truth(self.algebra.true)),))
            self.heap[ref.cell] = self._with_attr(self.heap[ref.cell], WEIGHTS, own)
        found = [own]
        for name, value in cell.attrs if depth < DEEPEST else ():
            for _, thing in value if not name.startswith("<") else ():
                part = self.heap[thing.cell] if isinstance(thing, Ref) else None
                if isinstance(thing, Ref) and part is not None and self.is_part(part.kind, part.origin):
                    found += self.all_weights(thing, own, depth + 1)
        return found

    @staticmethod
    def is_part(kind: str, origin: str) -> bool:
        """May something of that kind, kept on a network, be a part of it?"""
        return kind in ("module", "object") or (kind == "unknown" and origin == "")

    def part_of_network(self, ref: Ref, part: Value, name: str) -> None:
        """What is taken from a network has its parameters, or is one of them."""
        weights = self.weights_of(ref)
        thing = part[0][1]
        if weights is None or not isinstance(thing, Ref) or self.heap[thing.cell].attr(WEIGHTS) is not None:
            return
        cell = self._with_attr(self.heap[thing.cell], WEIGHTS, weights)
        if name in ("weight", "bias"):
            vol, sites = self.volatility(weights), self.origins(weights)
            cell = cell.but(vol=cell.vol | vol, req=cell.req & ~vol, sites=cell.sites | sites)
        self.heap[thing.cell] = cell

    def run_frozen(self, weights: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                   frame: Frame) -> Value:
        """A network some of whose parameters are volatile is called: they go in like any argument."""
        values = [*args, *kwargs.values(), weights]
        leaves = self.leaves(values)
        vol, req = self.volatility_among(leaves), self.requires_among(leaves)
        self.operations += 1
        self.run_hooks(node, frame, vol, values)
        self.liveness.mark(self.pc, values)
        self.record(node, frame, self.pc & vol & req, self.pc & req & ~vol, *values, text="call")
        return self.new("unknown", vol=vol, req=~vol, sites=self.origins_among(leaves), origin="call",
                        assumed=self.assumed_among(leaves))

    def freeze(self, ref: Ref, guard: Formula, formula: Formula, node: ast.AST, key: SiteKey, frame: Frame) -> None:
        """``p.volatile = on`` for the parameters of a network: they require grad where it is off, and they did before.
        """
        cell = self.heap[ref.cell]
        where = self.pc & guard
        asked = self.asked_weights(ref)
        self.writes.append(VolatileWrite(frame.path, node, where, cell.vol, formula, "weights", cell.origin[8:],
                                         len(frame.chain), self.left_among(cell.sites), asked, cell.req, ref.cell))
        self.deciding |= formula.support() | where.support()
        self.changes += 1
        sites = cell.sites | (frozenset({key}) if not formula.is_false else frozenset())
        self.leave_on_self(ref, where, formula, sites)
        stays = self.algebra.true if key in self.switched else ~formula
        self.heap[ref.cell] = cell.but(vol=self.algebra.ite(where, formula, cell.vol), sites=sites,
                                       req=self.algebra.ite(where, asked & stays, cell.req))

    def leave_on_self(self, ref: Ref, where: Formula, formula: Formula, sites: frozenset[SiteKey]) -> None:
        """Other methods find the parameters of ``self``, or of a part of it, as this one left them."""
        for _, thing in self.own_name[1] if self.own_name is not None else ():
            cell = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if cell is None or cell.owner is None:
                continue
            for key, value in cell.attrs:
                held = value if key == WEIGHTS else self.weights_in(value)
                if any(weights == ref for _, weights in held):
                    name = WEIGHTS if key == WEIGHTS else f"{key}.{WEIGHTS}"
                    write = AttributeWrite(cell.owner.node.name, name, where, formula, sites, tensor=True)
                    self.attribute_writes.append(write)

    def weights_in(self, value: Value) -> Value:
        """The parameters of whatever a value may be."""
        return tuple(row for _, t in value if isinstance(t, Ref) for row in self.heap[t.cell].attr(WEIGHTS) or ())

    switched: Container[SiteKey] = ()  # writes that a block says, for the flag is off again at the end

    def find_left(self, ref: Ref, key: str, vol: Formula, sites: frozenset[SiteKey]) -> None:
        """What ``leave_on_self`` of another method says of the receiver ``ref``."""
        part = key.removesuffix(WEIGHTS).removesuffix(".")
        text = self.heap[ref.cell].text + (f".{part}" if part else "")
        weights = self.new("tensor", vol=vol, req=~vol, sites=sites, origin="weights/state",
                           text=f"{text}.parameters()", attrs=((ASKED, self.truth(self.algebra.true)),))
        held = self.heap[ref.cell].attr(part) if part else single(ref, self.algebra)
        if held is None:
            held = self.unknown(text)
            self.heap[ref.cell] = self._with_attr(self.heap[ref.cell], part, held)
        for _, thing in held:
            if isinstance(thing, Ref):
                self.heap[thing.cell] = self._with_attr(self.heap[thing.cell], WEIGHTS, weights)
                self.all_weights(thing, None, 0)  # the parts that are known already share them

    own_name: tuple[str, Value] | None = None  # of the root's receiver

    def note_switched(self) -> None:
        """At the end of a root: the flags of which parameters are off again?"""
        self.switched_off = frozenset(id(write) for write in self.writes if write.kind == "weights" and (
            self.heap[write.cell].vol & write.pc).is_false)

    switched_off: frozenset[int] = frozenset()  # writes to those parameters, by id
    def asked_weights(self, ref: Ref) -> Formula:
        """Where the author's own code lets the parameters require grad."""
        value = self.heap[ref.cell].attr(ASKED) or ()
        return self.algebra.any([guard & t.formula for guard, t in value if isinstance(t, Truth)])

    def ask_weights(self, ref: Ref, guard: Formula, formula: Formula, node: ast.AST) -> None:
        """``p.requires_grad = on`` for the parameters of a network."""
        self.asking.add(id(node))
        asked = self.algebra.ite(self.pc & guard, formula, self.asked_weights(ref))
        self.set_attr(ref, guard, ASKED, self.truth(asked))
        self.update(ref, guard, req=formula)

    def is_weights(self, ref: Ref) -> bool:
        """Does a cell stand for the parameters of a network?"""
        return self.heap[ref.cell].origin.startswith("weights/")

    def network_method(self, ref: Ref, name: str) -> Value | None:
        """Methods of a network that matter for its parameters; None of others."""
        if not self.freezes or self.heap[ref.cell].kind not in ("module", "object", "unknown"):
            return None
        if name in WEIGHT_LISTS:
            return self.parameters(ref, name)
        return single(ref, self.algebra) if name in SAME_WEIGHTS and self.weights_of(ref) is not None else None


def freezes(project: Project) -> bool:
    """Does a loop over the parameters of something write their ``.volatile``?"""
    mentions = project.computed(Mentions)
    for name in sorted(WEIGHT_LISTS):
        for _, path, node in mentions.places(name):
            loop = next((n for n in project.parents(path, node) if isinstance(n, (ast.For, ast.FunctionDef))), None)
            if isinstance(loop, ast.For) and any(writes_flag(n) for n in walk(loop)):
                return True
    return False


def writes_flag(node: ast.AST) -> bool:
    """Is it the target of a write of ``.volatile``?"""
    return isinstance(node, ast.Attribute) and node.attr == "volatile" and isinstance(node.ctx, ast.Store)


def each_parameter(project: Project, path: str, statement: ast.AST) -> bool:
    """Does a loop do ``statement`` to every one of a network's parameters, whatever its name or number?"""
    loop = project.parent(path, statement)
    if not isinstance(loop, ast.For) or statement not in loop.body:
        return False
    call = loop.iter
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in WEIGHT_LISTS):
        return False
    before = loop.body[: loop.body.index(statement)]
    return not any(isinstance(n, (ast.Continue, ast.Break, ast.Return)) for s in before for n in walk(s))
