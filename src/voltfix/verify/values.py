"""Values of two runs, compared bit for bit, and the named exceptions to that. Needs no torch."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Iterator
from typing import Any

Described = dict[str, Any]

# RNN kernels of the CPU take another path without grad mode and round differently (1.5e-8 seen)
RECURRENT_TOLERANCE = 1e-6
RECURRENT = "recurrent layers round differently with and without grad mode: compared to 1e-6"
_BYTES = frozenset({"bool", "uint8"})


class Values:
    """Compares values; remembers which tolerances were needed."""

    def __init__(self, legacy: bool, recurrent: bool) -> None:
        self._legacy = legacy
        self._recurrent = recurrent
        self.tolerances: set[str] = set()

    def differences(self, name: str, one: Described, two: Described) -> Iterator[str]:
        """What differs in the values of two tensors or numbers."""
        if "digest" in one and one["digest"] == two.get("digest") and _same_type(one, two):
            return
        if not self._comparable(one, two):
            yield f"{name}: {_shape(one)} before, {_shape(two)} after"
            return
        first, second = elements(one), elements(two)
        parts = 2 if str(one.get("dtype", "")).startswith("complex") else 1
        whole = max(_size(one), _size(two)) * parts <= len(first)  # else a trace keeps the first elements alone
        if whole and len(first) == len(second) and all(map(_same, first, second)):
            return
        if self._recurrent and len(first) == len(second) and _close(first, second) and _sums(one, two, 1e-5):
            self.tolerances.add(RECURRENT)
            return
        yield f"{name}: values differ, {_some(first)} before, {_some(second)} after"

    def zero(self, gradient: Described) -> bool:
        """Is a gradient nothing but zeros?"""
        return not any(elements(gradient)) and not gradient["sum"]

    def _comparable(self, one: Described, two: Described) -> bool:
        if "number" in (one.get("kind"), two.get("kind")):
            return one.get("kind") == two.get("kind") or (self._legacy and _size(one) == _size(two) == 1)
        if _same_type(one, two) or not self._legacy:
            return _same_type(one, two)
        shapes = one["shape"] == two["shape"] or _size(one) == _size(two) == 1
        return shapes and (one["dtype"] == two["dtype"] or {one["dtype"], two["dtype"]} <= _BYTES)


def elements(described: Described) -> list[float]:
    """The first elements of a tensor, or the one of a number; of what is complex, both parts."""
    if described.get("kind") == "number":
        return _parts(described["value"])
    data = base64.b64decode(described["elements"])
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def _parts(text: str) -> list[float]:
    try:
        return [float(text)]
    except ValueError:
        value = complex(text)
        return [value.real, value.imag]


def _same_type(one: Described, two: Described) -> bool:
    return one.get("dtype") == two.get("dtype") and one.get("shape") == two.get("shape")


def _size(described: Described) -> int:
    return math.prod(described.get("shape", ()))


def _same(one: float, two: float) -> bool:
    return one == two or (one != one and two != two)


def _sums(one: Described, two: Described, tolerance: float) -> bool:
    """Do the sums agree? They stand for the elements that a trace does not keep."""
    if "sum" not in one or "sum" not in two:
        return True
    first, second = one["sum"], two["sum"]
    return _same(first, second) or abs(first - second) <= tolerance * max(1.0, abs(first), abs(second))


def _close(first: list[float], second: list[float]) -> bool:
    return all(
        _same(a, b) or abs(a - b) <= RECURRENT_TOLERANCE * max(1.0, abs(a), abs(b))
        for a, b in zip(first, second, strict=True)
    )


def _shape(described: Described) -> str:
    if described.get("kind") == "number":
        return f"the number {described['value']}"
    return f"{described['dtype']} of shape {tuple(described['shape'])}"


def _some(values: list[float]) -> str:
    shown = ", ".join(f"{value:.6g}" for value in values[:4])
    return f"[{shown}{', …' if len(values) > 4 else ''}]"
