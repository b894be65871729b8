"""Lists of layers: what ``nn.ModuleList`` and ``nn.Sequential`` were made of is what is taken out of them.

A list keeps one layer of each class that was put into it: two of torch's layers of one class hand back the same kind
of thing. What is taken out always has weights, for one that has may be put in where nobody sees it. ``exact`` where
nothing but torch's layers was put in. A class of the project's is not followed through a list.
"""

from __future__ import annotations

from abc import abstractmethod

from voltfix.domains.conditions import Formula
from voltfix.machine.joining import Joins
from voltfix.machine.values import Cell, Ref, Value, single
from voltfix.torchmodel import layers, tables

MOST = 6  # classes of layers in one list
WITH_WEIGHTS = "Linear"  # what is taken out of a list of layers that have none (see above)
_LOSSES = frozenset(tables.LOSS_MODULES) | tables.CONTAGIOUS_LOSSES


class Layers(Joins):
    """The part of the machine that knows what lists of layers hold."""

    @abstractmethod
    def element(self, value: Value) -> Value:
        """Any one element of a container (see ``evaluate``)."""
        ...

    @abstractmethod
    def cut_of(self, cell: Cell, name: str) -> Formula | None:
        """Where a part of an object has no graph today (see ``evaluate``)."""
        ...

    def list_of_layers(self, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A list of layers that is made: ``nn.ModuleList(made)``, ``nn.Sequential(*made)``."""
        made = self.new("module", text=name, exact=not kwargs)
        given = args if name == "Sequential" else [self.element(v) for v in args if not self.holds_nothing(v)]
        for _, thing in made:
            if isinstance(thing, Ref) and not kwargs:
                for value in given:
                    self.put_layer(thing, value)
        return made

    def holds_nothing(self, value: Value) -> bool:
        """Is it a list with nothing in it?"""
        cells = [self.heap[thing.cell] if isinstance(thing, Ref) else None for _, thing in value]
        return all(cell is not None and cell.kind == "list" and cell.exact and not cell.items for cell in cells)

    def layers_put(self, ref: Ref, name: str, args: list[Value]) -> None:
        """A method of a list of layers may put some in."""
        if not self.heap[ref.cell].exact or name not in layers.ADDS_LAYERS:
            return
        if name in ("append", "extend") and len(args) == 1:
            self.put_layer(ref, args[0] if name == "append" else self.element(args[0]))
        else:
            self.forget_layers(ref)

    def grows_layers(self, old: Value, more: Value) -> bool:
        """``blocks += [layer, ...]``: a ``ModuleList`` takes them in and stays the object that it is."""
        if not self.is_list_of_layers(old):
            return False
        for _, thing in old:
            if isinstance(thing, Ref):
                self.layers_put(thing, "extend", [more])
        return True

    def is_list_of_layers(self, value: Value) -> bool:
        """Is it a ``ModuleList`` that was made in view?"""
        cells = [self.heap[thing.cell] if isinstance(thing, Ref) else None for _, thing in value]
        return bool(cells) and all(
            cell is not None and cell.kind == "module" and cell.text == "ModuleList" for cell in cells)

    def put_layer(self, ref: Ref, value: Value) -> None:
        """One more layer, or one of several: those of a class that is in it already are no news."""
        cell = self.heap[ref.cell]
        items = list(cell.items)
        for _, thing in value:
            layer = self.heap[thing.cell] if isinstance(thing, Ref) else None
            if layer is None or layer.kind != "module" or layer.text in _LOSSES:
                self.forget_layers(ref)
                return
            if layer.text in layers.HOLDS_MODULES or all(self.class_of(known) != layer.text for _, known in items):
                items.append((self.algebra.true, single(thing, self.algebra)))
        if len(items) > MOST:
            self.forget_layers(ref)
        elif len(items) > len(cell.items):
            self.changes += 1
            self.heap[ref.cell] = cell.but(items=tuple(items))

    def class_of(self, layer: Value) -> str:
        """The class of a layer."""
        thing = layer[0][1]
        return self.heap[thing.cell].text if isinstance(thing, Ref) else ""

    def forget_layers(self, ref: Ref) -> None:
        """Something else may be in it from now on."""
        cell = self.heap[ref.cell]
        if cell.kind == "module" and cell.exact:
            self.changes += 1
            self.heap[ref.cell] = cell.but(items=(), exact=False)

    def layer_of(self, ref: Ref) -> Value | None:
        """Any one layer of a list, taken to have weights; None where nobody knows what is in it."""
        cell = self.heap[ref.cell]
        inner = [self.heap[thing.cell] for _, item in cell.items for _, thing in item if isinstance(thing, Ref)]
        if cell.kind != "module" or not cell.exact or not inner or self.freezes:
            return None
        if any(layer.text in layers.HOLDS_MODULES for layer in inner):
            return cell.items[0][1] if len(inner) == 1 else None
        found = next((layer.text for layer in inner if layer.text not in layers.WEIGHTLESS_MODULES), WITH_WEIGHTS)
        return self.new("module", text=found, cut=self.cut_of(cell, "[*]"))
