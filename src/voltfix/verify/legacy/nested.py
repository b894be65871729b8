"""Tensors inside the lists, tuples and dictionaries that operations take and give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

_DEPTH = 4  # torch itself nests no deeper


def tensors_in(value: Any, depth: int = _DEPTH) -> Iterator[torch.Tensor]:
    """All tensors in a value, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth - 1)


def map_tensors(function: Callable[[torch.Tensor], Any], value: Any, depth: int = _DEPTH) -> Any:
    """The value with ``function(tensor)`` for every tensor; a container without any stays as it is."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if not depth or not isinstance(value, (list, tuple, dict)):
        return value
    if isinstance(value, dict):
        mapped = {key: map_tensors(function, item, depth - 1) for key, item in value.items()}
        return value if all(mapped[key] is value[key] for key in value) else mapped
    items = [map_tensors(function, item, depth - 1) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    if isinstance(value, tuple):
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return items
