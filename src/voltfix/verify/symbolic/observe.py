"""What code outside can see: values bit for bit, requires_grad, and which leaves gradient can reach."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from typing import Any

import torch

from voltfix.verify.symbolic.objects import Shadow
from voltfix.verify.symbolic.parameters import parameters_of
from voltfix.verify.symbolic.sequences import Lazy
from voltfix.verify.symbolic.standin import FILLED_IN, StandIn, is_plain, numbers_of, tensor_of, unknown
from voltfix.verify.symbolic.world import World, bits, coefficients, here

MAX_ITEMS = 8  # of a generator that is handed out
MAX_LISTED = 64  # of a list
MAX_DEPTH = 6


def gradients(world: World) -> tuple[Any, ...]:
    """The gradient of every leaf that has one."""
    leaves = sorted(world.leaves.items())
    return ("gradients", *((name, bits(leaf.grad)) for name, leaf in leaves if leaf.grad is not None))


def reach(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Which leaves gradient reaches from a tensor that requires it, and how much of it arrives."""
    world = here()
    names = [name for name, leaf in world.leaves.items() if leaf.requires_grad]
    leaves = [world.leaves[name] for name in names]
    if not leaves:
        return ()
    with torch.enable_grad():
        found = torch.autograd.grad(
            [tensor], leaves, [coefficients("reach", world.device)], retain_graph=True, allow_unused=True
        )
    return tuple(
        sorted((name, bits(each)) for name, each in zip(names, found, strict=False) if each is not None)
    )


def _tensor(standin: StandIn, deep: bool, flags: bool) -> Any:
    state = standin._vf
    tensor = tensor_of(standin) if flags else numbers_of(standin)
    if flags:
        here().want(tensor)
    flag = _asked(standin, tensor) if flags else False
    tag = state.tag if state.kind in ("value", "number") else ""
    return ("tensor", bits(tensor), tag, flag, reach(tensor) if deep and flag else ())


def _as_found(thing: StandIn) -> bool:
    """Does an unknown still hold what it held at first (whether or not it was ever used as a tensor)?"""
    state = thing._vf
    if state.tensor is None:
        return True
    return bits(state.tensor) == bits(coefficients("unknown:" + state.path, here().device))


def _asked(thing: StandIn, tensor: torch.Tensor) -> bool | None:
    """Does it require grad; None for a leaf of 0.3 that the text wrote volatile (``p.volatile = True``): it still says
    so there, but whatever is computed of it has no graph, as of one that requires none."""
    written = here().legacy and thing._vf.volatile and tensor.is_leaf and tensor.requires_grad
    return None if written else tensor.requires_grad


def _flag(thing: StandIn) -> bool | None:
    tensor = thing._vf.tensor
    if tensor is not None:
        return _asked(thing, tensor)
    return here().leaves_require_grad and thing._vf.kind == "any" and not is_plain(thing._vf.path)


_ADDRESS = re.compile(r"(?<=\w) at 0x[0-9a-f]+(?=>)")  # where Python put an object is another place in each run


def digest(thing: Any, reach: bool = True, depth: int = 0, flags: bool = True) -> Any:
    """A picklable description of ``thing`` that is equal exactly when code outside sees the same."""
    if isinstance(thing, StandIn):
        state = thing._vf
        if state.kind not in ("value", "number") and _as_found(thing):
            return ("unknown", state.path, flags and _flag(thing))
        return _tensor(thing, reach, flags)
    if depth > MAX_DEPTH:
        return "..."
    if isinstance(thing, (list, tuple)):
        kind = "list" if isinstance(thing, list) else "tuple"
        return (
            kind,
            len(thing),
            *(digest(element, reach, depth + 1, flags) for element in thing[:MAX_LISTED]),
        )
    if isinstance(thing, (set, frozenset)):
        return ("set", *sorted(repr(digest(element, reach, depth + 1, flags)) for element in thing))
    if isinstance(thing, dict):
        return ("dict", *((str(k), digest(v, reach, depth + 1, flags)) for k, v in thing.items()))
    if isinstance(thing, str):
        return _ADDRESS.sub(" at", repr(thing))
    if isinstance(thing, (int, float, bytes, bool, complex, type(None), range)):
        return repr(thing)
    if isinstance(thing, Shadow):
        return ("object", type(thing).__name__, *_attributes(thing, reach, depth, flags))
    if isinstance(thing, (types.GeneratorType, Lazy, map, filter, zip, enumerate, reversed)):
        return ("iterator", *_pulled(thing, reach, depth))
    if isinstance(thing, (types.FunctionType, types.MethodType)):
        return ("function", _called(thing, reach, depth))
    return ("type", thing.__name__) if isinstance(thing, type) else type(thing).__name__


def _attributes(thing: Shadow, deep: bool, depth: int, flags: bool) -> Iterator[Any]:
    if id(thing) in _seen:
        return
    _seen.append(id(thing))
    try:
        for name in sorted(thing.__dict__):
            if not name.startswith("_vf"):
                yield (name, digest(thing.__dict__[name], deep, depth + 1, flags))
        forward = getattr(type(thing), "forward", None)
        if isinstance(forward, types.FunctionType) and "<locals>" in forward.__qualname__:
            # of a class that a function defines, nobody calls it but who has the object: with what layers gave, too
            bound = types.MethodType(forward, thing)
            yield ("forward()", _called(bound, deep, depth + 1))
            yield ("forward() of what has a graph", _called(bound, deep, depth + 1, trained=True))
    finally:
        _seen.pop()


_seen: list[int] = []


def _pulled(thing: Any, deep: bool, depth: int) -> Iterator[Any]:
    """What an iterator that is handed out gives, and in which grad mode its consumer is between two
    values.
    """
    started = torch.is_grad_enabled()
    for number, element in enumerate(thing):
        yield (
            digest(element, deep, depth + 1),
            ("grad mode of the consumer", torch.is_grad_enabled() == started),
        )
        if number >= MAX_ITEMS:
            break


def _switches(function: Any, names: tuple[str, ...]) -> list[tuple[str, bool]]:
    """The parameters of a function that are on or off by default: who has the function may call it either way."""
    defaults = function.__defaults__ or ()
    named = zip(names[len(names) - len(defaults) :], defaults, strict=False)
    return [(name, default) for name, default in named if isinstance(default, bool)][:2]


def _settings(function: Any, names: tuple[str, ...]) -> list[str]:
    """The parameters of a function that are numbers or words by default."""
    defaults = function.__defaults__ or ()
    named = zip(names[len(names) - len(defaults) :], defaults, strict=False)
    return [name for name, default in named if type(default) in (int, float, str)][:2]


def written(function: Any) -> Any:
    """The function as the text has it: a grad mode may decorate it."""
    while isinstance(getattr(function, "__wrapped__", None), types.FunctionType):
        function = function.__wrapped__
    return function


def ways_to_call(function: Any, trained: bool = False) -> list[tuple[list[Any], dict[str, Any]]]:
    """What a function of the project is given where it is called on unknowns; ``trained``: on what has a graph."""
    text = written(function)
    names = text.__code__.co_varnames[: text.__code__.co_argcount]
    if isinstance(function, types.MethodType):
        names = names[1:]
    given = len(text.__defaults__ or ()) - getattr(text, FILLED_IN, 0)
    arguments = [unknown("given " + name) for name in names[: len(names) - given]]
    if trained:
        weight: Any = parameters_of("given")[0]
        arguments = [each * weight for each in arguments]
    ways: list[dict[str, Any]] = [{}, *({name: not default} for name, default in _switches(text, names))]
    if isinstance(function, types.MethodType):  # who calls it may hand over something else
        ways += [{name: unknown("given " + name)} for name in _settings(text, names)]
    return [(arguments, way) for way in ways]


def _called(function: Any, deep: bool, depth: int, trained: bool = False) -> Any:
    """What a function that is handed out does: it is called once, on unknowns; ``trained``: on what has a graph."""
    world = here()
    if world.depth > 2 or depth > 3:
        return "..."
    code = getattr(written(function), "__code__", None)
    if code is None or not code.co_filename.startswith("vf:"):
        return getattr(function, "__name__", "function")
    world.depth += 1
    started = torch.is_grad_enabled()
    try:
        found = [digest(function(*args, **way), deep, depth + 1) for args, way in ways_to_call(function, trained)]
        if torch.is_grad_enabled() != started:
            found.append("the grad mode is left changed")
        return found[0] if len(found) == 1 else ("tuple", len(found), *found)
    except Exception as error:
        return type(error).__name__
    finally:
        torch.set_grad_enabled(started)
        world.depth -= 1
