"""Python's standard library: one handler for each function, by its full name. None: nothing is special in this call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from voltfix.machine.calls import MORE, REST, Call, Calls, Handler
from voltfix.machine.models import heaps
from voltfix.machine.models.builtins import each_gone_over, mapped
from voltfix.machine.values import Const, Extern, Partial, Ref, Value, choose, single


def _partial(m: Calls, call: Call) -> Value | None:
    if not call.args:
        return None
    key = (call.frame.path, getattr(call.node, "lineno", 0), getattr(call.node, "col_offset", 0))
    bound = Partial(call.args[0], tuple(call.args[1:]), tuple(call.kwargs.items()), key, id(call.node))
    return single(bound, m.algebra)


def _reduce(m: Calls, call: Call) -> Value | None:
    """The function on what came out so far and each element: two stand for all."""
    if len(call.args) < 2:
        return None
    reached = call.args[2] if len(call.args) > 2 else m.element(call.args[1])
    m.soft += 1  # as in a comprehension, no block can be put between
    rounds = m.iterations(call.args[1], call.node, call.frame)
    m.soft -= 1
    for guard, item in rounds:
        with m.narrowed(guard):
            following = m.call_value(call.args[0], [reached, item], {}, call.node, call.frame)
        reached = m.limited(choose(guard, following, reached))
    return reached


def _mapped(m: Calls, call: Call) -> Value | None:
    """``itertools.starmap`` and its kin: they run the function that stands first, as ``map`` and ``filter`` do."""
    if len(call.args) < 2:
        return None
    return mapped(m, ALIKE[call.name.rpartition(".")[2]], call.args, call.node, call.frame)


def _accumulate(m: Calls, call: Call) -> Value | None:
    """``itertools.accumulate``: what ``reduce`` comes to after each element; sums without a function."""
    if not call.args:
        return None
    if len(call.args) > 1:
        reached = _reduce(m, call._replace(args=[call.args[1], call.args[0]]))
    else:
        reached = m.operate(call.node, call.frame, [m.element(call.args[0])], text=call.name)
    return m.new("list", items=((m.algebra.true, reached),)) if reached is not None else None


def _choice(m: Calls, call: Call) -> Value | None:
    """``random.choice(rows)``: one of them."""
    return m.element(call.args[0]) if call.args and m.is_container(call.args[0]) else None


def _passed(m: Calls, call: Call) -> Value | None:
    """``tqdm(rows)``, ``itertools.chain(rows, more)``: what is in lists made in view, one after the other."""
    lists = call.args[:1] if call.name in FIRST_ALONE else call.args
    samples = call.name.startswith("random.")  # those take what they are given apart at once
    if m.importing and id(call.node) in m.heads and len(lists) == 1 and not samples and is_made_in_view(m, lists[0]):
        return lists[0]  # as the loop over the object alone: who goes over it there is looked at on its own
    own = not samples and any(map(m.iterable, lists))
    if own:  # of the project: its methods run, one after the other
        lists = each_gone_over(m, lists, call, m.put_off_at(call.node, call.frame))
    if not lists or not all(map(m.is_container, lists)) or (not own and m.volatility(*lists).is_false):
        return None
    return m.new("list", items=tuple((m.unknown_truth(), m.element(each)) for each in lists for _ in range(2)))


def is_made_in_view(m: Calls, value: Value) -> bool:
    """Is it an object of a class of the project, whichever?"""
    cells = [m.heap[thing.cell] if isinstance(thing, Ref) else None for _, thing in value]
    return bool(cells) and all(cell is not None and cell.kind == "object" and cell.owner is not None for cell in cells)


def operator(m: Calls, call: Call) -> Value | None:
    """A function of ``operator`` that is an operator of Python's: on a tensor it is that operation."""
    last = call.name.rpartition(".")[2].strip("_")
    is_one = any(hasattr(int, f"__{name}__") or name in ("matmul", "getitem", "concat") for name in (last, last[1:]))
    if not is_one or not m.leaves(call.args):
        return None
    args = [*call.args[:1], *map(m.of_tensor, call.args[1:])] if last == "getitem" else call.args
    return m.operate(call.node, call.frame, args, differentiable=last not in COMPARING, text=last)


def _ordered(m: Calls, call: Call) -> Value:
    """``OrderedDict(...)``: a dictionary of which nobody here asks the order."""
    return m.call_builtin(call._replace(name="dict"))


def _filled(m: Calls, call: Call) -> Value | None:
    """``defaultdict(float)``: a dictionary that has a number, or a word, under whatever nobody put there."""
    makes = call.args[0] if len(call.args) == 1 and not call.kwargs else ()
    if len(makes) != 1 or not isinstance(makes[0][1], Extern) or makes[0][1].name not in OF_DATA:
        return None
    return m.new("dict", items=((m.algebra.true, m.plain()),))


def _deque(m: Calls, call: Call) -> Value:
    """``deque(rows)``: a list of which nobody here says what stands where, and what fell out."""
    made = m.call_builtin(call._replace(name="list", args=call.args[:1], kwargs={}))
    return m.new("list", items=tuple((g, v) for _, thing in made if isinstance(thing, Ref)
                                     for g, v in m.heap[thing.cell].items))


def _copy(m: Calls, call: Call) -> Value | None:
    return duplicate(m, call.args[0]) if call.args else None


def _namedtuple(m: Calls, call: Call) -> Value | None:
    if len(call.args) < 2:
        return None
    return single(Partial(m.extern("voltfix.record"), (call.args[1],), ()), m.algebra)


def _record(m: Calls, call: Call) -> Value:
    return record_of(m, call.args, call.kwargs)


# functions of itertools that run a function on each element, and what built-in each is like
ALIKE = {"starmap": "starmap", "imap": "map", "ifilter": "filter", "filterfalse": "filter", "ifilterfalse": "filter",
         "takewhile": "filter", "dropwhile": "filter"}
FIRST_ALONE = ("tqdm.tqdm", "tqdm.tqdm_notebook", "itertools.islice", "itertools.cycle", "random.sample")
COMPARING = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})

OF_DATA = frozenset(f"builtins.{name}" for name in ("int", "float", "bool", "str"))

HANDLERS: Mapping[str, Handler] = {
    **heaps.HANDLERS,
    **{f"itertools.{name}": _mapped for name in ALIKE},
    "itertools.accumulate": _accumulate,
    "itertools.chain": _passed,
    **dict.fromkeys(FIRST_ALONE, _passed),
    "random.choice": _choice,
    "collections.OrderedDict": _ordered,
    "collections.defaultdict": _filled,
    "collections.deque": _deque,
    "collections.namedtuple": _namedtuple,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "namedtuple": _namedtuple,
    "voltfix.record": _record,  # what a namedtuple makes
}


def duplicate(m: Calls, value: Value, depth: int = 0) -> Value:
    """``copy.deepcopy``: a new object with the flags of the old one, over all alternatives."""
    out: Value | None = None
    for guard, thing in value:
        part = single(thing, m.algebra)
        if isinstance(thing, Ref) and depth < 4:
            cell = m.heap[thing.cell]
            items = tuple((g, duplicate(m, v, depth + 1)) for g, v in cell.items)
            attrs = tuple((n, duplicate(m, v, depth + 1)) for n, v in cell.attrs)
            number = len(m.heap)
            m.heap[number] = replace(cell, items=items, attrs=attrs)
            part = single(Ref(number), m.algebra)
        out = part if out is None else choose(guard, part, out)
    return out if out is not None else m.plain()


def record_of(m: Calls, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """An instance of a namedtuple whose field names are the first argument."""
    fields: list[str] = []
    for _, thing in args[0]:
        if isinstance(thing, Const) and isinstance(thing.value, str):
            fields = thing.value.replace(",", " ").split()
        elif isinstance(thing, Ref):
            names = [t.value for _, item in m.heap[thing.cell].items for _, t in item if isinstance(t, Const)]
            fields = [n for n in names if isinstance(n, str)]
    attrs = [*zip(fields, args[1:], strict=False), *((k, v) for k, v in kwargs.items() if k not in (REST, MORE))]
    return m.new("list", items=tuple((m.algebra.true, v) for _, v in attrs), attrs=tuple(attrs), exact=True)
