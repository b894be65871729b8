"""What a call of a stand-in does: unknown modules, methods of tensors, unknown objects."""

from __future__ import annotations

import functools
import re
import types
from typing import Any

import torch

from voltfix.torchmodel import LOSS_MODULES
from voltfix.verify.symbolic import ops, spellings, tables, torchapi
from voltfix.verify.symbolic.acting import acts, gives
from voltfix.verify.symbolic.kinds import Number
from voltfix.verify.symbolic.lending import lend, share
from voltfix.verify.symbolic.methods import METHODS
from voltfix.verify.symbolic.objects import Shadow, bare
from voltfix.verify.symbolic.observe import digest
from voltfix.verify.symbolic.standin import (
    FILLED_IN,
    StandIn,
    key,
    leaves_in,
    signature,
    tensors_in,
    unknown,
)
from voltfix.verify.symbolic.tensormethods import tensor_method
from voltfix.verify.symbolic.world import StandInError, here

MAX_THROUGH = 2  # calls that may lead into the project, one within the other
_MODULE_METHODS = frozenset(["forward", "__call__"])
_KEEPING = frozenset(["add", "apply", "put"])  # tensors have these methods, and so have sets, pools and queues


def call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``standin(*args, **kwargs)``."""
    state, world = standin._vf, here()
    world.spend()
    if state.kind == "torch":
        return torchapi.call(standin, args, kwargs)
    if len(args) == 1 and not kwargs and _is_definition(args[0]) and state.name not in METHODS:
        _handed(standin, args[0])
        return filled_in(args[0], state.path)  # a decorator
    if state.kind == "imported":
        return imported_call(standin, args, kwargs)
    part = _known_part(standin) if state.receiver is not None and world.parts else None
    if part is not None:
        return _run_part(part, args, kwargs)
    if state.receiver is not None and state.receiver._vf.kind == "self":
        return part_of_object(state.receiver, standin, args, kwargs)
    if state.receiver is not None and not state.called:
        return method(state.receiver, state.name, args, kwargs, standin)
    return module_call(standin, args, kwargs)


def _known_part(standin: StandIn) -> Any:
    """The object of the project that an attribute of something unknown is; None where that is not known."""
    state, world = standin._vf, here()
    if state.kind != "any" or state.name not in world.parts or world.depth >= MAX_THROUGH:
        return None
    found = world.parts[state.name]()
    return bare(found, state.path) if isinstance(found, type) and issubclass(found, Shadow) else None


def _run_part(part: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    world = here()
    world.called_part = True
    world.depth += 1
    try:
        return part(*args, **kwargs)
    finally:
        world.depth -= 1


def _is_definition(thing: Any) -> bool:
    """A function or a class that the project defines: what a decorator is given. ``x.astype(float)`` is none."""
    if isinstance(thing, type):
        return not isinstance(thing, Number) and thing.__module__ != "builtins"
    return isinstance(thing, types.FunctionType)


def filled_in(function: Any, by: str) -> Any:
    """What a decorator makes of a function: it may give it what its callers do not (settings, a command line)."""
    code = getattr(function, "__code__", None)
    if isinstance(function, types.FunctionType) and code is not None:
        names, defaults = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
        lacking = names[: len(names) - len(defaults)]
        function.__defaults__ = (*(unknown(f"{by}.{name}") for name in lacking), *defaults)
        vars(function)[FILLED_IN] = len(lacking)
        kinds = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        given = function.__kwdefaults__ or {}
        function.__kwdefaults__ = {name: given.get(name, unknown(f"{by}.{name}")) for name in kinds}
    return function


def _handed(standin: StandIn, function: Any) -> None:
    lend(standin._vf.path, function)
    if here().loading:
        here().handed.append((standin._vf.path, function))
    else:
        here().record(standin._vf.path + "()", digest(function))


_MODEL_NAMES = re.compile(r"(^|_)(net|model|encoder|decoder|generator|discriminator|critic|actor|policy|[GD]|rnn|cnn)")


def imported_call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of something that was imported from a module that is not at hand."""
    state = standin._vf
    path, last = state.path, state.path.rsplit(".", 1)[-1]
    everything = [*args, *kwargs.values()]
    inner = leaves_in(everything)
    if not tables.reading_module(path):
        here().hand_out(everything)
        share(everything)
    if path.startswith(tables.NETWORKS):  # one is built
        return unknown(f"{last}#{here().count('new:' + last)}", "module")
    if tables.plain_module(path):
        if last in ("array", "asarray") and kwargs.get("dtype") is object:  # what NumPy made of ragged rows by itself
            everything = [*args, *(each for key, each in kwargs.items() if key != "dtype")]
            here().hand_out(everything)
        if inner and not last[:1].isupper():
            return ops.plain(path + signature(everything), inner)
        return unknown(f"{path}({signature(everything)})")
    if state.receiver is not None and last in METHODS:
        found = METHODS[last](state.receiver, *args, **kwargs)
        if found is not NotImplemented:
            return found
    if last[:1].isupper():
        lend(path, everything)
        return unknown(f"{last}#{here().count('new:' + last)}")
    acts(path, everything)
    flags = bool(kwargs.pop("volatile", False)) and here().legacy
    everything = [*args, *kwargs.values()]
    here().record(path + "()", digest(everything))
    lend(path, everything)
    if any(part._vf.kind == "value" for part in inner):
        free = not _MODEL_NAMES.search(last)
        volatile = _call_spreads("", everything, free) or flags
        parameter = here().parameter(path) if not free or doubted(path, volatile) else None
        mode = here().modes.get(path)
        name = f"call {path}{'' if mode is None else mode}"
        out = ops.apply(name, list(args), kwargs, parameter, volatile)
        out._vf.multiple = True
        here().record("call " + path, (), tensors_in(out))
        here().give(out)
        return out
    out = _data_of(standin, [*args, *kwargs.values()])
    out._vf.volatile = flags
    return out


def part_of_object(owner: StandIn, standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``self.name(...)`` where nothing of the project says what that is: mostly a module that lies on
    self.
    """
    special = METHODS.get(standin._vf.name)
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
    world.latent = world.latent or state.path in world.could_require
    known = state.kind == "module" or state.path in world.leaves or state.path in world.modes
    return known or bool(_MODEL_NAMES.search(state.path.rsplit(".", 1)[-1]))


@functools.lru_cache(maxsize=5_000)
def function_like(path: str) -> bool:
    """Is an unknown callable of this name taken for a plain function of its arguments?"""
    last = path.rsplit(".", 1)[-1].partition("#")[0].lower()  # "#1": an object of a class of this name
    words = set(re.split(r"[^a-z]+", last))
    return (
        bool(words & tables.FUNCTION_LIKE)
        or last.startswith(("criterion", "loss"))
        or last.endswith(("loss", "loss1d", "loss2d", "loss3d", "criterion"))
    )


def doubted(path: str, volatile: bool) -> bool:
    """Is what is called here, and by its name alone has no parameters, taken for a network in this run?

    Notes whether a network would make a graph here: where before and after agree on that, it makes no difference.
    """
    world = here()
    word = path.rsplit(".", 1)[-1]
    if word in world.functions or _for_effect(path):
        return False
    world.doubts.setdefault(path, []).append(torch.is_grad_enabled() and not volatile)
    return world.networks


def _for_effect(path: str) -> bool:
    """Is this called for its effect alone (``hook(x)``), by its name or as an item of a container?"""
    word, effects = path.rsplit(".", 1)[-1], here().effects
    return word in effects or ("[" in word and f"{word.partition('[')[0]}[]" in effects)


def _is_named_function(path: str) -> bool:
    """... or is it an item of a container of such, called for its effect? That name is in the plural:
    ``hooks['end'][0]``."""
    container, bracket, _ = path.rsplit(".", 1)[-1].partition("[")
    return function_like(path) or (bool(bracket) and _for_effect(path) and function_like(container.removesuffix("s")))


def module_call(standin: StandIn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> StandIn:
    """A call of an unknown module: a function of its arguments and of parameters of its own."""
    state, world = standin._vf, here()
    if state.kind == "any" and tables.reading_module(state.path.partition("(")[0]) and "(" in state.path:
        everything = [*args, *kwargs.values()]  # an object of such a module: `transforms.Compose(...)`
        inner = leaves_in(everything)
        return ops.plain(state.path + signature(everything), inner) if inner else _data_of(standin, everything)
    if state.kind == "any":
        acts(state.path, [*args, *kwargs.values()])
    demanded = bool(kwargs.pop("volatile", False)) and world.legacy
    asked = state.kind != "module" and "parameter:" + state.path in world.globals  # somebody wants to train it
    known = state.kind == "any" and not asked and state.path in world.unweighted
    if state.kind == "module" and state.name:  # one of torch's: its class says it
        free = tables.is_parameter_free(state.name) and not asked
    else:
        free = known or state.kind == "function" or (_is_named_function(state.path) and not asked)
    everything = [*args, *kwargs.values()]
    if everything and all(isinstance(each, StandIn) and each._vf.kind == "key" for each in everything):
        raise StandInError("a module is called on the key of an unknown dictionary")
    if everything and all(map(_is_none, everything)):
        raise StandInError("the stand-ins do not follow a module that is called on None")
    if _for_effect(state.path):  # what it does with a graph that it is given, nobody sees
        world.hand_out(everything)
    mode = world.modes.get(state.path)
    name = f"call {state.path}{'' if mode is None else mode}"
    volatile = _call_spreads(state.name if state.kind == "module" else "", everything, free) or demanded
    if state.kind not in ("function", "module") and free and not known:
        if state.path.rsplit(".", 1)[-1] not in world.functions:
            lend(state.path, everything)
        free = not doubted(state.path, volatile)
    parameter = None if free else world.parameter(state.path)
    volatile = volatile or (parameter is not None and _frozen(state.path))
    seen = digest(everything, reach=False, flags=False)
    out = ops.apply(name, list(args), kwargs, parameter, volatile)
    if state.path in world.unseen and world.decide(("lets go", state.path), default=False):
        out = ops.alias(out, volatile=False)  # ``return Variable(x.data)``
    out._vf.multiple = not free
    world.record(
        "call " + state.path,
        (seen, "" if mode is None else f"training {mode}"),
        tensors_in(out),
    )
    world.give(out)
    return out


def _is_none(thing: Any) -> bool:
    """Is something unknown None on this way?"""
    return isinstance(thing, StandIn) and here().ways.get(("none", thing._vf.path), False)


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
    if known in LOSS_MODULES:
        return ops.spreads(LOSS_MODULES[known], args)
    flags = [ops.is_volatile(argument) for argument in args]
    if not known and any(flags) and (_mixed(args) or (free and not flags[0])):
        world.uncertain = world.uncertain or (free and not flags[0])
        world.mixed = True
        if not world.targets_contagious:
            return False
    return any(flags)


def _mixed(args: list[Any]) -> bool:
    """Is something volatile handed over beside something that has a graph? Which of them decides, nobody sees."""
    leaves = leaves_in(args)
    if any(each._vf.latent for each in leaves):
        here().latent = True
    return any(each._vf.tensor is not None and each._vf.tensor.requires_grad for each in leaves)


def method(receiver: StandIn, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], child: StandIn) -> Any:
    """``receiver.name(*args, **kwargs)``."""
    if name in _KEEPING and receiver._vf.kind == "any":
        here().hand_out(args, kwargs)
    special = METHODS.get(name)
    if special is not None:
        found = special(receiver, *args, **kwargs)
        if found is not NotImplemented:
            return found
    if receiver._vf.kind == "any" and name not in _MODULE_METHODS:
        lend(child._vf.path, *args, *kwargs.values())
    kwargs = {k: v for k, v in kwargs.items() if not spellings.is_transfer(k)}
    if is_tensor_method(receiver, name):
        return tensor_method(receiver, name, args, kwargs)
    if name in _MODULE_METHODS:
        return module_call(receiver, args, kwargs)
    return unknown_method(receiver, name, args, kwargs, child)


def is_tensor_method(receiver: StandIn, name: str) -> bool:
    """Is this a call on a tensor (rather than on an unknown object or module)?"""
    state, world = receiver._vf, here()
    base = name[:-1] if name.endswith("_") and not name.startswith("_") else name
    known = name in tables.TENSOR_METHODS or base in tables.TENSOR_METHODS
    if state.kind == "any" and not world.leaves_require_grad and state.path in world.leaves:
        world.latent = world.latent or known
        return False  # it was called as a module
    return (state.kind in ("value", "number") or known) and state.kind != "module"


def unknown_method(receiver: StandIn, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], child: StandIn) -> Any:
    """A method of an unknown object: a module of its own where tensors go in, else unknown data."""
    world = here()
    if name in world.may and receiver._vf.kind == "any" and world.depth < MAX_THROUGH:
        world.met.add(name)
        if world.through:
            world.depth += 1
            try:
                return getattr(bare(world.may[name](), receiver._vf.path), name)(*args, **kwargs)
            finally:
                world.depth -= 1
    root = receiver._vf.path.split("[")[0].split(":")[-1]
    everything = [*args, *kwargs.values()]
    if not tables.reading_module(root):
        here().hand_out(everything)
        share(everything)
    if tables.plain_module(root) or receiver._vf.kind == "plain":
        inner = leaves_in(everything)
        out = ops.plain(child._vf.path, inner) if inner else _data_of(child, everything)
        return out
    tensors = [part for part in leaves_in(everything) if part._vf.kind == "value"]
    sink = child._vf.path
    if receiver._vf.path not in world.unweighted:
        acts(sink, everything)
    plain = [*args, *(each for name, each in kwargs.items() if name != "volatile")]
    here().record(sink + "()", digest(plain, reach=not tensors, flags=not tensors))
    if tensors and receiver._vf.kind != "imported":
        demanded = bool(kwargs.pop("volatile", False)) and here().legacy
        free = not _is_model(receiver, name)
        volatile = _call_spreads("", everything, free) or demanded
        parameter = here().parameter(receiver._vf.path) if not free or doubted(sink, volatile) else None
        out = ops.apply("method " + sink, list(args), kwargs, parameter, volatile)
        out._vf.multiple = True
        if parameter is not None:
            here().record(sink, (), tensors_in(out))
            here().give(out)
        return out
    demanded = bool(kwargs.pop("volatile", False)) and here().legacy
    out = _data_of(child, [*args, *kwargs.values()])
    out._vf.volatile = out._vf.volatile or demanded
    return out


def _data_of(child: StandIn, args: list[Any]) -> StandIn:
    parts = ",".join(str(key(part)) for part in leaves_in(args))
    out = unknown(f"{child._vf.path}({signature(args)}{';' + parts if parts else ''})")
    gives(out._vf.path, args)
    return out
