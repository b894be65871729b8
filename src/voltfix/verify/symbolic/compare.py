"""Two runs of one function, before and after: the differences as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from voltfix.verify.symbolic.run import Seen
from voltfix.verify.symbolic.world import ASKED, Event, bits, coefficients


@dataclass(frozen=True)
class Difference:
    """``kept``: a graph is there after that was not there before: memory, no wrong gradient by itself."""

    text: str
    kept: bool = False


def differences(before: Seen, after: Seen) -> Iterator[Difference]:
    """All that code outside could tell apart. Both runs came to an end."""
    if before.error != after.error:
        yield Difference(_ending(before, after))
        return
    yield from _events(before, after)
    for noted in sorted(before.made.keys() | after.made.keys()):
        old, new = before.made.get(noted, 0), after.made.get(noted, 0)
        if old != new:
            graph = "with a graph" if noted[1] else "without a graph"
            yield Difference(f"`{noted[0]}` {graph}: {_times(old)} before, {_times(new)} after")
    yield from _values("the result", before.result, after.result, before)
    for name in sorted(set(before.objects) & set(after.objects)):
        yield from _values(f"`{name}` at the end", before.objects[name], after.objects[name], before)
    yield from _gradients("at the end", before.gradients, after.gradients)
    if before.grad_mode != after.grad_mode:
        yield Difference("the grad mode is not put back at the end")


def grown(before: Seen, after: Seen) -> set[str]:
    """The lines, as they are written, that made a graph after and did not before, or not as often.

    Nobody may have it at the end, and no value tells of it: it takes the memory that volatile saved all the same.
    """
    old, new = _by_text(before), _by_text(after)
    return {text for (name, text), often in new.items() if often > old.get((name, text), 0)}


def _by_text(seen: Seen) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for (name, (path, line)), often in seen.grew.items():
        lines = seen.side.texts.get(path, "").splitlines()
        text = lines[line - 1].strip() if line <= len(lines) else ""
        found[name, text] = found.get((name, text), 0) + often
    return found


def _ending(before: Seen, after: Seen) -> str:
    def say(seen: Seen, when: str) -> str:
        if seen.error is None:
            return f"no error {when}"
        where = f" ({seen.where(seen.line)})" if seen.line else ""
        return f"{seen.error} {when}: {seen.message[:120]}{where}"

    return f"{say(before, 'before')}; {say(after, 'after')}"


def _events(before: Seen, after: Seen) -> Iterator[Difference]:
    """Sink by sink: in which order two independent modules are called is the author's business."""
    sinks: dict[str, tuple[list[Event], list[Event]]] = {}
    for event in before.events:
        sinks.setdefault(_sink(before, event), ([], []))[0].append(event)
    for event in after.events:
        sinks.setdefault(_sink(after, event), ([], []))[1].append(event)
    for sink, (old, new) in sinks.items():
        if len(old) != len(new):
            if sink.startswith(ASKED):  # a text may ask more often, for what it builds no graph
                continue
            yield Difference(f"{sink}: {_times(len(old))} before, {_times(len(new))} after")
        for one, other in zip(old, new, strict=False):
            if one.latent != other.latent:
                before.latent = True
            if one.seen == other.seen and one.graph == other.graph:
                continue
            place = f"{before.where(one.line)} `{one.sink}`" if one.line else f"`{one.sink}`"
            if _is_gradients(one.seen) and _is_gradients(other.seen):
                yield from _gradients(place, one.seen, other.seen)
                continue
            yield from _values(place, one.seen, other.seen, before)
            yield from _graphs(place, one, other, before)


def _sink(seen: Seen, event: Event) -> str:
    """To whom it went; of what a text asks, the line that asks as it is written, for each text asks what it likes."""
    if event.sink != ASKED or event.line is None:
        return event.sink
    path, line = event.line
    return f"{ASKED}: {seen.side.texts[path].splitlines()[line - 1].strip()}"


def _graphs(place: str, before: Event, after: Event, seen: Seen) -> Iterator[Difference]:
    for number, (old, new) in enumerate(zip(before.graph, after.graph, strict=False)):
        if old is None or new is None or old == new:
            continue
        if old:
            seen.settle()
            if before.beside_volatile or not before.wanted[number]:
                continue  # lost, where nobody could have asked gradients of it
        if new and after.let_go and not before.let_go:  # detached instead of a block: nobody has the graph
            continue
        part = f"{place}[{number}]" if len(before.graph) > 1 else place
        yield Difference(f"{part}: requires_grad {old} before, {new} after", new)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _gradients(place: str, before: Any, after: Any) -> Iterator[Difference]:
    old, new = dict(before[1:]), dict(after[1:])
    for name in sorted(set(old) | set(new)):
        if name not in new:
            yield Difference(f"{place}: {name}: a gradient before, no gradient after")
        elif name not in old:
            yield Difference(f"{place}: {name}: no gradient before, a gradient after")
        elif old[name] != new[name]:
            yield Difference(f"{place}: {name}: another gradient after than before")


def _values(place: str, before: Any, after: Any, seen: Seen) -> Iterator[Difference]:
    before = _settled(before, after)
    if before == after:
        return
    if _is_tensor(before) and _is_tensor(after):
        yield from _tensors(place, before, after)
    elif _is_unknown(before) != _is_unknown(after) and _as_tensor(before)[:4] == _as_tensor(after)[:4]:
        seen.latent = True
        return  # a tensor that is an unknown of the same numbers: ``x.detach()`` of what has no graph
    elif _is_object(before) and _is_object(after) and before[1] == after[1]:
        old, new = dict(before[2:]), dict(after[2:])
        for name in sorted(old):  # what only the new code stores is its own business
            yield from _values(f"{place}.{name}", old[name], new.get(name, "nothing"), seen)
    elif isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        if len(before) == 2 and before[0] == "grad mode of the consumer":
            yield Difference(f"{place}: the grad mode leaks into the consumer of what is yielded")
            return
        shift = 1 if before[:1] in (("list",), ("tuple",)) else 0
        for number, (old, new) in enumerate(zip(before, after, strict=False)):
            yield from _values(place if number == 0 else f"{place}[{_label(old, number - shift)}]", old, new, seen)
    else:
        yield Difference(f"{place}: {_short(before)} before, {_short(after)} after")


def _settled(before: Any, after: Any) -> Any:
    """What was seen before, where it does not say whether it requires grad (``observe.py``): as it is after."""
    if _is_unknown(before) and before[2] is None and (_is_unknown(after) or _is_tensor(after)):
        return (*before[:2], after[2] if _is_unknown(after) else after[3])
    if _is_tensor(before) and before[3] is None and (_is_unknown(after) or _is_tensor(after)):
        return (*before[:3], after[2], before[4]) if _is_unknown(after) else (*before[:3], *after[3:])
    return before


def _is_gradients(seen: Any) -> bool:
    return isinstance(seen, tuple) and bool(seen) and seen[0] == "gradients"


def _label(value: Any, number: int) -> str:
    return (
        value[0]
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)
        else str(number - 1)
    )


def has_graph(value: Any) -> bool:
    """Is there a tensor that requires grad in what was seen?"""
    if _is_tensor(value):
        return bool(value[3])
    return isinstance(value, tuple) and any(has_graph(each) for each in value)


def _is_object(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) >= 2 and value[0] == "object"


def _is_tensor(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 5 and value[0] == "tensor"


def _is_unknown(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and value[0] == "unknown"


def _as_tensor(value: Any) -> Any:
    """What was seen of an unknown, as if it was asked for its numbers."""
    if not _is_unknown(value):
        return value if _is_tensor(value) else ()
    return "tensor", bits(coefficients("unknown:" + value[1])), "", value[2]


def _tensors(place: str, before: Any, after: Any) -> Iterator[Difference]:
    _, old_bits, old_tag, old_flag, old_reach = before
    _, new_bits, new_tag, new_flag, new_reach = after
    if old_bits != new_bits or old_tag != new_tag:
        yield Difference(f"{place}: other values after than before")
    if old_flag != new_flag:
        yield Difference(f"{place}: requires_grad {old_flag} before, {new_flag} after", new_flag)
    old, new = dict(old_reach), dict(new_reach)
    for name in sorted(set(old) | set(new)):
        if name not in new:
            yield Difference(f"{place}: gradient reaches {name} before, not after")
        elif name not in old:
            yield Difference(f"{place}: gradient reaches {name} after, not before", kept=True)
        elif old[name] != new[name]:
            yield Difference(f"{place}: another gradient reaches {name} after than before")


def _short(value: Any) -> str:
    if _is_tensor(value):
        return f"a tensor (requires_grad {value[3]})"
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        return (
            f"{value[0]} of {len(value) - 1}"
            if value[0] in ("list", "tuple", "dict")
            else str(value[:2])[:80]
        )
    return str(value)[:80]
