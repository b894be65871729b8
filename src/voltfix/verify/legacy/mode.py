"""The function mode that sees every operation and makes volatile contagious, as 0.3 did.

An operation with a volatile input that passes it on runs without grad mode, and what it returns is flagged.
Nothing else is different from torch of today, but for the few functions that have a handler of their own
(``special``). A mode holds for one thread; ``surface`` carries it into new ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.overrides import _get_current_function_mode_stack as _stack

from voltfix.torchmodel import (
    COMPARISONS,
    MASK_ARGUMENTS,
    NO_TENSOR_RESULTS,
    NODE_RESULTS,
    STOCHASTIC,
    is_contagious,
    is_inplace_name,
    volatile_result,
)
from voltfix.verify.legacy import strict
from voltfix.verify.legacy.flags import NODE, add, is_variable, is_volatile
from voltfix.verify.legacy.nested import map_tensors, tensors_in
from voltfix.verify.legacy.variable import mark_result, mark_written

Handler = Callable[[Any, Sequence[Any], dict[str, Any]], Any]
HANDLERS: dict[str, Handler] = {}
_mode_stack: Callable[[], list[Any]] = _stack


class LegacyMode(TorchFunctionMode):
    """While entered, operations of this thread treat ``volatile`` as PyTorch 0.3 did."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run one operation of torch under the rules of 0.3."""
        name = function_name(func)
        handler = HANDLERS.get(name, operate)
        options = dict(kwargs or {})
        if strict.Strict.on:
            strict.refuse_plain(func, args)
        if strict.Strict.on and not called_by_torch():
            return strict.run(name, lambda: handler(func, args, options), args, options)
        return handler(func, args, options)


def active() -> bool:
    """Is the mode entered in this thread?"""
    return any(isinstance(mode, LegacyMode) for mode in _mode_stack())


def resumed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, run with the mode entered: for code of the user that an operation calls back."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with torch._C._EnableTorchFunction():  # who calls it back may have switched modes off that are entered
            if active():
                return function(*args, **kwargs)
            with LegacyMode():
                return function(*args, **kwargs)

    return run


def function_name(func: Any) -> str:
    """``gather`` for a function or method; ``data.get``, ``data.set`` for an attribute."""
    name: str = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        return f"{getattr(func.__self__, '__name__', '')}.{name.strip('_')}"
    return name


def called_by_torch() -> bool:
    """Was the operation at hand called by code of torch, not of the user?"""
    frame = sys._getframe(1)
    own = (__package__, "torch.overrides", "torch.utils._contextlib")
    while frame is not None:
        module: str = frame.f_globals.get("__name__", "")
        if not module.startswith(own):
            return module == "torch" or module.startswith("torch.")
        frame = frame.f_back  # type: ignore[assignment]
    return True


def operate(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Run an operation that has no rule of its own."""
    name = function_name(func)
    if name.endswith((".get", ".set")) and name not in _VIEW_ATTRIBUTES:
        return func(*args, **kwargs)
    contagious = any(is_volatile(tensor) for tensor in _contagious_tensors(name, args, kwargs))
    args, kwargs = _byte_masks(name, args, kwargs)
    if _writes(name, args, kwargs):
        return _write(name, func, args, kwargs, contagious)
    if name in NO_TENSOR_RESULTS or not any(is_variable(tensor) for tensor in tensors_in([args, kwargs])):
        return _byte_result(name, func(*args, **kwargs))
    if not contagious and name not in STOCHASTIC:
        result = _byte_result(name, func(*args, **kwargs))
        result = map_tensors(lambda tensor: mark_result(tensor, False), result)
        _mark_node(name, args, result)
        return result
    with torch.no_grad():
        result = _byte_result(name, func(*args, **kwargs))
        if not contagious:
            return map_tensors(lambda tensor: mark_result(tensor, False), result)
        return _mark_volatile(name, result, [id(tensor) for tensor in tensors_in([args, kwargs])])


_VIEW_ATTRIBUTES = frozenset({"T.get", "H.get", "mT.get", "mH.get", "real.get", "imag.get"})


def _contagious_tensors(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for position, value in enumerate(args):
        if is_contagious(name, position) and not is_of_parts(name, position, value):
            found += tensors_in(value)
    for keyword, value in kwargs.items():
        if keyword != "out" and is_contagious(name, keyword):
            found += tensors_in(value)
    return found


def is_of_parts(name: str, position: int, value: Any) -> bool:
    """``x[i, :]``, ``x[[i]]``: what is in a tuple or a list was no argument of the operation on 0.3."""
    return position == 1 and name in ("__getitem__", "__setitem__") and isinstance(value, (tuple, list))


def _mark_volatile(name: str, result: Any, inputs: list[int]) -> Any:
    """Flag the results of a contagious operation; ``inputs`` are the ids of the tensors that went in."""

    def mark(tensor: torch.Tensor, volatile: bool) -> torch.Tensor:
        if id(tensor) in inputs and volatile and not is_volatile(tensor):
            tensor = tensor.detach()  # handed through as it was: the flag belongs to the result alone
        return mark_result(tensor, volatile)

    if isinstance(result, torch.Tensor):
        return mark(result, volatile_result(name, 0))
    if isinstance(result, (tuple, list)):
        items = [
            map_tensors(lambda tensor, at=at: mark(tensor, volatile_result(name, at)), item)  # type: ignore[misc]
            for at, item in enumerate(result)
        ]
        if isinstance(result, list):
            return items
        return type(result)(items) if hasattr(result, "n_fields") else tuple(items)
    return map_tensors(lambda tensor: mark(tensor, True), result)


def _mark_node(name: str, args: Sequence[Any], result: Any) -> None:
    if name not in NODE_RESULTS or (name == "__getitem__" and isinstance(args[1], torch.Tensor)):
        return
    for tensor in tensors_in(result):
        if tensor is not args[0] and not tensor.requires_grad:
            add(tensor, NODE)


# --- writing into tensors -----------------------------------------------------------------------------------


def _writes(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    if not args or not isinstance(args[0], torch.Tensor):
        return False
    return is_inplace_name(name) or kwargs.get("inplace") is True


def _write(name: str, func: Any, args: Sequence[Any], kwargs: dict[str, Any], contagious: bool) -> Any:
    target = args[0]
    if contagious and target.requires_grad and target.is_leaf and torch.is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if not contagious:
        result = func(*args, **kwargs)
        if name == "__setitem__" and is_variable(target) and not target.requires_grad:
            add(target, NODE)
        return result
    with torch.no_grad():
        already = is_volatile(target)
        result = func(*args, **kwargs)
        if not already:
            mark_written(target, keeps_node=name != "__setitem__")
    return result


# --- byte masks ---------------------------------------------------------------------------------------------


def _byte_result(name: str, result: Any) -> Any:
    """A comparison gave a byte tensor on 0.3: ``1 - mask`` and ``mask + mask`` were arithmetic."""
    if name in COMPARISONS and isinstance(result, torch.Tensor) and result.dtype is torch.bool:
        return result if called_by_torch() else result.to(torch.uint8)
    return result


def _byte_masks(
    name: str, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """Today's masked_* functions take bool masks only."""
    position = MASK_ARGUMENTS.get(name)
    if name in ("__getitem__", "__setitem__"):
        return (args[0], map_tensors(_as_bool, args[1]), *args[2:]), kwargs
    if isinstance(position, int):
        args = tuple(_as_bool(value) if at == position else value for at, value in enumerate(args))
        if "mask" in kwargs:
            kwargs["mask"] = _as_bool(kwargs["mask"])
    return args, kwargs


def _as_bool(mask: Any) -> Any:
    if isinstance(mask, torch.Tensor) and mask.dtype is torch.uint8:
        return mask.bool()
    return mask
