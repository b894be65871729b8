"""What ``map``, ``filter`` and ``zip`` give, the views of dictionaries and whole numbers: as either Python has them.

They stay lazy, as today's Python has them: in which grad mode a ``map`` runs is decided where it is consumed. Where
code asks for a length, a place or a sum, which today's Python refuses, it was written for Python 2, which gave lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex


class Lazy:
    """An iterator that becomes a list where it is taken for one. It has no ``__len__``, for ``list()`` would ask for it
    (``len`` of the project's code knows what to do)."""

    __slots__ = ("_vf", "_vf_list", "_vf_parts")

    def __init__(self, iterator: Iterator[Any], parts: tuple[Any, ...] = ()) -> None:
        self._vf = iterator
        self._vf_list: list[Any] | None = None
        self._vf_parts = parts  # the unknowns that a ``zip`` goes through

    def __iter__(self) -> Iterator[Any]:
        return self if self._vf_list is None else iter(self._vf_list)

    def __next__(self) -> Any:
        return next(self._vf)

    def listed(self) -> list[Any]:
        """All of it, as a list."""
        if self._vf_list is None:
            self._vf_list = list(self._vf)
        return self._vf_list

    def __bool__(self) -> bool:
        return True  # of an iterator, and of a list that nobody knows

    def __getitem__(self, index: Any) -> Any:
        return self.listed()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.listed()[index] = value

    def __add__(self, other: Any) -> Any:
        return self.listed() + list(other)

    def __radd__(self, other: Any) -> Any:
        return list(other) + self.listed()

    def __mul__(self, times: SupportsIndex) -> Any:
        return self.listed() * times

    def __getattr__(self, name: str) -> Any:
        if name not in _LIST_METHODS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.listed(), name)


_LIST_METHODS = frozenset(["append", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"])


def lazy_map(function: Any, *things: Any) -> Any:
    """``map``; of Python 2 too, where None is the function that gives its arguments."""
    if function is None:
        return Lazy(zip(*things, strict=False)) if len(things) > 1 else list(things[0])
    return Lazy(map(function, *things))


def lazy_filter(function: Any, things: Any) -> Any:
    """``filter``; of a text or a tuple Python 2 made the same again."""
    return Lazy(filter(function, things))


def own_list(thing: Any) -> Any:
    """The keys, values or items of a dictionary, as a list of their own."""
    found: Any = thing
    return list(found) if isinstance(thing, _VIEWS) else found


_VIEWS: tuple[type[Any], ...] = (type({}.keys()), type({}.values()), type({}.items()))


def bound(value: Any) -> Any:
    """A bound of a slice or a range: Python 2 divided whole numbers to whole numbers."""
    return int(value) if isinstance(value, float) else value


def unpacked(thing: Lazy, wanted: int, item: Callable[[Any, int], Any]) -> list[Any] | None:
    """As many values as are asked for of a ``zip`` of unknowns; None where it says itself how many it has."""
    if not thing._vf_parts:
        return None
    return [tuple(item(part, place) for part in thing._vf_parts) for place in range(wanted)]
