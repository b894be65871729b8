"""Objects of the project that operators of Python ask: a ``for`` calls ``__iter__``, ``x[i]`` calls ``__getitem__``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from voltfix.machine.parameters import Weights
from voltfix.machine.values import Abstract, Bound, Cell, ClassValue, Frame, Function, Ref, Value, choose, single
from voltfix.program.ofclass import BY_LOOP, BY_NEXT, OfClass, asked_by
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import of_node, walk

if TYPE_CHECKING:
    from voltfix.program.bindings import ProjectClass

DEEPEST = 3  # iterables that give iterables


class Iterables(Weights):
    """The part of the machine that goes over instances of the project's classes."""

    def gone_over(self, value: Value, node: ast.AST, frame: Frame, depth: int = 0) -> Value:
        """What a loop over ``value`` goes over: for an object of the project, the list of what its methods give."""
        value = self.by_class(value, node, frame, *BY_LOOP)
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
        for name in BY_LOOP:
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
            following = next((n for n in BY_NEXT if owner is not None and owner.lookup(n)), "")
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

    # --- objects that callers hand over ------------------------------------------------------------------------------

    relevant: frozenset[int]  # bodies that decide volatility or hand it on, by node id
    of_class: OfClass | None = None  # of which classes objects are that callers hand over
    received: Callable[[Ref, ClassValue], None]  # notes what an object of a class holds that was made elsewhere
    overridden: dict[int, set[str]]  # methods that classes below have of their own, by class node id

    def by_class(self, value: Value, asked: ast.AST, frame: Frame, *names: str) -> Value:
        """What ``asked`` gave; where it was unknown it is from here on an object of the class that all hand over.

        ``names``: what the operator calls, the first of them that the class has. An object whose method does not
        decide what is volatile is as good as unknown, and so is one of several classes.
        """
        waits = [thing for _, thing in value if isinstance(thing, Ref) and self.may_be_known(self.heap[thing.cell])]
        if self.of_class is None or self.importing or not waits or not isinstance(asked, (ast.Name, ast.Attribute)):
            return value
        running = self.of_class.running(frame.path, asked, names)
        if len(running) == 1 and len(waits) == len(value) == 1:
            cls, method = next(iter(running.items()))
            owner = self.class_named(cls)
            if owner is not None and self.decides_by(owner, method.node):
                self.become(waits[0], owner)
                self.know_constants(waits[0], cls, asked, frame)
                if frame.is_root and isinstance(asked, ast.Name) and asked.id in only_handed_over(frame.node):
                    self.by_parameter.append((asked.id, single(waits[0], self.algebra)))
        return value

    def know_constants(self, ref: Ref, cls: ProjectClass, asked: ast.expr, frame: Frame) -> None:
        """What all who hand an object over said when they made it, it has for good."""
        found = self.lasting.handed(frame.path, asked, cls) if self.lasting is not None else {}
        cell = self.heap[ref.cell]
        self.heap[ref.cell] = cell.but(attrs=(
            *(each for each in cell.attrs if each[0] not in found),
            *((name, self.const(each.value)) for name, each in found.items())))

    def decides_by(self, owner: ClassValue, method: ast.AST) -> bool:
        """Does what an operator runs decide what is volatile? After ``__iter__`` a loop runs ``__next__``."""
        if id(method) in self.relevant:
            return True
        following = next((found for name in BY_NEXT if (found := owner.lookup(name))), None)
        return following is not None and getattr(method, "name", "") == "__iter__" and any(
            isinstance(each, Function) and id(each.node) in self.relevant for _, each in following)

    def know_parameters(self, function: ast.AST, frame: Frame) -> None:
        """Parameters of the root are what callers hand over from the first: before an operator asks them."""
        names = only_handed_over(function)
        for node in walk(function) if self.of_class is not None and frame.is_root and names else ():
            for asked, looked_for in asked_by(node):
                if isinstance(asked, ast.Name) and asked.id in names:
                    self.by_class(frame.env[asked.id], asked, frame, *looked_for)

    def may_be_known(self, cell: Cell) -> bool:
        """Is it something unknown that may turn out to be an object of the project?"""
        return cell.kind == "unknown" and cell.origin != "data" and cell.vol.is_false and cell.text != "self"

    def become(self, ref: Ref, owner: ClassValue) -> None:
        """What was unknown is an object of a class, and always was."""
        cell = self.heap[ref.cell]
        found = tuple((name, part) for name, part in cell.attrs if name.isidentifier() and owner.lookup(name) is None)
        self.heap[ref.cell] = cell.but(kind="object", owner=owner, req=self.algebra.false, attrs=())
        self.received(ref, owner)
        cell = self.heap[ref.cell]
        known = {name for name, _ in cell.attrs}
        self.heap[ref.cell] = cell.but(attrs=(*cell.attrs, *(each for each in found if each[0] not in known)))

    def class_named(self, cls: ProjectClass) -> ClassValue | None:
        """The class of the project, as the top level of its module makes it."""
        found = self.module_frame(cls.path).env.get(cls.node.name)
        made = found[0][1] if found is not None and len(found) == 1 else None
        open_below = bool(self.overridden.get(id(cls.node)))  # it may be of one below, whose methods are others
        return made if isinstance(made, ClassValue) and made.node is cls.node and not open_below else None


@of_node
def only_handed_over(function: ast.AST) -> frozenset[str]:
    """The parameters of a function that nothing in it binds again."""
    bound = {n.id for n in walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    said = {name for n in walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    parameters = parameters_of(function) if isinstance(function, FUNCTIONS) else []
    return frozenset(p.arg for p in parameters) - bound - said
