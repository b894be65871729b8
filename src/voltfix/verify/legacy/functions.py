"""``torch.autograd.Function`` under volatile: new style (``apply``) and old style."""

from __future__ import annotations

import threading
from typing import Any

import torch

from voltfix.verify.legacy.flags import is_volatile, plain
from voltfix.verify.legacy.nested import map_tensors, tensors_in
from voltfix.verify.legacy.variable import Backward, mark_result

VOLATILE_CALL = threading.local()
_apply: Any = vars(torch.autograd.Function)["apply"].__func__
_apply_backward: Any = torch.autograd.function.BackwardCFunction.apply


def legacy_apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """``Function.apply``: with a volatile input, no graph and volatile outputs. ``forward`` is handed plain tensors."""
    inputs = list({id(tensor): tensor for tensor in tensors_in(args)}.values())
    volatile = any(map(is_volatile, inputs))
    if not volatile:
        with plain(inputs):
            result = _apply(cls, *args, **kwargs)
        return _marked(result, False)
    VOLATILE_CALL.depth = getattr(VOLATILE_CALL, "depth", 0) + 1
    try:
        with torch.no_grad():
            with plain(inputs):
                result = _apply(cls, *args, **kwargs)
            return _marked(result, True)
    finally:
        VOLATILE_CALL.depth -= 1


def legacy_backward(self: Any, *gradients: Any) -> Any:
    """``Function.backward``, called by autograd: a volatile gradient makes those behind it volatile."""
    result = _apply_backward(self, *gradients)
    given = result if isinstance(result, tuple) else (result,)
    wanted = [gradient for gradient, needed in zip(given, self.needs_input_grad, strict=False) if needed]
    nodes = [node for node, _ in self.next_functions if node is not None]
    for gradient, node in zip(wanted, nodes, strict=False):
        if is_volatile(gradient):
            Backward.volatile_behind.append(node)
    return result


def context_requires_grad(ctx: Any) -> bool:
    """``ctx.requires_grad``: False where an input is volatile."""
    return not getattr(VOLATILE_CALL, "depth", 0) and any(ctx.needs_input_grad)


def _marked(result: Any, volatile: bool) -> Any:
    with torch._C.DisableTorchFunction():
        return map_tensors(lambda tensor: mark_result(tensor, volatile), result)


NEEDED, SAVED = "_voltfix_needed", "_voltfix_saved"  # state of an old-style function object


def legacy_call(self: Any, *args: Any) -> Any:
    """``Old()(x)``: forward and backward are methods of the object that is called."""
    return _OldStyle.apply(self, *args)  # type: ignore[no-untyped-call]


class _OldStyle(torch.autograd.Function):
    """Runs the methods of an old-style function object; the object plays the context."""

    @staticmethod
    def forward(ctx: Any, function: Any, *args: Any) -> Any:
        """Call the object's own forward."""
        ctx.function = function
        saved: list[torch.Tensor] = []
        function.save_for_backward = lambda *tensors: saved.extend(tensors)
        function.needs_input_grad = tuple(ctx.needs_input_grad[1:])
        needed = any(function.needs_input_grad)
        state = function.__dict__
        state[NEEDED] = needed
        result = function.forward(*args)
        if needed:
            ctx.save_for_backward(*saved)
        state[SAVED] = tuple(saved) if needed else ()
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Call the object's own backward."""
        function = ctx.function
        function.__dict__[SAVED] = ctx.saved_tensors
        result = function.backward(*gradients)
        return (None, *result) if isinstance(result, tuple) else (None, result)
