"""Operations with a rule of their own: attributes, hooks, losses, indexing of one-element tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from voltfix.torchmodel import NON_CONTAGIOUS, REFUSES_VOLATILE, TARGET_REFUSES_GRADIENT
from voltfix.verify.legacy.backward import watch_gradient
from voltfix.verify.legacy.flags import VARIABLE, VOLATILE, add, flags_of, is_variable, is_volatile
from voltfix.verify.legacy.mode import HANDLERS, called_by_torch, function_name, operate
from voltfix.verify.legacy.variable import mark_result


def _get_grad(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``x.grad`` is volatile, unless create_graph made it (then it is flagged already) or the user set it."""
    gradient = func(*args, **kwargs)
    if isinstance(gradient, torch.Tensor) and not flags_of(gradient) & VARIABLE:
        add(gradient, VARIABLE | (0 if gradient.requires_grad else VOLATILE))
    return gradient


def _set_requires_grad(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if not isinstance(args[1], bool):
        raise RuntimeError("requires_grad must be a bool")
    return func(*args, **kwargs)


def _grad(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Today's function, whose marking ``autograd_grad`` has done or will do."""
    return func(*args, **kwargs)


def _register_hook(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if is_volatile(args[0]):
        raise RuntimeError(REFUSES_VOLATILE["register_hook"])
    hook = kwargs.pop("hook", None) or args[1]
    return func(args[0], watch_gradient(hook))


def _retain_grad(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return None if is_volatile(args[0]) else func(*args, **kwargs)


def _get_item(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Reductions gave one element in one dimension on 0.3, and indexing a plain vector gave a number."""
    tensor, index = args[0], args[1]
    if not isinstance(tensor, torch.Tensor) or isinstance(index, bool) or called_by_torch():
        return operate(func, args, kwargs)
    if tensor.dim() == 0 and index in (0, -1, (0,)):
        return operate(func, (_vector(tensor), 0), kwargs) if is_variable(tensor) else tensor.item()
    if tensor.dim() == 1 and isinstance(index, int) and not is_variable(tensor):
        return func(*args, **kwargs).item()
    return operate(func, args, kwargs)


def _copied(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Copies and pickles carry the flags in the state of the tensor."""
    return func(*args, **kwargs)


def _arange(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``torch.arange(3)`` gave floats."""
    if "dtype" not in kwargs and not called_by_torch():
        kwargs = {**kwargs, "dtype": torch.get_default_dtype()}
    return func(*args, **kwargs)


def _detach_in_place(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """``x.detach_()`` gave nothing back; a volatile x stays volatile."""
    func(*args, **kwargs)


def _vector(tensor: torch.Tensor) -> torch.Tensor:
    if not is_volatile(tensor):
        return mark_result(tensor.view(1), False)
    with torch.no_grad():
        return mark_result(tensor.view(1), True)


def _cat(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``torch.cat`` of losses: they have no dimension today."""
    if args and isinstance(args[0], (list, tuple)):
        items = [_vector(item) if _is_scalar(item) else item for item in args[0]]
        return operate(func, (items, *args[1:]), kwargs)
    return operate(func, args, kwargs)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() == 0


def _numpy(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    array = func(*args, **kwargs)
    return array.reshape(1) if array.ndim == 0 and not called_by_torch() else array


def _invert(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``~mask`` of a byte tensor was ``1 - mask``."""
    if isinstance(args[0], torch.Tensor) and args[0].dtype is torch.uint8:
        return operate(torch.Tensor.__rsub__, (args[0], 1), {})
    return operate(func, args, kwargs)


def _broadcast(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Each result belongs to its own input."""
    sources = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    results = func(*args, **kwargs)
    return type(results)(
        mark_result(result, is_volatile(source)) if is_variable(source) else result
        for result, source in zip(results, sources, strict=True)
    )


def _loss(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Targets that require grad were refused; the element-wise losses took any shapes of equal size."""
    name = function_name(func)
    target = args[1] if len(args) > 1 else kwargs.get("target")
    if isinstance(target, torch.Tensor):
        if name in TARGET_REFUSES_GRADIENT and target.requires_grad:
            raise RuntimeError("the derivative for 'target' is not implemented")
        source = args[0] if args else kwargs.get("input")
        if name in _ELEMENTWISE and isinstance(source, torch.Tensor) and _same_size(source, target):
            target = mark_result(target.view(source.shape), is_volatile(target))
            args, kwargs = _with_target(args, kwargs, target)
    return operate(func, args, kwargs)


_ELEMENTWISE = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "soft_margin_loss"})


def _same_size(source: torch.Tensor, target: torch.Tensor) -> bool:
    return source.shape != target.shape and source.numel() == target.numel() and target.is_contiguous()


def _with_target(
    args: Sequence[Any], kwargs: dict[str, Any], target: torch.Tensor
) -> tuple[Sequence[Any], dict[str, Any]]:
    if len(args) > 1:
        return (args[0], target, *args[2:]), kwargs
    return args, {**kwargs, "target": target}


HANDLERS.update(
    {
        "__getitem__": _get_item,
        "__deepcopy__": _copied,
        "__invert__": _invert,
        "__reduce_ex__": _copied,
        "arange": _arange,
        "bitwise_not": _invert,
        "broadcast_tensors": _broadcast,
        "cat": _cat,
        "detach_": _detach_in_place,
        "grad": _grad,
        "grad.get": _get_grad,
        "numpy": _numpy,
        "register_hook": _register_hook,
        "requires_grad.set": _set_requires_grad,
        "retain_grad": _retain_grad,
        **dict.fromkeys((name for name in NON_CONTAGIOUS if name in TARGET_REFUSES_GRADIENT), _loss),
    }
)
