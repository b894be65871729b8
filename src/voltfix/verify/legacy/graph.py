"""Operations whose nodes saved nothing on 0.3, so that a graph could run backward through them twice.

Today's torch saves the number of ``x * 2`` and frees it with the graph, and frees the node of ``x[0] = y``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from voltfix.verify.legacy.flags import is_variable, is_volatile
from voltfix.verify.legacy.mode import HANDLERS, function_name, is_of_parts, operate
from voltfix.verify.legacy.nested import tensors_in
from voltfix.verify.legacy.variable import mark_result

_NUMBERS = (int, float)


class _Scale(torch.autograd.Function):
    """A tensor times a number; nothing is saved."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, number: float, divide: bool) -> torch.Tensor:
        """Multiply, or divide, as the operation itself would."""
        ctx.number, ctx.divide = number, divide
        return tensor / number if divide else tensor * number

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradient, scaled alike."""
        (gradient,) = gradients
        return gradient / ctx.number if ctx.divide else gradient * ctx.number, None, None


class _SetItem(torch.autograd.Function):
    """``tensor[key] = value``, as the Python function that 0.3 had for it."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, key: Any, value: Any) -> torch.Tensor:
        """Write in place."""
        ctx.key, ctx.shape = key, value.shape if isinstance(value, torch.Tensor) else None
        ctx.mark_dirty(tensor)
        tensor[key] = value
        return tensor

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradient without what was overwritten, and that for what was written."""
        (gradient,) = gradients
        kept = gradient.clone()
        kept[ctx.key] = 0
        return kept, None, None if ctx.shape is None else _of_shape(gradient[ctx.key], ctx.shape)


def _of_shape(gradient: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    if gradient.numel() == shape.numel():
        return gradient.reshape(shape)
    return gradient.sum_to_size(shape)


def _scale(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 2 and not kwargs and isinstance(args[1], _NUMBERS) and _records(args[0]):
        divide = "div" in function_name(func)
        return mark_result(_apply(_Scale, args[0], args[1], divide), False)
    return operate(func, args, kwargs)


def _set_item(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    target, index, value = args
    involved = list(tensors_in([target, value] if is_of_parts("__setitem__", 1, index) else args))
    if any(is_volatile(tensor) for tensor in involved) or not is_variable(target) or target._is_view():
        return operate(func, args, kwargs)
    fresh_leaf = target.requires_grad and target.is_leaf
    if fresh_leaf or not (_records(target) or _records(value)):
        return operate(func, args, kwargs)
    _apply(_SetItem, *args)
    return None


def _apply(function: Any, *args: Any) -> Any:
    return function.apply(*args)


def _records(tensor: Any) -> bool:
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.requires_grad
        and not is_volatile(tensor)
        and torch.is_grad_enabled()
    )


HANDLERS.update({"__setitem__": _set_item, **dict.fromkeys(("div", "mul", "true_divide"), _scale)})
