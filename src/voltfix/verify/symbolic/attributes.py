"""Attributes of stand-ins: reading and writing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from voltfix.verify.symbolic import ops, spellings, tables, torchapi, torchnames
from voltfix.verify.symbolic.lending import lend
from voltfix.verify.symbolic.methods import requires_grad_in_place
from voltfix.verify.symbolic.observe import digest
from voltfix.verify.symbolic.rewrite import FORBIDDEN
from voltfix.verify.symbolic.standin import StandIn, named_part, tensor_of, unknown, value
from voltfix.verify.symbolic.world import ASKED, StandInError, here


def attribute(standin: StandIn, name: str) -> Any:
    """``standin.name``."""
    state = standin._vf
    if name in FORBIDDEN or name == "_vf":
        raise StandInError(f"code that reaches for {name} is not run")
    if state.kind == "torch":
        return torchapi.member(standin, name)
    if name in state.attrs:
        return state.attrs[name]
    if state.kind == "imported" and state.path in ("numpy", "np") and name in _NUMPY_OWN:
        return _NUMPY_OWN[name]
    special = _ATTRIBUTES.get(name)
    if special is not None and not (name in ("volatile", "requires_grad") and _is_settings(standin)):
        found = special(standin)
        if found is not NotImplemented:
            return found
    return named_part(standin, name)


def _is_settings(standin: StandIn) -> bool:
    state = standin._vf
    return state.kind == "any" and state.path.rsplit(".", 1)[-1] in tables.SETTINGS


def set_attribute(standin: StandIn, name: str, new: Any) -> None:
    """``standin.name = new``."""
    state = standin._vf
    if name == "_vf" or name in FORBIDDEN:
        raise StandInError(f"code that writes {name} is not run")
    if name == "volatile" and not _is_settings(standin):
        _set_volatile(standin, new)
    elif name == "requires_grad" and not _is_settings(standin):
        requires_grad_in_place(standin, new)
    elif name == "data":
        with torch.no_grad():
            tensor_of(standin).copy_(tensor_of(new) if isinstance(new, StandIn) else tensor_of(standin))
        state.touched = True
    elif name == "grad" and new is None:
        tensor_of(standin).grad = None
    else:
        if name in ("size_average", "reduce") and "Loss" in state.name and not isinstance(new, StandIn):
            name, new = "reduction", spellings.reduction({name: new})
        state.attrs[name] = new
        here().record(f"{state.path}.{name} =", digest(new))
        lend(f"{state.path}.{name}", new)


def _set_volatile(standin: StandIn, new: Any) -> None:
    state, world = standin._vf, here()
    if not world.legacy:
        return  # today's torch warns and does nothing
    wanted = bool(new)
    tensor = tensor_of(standin)
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError("volatile can only be set on leaf variables")
    state.volatile = wanted
    if state.kind == "any":
        world.found.add(state.path)  # what takes a flag is a Variable, also for the text that no longer writes it


def _data(standin: StandIn) -> Any:
    found = ops.alias(standin, volatile=False)
    found._vf.name = "data"
    return found


def _grad(standin: StandIn) -> Any:
    tensor, world = tensor_of(standin), here()
    if tensor.is_leaf and tensor.grad is not None:
        return value(standin._vf.path + ".grad", tensor.grad, volatile=world.legacy)
    if not world.backwards:
        return NotImplemented
    if world.filled and world.had_gradient(standin._vf.path):
        return value(standin._vf.path + ".grad", torch.zeros_like(tensor), volatile=world.legacy)
    return None


def _requires_grad(standin: StandIn) -> Any:
    state = standin._vf
    if state.kind != "value" and not (state.kind == "any" and state.path in here().variables):
        return NotImplemented
    tensor = tensor_of(standin)
    here().want(tensor)
    here().record(ASKED, (), (tensor.requires_grad,))
    return tensor.requires_grad


def _volatile(standin: StandIn) -> Any:
    state, world = standin._vf, here()
    if not world.legacy:
        return False
    if state.kind == "any":
        world.variables.add(state.path)
    if world.volatile_arguments and state.kind == "any" and state.tensor is None:
        state.volatile = True  # what is asked for its flag is a Variable; here, one that has it
    return state.volatile


def _is_cuda(standin: StandIn) -> Any:
    state = standin._vf
    return state.path == "cuda" if state.kind == "value" and state.path in ("cuda", "cpu") else NotImplemented


def _training(standin: StandIn) -> Any:
    return here().modes.get(standin._vf.path, NotImplemented)


# what NumPy called Python's own types
_NUMPY_OWN = {"float": float, "int": int, "bool": bool, "object": object, "complex": complex, "str": str}
_ATTRIBUTES: dict[str, Callable[[StandIn], Any]] = {
    "_backend": lambda s: torchnames.name(torchapi.BACKEND),
    "data": _data,
    "grad": _grad,
    "volatile": _volatile,
    "requires_grad": _requires_grad,
    "training": _training,
    "is_cuda": _is_cuda,
    "T": lambda s: ops.view(s, "t", ()),
    "shape": lambda s: ops.plain("size", [s]),
    "__name__": lambda s: s._vf.path,
    "__dict__": lambda s: unknown(s._vf.path),
    "__file__": lambda s: s._vf.path,
}
