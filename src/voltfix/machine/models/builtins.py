"""Python's built-ins: one handler each, by name. None: nothing is special in this call."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from voltfix.machine.calls import Call, Calls, Handler, consumes
from voltfix.machine.models import containers, types
from voltfix.machine.values import Cell, Const, Frame, Partial, Plain, Ref, Value, choose, single
from voltfix.program.ofclass import BY_LOOP
from voltfix.torchmodel import python

_NO_PROTOCOL = ("isinstance", "type", "id", "super", "getattr", "setattr", "hasattr")  # call no special method
_ORDERED = ("sorted", "max", "min")
LONGEST = 4  # of lists that are gone through one entry after the other
_WORD = re.compile(r"\w+")
_ERRORS = ("Error", "Exception", "Iteration", "Interrupt")


def call_builtin(m: Calls, call: Call) -> Value:
    """A built-in of Python, by its name."""
    name = call.name
    if name in python.ITERATING:
        args = [m.by_class(value, asked, call.frame, *BY_LOOP) for value, asked in _written(call)]
        later = not consumes(f"builtins.{name}") and any(map(m.iterable, args)) and m.put_off_at(call.node, call.frame)
        call = call._replace(args=each_gone_over(m, args, call, later))
    if name not in _NO_PROTOCOL:
        m.call_special(call.args, call.node, call.frame)
    if "key" in call.kwargs and call.args and name in _ORDERED:
        m.call_value(call.kwargs["key"], [m.element(call.args[0])], {}, call.node, call.frame)
    handler = HANDLERS.get(name) or (_made if name.endswith(_ERRORS) else None)
    made = handler(m, call) if handler is not None else None
    if made is not None:
        return made
    if name in python.ANSWERING:
        return m.answer()
    if name in python.PLAIN_BUILTINS:
        return m.plain()
    return m.unknown_call(call.node, call.frame, call.args, call.kwargs)


def each_gone_over(m: Calls, values: list[Value], call: Call, later: bool) -> list[Value]:
    """What each gives that is gone over; ``later``: as somebody goes over what the call gives, and not yet."""
    m.lazy += later
    given = [m.gone_over(value, call.node, call.frame) for value in values]
    m.lazy -= later
    if later:
        m.consumed.discard(id(call.node))  # what each of them runs was put off by this call, not by its own
    return given


def _written(call: Call) -> list[tuple[Value, ast.AST]]:
    """The arguments, each with the expression that it stands in; where that is not known, with the call."""
    node = call.node
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call.name and (
        len(node.args) == len(call.args)) and not any(isinstance(each, ast.Starred) for each in node.args)
    asked: list[ast.AST] = [*node.args] if isinstance(node, ast.Call) and plain else [node] * len(call.args)
    return list(zip(call.args, asked, strict=True))


def _bool(m: Calls, call: Call) -> Value | None:
    return m.truth(m.truth_of(call.args[0])[0]) if call.args else None


def _nothing(m: Calls, call: Call) -> Value:
    return m.const(None)


def _range(m: Calls, call: Call) -> Value:
    return counted(m, call.args)


def _isinstance(m: Calls, call: Call) -> Value | None:
    return types.is_a(m, call.args[0], types.type_names(m, call.args[1])) if len(call.args) == 2 else None


def _type(m: Calls, call: Call) -> Value | None:
    if len(call.args) != 1 or any(isinstance(thing, Ref) and m.heap[thing.cell].owner for _, thing in call.args[0]):
        return None
    return m.extern("builtins.list")  # type(x)(...) makes a container like x


def _method(m: Calls, call: Call) -> Value | None:
    return single(Partial(call.args[0], (), ()), m.algebra) if call.args else None


def _scope(m: Calls, call: Call) -> None:
    """``locals()``: all names of the function can be reached."""
    m.liveness.mark(m.pc, call.frame.env.values())


def _vars(m: Calls, call: Call) -> None:
    _scope(m, call)
    m.havoc(call.args[:1])  # under which name something is put there, nobody can say


def _evaluate(m: Calls, call: Call) -> Value | None:
    """``eval(text)``, ``exec(text)``: all names of the function can be reached; with those that it says it computes."""
    _scope(m, call)
    said = call.args[0] if len(call.args) == 1 else ()
    words = {word for _, thing in said if isinstance(thing, Const) for word in _WORD.findall(str(thing.value))}
    seen = [call.frame.env[word] for word in sorted(words) if word in call.frame.env]
    return m.unknown_call(call.node, call.frame, seen, {}) if not m.volatility(*seen).is_false else None


def _list(m: Calls, call: Call) -> Value:
    made = copied(m, call.args[0], call.node, call.frame) if call.args else m.new("list")
    if call.name in ("sorted", "reversed", "set", "frozenset") and isinstance(made[0][1], Ref):
        how = "reverse" if call.name == "reversed" else "sort"
        containers.container_method(m, containers.Call(made[0][1], how, [], {}, call.node, call.frame))
    return made


def _dict(m: Calls, call: Call) -> Value:
    made = m.new("dict", exact=True)
    if isinstance(made[0][1], Ref):
        entries = {key: m.entry(value, f"[{key!r}]", call.frame) for key, value in call.kwargs.items()}
        containers.merge(m, made[0][1], call.args, entries)
    return made


def _iter(m: Calls, call: Call) -> Value | None:
    """``iter(step, end)`` calls ``step`` for each round of the loop over it."""
    if len(call.args) != 2:
        return _list(m, call)
    later = m.put_off_at(call.node, call.frame)
    m.lazy += later
    made = m.call_value(call.args[0], [], {}, call.node, call.frame)
    m.lazy -= later
    return m.new("list", items=((m.unknown_truth(), made), (m.unknown_truth(), made)))


def _enumerate(m: Calls, call: Call) -> Value | None:
    first = call.args[1] if len(call.args) > 1 else call.kwargs.get("start", m.const(0))
    number = first[0][1].value if len(first) == 1 and isinstance(first[0][1], Const) else None
    start = number if isinstance(number, int) else None
    return paired(m, [None, call.args[0]], call.node, call.frame, start) if call.args else None


def _zip(m: Calls, call: Call) -> Value:
    return paired(m, list(call.args), call.node, call.frame)


def _map(m: Calls, call: Call) -> Value | None:
    return mapped(m, call.name, call.args, call.node, call.frame) if len(call.args) >= 2 else None


def _sum(m: Calls, call: Call) -> Value | None:
    if not call.args:
        return None
    items = [item for _, item in m.iterations(call.args[0], call.node, call.frame)]
    return m.operate(call.node, call.frame, [*items, *call.args[1:]], text="sum")


def _max(m: Calls, call: Call) -> Value | None:
    if call.args and (len(call.args) > 1 or m.is_container(call.args[0])):
        # one of them, the object itself
        return m.element(m.sequence(call.args) if len(call.args) > 1 else call.args[0])
    if call.args and "key" in call.kwargs:
        m.soft += 1
        m.touch_iterable(call.args[0], call.node, call.frame)
        m.soft -= 1
        return m.element(call.args[0])
    return _arithmetic(m, call)


def _arithmetic(m: Calls, call: Call) -> Value | None:
    return m.operate(call.node, call.frame, call.args, text=call.name) if call.args else None


def _next(m: Calls, call: Call) -> Value | None:
    if not call.args:
        return None
    m.touch_iterable(call.args[0], call.node, call.frame)
    for cell in (m.heap[thing.cell] for _, thing in call.args[0] if isinstance(thing, Ref)):
        m.ask_unasked(call.node, call.frame, cell, "__next__", "next")
    return m.element(call.args[0])


def _getattr(m: Calls, call: Call) -> Value | None:
    if len(call.args) < 2:
        return None
    m.asked_of_data.pop(id(call.node), None)
    if all(isinstance(name, Const) for _, name in call.args[1]):
        if len(call.args) == 2 and all(isinstance(thing, Plain) for _, thing in call.args[0]):
            m.asked_of_data[id(call.node)] = [str(getattr(name, "value", "")) for _, name in call.args[1]]
        out: Value | None = None
        for guard, name in call.args[1]:
            if guard.excludes(m.pc) and len(call.args[1]) > 1:
                continue
            with m.narrowed(guard):
                part = m.attribute(call.args[0], str(getattr(name, "value", "")), call.node, call.frame)
            out = part if out is None else choose(guard, part, out)
        return out
    m.at_once += 1  # whichever it is, nothing runs elsewhere
    found = m.unknown_call(call.node, call.frame, call.args, call.kwargs)
    m.at_once -= 1
    return found


def _setattr(m: Calls, call: Call) -> Value | None:
    if len(call.args) != 3:
        return None
    new = call.args[2]
    if len(call.args[1]) == 1 and isinstance(name := call.args[1][0][1], Const):
        m.write_attribute(call.args[0], str(name.value), new, set_there(call.node, str(name.value)), call.frame)
        return m.const(None)
    m.havoc(call.args[:1])  # under which name something is put there, nobody can say
    if m.volatility(new).is_false:
        return None
    vol = m.pc & m.volatility(new)  # nor who reads it
    m.record(call.node, call.frame, vol, m.algebra.false, new, text="call", blocked="unknown-callee")
    return m.const(None)


def set_there(call: ast.AST, name: str) -> ast.AST:
    """The target that ``setattr(thing, 'name', value)`` means."""
    if not isinstance(call, ast.Call) or not call.args:
        return call
    return ast.copy_location(ast.Attribute(call.args[0], name, ast.Store()), call)


def _made(m: Calls, call: Call) -> Value:
    m.liveness.mark(m.pc, call.values)
    return m.plain()


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(python.LIST_BUILTINS, _list),
    "abs": _arithmetic,
    "bool": _bool,
    "classmethod": _method,
    "dict": _dict,
    "enumerate": _enumerate,
    "eval": _evaluate,
    "exec": _evaluate,
    "filter": _map,
    "getattr": _getattr,
    "isinstance": _isinstance,
    "iter": _iter,
    "locals": _scope,
    "map": _map,
    "max": _max,
    "min": _max,
    "next": _next,
    "object": _made,
    "object.__init__": _nothing,
    "pow": _arithmetic,
    "range": _range,
    "setattr": _setattr,
    "staticmethod": _method,
    "sum": _sum,
    "super": _made,
    "type": _type,
    "vars": _vars,
    "xrange": _range,
    "zip": _zip,
}


# --- what several of them do -----------------------------------------------------------------------------------------


def counted(m: Calls, args: list[Value]) -> Value:
    """``range``: exact where it is short and constant."""
    if len(args) == 1 and len(args[0]) == 1 and isinstance(args[0][0][1], Const):
        number = args[0][0][1].value
        if isinstance(number, int) and 0 <= number <= 3:
            return m.sequence([m.plain() for _ in range(number)])
    return m.plain()


def copied(m: Calls, value: Value, node: ast.AST, frame: Frame) -> Value:
    """``list(x)`` and its kin."""
    if len(value) == 1 and isinstance(value[0][1], Ref):
        cell = m.heap[value[0][1].cell]
        if cell.kind == "list":
            return m.new("list", items=cell.items, exact=cell.exact)
    m.touch_iterable(value, node, frame)
    return m.new("list", items=((m.unknown_truth(), m.element(value)),))


def paired(m: Calls, values: list[Value | None], node: ast.AST, frame: Frame, start: int | None = None) -> Value:
    """``zip`` and ``enumerate`` (None stands for the counter, which begins at ``start``)."""
    known = [None if value is None else as_one_list(m, value) for value in values]
    if any(values) and all(cell is not None for cell, value in zip(known, values, strict=True) if value is not None):
        cells = [cell for cell in known if cell is not None]
        rows, exact = [], all(cell.exact for cell in cells)
        for index in range(min(len(cell.items) for cell in cells)):
            count = m.plain() if start is None or not exact else m.const(start + index)
            parts = [None if cell is None else cell.items[index] for cell in known]
            guard, row = m.algebra.true, []
            for part in parts:
                guard = guard if part is None else guard & part[0]
                row.append(count if part is None else part[1])
            rows.append((guard, m.sequence(row)))
        return m.new("list", items=tuple(rows), exact=exact)
    out = []
    for _ in range(2):
        row = []
        for value in values:
            if value is not None:
                m.touch_iterable(value, node, frame)
            row.append(m.plain() if value is None else m.element(value))
        out.append((m.unknown_truth(), m.sequence(row)))
    return m.new("list", items=tuple(out))


def as_one_list(m: Calls, value: Value) -> Cell | None:
    """The short list that a value is; of several that are equally long, one with an entry of each in each place."""
    cells = [m.heap[thing.cell] for _, thing in value if isinstance(thing, Ref)]
    if len(cells) < len(value) or not cells or any(c.kind != "list" or len(c.items) > LONGEST for c in cells):
        return None
    if len(cells) == 1:
        return cells[0]
    if not all(cell.exact and len(cell.items) == len(cells[0].items) for cell in cells):
        return None
    joined = [item for _, item in cells[0].items]
    for (guard, _), cell in zip(value[1:], cells[1:], strict=True):
        joined = [choose(guard, item, other) for (_, item), other in zip(cell.items, joined, strict=True)]
    return cells[0].but(items=tuple((m.algebra.true, m.limited(item)) for item in joined))


def mapped(m: Calls, name: str, args: list[Value], node: ast.AST, frame: Frame) -> Value:
    """``map(f, xs, ys)``: the function on each element, as if it ran here; ``starmap``: on what is in each."""
    items = []
    later = m.put_off_at(node, frame)
    for other in args[2:]:
        m.touch_iterable(other, node, frame)
    beside = [m.element(other) for other in args[2:]]
    for guard, item in m.iterations(args[1], node, frame):
        m.lazy += later
        with m.narrowed(guard):
            given = m.spread(item) if name == "starmap" else [item, *beside]
            result = m.call_value(args[0], given, {}, node, frame)
        m.lazy -= later
        if name == "filter":
            guard, result = guard & m.unknown_truth(), item
        items.append((guard, result))
    return m.new("list", items=tuple(items), exact=all(g.is_true for g, _ in items))
