"""Lists and dictionaries made in view: what their methods do to them, and what an entry holds afterwards.

A list's items stand in order, each with the condition under which it is there; ``exact`` where every item surely is, so
that an index names one. Where an operation leaves open what becomes of an item, the item becomes one of several values,
told apart by conditions that nothing is known of.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from voltfix.domains.conditions import Formula
from voltfix.machine.evaluate import Expressions
from voltfix.machine.values import Cell, Const, Frame, Ref, Value, choose, single

Items = tuple[tuple[Formula, Value], ...]


class Containers(Expressions):
    """The part of the machine that knows lists and dictionaries."""

    def container_method(self, ref: Ref, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST,
                         frame: Frame) -> Value:
        """Methods of lists and dictionaries made in view."""
        cell = self.heap[ref.cell]
        if name not in ("get", "items", "values", "keys", "copy", "index", "count"):
            self.changes += 1
            self.wanted.want(self.live, [*args, *kwargs.values()])  # who has the container has them
        if name in ("append", "add") and args:
            self.put_last(ref, [args[-1]])
        elif name in ("insert", "appendleft") and args:
            self.put_before(ref, args[0] if name == "insert" else self.const(0), args[-1])
        elif name == "extend" and args:
            self.extend(ref, args[0], node, frame)
        elif name == "update":
            self.merge(ref, args, kwargs, node, frame)
        elif name in ("put", "put_nowait") and args:  # of a queue
            self.put_last(ref, args[:1])
            self.scramble(ref, self.algebra.true)
        elif name in ("get", "get_nowait") and cell.kind == "list":
            return self.element(single(ref, self.algebra))
        elif name in ("get", "setdefault") and cell.kind == "dict" and args:
            return self.looked_up(ref, name, args)
        elif name in ("pop", "popleft", "popitem"):
            return self.taken_out(ref, name, args)
        elif name == "items":
            rows = tuple((g, self.sequence([self.plain(), v])) for g, v in cell.items)
            return self.new("list", items=rows, exact=cell.exact)
        elif name in ("values", "copy"):
            kind = cell.kind if name == "copy" else "list"
            return self.new(kind, items=cell.items, attrs=cell.attrs if name == "copy" else (), exact=cell.exact)
        elif name == "reverse" and cell.exact and self.live.is_true:
            self.heap[ref.cell] = replace(cell, items=cell.items[::-1])
        elif name in ("remove", "discard", "clear", "reverse", "sort", "rotate"):
            if "key" in kwargs:
                self.call_value(kwargs["key"], [self.element(single(ref, self.algebra))], {}, node, frame)
            self.scramble(ref, self.algebra.true)
        return self.const(None) if name in ("append", "extend", "insert", "update") else self.plain()

    def put_last(self, ref: Ref, values: list[Value]) -> None:
        """Add values at the end of a list, on the current path."""
        cell = self.heap[ref.cell]
        items = (*cell.items, *((self.live, value) for value in values))
        exact = cell.exact and self.live.is_true
        self.heap[ref.cell] = replace(cell, items=self.merged_items(items), exact=exact)

    def put_before(self, ref: Ref, index: Value, value: Value) -> None:
        """``list.insert(index, value)``."""
        cell, number = self.heap[ref.cell], constant_index(index)
        if not cell.exact or number is None or not self.live.is_true:
            self.put_last(ref, [value])
            self.scramble(ref, self.algebra.true)
            return
        items = list(cell.items)
        items.insert(number, (self.algebra.true, value))
        self.heap[ref.cell] = replace(cell, items=self.merged_items(tuple(items)))

    def extend(self, ref: Ref, other: Value, node: ast.AST, frame: Frame) -> None:
        """``list.extend(other)``."""
        cell = self.heap[ref.cell]
        more = self.exact_items(other)
        if more is not None and self.live.is_true:
            self.put_last(ref, more)
            return
        new = tuple((self.live & g, v) for g, v in self.iterations(other, node, frame))
        self.heap[ref.cell] = replace(cell, items=self.merged_items((*cell.items, *new)), exact=False)

    def exact_items(self, value: Value) -> list[Value] | None:
        """The items of a list that is known exactly; None of anything else."""
        if len(value) == 1 and isinstance(value[0][1], Ref):
            cell = self.heap[value[0][1].cell]
            if cell.kind == "list" and cell.exact:
                return [item for _, item in cell.items]
        return None

    def merge(self, ref: Ref, args: list[Value], kwargs: dict[str, Value], node: ast.AST, frame: Frame) -> None:
        """``dict.update(...)``."""
        true = self.algebra.true
        for value in args:
            for guard, thing in value:
                known = self.heap[thing.cell] if isinstance(thing, Ref) else None
                if known is not None and known.kind == "dict" and known.exact:
                    for key, item in known.attrs:
                        self.put_entry(ref, guard, key, item)
                else:
                    self.put_entry(ref, guard & self.unknown_truth(), None, self.element(single(thing, self.algebra)))
        for key, item in kwargs.items():
            self.put_entry(ref, true, f"[{key!r}]", item)

    def looked_up(self, ref: Ref, name: str, args: list[Value]) -> Value:
        """``dict.get(key, default)`` and ``setdefault``."""
        cell, key = self.heap[ref.cell], self.key_text(args[0])
        known = cell.attr(key) if key is not None else None
        default = args[1] if len(args) > 1 else self.const(None)
        if known is None:
            sure = cell.exact and key is not None and not self.may_change(ref, key)
            known = default if sure else choose(self.unknown_truth(), self.dict_entry(ref, key), default)
            if name == "setdefault":
                self.put_entry(ref, self.algebra.true, key, known)
        return known

    def taken_out(self, ref: Ref, name: str, args: list[Value]) -> Value:
        """``pop`` and its kin: an entry, which is gone afterwards."""
        cell = self.heap[ref.cell]
        if cell.kind == "dict":
            key = self.key_text(args[0]) if args else None
            known = cell.attr(key) if key is not None else None
            found = known if known is not None else self.element(single(ref, self.algebra))
            self.scramble(ref, self.algebra.true)
            return found if len(args) < 2 else choose(self.unknown_truth(), found, args[1])
        number = 0 if name == "popleft" else constant_index(args[0]) if args else -1
        if cell.exact and number is not None and -len(cell.items) <= number < len(cell.items) and self.live.is_true:
            items = list(cell.items)
            _, found = items.pop(number)
            self.heap[ref.cell] = replace(cell, items=tuple(items))
            return found
        found = self.element(single(ref, self.algebra))
        self.scramble(ref, self.algebra.true)
        return found

    # --- entries -----------------------------------------------------------------------------------------------------

    def put_item(self, ref: Ref, guard: Formula, index: Value, value: Value, is_slice: bool) -> None:
        """``container[index] = value`` where ``guard`` and the path condition hold."""
        cell = self.heap[ref.cell]
        if cell.kind == "dict":
            self.put_entry(ref, guard, self.key_text(index), value)
            return
        where, number = self.live & guard, constant_index(index)
        if is_slice:
            value, number = self.element(value), None
        items = list(cell.items)
        if cell.exact and number is not None and -len(items) <= number < len(items):
            presence, old = items[number]
            items[number] = (presence, self.limited(choose(where, value, old)))
        else:
            items = [(p, self.limited(choose(where & self.unknown_truth(), value, old))) for p, old in items]
        if is_slice or not items:
            items.append((where & self.unknown_truth(), value))
        exact = cell.exact and not is_slice and bool(cell.items)
        self.heap[ref.cell] = replace(cell, items=self.merged_items(tuple(items)), exact=exact)

    def put_entry(self, ref: Ref, guard: Formula, key: str | None, value: Value) -> None:
        """``dict[key] = value``; a key that is not known may be any of those that are."""
        cell = self.heap[ref.cell]
        where = self.live & guard
        old = cell.attr(key) if key is not None else None
        if old is not None and key is not None:
            new = self.limited(choose(where, value, old))
            self.set_attr(ref, guard, key, value)
            items: Items = tuple((p, new if item is old else item) for p, item in cell.items)
            self.heap[ref.cell] = replace(self.heap[ref.cell], items=items)
            return
        if key is None or not cell.exact:
            self.smear(ref, where, value, known=key is None)
        cell = self.heap[ref.cell]
        exact = cell.exact and key is not None and where.is_true
        self.heap[ref.cell] = replace(cell, items=self.merged_items((*cell.items, (where, value))), exact=exact)
        if key is not None:
            absent = self.unknown() if not cell.exact else self.const(None)
            attrs = (*self.heap[ref.cell].attrs, (key, choose(where, value, absent)))
            self.heap[ref.cell] = replace(self.heap[ref.cell], attrs=attrs)

    def smear(self, ref: Ref, where: Formula, value: Value, known: bool) -> None:
        """Any entry may be ``value`` now, where ``where`` holds; ``known``: those with constant keys, too."""
        cell = self.heap[ref.cell]

        def either(old: Value) -> Value:
            return self.limited(choose(where & self.unknown_truth(), value, old))

        if not known:
            named = {id(item) for _, item in cell.attrs}
            items: Items = tuple((p, item if id(item) in named else either(item)) for p, item in cell.items)
            self.heap[ref.cell] = replace(cell, items=items)
            return
        items = tuple((p, either(item)) for p, item in cell.items)
        attrs = tuple((name, either(item)) for name, item in cell.attrs)
        self.heap[ref.cell] = replace(cell, items=items, attrs=attrs)

    def scramble(self, ref: Ref, guard: Formula) -> None:
        """On the current path entries are moved or gone: each may be any of them, or missing."""
        cell = self.heap[ref.cell]
        where = self.live & guard
        anyone = single(ref, self.algebra)
        items: Items = tuple(
            (p & (~where | self.unknown_truth()), self.limited(choose(where, self.element(anyone), item)))
            for p, item in cell.items
        )
        attrs = cell.attrs
        if cell.kind == "dict":
            attrs = tuple(
                (name, self.limited(choose(where & self.unknown_truth(), self.element(anyone), item)))
                for name, item in attrs
            )
        self.heap[ref.cell] = replace(cell, items=items, attrs=attrs, exact=False)

    def sliced(self, cell: Cell, bounds: ast.Slice) -> Value:
        """``list[a:b]``."""
        numbers = [_number(part) for part in (bounds.lower, bounds.upper, bounds.step)]
        plainly = all(part is None or n is not None for part, n in zip(
            (bounds.lower, bounds.upper, bounds.step), numbers, strict=True))
        if cell.exact and plainly:
            return self.sequence([item for _, item in cell.items[slice(*numbers)]])
        if bounds.step is None or numbers[2] == 1:
            return self.new("list", items=tuple((p & self.unknown_truth(), v) for p, v in cell.items))
        one = self.new("list", items=cell.items)
        items: Items = tuple((p & self.unknown_truth(), self.element(one)) for p, _ in cell.items)
        return self.new("list", items=items)

    def merged_items(self, items: Items) -> Items:
        """Bound the length of a list that grows in a loop: the older half becomes one element.

        Where some of them are volatile and some are not, that one is perhaps.
        """
        most = self.precision.items
        if len(items) <= most:
            return items
        old = items[: most // 2]
        values = [v for _, v in old]
        vol = self.algebra.any(g & self.volatility(v) for g, v in old)
        mixed = vol & self.algebra.any(g & i & ~cell.vol for g, v in old for i, cell in self.leaves([v]))
        if not mixed.is_false:
            vol = vol & (~mixed | self.perhaps())
        joined = self.unknown(vol=vol, sites=self.origins(*values), made=self.wanted.made_of(values))
        return ((self.algebra.any(g for g, _ in old), joined), *items[most // 2 :])


def constant_index(index: Value) -> int | None:
    """The number that an index surely is."""
    if len(index) == 1 and isinstance(index[0][1], Const):
        number = index[0][1].value
        return number if isinstance(number, int) and not isinstance(number, bool) else None
    return None


def _number(node: ast.expr | None) -> int | None:
    try:
        value = ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None
    return value if isinstance(value, int) else None
