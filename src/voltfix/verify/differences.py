"""Compare two traces of ``voltfix.verify.trace`` and say in sentences where they differ. Needs no torch.

Compared: what modules that the user's code calls return, module by module and in order; which leaves every
backward pass gives a gradient, and its values; what ``drive()`` returned, with requires_grad, what a
gradient can reach, and which results share memory; parameters, gradients and buffers at the end; errors.
Values bit for bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from voltfix.verify.values import Values

# what torch says where tensors of two devices meet
_MIXED = re.compile(
    r"on the same device|different (?:device|backend)|(?:cuda|cpu).*should be the same"
    r"|but (?:got|found|is on) .*(?:cuda|cpu)",
    re.I,
)
Trace = dict[str, Any]
Described = dict[str, Any]
_NO_START = frozenset({"SyntaxError", "IndentationError", "TabError", "ImportError", "ModuleNotFoundError"})


def could_not_run(one: Trace, two: Trace) -> str | None:
    """Why these traces say nothing: a run that died, code that cannot be loaded, nothing seen at all."""
    for name, trace in (("before", one), ("after", two)):
        if "crash" in trace:
            return f"{name} could not be run: {trace['crash']}"
    # code that used to load and does not any more is a difference
    error = one["error"]
    if error and error["type"] in _NO_START and not one["calls"]:
        return f"before could not be run: {error['type']}: {error['text']}"
    if not any(_seen(trace) for trace in (one, two)):
        return "nothing to compare: drive() returned nothing and called no module"
    return None


def not_on_device(one: Trace, two: Trace, device: str) -> str | None:
    """Why these traces say nothing about a device that is not the CPU; None where they do.

    The runs are put there by torch's default device. Legacy code that builds ``torch.LongTensor`` makes tensors on
    the CPU all the same: mixing the two raises, on both sides, and says nothing about the migration.
    """
    if device == "cpu":
        return None
    for name, trace in (("before", one), ("after", two)):
        error = trace["error"]
        if error and _MIXED.search(error["text"]):
            return (
                f"{name} mixes tensors on the CPU with tensors on {device} ({error['text'].splitlines()[0][:160]}): "
                f"it does not follow torch's default device; let drive() move its model and its data itself"
            )
        if device.partition(":")[0] not in trace["devices"]:
            return f"{name}: no tensor that was seen was on {device}"
    return None


def _seen(trace: Trace) -> bool:
    returned = trace["result"] != {"kind": "plain", "value": "None"}
    return bool(returned or trace["calls"] or trace["backwards"] or trace["error"])


def compare_traces(one: Trace, two: Trace, legacy: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The differences between two runs, and the tolerances that were needed.

    ``legacy`` says that the first ran as on 0.3, where a reduction gave one element in one dimension and a
    comparison gave bytes: such results are the same as today's number or bool.
    """
    comparison = _Comparison(one, two, legacy)
    found = list(dict.fromkeys(comparison.differences()))
    return tuple(found), tuple(sorted(comparison.values.tolerances))


class _Comparison:
    def __init__(self, one: Trace, two: Trace, legacy: bool) -> None:
        self.one, self.two = one, two
        self.values = Values(legacy, one["recurrent"] or two["recurrent"])
        self._shown = _shown_names(one["names"], two["names"])
        # where only one run was stopped by an error, what the other did afterwards is no news
        self._whole = (one["error"] is None) == (two["error"] is None)

    def differences(self) -> Iterator[str]:
        yield from self._errors()
        yield from self._calls()
        yield from self._backwards()
        if self.one["error"] is None and self.two["error"] is None:
            yield from self._described("the result", self.one["result"], self.two["result"])
            yield from self._shared_memory()
        if self._whole:
            yield from self._states()

    # --- errors ---------------------------------------------------------------------------------------------

    def _errors(self) -> Iterator[str]:
        first, second = self.one["error"], self.two["error"]
        if first is None and second is not None:
            yield f"{_place(second['site'])}nothing is raised before, {_error(second)} after"
        elif second is None and first is not None:
            yield f"{_place(first['site'])}{_error(first)} is raised before, nothing after"
        elif first is not None and first["type"] != second["type"]:
            yield f"{_place(first['site'])}{_error(first)} is raised before, {_error(second)} after"

    # --- module calls ---------------------------------------------------------------------------------------

    def _calls(self) -> Iterator[str]:
        first, second = _by_module(self.one), _by_module(self.two)
        for key in sorted(first.keys() | second.keys()):
            rows, others = first.get(key, []), second.get(key, [])
            for row, other in zip(rows, others, strict=False):
                yield from self._described(self._call_name(key, row), row["output"], other["output"])
            if len(rows) != len(others) and self._whole:
                yield f"{self._show(key)}: called {_times(len(rows))} before, {_times(len(others))} after"

    def _call_name(self, key: str, row: dict[str, Any]) -> str:
        site = row["site"]
        what = f"`{site[2]}`" if site and site[2] else f"the output of {self._show(key)}"
        return f"{_place(site)}{what}" if site else what

    # --- backward passes ------------------------------------------------------------------------------------

    def _backwards(self) -> Iterator[str]:
        first, second = self.one["backwards"], self.two["backwards"]
        for row, other in zip(first, second, strict=False):
            place = _place(row["site"])
            yield from self._gradients(place, row["gradients"], other["gradients"])
            if "result" in row and "result" in other:
                yield from self._described(f"{place}the gradient", row["result"], other["result"])
        if len(first) != len(second) and self._whole:
            yield f"backward() runs {_times(len(first))} before, {_times(len(second))} after"

    def _gradients(self, place: str, rows: list[Any], others: list[Any]) -> Iterator[str]:
        first, second = _numbered(rows), _numbered(others)
        for name in sorted(first.keys() | second.keys()):
            yield from self._gradient(f"{place}{self._show(name)}", first.get(name), second.get(name))

    def _gradient(self, name: str, one: Described | None, two: Described | None) -> Iterator[str]:
        # zero_grad() left zeros on 0.3 and leaves None today
        if one is not None and self.values.zero(one):
            one = None
        if two is not None and self.values.zero(two):
            two = None
        if (one is None) != (two is None):
            words = {True: "no gradient", False: "a gradient"}
            yield f"{name}: {words[one is None]} before, {words[two is None]} after"
        elif one is not None and two is not None:
            yield from self.values.differences(f"{name}: the gradient", one, two)

    # --- values ---------------------------------------------------------------------------------------------

    def _described(self, name: str, one: Described, two: Described) -> Iterator[str]:
        kinds = {one["kind"], two["kind"]}
        if kinds <= {"tensor", "number"}:
            yield from self.values.differences(name, one, two)
            yield from self._graph(name, one, two)
        elif len(kinds) > 1:
            yield f"{name}: {_kind(one)} before, {_kind(two)} after"
        elif one["kind"] == "plain":
            if one["value"] != two["value"]:
                yield f"{name}: {one['value'][:60]} before, {two['value'][:60]} after"
        else:
            yield from self._items(name, one["items"], two["items"])

    def _items(self, name: str, one: Any, two: Any) -> Iterator[str]:
        if isinstance(one, list) and isinstance(two, list):
            if len(one) != len(two):
                yield f"{name}: {len(one)} items before, {len(two)} after"
            one, two = dict(enumerate(one)), dict(enumerate(two))
        elif one.keys() != two.keys():
            only = sorted(one.keys() ^ two.keys())
            yield f"{name}: {', '.join(only[:5])} only {'before' if only[0] in one else 'after'}"
        for key in one.keys() & two.keys():
            yield from self._described(f"{name}[{key!r}]", one[key], two[key])

    def _graph(self, name: str, one: Described, two: Described) -> Iterator[str]:
        first, second = one.get("requires_grad", False), two.get("requires_grad", False)
        if first != second:
            yield f"{name}: requires_grad {first} before, {second} after"
            return
        lost, won = (
            sorted(set(one.get("reach", ())) - set(two.get("reach", ()))),
            sorted(set(two.get("reach", ())) - set(one.get("reach", ()))),
        )
        if lost:
            yield f"{name}: gradients reach {self._list(lost)} before, not after"
        if won:
            yield f"{name}: gradients reach {self._list(won)} after, not before"

    def _list(self, names: list[str]) -> str:
        shown = ", ".join(self._show(name) for name in names[:4])
        return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"

    def _shared_memory(self) -> Iterator[str]:
        first, second = _storages(self.one["result"]), _storages(self.two["result"])
        paths = first.keys() & second.keys()
        for path in sorted(paths):
            for other in sorted(paths):
                if path < other and (first[path] == first[other]) != (second[path] == second[other]):
                    words = ("share memory", "do not share memory")
                    before, after = words if first[path] == first[other] else words[::-1]
                    yield f"the result{path} and the result{other}: {before} before, {after} after"

    # --- the end --------------------------------------------------------------------------------------------

    def _states(self) -> Iterator[str]:
        first, second = self.one["modules"], self.two["modules"]
        for key in sorted(first.keys() & second.keys()):
            rows, others = first[key], second[key]
            for name in sorted(rows["parameters"].keys() & others["parameters"].keys()):
                row, other = rows["parameters"][name], others["parameters"][name]
                shown = f"{self._show(key)}.{name}"
                yield from self._gradient(shown, row["gradient"], other["gradient"])
                yield from self.values.differences(
                    f"{shown}: the value at the end", row["value"], other["value"]
                )
            for name in sorted(rows["buffers"].keys() & others["buffers"].keys()):
                yield from self.values.differences(
                    f"{self._show(key)}.{name} at the end", rows["buffers"][name], others["buffers"][name]
                )

    def _show(self, name: str) -> str:
        """``Sequential#1.0.weight`` as the user knows it: ``netG.0.weight``."""
        key, dot, rest = name.partition(".")
        return self._shown.get(key, key) + dot + rest


def _shown_names(one: dict[str, str], two: dict[str, str]) -> dict[str, str]:
    shown = {**two, **one}
    names = list(shown.values())
    return {key: name if names.count(name) == 1 else f"{name} ({key})" for key, name in shown.items()}


def _by_module(trace: Trace) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in trace["calls"]:
        found.setdefault(row["module"], []).append(row)
    return found


def _numbered(rows: list[Any]) -> dict[str, Described]:
    """Gradients by the name of their leaf; leaves of one name get numbers."""
    found: dict[str, Described] = {}
    for name, gradient in rows:
        free, number = name, 1
        while free in found:
            number += 1
            free = f"{name} ({number})"
        found[free] = gradient
    return found


def _storages(described: Described, path: str = "") -> dict[str, int]:
    if described["kind"] == "tensor":
        return {path: described["storage"]} if described["storage"] >= 0 else {}
    items = described.get("items", {})
    pairs = enumerate(items) if isinstance(items, list) else items.items()
    return {key: value for at, item in pairs for key, value in _storages(item, f"{path}[{at!r}]").items()}


def _place(site: list[Any] | None) -> str:
    return f"{site[0]} line {site[1]} " if site else ""


def _error(error: dict[str, Any]) -> str:
    return f"{error['type']} ({error['text'][:80]})"


def _kind(described: Described) -> str:
    kind: str = described.get("type") or described["kind"]
    return described["value"][:40] if kind == "plain" else kind


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
