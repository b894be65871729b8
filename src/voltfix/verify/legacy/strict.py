"""What 0.3.0 refused for reasons other than volatile, and its overflowing sums: the letter of 0.3.0.

Off by default: real repositories mix the idioms of several versions, and for the question at hand (does a
migration do the same?) it is better to run them than to refuse. On, it is how the recorded probes are
posed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from voltfix.torchmodel import LOSS_FUNCTIONS, is_inplace_name
from voltfix.verify.legacy.flags import add, flags_of, is_variable
from voltfix.verify.legacy.nested import tensors_in

_FAMILY = "_voltfix_family"
_ARITHMETIC = frozenset(
    {
        "add",
        "add_",
        "addmm",
        "atan2",
        "bmm",
        "copy_",
        "cross",
        "dist",
        "div",
        "div_",
        "dot",
        "eq",
        "fmod",
        "ge",
        "ger",
        "gt",
        "le",
        "lerp",
        "lt",
        "matmul",
        "max",
        "min",
        "mm",
        "mul",
        "mul_",
        "mv",
        "ne",
        "pow",
        "remainder",
        "sub",
        "sub_",
        "true_divide",
    }
)


_JOINING = frozenset({"cat", "stack"})


class Strict:
    """Whether the letter of 0.3.0 holds; set by ``legacy``."""

    on = False


def run(name: str, operation: Callable[[], Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Run an operation; raises what 0.3.0 raised, and remembers which results share storage."""
    _refuse(name, args, kwargs)
    inputs = [tensor for tensor in tensors_in(args) if is_variable(tensor)]
    result = operation()
    if name == "sum" and isinstance(result, torch.Tensor) and inputs and args[0].dtype is torch.uint8:
        result = _narrowed(result)
    _remember(inputs, result)
    return result


def refuse_plain(func: Any, args: Sequence[Any]) -> None:
    """Functions of networks took Variables; buffers, and the weights of classes, were plain tensors."""
    if getattr(func, "__module__", None) not in ("torch.nn.functional", "torch._C._nn"):
        return
    name = getattr(func, "__name__", "")
    for at, value in enumerate(args[: 2 if name in LOSS_FUNCTIONS else 1]):
        if isinstance(value, torch.Tensor) and not is_variable(value):
            raise RuntimeError(f"{name}(): argument (position {at + 1}) must be Variable, not {value.type()}")


def _refuse(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    first = args[0] if args else None
    if name in _JOINING:
        parts = list(tensors_in(first))
        _refuse_mixing(name, parts[0], parts[1:])
    if not isinstance(first, torch.Tensor):
        return
    if name == "__bool__" and is_variable(first) and first.dtype is torch.uint8:
        raise RuntimeError(
            "bool value of Variable objects containing non-empty torch.ByteTensor is ambiguous"
        )
    if name in ("all", "any") and first.dtype not in (torch.uint8, torch.bool):
        raise RuntimeError(f"{name} is not implemented for type {first.type()}")
    if name == "clamp" and any(isinstance(value, torch.Tensor) for value in [*args[1:], *kwargs.values()]):
        raise TypeError("clamp received an invalid combination of arguments")
    if is_variable(kwargs.get("out")):
        raise RuntimeError(f"{name}() received an invalid combination of arguments")
    _refuse_mixing(name, first, [*args[1:], *kwargs.values()])
    if is_inplace_name(name) and name != "__setitem__" and is_variable(first):
        _refuse_shared(first)


def _refuse_mixing(name: str, first: torch.Tensor, others: list[Any]) -> None:
    """Variables and plain tensors did not go together."""
    if name not in _ARITHMETIC and name not in _JOINING:
        return
    for other in others:
        if isinstance(other, torch.Tensor) and is_variable(other) != is_variable(first):
            kind = RuntimeError if is_variable(first) or name == "copy_" else TypeError
            raise kind(f"{name} received an invalid combination of arguments")


def _refuse_shared(tensor: torch.Tensor) -> None:
    live = [member for reference in tensor.__dict__.get(_FAMILY, ()) if (member := reference()) is not None]
    if len(live) > 1:
        raise RuntimeError(
            "in-place operations can be only used on variables that don't share storage with any other "
            f"variables, but detected that there are {len(live)} objects sharing it"
        )


def _remember(inputs: list[torch.Tensor], result: Any) -> None:
    """Results that share the storage of an input belong to its family."""
    with torch._C.DisableTorchFunction():
        for made in tensors_in(result):
            for source in inputs:
                if made is not source and is_variable(made) and _address(made) == _address(source):
                    family = source.__dict__.setdefault(_FAMILY, [weakref.ref(source)])
                    family.append(weakref.ref(made))
                    made.__dict__[_FAMILY] = family


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _narrowed(result: torch.Tensor) -> torch.Tensor:
    """The sum of a byte tensor was a byte tensor."""
    with torch._C.DisableTorchFunction():
        narrow = result.to(torch.uint8)
    add(narrow, flags_of(result))
    return narrow
