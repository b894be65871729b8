"""Operations: uninterpreted, deterministic, differentiable functions of their name and inputs, on real
autograd.

Under legacy semantics an operation with a volatile input gives a volatile output without a graph
(semantics/volatile.md); otherwise torch's own grad mode decides, views and in-place rules included: views
share real storage.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

import torch

from voltfix.torchmodel import SEVERAL, is_contagious
from voltfix.verify.symbolic import spellings, tables
from voltfix.verify.symbolic.acting import traces
from voltfix.verify.symbolic.lending import lend
from voltfix.verify.symbolic.observe import digest, gradients
from voltfix.verify.symbolic.standin import (
    SIZE,
    StandIn,
    key,
    leaves_in,
    numbers_of,
    signature,
    tensor_of,
    unknown,
    value,
)
from voltfix.verify.symbolic.tags import keys_in, tag_of
from voltfix.verify.symbolic.world import VolatileError, coefficients, factors, here


def formula(name: str, inputs: Sequence[torch.Tensor], parameter: torch.Tensor | None = None) -> torch.Tensor:
    """The function called ``name``: sin of a weighted sum of its inputs."""
    device = here().device
    weights = weights_of(name, len(inputs), device)
    total = weights[0]
    for place, tensor in enumerate(inputs, 1):
        total = _addcmul(total, tensor, weights[place])
    if parameter is not None:
        total = _addcmul(total, parameter, coefficients(name + "/parameter", device))
    return _sin(total)


_addcmul, _sin = torch.addcmul, torch.sin


@functools.lru_cache(maxsize=5_000)
def weights_of(name: str, count: int, device: str) -> tuple[torch.Tensor, ...]:
    """What the function called ``name`` of so many inputs is made of: a constant, and a factor for each."""
    return factors((name, *(f"{name}/{place}" for place in range(count))), device)


def spreads(name: str, args: list[Any], kwargs: dict[str, Any] | None = None) -> bool:
    """Is the result volatile in 0.3, given these arguments?"""
    if not here().legacy or name in tables.PLAIN:
        return False
    named: list[tuple[int | str, Any]] = [*enumerate(args), *(kwargs or {}).items()]
    return any(is_contagious(name, place) and is_volatile(argument) for place, argument in named)


def is_volatile(argument: Any) -> bool:
    """Is a part of this argument volatile?"""
    return any(part._vf.volatile for part in leaves_in(argument))


def apply(
    name: str,
    args: list[Any],
    kwargs: dict[str, Any] | None = None,
    parameter: torch.Tensor | None = None,
    volatile: bool | None = None,
    graph: bool = True,
    kind: str = "value",
) -> StandIn:
    """The operation ``name`` on ``args``. ``graph=False``: its result carries no gradient."""
    world = here()
    world.spend()
    name, args, kwargs = spellings.spelled(name, args, kwargs)
    everything = [*args, *kwargs.values()] if kwargs else args
    leaves = leaves_in(everything)
    if not world.legacy:
        spread = False
    elif volatile is None:
        spread = any(part._vf.volatile for part in leaves) and spreads(name, args, kwargs)
    else:
        spread = volatile
    full = name + signature(args) + (signature(kwargs) if kwargs else "")
    inputs = [numbers_of(part) for part in leaves]
    bare = name not in tables.NO_GRADIENT and name not in tables.PLAIN
    if graph and bare and len(leaves) > 1:
        known = next((part._vf.path for part in leaves if part._vf.latent and part._vf.kind == "any"), None)
        if known is not None:  # what is unknown may be a parameter
            lend(known, leaves)
    asked = (*inputs, parameter) if parameter is not None and world.watched else inputs
    if world.legacy and not world.mattered and bare and any(part._vf.volatile for part in leaves):
        world.mattered = parameter is not None or any(tensor.requires_grad for tensor in inputs)
    if spread or not graph or not bare:
        inputs = [tensor.detach() if tensor.requires_grad else tensor for tensor in inputs]
        parameter = None if parameter is None else parameter.detach()
        latent = False
    else:
        latent = False
        for part in leaves:
            if part._vf.latent:
                latent = torch.is_grad_enabled()
                world.latent = world.latent or bool(world.open_blocks)
                break
    result = value(name, formula(full, inputs, parameter), spread, kind=kind)
    state = result._vf
    state.latent = latent
    if world.exact and not world.observing:
        noted = full, cast(torch.Tensor, state.tensor).requires_grad
        world.made[noted] = world.made.get(noted, 0) + 1
    world.grows(full, cast(torch.Tensor, state.tensor))
    if (world.open_blocks or world.behind) and graph and bare:
        world.weigh(cast(torch.Tensor, state.tensor), asked, len(asked) > len(leaves))
    state.indices = name in tables.WITH_INDICES and not any(map(_is_tensor, args[1:]))  # ``max(a, b)`` is no pair
    state.scalar = name in spellings.REDUCTIONS and len(everything) == 1
    state.several = name in SEVERAL
    state.raw = kind == "value" and parameter is None and bool(leaves) and all(part._vf.raw for part in leaves)
    return result


def _is_tensor(argument: Any) -> bool:
    return isinstance(argument, StandIn) and (argument._vf.kind == "value" or argument._vf.tensor is not None)


def plain(name: str, args: list[Any]) -> StandIn:
    """An operation whose result is plain data: no graph, not volatile."""
    return apply(name, args, volatile=False, graph=False, kind="number")


def compare(name: str, left: StandIn, right: Any) -> Any:
    """A comparison: a mask, and a condition that reads the same however it is written."""
    kinds = [each._vf.kind for each in (left, right) if isinstance(each, StandIn)]
    if kinds == ["torch", "torch"] and name in ("eq", "ne"):  # ``type(x) == Variable``
        return (left is right) == (name == "eq")
    if kinds == ["torch"] and isinstance(right, type) and name in ("eq", "ne"):  # a class of Python's own
        return name == "ne"
    result = apply(name, [left, right], graph=False)
    state = result._vf
    if name in ("eq", "ne"):
        constant = None if isinstance(right, StandIn) else (right,)
        state.condition = (("eq", key(left), key(right)), name == "ne", key(left), constant)
    elif name in ("gt", "le"):
        state.condition = (("gt", key(left), key(right)), name == "le", None, None)
    else:
        state.condition = (("gt", key(right), key(left)), name == "ge", None, None)
    return result


def view(source: StandIn, name: str, index: Any) -> StandIn:
    """The same storage, seen differently: what is written into one is written into the other."""
    here().spend()
    name = "view" if name == "reshape" else name
    tensor, state = numbers_of(source), source._vf
    spread = here().legacy and (state.volatile or (_is_alone(index) and is_volatile(index)))
    if spread:
        with torch.no_grad():
            seen = tensor.view(SIZE)
    else:
        seen = tensor.view(SIZE)
    result = value(name, seen, spread, tag_of(name, index, state.tag))
    result._vf.multiple = state.multiple and name in tables.VIEWS
    result._vf.latent = state.latent and not spread and torch.is_grad_enabled()
    result._vf.moved = source if name in spellings.MOVES else None
    result._vf.raw = state.raw
    result._vf.several = name in SEVERAL
    return result


def _is_alone(index: Any) -> bool:
    """``x[i]``, and not ``x[i, :]``: what is in a tuple was no argument of the operation on 0.3."""
    return not isinstance(index, (tuple, list)) and not (isinstance(index, StandIn) and index._vf.several)


def part(source: StandIn, index: Any, unpacked: bool) -> StandIn:
    """``source[index]``, or one value of an unpacking."""
    state = source._vf
    if not unpacked and spellings.is_first_number(source, index):
        return spellings.number_in(source)
    if state.kind == "number":
        return plain("getitem" + signature(index), [source, *leaves_in(index)])
    if state.indices and index == 1:
        return apply("indices", [source], volatile=False, graph=False)
    if state.indices and index == 0:
        return apply("values", [source])
    if state.multiple or unpacked or state.indices:
        result = apply("getitem" + signature(index), [source, *leaves_in(index)],
                       volatile=None if _is_alone(index) else state.volatile)
        result._vf.multiple = state.multiple
        return result
    result = view(source, "getitem", index)
    result._vf.scalar = type(index) is int  # of a vector, which had a number there on 0.3: ``.item()`` changes nothing
    return result


def item(standin: StandIn, index: Any, unpacked: bool = False) -> Any:
    """``standin[index]``: a part of a tensor or tuple, or an element of an unknown container."""
    state = standin._vf
    if state.kind == "torch":
        return standin
    index = spellings.uncast(index)
    if state.kind in ("value", "number") and state.tensor is not None:
        return part(standin, index, unpacked)
    label = signature(index) + keys_in(index)
    if not unpacked:
        lend(state.path, index)
    if label not in state.items:
        if state.tensor is not None:  # it was used as a tensor before
            return part(standin, index, unpacked)
        child = unknown(f"{state.path}[{label}]", "key" if _is_key(state.path, index) else "any")
        child._vf.volatile = state.volatile
        state.items[label] = child
    return state.items[label]


def _is_key(path: str, index: Any) -> bool:
    """Is this element the key of an unknown dictionary?"""
    return path.endswith(".keys(())") or (
        index == 0 and re.search(r"\.items\(.*\)\[[^\]]*\]$", path) is not None
    )


def one_more(known: list[Any], path: str) -> Any:
    """What a list or a table has besides what it holds in this run, for how much data there was is not known: it was
    made as the rest was. None where the rest is not alike: nobody knows then what it was.
    """
    told = {tuple(map(_made_as, leaves_in(each))) for each in known}
    if len(told) > 1 and any(any(part) for each in told for part in each):
        return None
    return _another(known[-1], path) if known and () not in told else unknown(path)


def _made_as(part: StandIn) -> tuple[bool, bool]:
    """Is it volatile, and has it a graph?"""
    state = part._vf
    return state.volatile, state.kind != "any" and state.tensor is not None and state.tensor.requires_grad


def _another(thing: Any, path: str) -> Any:
    """A stand-in with other numbers, as volatile as ``thing`` and with its graph; of a tuple or a table, one each."""
    if isinstance(thing, (list, tuple)):
        return [_another(each, f"{path}[{place}]") for place, each in enumerate(thing)]
    if isinstance(thing, dict):
        return {name: _another(each, f"{path}[{signature(name)}]") for name, each in thing.items()}
    state = thing._vf if isinstance(thing, StandIn) else None
    if state is None or state.kind not in ("value", "number") or state.tensor is None:
        made = unknown(path)
        made._vf.volatile = state is not None and state.volatile
        return made
    with torch.enable_grad():  # as where that was made, and not as where this is asked for
        made = value(path, formula(path, [state.tensor]), state.volatile, kind=state.kind)
    made._vf.latent, made._vf.raw, made._vf.scalar = state.latent, state.raw, state.scalar
    return made


def alias(source: StandIn, volatile: bool) -> StandIn:
    """The same values without the graph, as ``.data`` and ``.detach()`` give them; shares storage."""
    here().spend()
    result = value(source._vf.path, numbers_of(source).detach(), volatile and here().legacy, source._vf.tag)
    result._vf.multiple, result._vf.scalar = source._vf.multiple, source._vf.scalar
    return result


def set_item(target: StandIn, index: Any, new: Any) -> None:
    """``target[index] = new``."""
    state = target._vf
    index, new = spellings.uncast(index), spellings.fitted(new)
    if state.kind == "any":
        lend(state.path, new, index)
    if state.kind == "any" and state.tensor is None and not any(True for _ in _tensors(new)):
        state.items[signature(index)] = new
        if not here().observing:
            here().record(f"{state.path}[{signature(index)}] =", digest(new))
        return
    if state.kind == "any" and state.tensor is None and not _tensorish(index):
        state.items[signature(index)] = new  # an unknown container keeps what is put into it
        here().record(f"{state.path}[{signature(index)}] =", digest(new))
        return
    in_place(target, "setitem" + signature(index), [target, new, *leaves_in(index)],
             [target, new, index] if _is_alone(index) else [target, new])


def _tensors(thing: Any) -> Iterable[StandIn]:
    return (part for part in leaves_in(thing) if part._vf.kind == "value")


def _tensorish(index: Any) -> bool:
    return any(part._vf.kind == "value" for part in leaves_in(index)) or isinstance(index, (slice, tuple))


def in_place(target: StandIn, name: str, args: list[Any], asked: list[Any] | None = None) -> StandIn:
    """Write the result of ``name`` into ``target``, by the rules of 0.3 or of today's autograd.

    ``asked``: those of the arguments that may make it volatile, where these are not all.
    """
    here().spend()
    state, tensor = target._vf, tensor_of(target)
    if state.kind == "any" and not name.startswith("setitem"):
        lend(state.path, *args[1:])
    full = name + signature(args)
    rest = [part for argument in args[1:] for part in leaves_in(argument)]
    everything = [tensor, *(tensor_of(part) for part in rest)]
    state.touched = True
    if here().open_blocks and any(each.requires_grad for each in everything):
        here().needed.update(here().open_blocks)
    if here().legacy and (state.volatile or spreads(name, [None, *(asked or args)[1:]])):
        if tensor.requires_grad and tensor.is_leaf and not state.volatile:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation")
        if tensor.requires_grad:
            state.tensor = tensor = tensor.detach()
        with torch.no_grad():
            tensor.copy_(formula(full, everything))
        state.volatile = True
        return target
    tensor.copy_(formula(full, everything))
    here().grows(full, tensor)
    return target


def backward(source: StandIn, *args: Any, **kwargs: Any) -> None:
    """``source.backward()``: real, and recorded with every gradient there is then."""
    world, state = here(), source._vf
    if state.volatile and world.legacy:
        raise VolatileError("element 0 of variables tuple is volatile")
    weights = [tensor_of(part).detach() for part in leaves_in([*args[:1], kwargs.get("gradient")])]
    tensor = tensor_of(source)
    weight = weights[0] if weights else coefficients("one" + state.tag, world.device)
    with torch.enable_grad():
        world.want(tensor)
        traces(source)
        world.hand_out(args, kwargs)  # `optimizer.backward(loss)`
        torch.autograd.backward([tensor], [weight], retain_graph=True)
    world.backwards += 1
    world.record("backward", gradients(world))


def gradient(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """``torch.autograd.grad``: the gradients are volatile in 0.3 unless create_graph was asked for."""
    world = here()
    sources, targets = leaves_in(outputs), leaves_in(inputs)
    if world.legacy and any(part._vf.volatile for part in [*sources, *targets]):
        raise VolatileError("element 0 of variables tuple is volatile")
    keep = bool(kwargs.get("create_graph", False))
    found = torch.autograd.grad(
        [tensor_of(part) for part in sources],
        [tensor_of(part) for part in targets],
        [coefficients("one" + part._vf.tag, world.device) for part in sources],
        retain_graph=True,
        create_graph=keep,
        allow_unused=bool(kwargs.get("allow_unused", False)),
    )
    results = [None if each is None else value("grad", each, world.legacy and not keep) for each in found]
    return tuple(results)


def plain_tensor(name: str, args: list[Any]) -> StandIn:
    """A new tensor of plain data: no graph, not volatile; a value that can be differentiated from here on."""
    made = apply(name, args, volatile=False, graph=False)
    made._vf.raw = all(part._vf.raw or part._vf.kind != "value" for part in leaves_in(args))  # of Variables, one
    return made


def _binary(method: str, name: str) -> None:
    def forward(self: StandIn, other: Any) -> Any:
        return apply(name, [self, other])

    def reflected(self: StandIn, other: Any) -> Any:
        return apply(name, [other, self])

    def augmented(self: StandIn, other: Any) -> Any:
        if self._vf.kind == "number":
            return apply(name, [self, other])
        return in_place(self, name, [self, other])

    setattr(StandIn, method, forward)
    setattr(StandIn, "__r" + method[2:], reflected)
    setattr(StandIn, "__i" + method[2:], augmented)


def _comparison(method: str, name: str) -> None:
    def forward(self: StandIn, other: Any) -> Any:
        return compare(name, self, other)

    setattr(StandIn, method, forward)


def _unary(method: str, name: str) -> None:
    def forward(self: StandIn) -> Any:
        return apply(name, [self])

    setattr(StandIn, method, forward)


def _divided(self: StandIn, other: Any) -> Any:
    return apply("floordiv", [self, other]), apply("mod", [self, other])


def _dividing(self: StandIn, other: Any) -> Any:
    return apply("floordiv", [other, self]), apply("mod", [other, self])


setattr(StandIn, "__divmod__", _divided)  # noqa: B010
setattr(StandIn, "__rdivmod__", _dividing)  # noqa: B010
for _method, _name in tables.BINARY.items():
    _binary(_method, _name)
for _method, _name in tables.COMPARE.items():
    _comparison(_method, _name)
for _method, _name in tables.UNARY.items():
    _unary(_method, _name)
