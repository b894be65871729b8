"""What else legacy code needs from torch: names, defaults and classes of 0.3, put back for a while.

Every entry is a replacement of one attribute of a class or module of torch; ``installed`` puts them in and
takes them out again. Nothing here knows the contagion rules.
"""

from __future__ import annotations

import _thread
import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from voltfix.torchmodel import LOSS_MODULES, NON_CONTAGIOUS_METHODS
from voltfix.verify.legacy.backward import autograd_backward, autograd_grad, tensor_backward
from voltfix.verify.legacy.flags import VARIABLE, VOLATILE, add, flags_of, is_variable, is_volatile
from voltfix.verify.legacy.functions import (
    NEEDED,
    SAVED,
    context_requires_grad,
    legacy_apply,
    legacy_backward,
    legacy_call,
)
from voltfix.verify.legacy.mode import LegacyMode, active, called_by_torch, resumed
from voltfix.verify.legacy.nested import tensors_in
from voltfix.verify.legacy.variable import Variable, get_volatile, set_volatile

Replacement = tuple[Any, str, Any]
_MISSING = object()


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """Replace what legacy code needs, for the whole process, until the block ends."""
    undo: list[Replacement] = []
    try:
        for owner, name, value in _replacements():
            undo.append((owner, name, vars(owner).get(name, _MISSING)))
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in reversed(undo):
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


def _replacements() -> Iterator[Replacement]:
    yield torch.autograd, "Variable", Variable
    yield torch.autograd.variable, "Variable", Variable
    yield torch.Tensor, "volatile", property(get_volatile, set_volatile)
    yield torch.Tensor, "backward", tensor_backward
    yield torch.autograd, "backward", autograd_backward
    yield torch.autograd, "grad", autograd_grad
    yield torch, "is_tensor", _is_plain_tensor
    yield torch.Tensor, "multinomial", _multinomial
    yield torch.autograd.Function, "apply", classmethod(legacy_apply)
    yield torch.autograd.Function, "__call__", legacy_call
    yield torch.autograd.function.FunctionCtx, "saved_variables", property(lambda ctx: ctx.saved_tensors)
    yield torch.autograd.Function, "requires_grad", property(lambda self: self.__dict__.get(NEEDED, False))
    yield torch.autograd.Function, "saved_tensors", property(lambda self: self.__dict__.get(SAVED, ()))
    context = torch.autograd.function.BackwardCFunction
    yield context, "requires_grad", property(context_requires_grad)
    yield context, "apply", legacy_backward
    yield torch, "load", functools.partial(torch.load, weights_only=False)
    yield threading.Thread, "_bootstrap_inner", _thread_start
    yield _thread, "start_new_thread", _new_thread
    yield from _modules()
    yield from _optimizers()
    yield from _losses()
    yield from _distributions()


# --- tensors and threads ------------------------------------------------------------------------------------

_torch_is_tensor = torch.is_tensor
_torch_multinomial = torch.Tensor.multinomial
_start_of_thread: Any = vars(threading.Thread)["_bootstrap_inner"]
_start_new_thread = _thread.start_new_thread


def _multinomial(self: torch.Tensor, num_samples: int = 1, *args: Any, **kwargs: Any) -> torch.Tensor:
    """One sample, where none are asked for."""
    return _torch_multinomial(self, num_samples, *args, **kwargs)


def _is_plain_tensor(value: Any) -> bool:
    """``torch.is_tensor``: False for a Variable."""
    return _torch_is_tensor(value) and (called_by_torch() or not is_variable(value))


def _thread_start(self: threading.Thread) -> None:
    """What every thread begins with, whether its class has a run() of its own or not."""
    resumed(_start_of_thread)(self)


def _new_thread(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> int:
    return _start_new_thread(resumed(function), args, kwargs or {})


# --- modules ------------------------------------------------------------------------------------------------

_state_dict = torch.nn.Module.state_dict
_load_state_dict = torch.nn.Module.load_state_dict
_new_parameter = torch.nn.Parameter.__new__
_deepcopy_parameter: Any = torch.nn.Parameter.__deepcopy__
_torch_pad = torch.nn.utils.rnn.pad_packed_sequence


def _modules() -> Iterator[Replacement]:
    yield torch.nn.Module, "zero_grad", lambda self: _zero(self.parameters())
    yield torch.nn.Module, "state_dict", _plain_state_dict
    yield torch.nn.Module, "load_state_dict", _plain_load_state_dict
    yield torch.nn.Parameter, "__new__", staticmethod(_parameter)
    yield torch.nn.Parameter, "__deepcopy__", _copy_parameter
    yield torch.nn.utils, "clip_grad_norm", _clip_grad_norm
    yield torch.nn.utils.rnn, "pad_packed_sequence", _pad_packed_sequence


def _zero(parameters: Iterable[torch.Tensor]) -> None:
    """``zero_grad`` left zeros; a gradient that carried a graph was replaced."""
    for parameter in parameters:
        gradient = parameter.grad
        if gradient is not None and is_volatile(gradient):
            gradient.data.zero_()
        elif gradient is not None:
            parameter.grad = Variable(torch.zeros_like(gradient.data))


def _plain_state_dict(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    """A state holds plain tensors, but for buffers that are Variables."""
    with torch._C.DisableTorchFunction():
        state = _state_dict(self, *args, **kwargs)
    prefix = kwargs.get("prefix", "")
    for name, buffer in self.named_buffers():
        if is_variable(buffer) and prefix + name in state:
            state[prefix + name] = buffer
    return state


def _plain_load_state_dict(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    with torch._C.DisableTorchFunction():
        return _load_state_dict(self, *args, **kwargs)


def _parameter(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
    if is_variable(data) and not called_by_torch():
        raise RuntimeError("Variable data has to be a tensor, but got Variable")
    return _new_parameter(cls, data, requires_grad)


def _copy_parameter(self: torch.nn.Parameter, memo: dict[int, Any]) -> Any:
    fresh = id(self) not in memo
    copied = _deepcopy_parameter(self, memo)
    if fresh:
        add(copied, flags_of(self))
    return copied


def _clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2) -> float:
    """The norm was a number."""
    with torch._C.DisableTorchFunction():
        return float(torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type))


def _pad_packed_sequence(*args: Any, **kwargs: Any) -> Any:
    """The lengths were a list."""
    padded, lengths = _torch_pad(*args, **kwargs)
    return padded, lengths.tolist()


# --- optimizers ---------------------------------------------------------------------------------------------

_add_param_group = torch.optim.Optimizer.add_param_group
_hook_step = torch.optim.Optimizer.profile_hook_step


def _optimizers() -> Iterator[Replacement]:
    yield torch.optim.Optimizer, "zero_grad", lambda self: _zero(tensors_in(self.param_groups))
    yield torch.optim.Optimizer, "add_param_group", _checked_param_group
    for kind in _optimizer_kinds():
        yield kind, "step", _plain_step(vars(kind)["step"])


def _optimizer_kinds() -> list[type]:
    kinds = [value for value in vars(torch.optim).values() if isinstance(value, type)]
    return [kind for kind in kinds if issubclass(kind, torch.optim.Optimizer) and "step" in vars(kind)]


def _checked_param_group(self: torch.optim.Optimizer, param_group: dict[str, Any]) -> None:
    for parameter in tensors_in(param_group.get("params")):
        if not parameter.requires_grad:
            raise ValueError("optimizing a parameter that doesn't require gradients")
    _add_param_group(self, param_group)


def _plain_step(step: Callable[..., Any]) -> Callable[..., Any]:
    """Torch's own optimizers write into ``p.data``: the rules of volatile hold in the closure alone."""

    @functools.wraps(step)
    def run(self: Any, closure: Any = None, **kwargs: Any) -> Any:
        if closure is not None:
            kwargs["closure"] = resumed(closure)
        with torch._C.DisableTorchFunction():
            return step(self, **kwargs)

    return run


# --- losses and distributions -------------------------------------------------------------------------------


def _losses() -> Iterator[Replacement]:
    for name in [*LOSS_MODULES, "PoissonNLLLoss"]:
        kind = getattr(torch.nn, name, None)
        if kind is not None:
            yield kind, "forward", _checked_forward(kind.forward)


def _checked_forward(forward: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(forward)
    def run(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        target = args[1] if len(args) > 1 else kwargs.get("target")
        if isinstance(target, torch.Tensor) and target.requires_grad:
            raise AssertionError(
                "nn criterions don't compute the gradient w.r.t. targets - please "
                "mark these variables as volatile or not requiring gradients"
            )
        return forward(self, *args, **kwargs)

    return run


def _distributions() -> Iterator[Replacement]:
    for (name, method), arguments in NON_CONTAGIOUS_METHODS.items():
        kind = getattr(torch.distributions, name)
        if 1 in arguments:
            yield kind, method, _deaf(getattr(kind, method))


def _deaf(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with a first argument that does not pass volatile on."""

    @functools.wraps(method)
    def run(self: Any, value: Any) -> Any:
        if is_volatile(value):
            with torch._C.DisableTorchFunction():
                value = value.detach()
            add(value, VARIABLE)
        return method(self, value)

    return run


__all__ = ["VOLATILE", "LegacyMode", "active", "installed"]
