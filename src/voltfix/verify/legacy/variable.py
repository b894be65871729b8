"""``Variable`` as 0.3 had it: the constructor, ``isinstance``, and the attribute ``volatile``."""

from __future__ import annotations

from typing import Any, ClassVar

import torch

from voltfix.verify.legacy.flags import (
    NODE,
    VARIABLE,
    VOLATILE,
    add,
    flags_of,
    has_node,
    is_variable,
    is_volatile,
    remove,
)

_TYPES: Any = type(torch.Tensor)


class VariableType(_TYPES):  # type: ignore[misc]
    """The type of the emulated Variable: what 0.3 called one is an ordinary tensor with flags here."""

    def __instancecheck__(self, instance: Any) -> bool:
        if self is Variable:
            return is_variable(instance)
        return bool(type.__instancecheck__(self, instance))

    def __eq__(self, other: object) -> bool:
        # ``type(h) == Variable`` was a common test on 0.3
        return self is other or (self is Variable and other is torch.Tensor)

    def __hash__(self) -> int:
        return type.__hash__(self)


class Variable(torch.Tensor, metaclass=VariableType):
    """The constructor of 0.3: ``Variable(data, requires_grad=False, volatile=False)``.

    Raises as 0.3.0 did: for data that is no plain tensor, for both flags at once, for flags that are no
    small integers.
    """

    __torch_function__: Any = torch._C._disabled_torch_function_impl

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A new tensor object over the same data, flagged as a Variable."""
        data, requires_grad, volatile = _arguments(args, kwargs)
        if volatile and requires_grad:
            raise RuntimeError("Variable can't be volatile and require_grad at the same time!")
        with torch._C.DisableTorchFunction():
            plain = torch.Tensor() if data is None else data.data
            made: Any = plain if cls is Variable else torch.Tensor._make_subclass(cls, plain)
            if requires_grad:
                made.requires_grad_(True)
        add(made, VARIABLE | (VOLATILE if volatile else 0))
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


_NAMES = ("data", "requires_grad", "volatile", "_grad_fn")


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[torch.Tensor | None, bool, bool]:
    if len(args) > len(_NAMES):
        raise TypeError(f"function takes at most 4 arguments ({len(args) + len(kwargs)} given)")
    given = dict(zip(_NAMES, args, strict=False))
    for name, value in kwargs.items():
        if name not in _NAMES:
            raise TypeError(f"'{name}' is an invalid keyword argument for this function")
        if name in given:
            raise TypeError(f"Argument given by name ('{name}') and position ({_NAMES.index(name) + 1})")
        given[name] = value
    requires_grad = _small_integer(given.get("requires_grad", False))
    volatile = _small_integer(given.get("volatile", False))
    return _plain_tensor(given.get("data")), requires_grad, volatile


def _plain_tensor(data: Any) -> torch.Tensor | None:
    if data is None or (isinstance(data, torch.Tensor) and not is_variable(data)):
        return data
    kind = "Variable" if is_variable(data) else type(data).__name__
    raise RuntimeError(f"Variable data has to be a tensor, but got {kind}")


def _small_integer(value: Any) -> bool:
    """What the C format ``b`` of 0.3 made of a flag: anything with ``__int__`` but floats, from 0 to 255."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        raise TypeError("integer argument expected, got float")
    if not hasattr(value, "__int__"):
        raise TypeError(f"an integer is required (got type {type(value).__name__})")
    number = int(value)
    if not 0 <= number <= 255:
        bound = "greater than maximum" if number > 0 else "less than minimum"
        raise OverflowError(f"unsigned byte integer is {bound}")
    return bool(number)


class Backward:
    """Whether a backward pass is running, and whether its gradients carry a graph (and are not volatile).

    ``volatile_behind`` holds the nodes that a function of the user gave volatile gradients to in this pass.
    """

    depth = 0
    create_graph = False
    volatile_behind: ClassVar[list[Any]] = []


def get_volatile(tensor: torch.Tensor) -> bool:
    """``tensor.volatile``; raises AttributeError for a plain tensor."""
    if is_variable(tensor):
        return is_volatile(tensor)
    if Backward.depth:  # a gradient that a hook or a backward function sees
        return not Backward.create_graph
    raise AttributeError(f"'{tensor.type()}' object has no attribute 'volatile'")


def set_volatile(tensor: torch.Tensor, value: Any) -> None:
    """``tensor.volatile = value``; raises as 0.3.0 did for plain tensors, non-leaves and other values."""
    if not is_variable(tensor):
        raise AttributeError(f"'{tensor.type()}' object has no attribute 'volatile'")
    if not isinstance(value, bool):
        raise RuntimeError("volatile must be a bool")
    if has_node(tensor):
        raise RuntimeError("volatile can only be set on leaf variables")
    if value:
        add(tensor, VARIABLE | VOLATILE)
    else:
        remove(tensor, VOLATILE)
        add(tensor, VARIABLE)


def mark_result(tensor: torch.Tensor, volatile: bool) -> torch.Tensor:
    """Flag what an operation returned; a volatile result keeps no graph, not even that of a view's base."""
    if volatile:
        if tensor.requires_grad:
            tensor = tensor.detach()
        add(tensor, VARIABLE | VOLATILE)
    elif not flags_of(tensor) & VARIABLE:
        add(tensor, VARIABLE)
    return tensor


def mark_written(tensor: torch.Tensor, keeps_node: bool) -> None:
    """Flag a Variable that a volatile value was written into: volatile, without its graph."""
    if tensor.requires_grad:
        if tensor._is_view():
            raise RuntimeError(
                "in-place operations can be only used on variables that don't share storage "
                "with any other variables"
            )
        tensor.detach_()
        add(tensor, NODE if keeps_node else 0)
    if not keeps_node:
        remove(tensor, NODE)
    add(tensor, VARIABLE | VOLATILE)
