"""Attributes of stand-ins, and what a call of one does: unknown modules, methods of tensors, unknown
objects.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any

import torch

from voltfix.verify.symbolic import ops, tables
from voltfix.verify.symbolic.rewrite import FORBIDDEN
from voltfix.verify.symbolic.standin import (
    StandIn,
    key,
    leaves_in,
    project_line,
    signature,
    tensor_of,
    unknown,
    value,
)
from voltfix.verify.symbolic.world import StandInError, VolatileError, here

_SETTINGS = frozenset(
    [
        "opt",
        "opts",
        "args",
        "arg",
        "cfg",
        "config",
        "conf",
        "flags",
        "FLAGS",
        "hparams",
        "params",
        "options",
        "settings",
        "option",
    ]
)
_MODULE_METHODS = frozenset(["forward", "__call__"])


def attribute(standin: StandIn, name: str) -> Any:
    """``standin.name``."""
    state = standin._vf
    if name in FORBIDDEN or name == "_vf":
        raise StandInError(f"code that reaches for {name} is not run")
    if state.kind == "torch":
        from voltfix.verify.symbolic import torchapi

        return torchapi.member(standin, name)
    if name in state.attrs:
        return state.attrs[name]
    special = _ATTRIBUTES.get(name)
    if special is not None and not (name in ("volatile", "requires_grad") and _is_settings(standin)):
        found = special(standin)
        if found is not NotImplemented:
            return found
    child = unknown(f"{state.path}.{name}", "imported" if state.kind == "imported" else "any")
    child._vf.receiver, child._vf.name = standin, name
    state.attrs[name] = child
    return child


def _is_settings(standin: StandIn) -> bool:
    state = standin._vf
    return state.kind == "any" and state.path.rsplit(".", 1)[-1] in _SETTINGS


def set_attribute(standin: StandIn, name: str, new: Any) -> None:
    """``standin.name = new``."""
    state, world = standin._vf, here()
    if name == "_vf" or name in FORBIDDEN:
        raise StandInError(f"code that writes {name} is not run")
    if name == "volatile" and not _is_settings(standin):
        _set_volatile(standin, new)
    elif name == "requires_grad" and not _is_settings(standin):
        _requires_grad_in_place(standin, new)
    elif name == "data":
        with torch.no_grad():
            tensor_of(standin).copy_(tensor_of(new) if isinstance(new, StandIn) else tensor_of(standin))
        state.touched = True
    elif name == "grad" and new is None:
        tensor_of(standin).grad = None
    else:
        from voltfix.verify.symbolic.observe import digest

        state.attrs[name] = new
        world.line = project_line()
        world.record(f"{state.path}.{name} =", digest(new))


def _set_volatile(standin: StandIn, new: Any) -> None:
    state, world = standin._vf, here()
    if not world.legacy:
        return  # today's torch warns and does nothing
    wanted = bool(new)
    tensor = tensor_of(standin)
    if wanted and tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError("only leaf Variables can be made volatile")
    if state.name == "parameter" or not wanted or not tensor.requires_grad:
        state.volatile = wanted
    else:
        state.volatile = True


def _data(standin: StandIn) -> Any:
    if standin._vf.kind == "torch":
        return NotImplemented
    found = ops.alias(standin, volatile=False)
    found._vf.name = "data"
    return found


def _grad(standin: StandIn) -> Any:
    tensor, world = tensor_of(standin), here()
    if tensor.is_leaf and tensor.grad is not None:
        return value(standin._vf.path + ".grad", tensor.grad, volatile=world.legacy)
    if world.backwards:
        return None
    return NotImplemented


def _requires_grad(standin: StandIn) -> Any:
    return tensor_of(standin).requires_grad if standin._vf.kind == "value" else NotImplemented


def _volatile(standin: StandIn) -> Any:
    return standin._vf.volatile if here().legacy else False


def _training(standin: StandIn) -> Any:
    return here().modes.get(standin._vf.path, NotImplemented)


_ATTRIBUTES: dict[str, Callable[[StandIn], Any]] = {
    "data": _data,
    "grad": _grad,
    "volatile": _volatile,
    "requires_grad": _requires_grad,
    "training": _training,
    "T": lambda s: ops.view(s, "t", ()),
    "shape": lambda s: ops.plain("size", [s]),
    "__name__": lambda s: s._vf.path,
    "__file__": lambda s: s._vf.path,
}


# -- calls ------------------------------------------------------------


def call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``standin(*args, **kwargs)``."""
    state = standin._vf
    here().spend()
    here().line = project_line()
    if state.kind == "torch":
        from voltfix.verify.symbolic import torchapi

        return torchapi.call(standin, args, kwargs)
    if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
        _handed(standin, args[0])
        return args[0]  # a decorator
    if state.kind == "imported":
        return imported_call(standin, args, kwargs)
    if state.receiver is not None and state.receiver._vf.kind == "self":
        return part_of_object(state.receiver, standin, args, kwargs)
    if state.receiver is not None and not state.called:
        return method(state.receiver, state.name, args, kwargs, standin)
    return module_call(standin, args, kwargs)


def _handed(standin: StandIn, function: Any) -> None:
    from voltfix.verify.symbolic.observe import digest

    here().record(standin._vf.path + "()", digest(function))


_MODEL_NAMES = re.compile(
    r"(^|_)(net|model|encoder|decoder|generator|discriminator|critic|actor|policy|[GD]|rnn|cnn)"
)


def imported_call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of something that was imported from a module that is not at hand."""
    from voltfix.verify.symbolic.observe import digest

    state = standin._vf
    path, last = state.path, state.path.rsplit(".", 1)[-1]
    everything = [*args, *kwargs.values()]
    inner = list(leaves_in(everything))
    if path.split(".")[0] in tables.PLAIN_MODULES:
        if inner and not last[:1].isupper():
            return ops.plain(path + signature(everything), inner)
        return unknown(f"{path}({signature(everything)})")
    if state.receiver is not None and last in _METHODS:
        found = _METHODS[last](state.receiver, *args, **kwargs)
        if found is not NotImplemented:
            return found
    if last[:1].isupper():
        return unknown(f"{last}#{here().count('new:' + last)}")
    here().record(path + "()", digest(everything))
    flags = bool(kwargs.pop("volatile", False)) and here().legacy
    if any(part._vf.kind == "value" for part in inner):
        parameter = here().parameter(path) if _MODEL_NAMES.search(last) else None
        volatile = _call_spreads("", everything, parameter is None) or flags
        out = ops.apply("call " + path, list(args), kwargs, parameter, volatile)
        out._vf.multiple = True
        here().record("call " + path, (), tensor_of(out).requires_grad)
        return out
    out = _data_of(standin, [*args, *kwargs.values()])
    out._vf.volatile = flags
    return out


def part_of_object(owner: StandIn, standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``self.name(...)`` where nothing of the project says what that is: mostly a module that lies on
    self.
    """
    special = _METHODS.get(standin._vf.name)
    if special is not None and standin._vf.name != "step":
        found = special(owner, *args, **kwargs)
        if found is not NotImplemented:
            return found
    return module_call(standin, args, kwargs)


def _is_model(receiver: StandIn, name: str) -> bool:
    """Does a method of an unknown object run a network that the object holds?"""
    state, world = receiver._vf, here()
    if function_like(name):
        return False
    known = state.kind == "module" or state.path in world.leaves or state.path in world.modes
    return known or bool(_MODEL_NAMES.search(state.path.rsplit(".", 1)[-1]))


def function_like(path: str) -> bool:
    """Is an unknown callable of this name taken for a plain function of its arguments?"""
    last = path.rsplit(".", 1)[-1].lower()
    words = set(re.split(r"[^a-z]+", last))
    return (
        bool(words & tables.FUNCTION_LIKE) or last.startswith(("criterion", "loss")) or last.endswith("loss")
    )


def module_call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> StandIn:
    """A call of an unknown module: a function of its arguments and of parameters of its own."""
    from voltfix.verify.symbolic.observe import digest

    state, world = standin._vf, here()
    demanded = world.legacy and bool(kwargs.pop("volatile", False))
    free = state.kind == "function" or function_like(state.path)
    parameter = None if free else world.parameter(state.path)
    everything = [*args, *kwargs.values()]
    if everything and all(isinstance(each, StandIn) and each._vf.kind == "key" for each in everything):
        raise StandInError("a module is called on the key of an unknown dictionary")
    mode = world.modes.get(state.path)
    name = f"call {state.path}{'' if mode is None else mode}"
    volatile = _call_spreads(state.name if state.kind == "module" else "", everything, free)
    volatile = volatile or demanded or (parameter is not None and _frozen(state.path))
    seen = digest(everything, reach=False, flags=False)
    out = ops.apply(name, list(args), kwargs, parameter, volatile)
    out._vf.multiple = not free
    world.record(
        "call " + state.path,
        (seen, "" if mode is None else f"training {mode}"),
        None if world.inside else tensor_of(out).requires_grad,
    )
    return out


def _frozen(path: str) -> bool:
    """Was ``volatile = True`` written on the parameters of this module?"""
    cached = here().globals.get("parameter:" + path)
    return here().legacy and cached is not None and cached._vf.volatile


def _call_spreads(known: str, args: list[Any], free: bool) -> bool:
    """Does an unknown callable return a volatile value? A criterion of torch.nn may ignore its target's
    flag.
    """
    world = here()
    if not world.legacy:
        return False
    if known in tables.IGNORED_ARGUMENTS:
        return ops.spreads(known, args)
    flags = [any(part._vf.volatile for part in leaves_in(argument)) for argument in args]
    if free and not known and any(flags) and not flags[0]:
        world.uncertain = True
        if not world.targets_contagious:
            return False
    return any(flags)


def method(
    receiver: StandIn, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], child: StandIn
) -> Any:
    """``receiver.name(*args, **kwargs)``."""
    special = _METHODS.get(name)
    if special is not None:
        found = special(receiver, *args, **kwargs)
        if found is not NotImplemented:
            return found
    kwargs = {k: v for k, v in kwargs.items() if k not in ("async", "async_", "non_blocking")}
    if is_tensor_method(receiver, name):
        return tensor_method(receiver, name, args, kwargs)
    if name in _MODULE_METHODS:
        return module_call(receiver, args, kwargs)
    return unknown_method(receiver, name, args, kwargs, child)


def is_tensor_method(receiver: StandIn, name: str) -> bool:
    """Is this a call on a tensor (rather than on an unknown object or module)?"""
    state = receiver._vf
    if state.path in here().leaves and state.kind == "any" and not here().leaves_require_grad:
        return False  # it was called as a module
    base = name[:-1] if name.endswith("_") and not name.startswith("_") else name
    known = name in tables.TENSOR_METHODS or base in tables.TENSOR_METHODS
    return (state.kind in ("value", "number") or known) and state.kind != "module"


def tensor_method(receiver: StandIn, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of torch.Tensor."""
    if name.endswith("_") and not name.endswith("__"):
        return ops.in_place(receiver, name, [receiver, *args, *kwargs.values()])
    if name in ("new", "new_zeros", "new_ones", "new_full", "new_tensor", "new_empty"):
        return ops.plain(name, [receiver, *args])
    if name in tables.VIEWS and receiver._vf.kind != "number":
        return ops.view(receiver, name, [a for a in args if not isinstance(a, StandIn)])
    if name in tables.PLAIN:
        return ops.plain(name, [receiver, *args])
    return ops.apply(name, [receiver, *args], kwargs)


def unknown_method(
    receiver: StandIn, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], child: StandIn
) -> Any:
    """A method of an unknown object: a module of its own where tensors go in, else unknown data."""
    from voltfix.verify.symbolic.observe import digest

    root = receiver._vf.path.split(".")[0].split("[")[0]
    everything = [*args, *kwargs.values()]
    if root.split(":")[-1] in tables.PLAIN_MODULES or receiver._vf.kind == "plain":
        inner = list(leaves_in(everything))
        out = ops.plain(child._vf.path, inner) if inner else _data_of(child, everything)
        return out
    tensors = [part for part in leaves_in(everything) if part._vf.kind == "value"]
    sink = child._vf.path
    here().record(sink + "()", digest(everything, reach=not tensors, flags=not tensors))
    if tensors and receiver._vf.kind != "imported":
        demanded = here().legacy and bool(kwargs.pop("volatile", False))
        parameter = here().parameter(receiver._vf.path) if _is_model(receiver, name) else None
        volatile = _call_spreads("", everything, parameter is None) or demanded
        out = ops.apply("method " + sink, list(args), kwargs, parameter, volatile)
        out._vf.multiple = True
        if parameter is not None:
            here().record(sink, (), None if here().inside else tensor_of(out).requires_grad)
        return out
    if kwargs.pop("volatile", False) and here().legacy:
        out = _data_of(child, [*args, *kwargs.values()])
        out._vf.volatile = True
        return out
    return _data_of(child, everything)


def _data_of(child: StandIn, args: list[Any]) -> StandIn:
    parts = ",".join(str(key(part)) for part in leaves_in(args))
    return unknown(f"{child._vf.path}({signature(args)}{';' + parts if parts else ''})")


# -- methods with a meaning of their own


def _detach(receiver: StandIn) -> Any:
    return ops.alias(receiver, volatile=receiver._vf.volatile)


def _detach_in_place(receiver: StandIn) -> Any:
    state = receiver._vf
    if here().legacy:
        state.tensor = tensor_of(receiver).detach()
    else:
        tensor_of(receiver).detach_()
    return receiver


def _requires_grad_in_place(receiver: StandIn, flag: Any = True) -> Any:
    tensor_of(receiver).requires_grad_(bool(flag))
    if bool(flag) and tensor_of(receiver).is_leaf:
        here().leaves.setdefault(f"requires_grad_ {len(here().leaves)}", tensor_of(receiver))
    return receiver


def _register_hook(receiver: StandIn, function: Any, *_: Any) -> Any:
    if here().legacy and receiver._vf.volatile:
        raise VolatileError("cannot register a hook on a volatile variable")

    def hook(grad: torch.Tensor) -> Any:
        changed = function(value("hooked grad", grad.detach()))
        return tensor_of(changed) if isinstance(changed, StandIn) else None

    tensor_of(receiver).register_hook(hook)  # type: ignore[no-untyped-call]
    return unknown("hook handle")


def zero_gradients(prefix: str | None) -> None:
    """Take the gradients of the leaves below ``prefix`` away (None: of all)."""
    for name, leaf in here().leaves.items():
        if prefix is None or name == prefix or name.startswith((prefix + ".", prefix + "[")):
            leaf.grad = None


def _zero_grad(receiver: StandIn, *_: Any, **__: Any) -> Any:
    state = receiver._vf
    if state.kind == "value":
        return NotImplemented
    known = any(name == state.path or name.startswith(state.path + ".") for name in here().leaves)
    zero_gradients(state.path if known else None)
    here().record(state.path + ".zero_grad()", ())
    return None


def _step(receiver: StandIn, *args: Any, **_: Any) -> Any:
    """An optimizer's step moves every parameter that has a gradient; anything else's is an unknown method."""
    world = here()
    if any(True for part in leaves_in(list(args)) if part._vf.kind != "any"):
        return NotImplemented
    if receiver._vf.path in world.leaves or (args and not callable(args[0])):
        return NotImplemented
    for argument in args:
        if callable(argument) and not isinstance(argument, StandIn):
            argument()
    from voltfix.verify.symbolic.observe import gradients

    world.record(receiver._vf.path + ".step()", gradients(world))
    with torch.no_grad():
        for leaf in world.leaves.values():
            if leaf.grad is not None and leaf.is_leaf:
                leaf.sub_(leaf.grad * 0.125)
    return unknown(receiver._vf.path + ".step()")


def _mode(on: bool) -> Callable[..., Any]:
    def switch(receiver: StandIn, *args: Any) -> Any:
        wanted = on and (bool(args[0]) if args else True)
        here().modes[receiver._vf.path] = wanted
        return receiver

    return switch


def parameters_of(path: str) -> list[StandIn]:
    """The parameters of an unknown module: always the same objects."""
    world = here()
    label = "parameter:" + path
    if label not in world.globals:
        made = value(path + ".parameter", world.parameter(path, used=False))
        made._vf.name = "parameter"
        world.globals[label] = made
    return [world.globals[label]]


def parameters_below(path: str) -> list[StandIn]:
    """The parameters of a module and of its parts, as far as the run has come across them."""
    parts = [name for name in here().leaves if name.startswith(path + ".") and not name.endswith("()")]
    parts = [name for name in parts if name in here().used]
    if path in here().used or not parts:
        parts.insert(0, path)
    return [each for name in parts for each in parameters_of(name)]


def _parameters(receiver: StandIn, *_: Any, **__: Any) -> Any:
    return parameters_below(receiver._vf.path)


def _named_parameters(receiver: StandIn, *_: Any, **__: Any) -> Any:
    return [("weight", each) for each in parameters_below(receiver._vf.path)]


def _apply(receiver: StandIn, *args: Any, **kwargs: Any) -> Any:
    return receiver if args and not isinstance(args[0], StandIn) else NotImplemented


def _item(receiver: StandIn, *_: Any) -> Any:
    if receiver._vf.kind == "any" and receiver._vf.tensor is None:
        return NotImplemented
    return ops.plain("getitem0", [receiver])


def _append(receiver: StandIn, *args: Any) -> Any:
    """Something goes into an unknown collection, where code outside finds it."""
    from voltfix.verify.symbolic.observe import digest

    if receiver._vf.kind == "value":
        return NotImplemented
    here().record(receiver._vf.path + " gets", digest(list(args)))
    return None


def _moved(receiver: StandIn, *_: Any, **__: Any) -> Any:
    """``net.cuda()`` and its kin give the module itself."""
    state = receiver._vf
    return (
        receiver
        if state.kind == "module" or (state.path in here().leaves and state.kind == "any")
        else NotImplemented
    )


_METHODS: dict[str, Callable[..., Any]] = {
    "backward": ops.backward,
    "detach": _detach,
    "detach_": _detach_in_place,
    "requires_grad_": _requires_grad_in_place,
    "register_hook": _register_hook,
    "zero_grad": _zero_grad,
    "step": _step,
    "train": _mode(True),
    "eval": _mode(False),
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "apply": _apply,
    "item": _item,
    "append": _append,
    "extend": _append,
    "cuda": _moved,
    "cpu": _moved,
    "float": _moved,
    "double": _moved,
    "half": _moved,
    "to": _moved,
}
