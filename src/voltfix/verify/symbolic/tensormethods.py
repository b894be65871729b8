"""Methods of torch.Tensor that are an operation, a view, or a write in place."""

from __future__ import annotations

from typing import Any

from voltfix.verify.symbolic import ops, spellings, tables
from voltfix.verify.symbolic.standin import StandIn


def tensor_method(receiver: StandIn, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of torch.Tensor."""
    if name.endswith("_") and not name.endswith("__"):
        name, everything, kwargs = spellings.spelled(name, [receiver, *args], kwargs)
        return ops.in_place(receiver, name, [*everything, *kwargs.values()])
    if name in ("new", "new_zeros", "new_ones", "new_full", "new_tensor", "new_empty"):
        return ops.plain(name, [receiver, *args])
    if name in tables.VIEWS and receiver._vf.kind != "number":
        return ops.view(receiver, name, [a for a in args if not isinstance(a, StandIn)])
    if name in tables.PLAIN:
        out = ops.plain(name, [receiver, *args])
        out._vf.moved = receiver if name == "numpy" else None
        return out
    return ops.apply(name, [receiver, *args], kwargs)
