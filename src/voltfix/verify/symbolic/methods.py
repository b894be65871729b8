"""Methods of stand-ins that have a meaning of their own: of tensors, of modules, of optimizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from voltfix.verify.symbolic import ops, spellings
from voltfix.verify.symbolic.acting import acts
from voltfix.verify.symbolic.lending import lend
from voltfix.verify.symbolic.observe import digest, gradients
from voltfix.verify.symbolic.parameters import parameters_below
from voltfix.verify.symbolic.standin import StandIn, leaves_in, tensor_of, unknown, value
from voltfix.verify.symbolic.world import VolatileError, here


def _detach(receiver: StandIn) -> Any:
    return ops.alias(receiver, volatile=receiver._vf.volatile)


def _detach_in_place(receiver: StandIn) -> Any:
    tensor = tensor_of(receiver)
    if here().legacy and not tensor.is_leaf:
        receiver._vf.tensor = tensor.detach()  # also of a view, where today's torch raises
    else:
        tensor.detach_()  # a leaf stays the leaf that it is, and asks for no gradient any more
    return receiver


def requires_grad_in_place(receiver: StandIn, flag: Any = True) -> Any:
    """``x.requires_grad_(flag)``; a leaf that requires grad is observed from then on."""
    tensor, world = tensor_of(receiver), here()
    tensor.requires_grad_(bool(flag))
    if bool(flag) and tensor.is_leaf and not any(leaf is tensor for leaf in world.leaves.values()):
        world.leaves[f"Variable {world.count('leaf')}"] = tensor
    return receiver


def _register_hook(receiver: StandIn, function: Any, *_: Any) -> Any:
    if here().legacy and receiver._vf.volatile:
        raise VolatileError("cannot register a hook on a volatile variable")

    def hook(grad: torch.Tensor) -> Any:
        changed = function(value("hooked grad", grad.detach()))
        return tensor_of(changed) if isinstance(changed, StandIn) else None

    tensor_of(receiver).register_hook(hook)  # type: ignore[no-untyped-call]
    return unknown("hook handle")


def _hook_of_module(name: str) -> Callable[..., Any]:
    """``net.register_forward_hook(f)``: f goes to where nobody sees, and what comes back takes it away again."""

    def register(receiver: StandIn, function: Any = None, *_: Any, **__: Any) -> Any:
        path = f"{receiver._vf.path}.{name}"
        lend(path, function)
        here().record(path + "()", digest(function))
        return unknown(f"hook handle {here().count('hook handle')}")

    return register


def zero_gradients(prefix: str | None) -> None:
    """Take the gradients of the leaves below ``prefix`` away (None: of all)."""
    for name, leaf in here().leaves.items():
        if prefix is None or name == prefix or name.startswith((prefix + ".", prefix + "[")):
            leaf.grad = None


def _zero_grad(receiver: StandIn, *_: Any, **__: Any) -> Any:
    state = receiver._vf
    if state.kind == "value":
        return NotImplemented
    world = here()
    known = any(name == state.path or name.startswith(state.path + ".") for name in world.leaves)
    if any(name == state.path or name.startswith(state.path + ".") for name in world.could_require):
        world.latent = True
    zero_gradients(state.path if known else None)
    world.record(state.path + ".zero_grad()", ())
    return None


def _step(receiver: StandIn, *args: Any, **_: Any) -> Any:
    """An optimizer's step moves every parameter that has a gradient; anything else's is an unknown method."""
    world = here()
    if any(part._vf.kind != "any" for part in leaves_in(args)):
        return NotImplemented
    world.latent = world.latent or receiver._vf.path in world.could_require
    if receiver._vf.path in world.leaves or (args and not callable(args[0])):
        return NotImplemented
    if leaves_in(args):
        acts(receiver._vf.path + ".step", list(args))  # ``trainer.step(batch)``
    for argument in args:
        if callable(argument) and not isinstance(argument, StandIn):
            argument()
    world.record(receiver._vf.path + ".step()", gradients(world))
    with torch.no_grad():
        for leaf in world.leaves.values():
            if leaf.grad is not None and leaf.is_leaf:
                leaf.sub_(leaf.grad * 0.125)
    return unknown(receiver._vf.path + ".step()")


def _mode(on: bool) -> Callable[..., Any]:
    def switch(receiver: StandIn, mode: Any = True, *more: Any, **named: Any) -> Any:
        if more or named or (isinstance(mode, StandIn) and mode._vf.kind == "value"):
            return NotImplemented  # ``trainer.train(net, loader)``, ``scorer.eval(scores)``
        world, path = here(), receiver._vf.path
        if isinstance(mode, StandIn) and path not in world.leaves and path not in world.could_require:
            acts(f"{path}.{'train' if on else 'eval'}", [mode])  # no network: ``agent.train(batch)``
        world.modes[path] = on and bool(mode)
        return receiver

    return switch


def _parameters(receiver: StandIn, *_: Any, **__: Any) -> Any:
    return parameters_below(receiver._vf.path)


def _named_parameters(receiver: StandIn, *_: Any, **__: Any) -> Any:
    return [("weight", each) for each in parameters_below(receiver._vf.path)]


def _apply(receiver: StandIn, *args: Any, **kwargs: Any) -> Any:
    return receiver if args and not isinstance(args[0], StandIn) else NotImplemented


def _item(receiver: StandIn, *_: Any, **named: Any) -> Any:
    return NotImplemented if named else spellings.number_in(receiver)


def cast_mask(receiver: StandIn) -> Any:
    """``m.byte()`` and ``m.bool()``: of a comparison, the comparison itself."""
    state = receiver._vf
    if spellings.is_mask(receiver):
        same = value(state.path, tensor_of(receiver).detach(), state.volatile, state.tag)
        same._vf.condition = state.condition
        return same
    cast = ops.apply("bool", [receiver])
    cast._vf.moved = receiver
    return cast


def _cast_mask(receiver: StandIn, *_: Any, **named: Any) -> Any:
    return cast_mask(receiver) if receiver._vf.kind in ("any", "value") and not named else NotImplemented


def _clone(receiver: StandIn, *_: Any, **__: Any) -> Any:
    """The same numbers in a storage of their own; gradients flow through."""
    state = receiver._vf
    if state.kind != "value":
        return NotImplemented
    with torch.set_grad_enabled(torch.is_grad_enabled() and not (here().legacy and state.volatile)):
        copied = tensor_of(receiver).clone()
    made = value(state.path, copied, state.volatile and here().legacy, state.tag)
    made._vf.multiple = state.multiple
    return made


def _copy(receiver: StandIn, *_: Any, **named: Any) -> Any:
    """Of an array: the same numbers."""
    return receiver if receiver._vf.kind == "number" and not named else NotImplemented


def _reshape_as(receiver: StandIn, *_: Any, **__: Any) -> Any:
    out = ops.view(receiver, "reshape_as", ())
    out._vf.moved = receiver
    return out


def _next(receiver: StandIn, *_: Any, **__: Any) -> Any:
    """``iterator.next()`` of Python 2."""
    return next(receiver) if receiver._vf.path.startswith("iter(") else NotImplemented


def _append(receiver: StandIn, *args: Any, **named: Any) -> Any:
    """Something goes into an unknown collection, where code outside finds it."""
    if receiver._vf.kind == "value" or named:  # a method of something else that has this name
        return NotImplemented
    here().record(receiver._vf.path + " gets", digest(list(args)))
    lend(receiver._vf.path, *args)
    return None


def _of_table(what: str) -> Callable[..., Any]:
    """``made.items()`` of what an unknown callable gave: a dictionary, whose keys are no tensors."""

    def listed(receiver: StandIn, *_: Any, **__: Any) -> Any:
        state = receiver._vf
        if state.kind != "value" or not state.multiple:
            return NotImplemented
        keys = [unknown(f"{state.path}.keys()[{place}]", "key") for place in range(2)]
        if what == "keys":
            return keys
        held = [ops.item(receiver, place, unpacked=True) for place in range(2)]
        return held if what == "values" else list(zip(keys, held, strict=True))

    return listed


def _moved(receiver: StandIn, *_: Any, **__: Any) -> Any:
    """``net.cuda()`` and its kin give the module itself."""
    state = receiver._vf
    return (
        receiver
        if state.kind == "module" or (state.path in here().leaves and state.kind == "any")
        else NotImplemented
    )


METHODS: dict[str, Callable[..., Any]] = {
    "backward": ops.backward,
    "detach": _detach,
    "detach_": _detach_in_place,
    "requires_grad_": requires_grad_in_place,
    "register_hook": _register_hook,
    **{
        name: _hook_of_module(name)
        for name in ("register_forward_hook", "register_forward_pre_hook", "register_backward_hook")
    },
    "zero_grad": _zero_grad,
    "step": _step,
    "train": _mode(True),
    "eval": _mode(False),
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "apply": _apply,
    "item": _item,
    "byte": _cast_mask,
    "bool": _cast_mask,
    "clone": _clone,
    "copy": _copy,
    "reshape_as": _reshape_as,
    "next": _next,
    **{name: _of_table(name) for name in ("keys", "values", "items")},
    "append": _append,
    "extend": _append,
    "cuda": _moved,
    "cpu": _moved,
    "float": _moved,
    "double": _moved,
    "half": _moved,
    "to": _moved,
}
