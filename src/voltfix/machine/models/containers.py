"""Lists and dictionaries made in view: what their methods do to them, and what an entry holds afterwards.

A list's items stand in order, each with the condition under which it is there; ``exact`` where every item surely is, so
that an index names one. Where an operation leaves open what becomes of an item, the item becomes one of several values,
told apart by conditions that nothing is known of. A method of theirs is a row of ``METHODS``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from voltfix.domains.conditions import Formula
from voltfix.machine.evaluate import Expressions
from voltfix.machine.values import Cell, Const, Frame, Ref, Value, choose, single

Items = tuple[tuple[Formula, Value], ...]


class Call(NamedTuple):
    """A method that is called on a container."""

    ref: Ref
    name: str
    args: list[Value]
    kwargs: dict[str, Value]
    node: ast.AST
    frame: Frame


def put(m: Expressions, ref: Ref, values: list[Value]) -> None:
    """Values come into a container: one of a module's everybody has, others those that were given it."""
    if ref.cell in m.at_top:
        m.liveness.mark(m.pc, values)
    else:
        m.liveness.put(ref.cell, m.pc, values)


def container_method(m: Expressions, call: Call) -> Value:
    """Methods of lists and dictionaries made in view."""
    if call.name not in _LOOK:
        m.changes += 1
        put(m, call.ref, [*call.args, *call.kwargs.values()])
        m.came_in(call.ref, [*call.args, *call.kwargs.values()])
    handler = METHODS.get(call.name)
    made = handler(m, call) if handler is not None else None
    return made if made is not None else m.plain()


def _append(m: Expressions, call: Call) -> Value:
    if call.args:
        put_last(m, call.ref, [call.args[-1]])
    return m.const(None)


def _add(m: Expressions, call: Call) -> None:
    if call.args:
        put_last(m, call.ref, [call.args[-1]])


def _insert(m: Expressions, call: Call) -> Value:
    if call.args:
        put_before(m, call.ref, call.args[0], call.args[-1])
    return m.const(None)


def _appendleft(m: Expressions, call: Call) -> None:
    if call.args:
        put_before(m, call.ref, m.const(0), call.args[-1])


def _extend(m: Expressions, call: Call) -> Value:
    if call.args:
        extend(m, call.ref, call.args[0], call.node, call.frame)
        if call.name == "extendleft":
            scramble(m, call.ref, m.algebra.true)
    return m.const(None)


def _update(m: Expressions, call: Call) -> Value:
    merge(m, call.ref, call.args, call.kwargs)
    return m.const(None)


def _look_up(m: Expressions, call: Call) -> Value | None:
    is_dict = m.heap[call.ref.cell].kind == "dict"
    return looked_up(m, call.ref, call.name, call.args) if is_dict and call.args else None


def _take_out(m: Expressions, call: Call) -> Value:
    return taken_out(m, call.ref, call.name, call.args)


def _items(m: Expressions, call: Call) -> Value:
    cell = m.heap[call.ref.cell]
    rows = tuple((g, m.sequence([m.plain(), v])) for g, v in cell.items)
    return m.new("list", items=rows, exact=is_all(m, call.ref))


def _values(m: Expressions, call: Call) -> Value:
    cell = m.heap[call.ref.cell]
    return m.new("list", items=cell.items, exact=is_all(m, call.ref))


def is_all(m: Expressions, ref: Ref) -> bool:
    """Is what a container holds known item by item?"""
    return m.heap[ref.cell].exact and not m.may_hold_more(single(ref, m.algebra))


def _copy(m: Expressions, call: Call) -> Value:
    cell = m.heap[call.ref.cell]
    return m.new(cell.kind, items=cell.items, attrs=cell.attrs, exact=cell.exact)


def is_of_record(cell: Cell, name: str, kwargs: Mapping[str, Value]) -> bool:
    """Is it ``_replace`` of what a namedtuple made, with nothing but fields of it?"""
    fields = dict(cell.attrs)
    return name == "_replace" and cell.kind == "list" and len(fields) == len(cell.items) > 0 and (
        all(map(str.isidentifier, fields)) and kwargs.keys() <= fields.keys())


def _replaced(m: Expressions, call: Call) -> Value | None:
    cell = m.heap[call.ref.cell]
    if not is_of_record(cell, call.name, call.kwargs):
        return None
    attrs = tuple((field, call.kwargs.get(field, value)) for field, value in cell.attrs)
    items = tuple((there, value) for (there, _), (_, value) in zip(cell.items, attrs, strict=True))
    return m.new(cell.kind, items=items, attrs=attrs, exact=cell.exact)


def _reverse(m: Expressions, call: Call) -> None:
    cell = m.heap[call.ref.cell]
    if cell.exact and m.pc.is_true:
        m.heap[call.ref.cell] = replace(cell, items=cell.items[::-1])
    else:
        _shuffle(m, call)


def _shuffle(m: Expressions, call: Call) -> None:
    scramble(m, call.ref, m.algebra.true)


_LOOK = frozenset({"_replace", "get", "items", "values", "keys", "copy", "index", "count"})  # and leave it as it is
METHODS: Mapping[str, Callable[[Expressions, Call], Value | None]] = {
    "_replace": _replaced,
    "add": _add,
    "append": _append,
    "appendleft": _appendleft,
    "clear": _shuffle,
    "copy": _copy,
    "discard": _shuffle,
    "extend": _extend,
    "extendleft": _extend,
    "get": _look_up,
    "insert": _insert,
    "items": _items,
    "move_to_end": _shuffle,
    "pop": _take_out,
    "popitem": _take_out,
    "popleft": _take_out,
    "remove": _shuffle,
    "reverse": _reverse,
    "rotate": _shuffle,
    "setdefault": _look_up,
    "sort": _shuffle,
    "update": _update,
    "values": _values,
}


# --- what they do ----------------------------------------------------------------------------------------------------


def put_last(m: Expressions, ref: Ref, values: list[Value]) -> None:
    """Add values at the end of a list, on the current path."""
    cell = m.heap[ref.cell]
    items = (*cell.items, *((m.pc, value) for value in values))
    exact = cell.exact and m.pc.is_true
    m.heap[ref.cell] = replace(cell, items=merged_items(m, items), exact=exact)


def may_come_in(m: Expressions, ref: Ref, guard: Formula, value: Value) -> None:
    """A value may be in a container from now on: nobody saw what was done with both. Once is enough for each."""
    cell = m.heap[ref.cell]
    if all(held != value for _, held in cell.items):
        where = m.pc & guard & m.unknown_truth()
        if cell.kind == "dict":
            put_entry(m, ref, where, None, value)
        else:
            m.heap[ref.cell] = replace(cell, items=merged_items(m, (*cell.items, (where, value))), exact=False)


def put_before(m: Expressions, ref: Ref, index: Value, value: Value) -> None:
    """``list.insert(index, value)``."""
    cell, number = m.heap[ref.cell], constant_index(index)
    if not cell.exact or number is None or not m.pc.is_true:
        put_last(m, ref, [value])
        scramble(m, ref, m.algebra.true)
        return
    items = list(cell.items)
    items.insert(number, (m.algebra.true, value))
    m.heap[ref.cell] = replace(cell, items=merged_items(m, tuple(items)))


def extend(m: Expressions, ref: Ref, other: Value, node: ast.AST, frame: Frame) -> None:
    """``list.extend(other)``."""
    cell = m.heap[ref.cell]
    more = exact_items(m, other)
    if more is not None and m.pc.is_true:
        put_last(m, ref, more)
        return
    new = tuple((m.pc & g, v) for g, v in m.iterations(other, node, frame))
    m.heap[ref.cell] = replace(cell, items=merged_items(m, (*cell.items, *new)), exact=False)


def exact_items(m: Expressions, value: Value) -> list[Value] | None:
    """The items of a list that is known exactly; None of anything else."""
    if len(value) == 1 and isinstance(value[0][1], Ref):
        cell = m.heap[value[0][1].cell]
        if cell.kind == "list" and cell.exact:
            return [item for _, item in cell.items]
    return None


def merge(m: Expressions, ref: Ref, args: list[Value], kwargs: dict[str, Value]) -> None:
    """``dict.update(...)``."""
    true = m.algebra.true
    for value in args:
        for guard, thing in value:
            known = m.heap[thing.cell] if isinstance(thing, Ref) else None
            if known is not None and known.kind == "dict" and known.exact:
                for key, item in known.attrs:
                    put_entry(m, ref, guard, key, item)
            else:
                put_entry(m, ref, guard & m.unknown_truth(), None, m.element(single(thing, m.algebra)))
    for key, item in kwargs.items():
        put_entry(m, ref, true, f"[{key!r}]", item)


def looked_up(m: Expressions, ref: Ref, name: str, args: list[Value]) -> Value:
    """``dict.get(key, default)`` and ``setdefault``."""
    cell, key = m.heap[ref.cell], m.key_text(args[0])
    known = cell.attr(key) if key is not None else None
    default = args[1] if len(args) > 1 else m.const(None)
    if known is None:
        # nothing is found in what was made empty, whatever the key is, while nobody else has it
        bare = not cell.items and not cell.attrs and not m.may_hold_more(single(ref, m.algebra))
        sure = cell.exact and (key is not None or bare) and not m.may_change(ref, key)
        known = default if sure else choose(m.unknown_truth(), m.dict_entry(ref, key), default)
        if name == "setdefault":
            put_entry(m, ref, m.algebra.true, key, known)
    return known


def taken_out(m: Expressions, ref: Ref, name: str, args: list[Value]) -> Value:
    """``pop`` and its kin: an entry, which is gone afterwards."""
    cell = m.heap[ref.cell]
    if cell.kind == "dict":
        key = m.key_text(args[0]) if args else None
        known = cell.attr(key) if key is not None else None
        found = known if known is not None else m.element(single(ref, m.algebra))
        scramble(m, ref, m.algebra.true)
        return found if len(args) < 2 else choose(m.unknown_truth(), found, args[1])
    number = 0 if name == "popleft" else constant_index(args[0]) if args else -1
    if cell.exact and number is not None and -len(cell.items) <= number < len(cell.items) and m.pc.is_true:
        items = list(cell.items)
        _, found = items.pop(number)
        m.heap[ref.cell] = replace(cell, items=tuple(items))
        return found
    found = m.element(single(ref, m.algebra))
    scramble(m, ref, m.algebra.true)
    return found


def put_item(m: Expressions, ref: Ref, guard: Formula, index: Value, value: Value, is_slice: bool) -> None:
    """``container[index] = value`` where ``guard`` and the path condition hold."""
    cell = m.heap[ref.cell]
    m.came_in(ref, [value])
    if cell.kind == "dict":
        put_entry(m, ref, guard, m.key_text(index), value)
        return
    where, number = m.pc & guard, constant_index(index)
    if is_slice:
        value, number = m.element(value), None
    items = list(cell.items)
    if cell.exact and number is not None and -len(items) <= number < len(items):
        presence, old = items[number]
        items[number] = (presence, m.limited(choose(where, value, old)))
    else:
        items = [(p, m.limited(choose(where & m.unknown_truth(), value, old))) for p, old in items]
    if is_slice or not items:
        items.append((where & m.unknown_truth(), value))
    exact = cell.exact and not is_slice and bool(cell.items)
    m.heap[ref.cell] = replace(cell, items=merged_items(m, tuple(items)), exact=exact)


def put_entry(m: Expressions, ref: Ref, guard: Formula, key: str | None, value: Value) -> None:
    """``dict[key] = value``; a key that is not known may be any of those that are."""
    cell = m.heap[ref.cell]
    where = m.pc & guard
    old = cell.attr(key) if key is not None else None
    if old is not None and key is not None:
        new = m.limited(choose(where, value, old))
        m.set_attr(ref, guard, key, value)
        items: Items = tuple((p, new if item is old else item) for p, item in cell.items)
        m.heap[ref.cell] = replace(m.heap[ref.cell], items=items)
        return
    # where nothing is put there, it holds what any other entry may
    absent = m.const(None) if cell.exact else m.unknown() if not cell.items or m.may_change(ref, key) else (
        m.element(single(ref, m.algebra)))
    if key is None or not cell.exact:
        smear(m, ref, where, value, known=key is None)
    cell = m.heap[ref.cell]
    exact = cell.exact and key is not None and where.is_true
    m.heap[ref.cell] = replace(cell, items=merged_items(m, (*cell.items, (where, value))), exact=exact)
    if key is not None:
        attrs = (*m.heap[ref.cell].attrs, (key, choose(where, value, absent)))
        m.heap[ref.cell] = replace(m.heap[ref.cell], attrs=attrs)


def smear(m: Expressions, ref: Ref, where: Formula, value: Value, known: bool) -> None:
    """Any entry may be ``value`` now, where ``where`` holds; ``known``: those with constant keys, too.

    Of the others none is changed: ``value`` comes to stand beside them, and each of them may be gone.
    """
    cell = m.heap[ref.cell]
    named = {id(item): item for _, item in cell.attrs}
    either = {key: m.limited(choose(where & m.unknown_truth(), value, old)) if known else old
              for key, old in named.items()}
    items: Items = tuple((p, either[id(item)]) if id(item) in named else (replaced(m, p, where), item)
                         for p, item in cell.items)
    attrs = tuple((name, either[id(item)]) for name, item in cell.attrs)
    m.heap[ref.cell] = replace(cell, items=items, attrs=attrs)


def replaced(m: Expressions, there: Formula, where: Formula) -> Formula:
    """When an entry is still there, if another may have taken its place where ``where`` holds."""
    if m.at_most(~there).is_true:
        return m.at_most(there) & m.unknown_truth()  # it may be missing anyway
    return there & (~where | m.unknown_truth())


def scramble(m: Expressions, ref: Ref, guard: Formula) -> None:
    """On the current path entries are moved or gone: each may be any of them, or missing."""
    cell = m.heap[ref.cell]
    where = m.pc & guard
    anyone = single(ref, m.algebra)
    items: Items = tuple(
        (p & (~where | m.unknown_truth()), m.limited(choose(where, m.element(anyone), item)))
        for p, item in cell.items
    )
    attrs = cell.attrs
    if cell.kind == "dict":
        attrs = tuple(
            (name, m.limited(choose(where & m.unknown_truth(), m.element(anyone), item)))
            for name, item in attrs
        )
    m.heap[ref.cell] = replace(cell, items=items, attrs=attrs, exact=False)


def sliced(m: Expressions, cell: Cell, bounds: ast.Slice) -> Value:
    """``list[a:b]``."""
    numbers = [_number(part) for part in (bounds.lower, bounds.upper, bounds.step)]
    plainly = all(part is None or n is not None for part, n in zip(
        (bounds.lower, bounds.upper, bounds.step), numbers, strict=True))
    if cell.exact and plainly:
        return m.sequence([item for _, item in cell.items[slice(*numbers)]])
    if bounds.step is None or numbers[2] == 1:
        return m.new("list", items=tuple((p & m.unknown_truth(), v) for p, v in cell.items))
    one = m.new("list", items=cell.items)
    items: Items = tuple((p & m.unknown_truth(), m.element(one)) for p, _ in cell.items)
    return m.new("list", items=items)


def merged_items(m: Expressions, items: Items) -> Items:
    """Bound the length of a list that grows in a loop: the older half becomes one element.

    Where some of them are volatile and some are not, that one is perhaps.
    """
    most = m.precision.items
    if len(items) <= most:
        return items
    old = items[: most // 2]
    values = [v for _, v in old]
    if all(map(m.is_numbers, values)):
        return ((m.algebra.any(g for g, _ in old), m.numbers(values)), *items[most // 2 :])
    vol = m.algebra.any(g & m.volatility(v) for g, v in old)
    mixed = vol & m.algebra.any(g & i & ~cell.vol for g, v in old for i, cell in m.leaves([v]))
    if not mixed.is_false:
        vol = vol & (~mixed | m.widened())
    joined = m.unknown(vol=vol, sites=m.origins(*values), made=m.liveness.made_of(values))
    return ((m.algebra.any(g for g, _ in old), joined), *items[most // 2 :])


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
