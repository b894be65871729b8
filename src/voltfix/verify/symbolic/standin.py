"""Stand-ins: what an unknown of the project's code is during a run.

A stand-in carries a small real tensor with real autograd behind it, made when it is asked for. What it is
called (``path``) decides its values, so that two runs of equal code see equal values. This file holds the
data and the protocols; what operations do is in ``ops``, what methods and calls do in ``calls``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import torch

from voltfix.verify.symbolic import tables
from voltfix.verify.symbolic.sequences import Lazy
from voltfix.verify.symbolic.world import (
    _CURRENT,
    SIZE,
    StandInError,
    bits,
    coefficients,
    goes_round,
    here,
    project_line,
)

MAX_DEEP = 4  # calls of a function in calls of itself, beyond which an unknown has nothing in it
FILLED_IN = "_vf_filled_in"  # how many parameters of a function have a default that the text does not give them
WRAPPED = "wrapped"  # the name of an unknown that is known to be a plain tensor: legacy code makes a Variable of it


class _Elsewhere:
    """What the protocols of stand-ins do: it lies in modules that import this one, and ``project`` puts it here."""

    __slots__ = ("attribute", "call", "item", "set_attribute", "set_item")
    attribute: Callable[[StandIn, str], Any]
    set_attribute: Callable[[StandIn, str, Any], None]
    call: Callable[[StandIn, tuple[Any, ...], dict[str, Any]], Any]
    item: Callable[[StandIn, Any, bool], Any]
    set_item: Callable[[StandIn, Any, Any], None]


elsewhere = _Elsewhere()


class State:
    """What a stand-in knows about itself.

    ``kind``: "any" (a parameter, a global, an attribute: could be everything), "value" (the result of an
    operation),
    "number" (plain data), "module" (an object of torch.nn), "torch" (a name inside torch).
    ``tag``: which view of its storage this is. ``multiple``: the result of an unknown callable, which may
    be a tuple.
    """

    __slots__ = (
        "attrs",
        "called",
        "condition",
        "indices",
        "items",
        "kind",
        "latent",
        "moved",
        "multiple",
        "name",
        "path",
        "raw",
        "receiver",
        "scalar",
        "several",
        "tag",
        "tensor",
        "touched",
        "volatile",
    )

    def __init__(
        self, path: str, kind: str = "any", tensor: torch.Tensor | None = None, tag: str = ""
    ) -> None:
        self.path = path
        self.kind = kind
        self.tensor = tensor
        self.tag = tag
        self.volatile = False
        self.multiple = False
        self.indices = False  # a pair (values, indices)
        self.condition: tuple[Hashable, bool, Any, Any] | None = None
        self.attrs: dict[str, Any] = {}
        self.items: dict[Any, Any] = {}
        self.receiver: StandIn | None = None
        self.moved: StandIn | None = None  # what this is the same numbers as: before a cast, on another device
        self.name = ""
        self.scalar = False  # a number by itself on 0.3: a sum over everything, what .item() gave
        self.several = False  # a tuple of tensors, as ``chunk`` gives
        self.touched = False  # written to: its path says no longer what it holds
        self.called = False
        self.raw = False  # a tensor that 0.3 made and that nobody wrapped: no Variable there
        self.latent = False  # would have a graph, if unknowns required grad (``World.latent``)


_SPECIAL = frozenset(["__version__", "__name__", "__file__", "__dict__"])  # what unknowns have, too


class StandIn:
    """An unknown value. Project code sees this class only; ``_vf`` is out of its reach
    (``rewrite.FORBIDDEN``).
    """

    __slots__ = ("__weakref__", "_vf")
    _vf: State

    def __init__(self, state: State) -> None:
        _hold(self, state)

    # -- attributes ------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" and name[-2:] == "__" and name not in _SPECIAL:
            raise AttributeError(name)
        state = self._vf
        if name in state.attrs and state.kind != "torch":  # asked for before, or written
            return state.attrs[name]
        return elsewhere.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        elsewhere.set_attribute(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._vf.attrs.pop(name, None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Whatever is unknown can be called."""
        return elsewhere.call(self, args, kwargs)

    # -- containers ------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        return elsewhere.item(self, index, False)

    def __setitem__(self, index: Any, value: Any) -> None:
        elsewhere.set_item(self, index, value)

    def __delitem__(self, index: Any) -> None:
        self._vf.items.pop(signature(index), None)

    def __iter__(self) -> Iterator[Any]:
        if goes_round(MAX_DEEP):
            return iter([])  # what a function takes apart by calling itself comes to an end somewhere
        world, first = here(), elsewhere.item(self, 0, True)
        if world.brief and world.count(f"loop over {self._vf.path} at {project_line()}") > 1:
            world.cut = True
            return iter([first])
        return iter([first, elsewhere.item(self, 1, True)])

    def __next__(self) -> Any:
        done = here().count("next:" + self._vf.path)
        if done > 2 and here().decide(("exhausted", self._vf.path)):
            raise StopIteration
        return elsewhere.item(self, done - 1, True)

    def __contains__(self, value: Any) -> bool:
        return here().decide(("in", key(self), key(value)), default=False)

    def __reversed__(self) -> Iterator[Any]:
        return iter([elsewhere.item(self, 1, True), elsewhere.item(self, 0, True)])

    def __len__(self) -> int:
        return 2

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    # -- plain data ------------------------------------------------------------

    def __bool__(self) -> bool:
        return truth(self)

    def __index__(self) -> int:
        return 1

    def __int__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 0.5

    def __str__(self) -> str:
        world = here()
        if world.equal_to:
            known = world.equal_to.get(repr(key(self)))
            if isinstance(known, (str, int)):  # ``if size != 300: return`` was passed
                return str(known)
        world.spelled.add(self._vf.path)
        return self._vf.path

    def __repr__(self) -> str:
        return f"<{self}>"

    def __format__(self, spec: str) -> str:
        return str(self)

    def __hash__(self) -> int:
        return hash(key(self))


_hold = StandIn.__dict__["_vf"].__set__  # past ``__setattr__``


def unknown(path: str, kind: str = "any") -> StandIn:
    """A stand-in for the unknown called ``path``; a plain tensor where the legacy code says that it is one."""
    if kind == "any" and path in _CURRENT[0].wrapped:
        made = value(path, coefficients("unknown:" + path, here().device).clone())
        made._vf.name = WRAPPED
        return made
    return StandIn(State(path, kind))


def named_part(owner: StandIn, name: str) -> StandIn:
    """The unknown that ``owner`` has by this name."""
    child = unknown(f"{owner._vf.path}.{name}", "imported" if owner._vf.kind == "imported" else "any")
    child._vf.receiver, child._vf.name = owner, name
    owner._vf.attrs[name] = child
    return child


def value(
    name: str, tensor: torch.Tensor, volatile: bool = False, tag: str = "", kind: str = "value"
) -> StandIn:
    """A stand-in for a tensor that was computed."""
    state = State(name, kind, tensor, tag)
    state.volatile = volatile
    return StandIn(state)


def tensor_of(standin: StandIn) -> torch.Tensor:
    """The tensor of a stand-in; one that nobody has asked for yet is made from its path."""
    tensor = numbers_of(standin)
    if standin._vf.latent:
        _CURRENT[0].latent = True
    return tensor


def numbers_of(standin: StandIn) -> torch.Tensor:
    """``tensor_of``, where it makes no difference whether that has a graph, or what it makes is told (``latent``)."""
    state = standin._vf
    if state.tensor is None:
        world = here()
        start = coefficients("unknown:" + state.path, world.device).clone()
        if state.kind == "any" and world.leaves_require_grad and not is_plain(state.path):
            if state.path in world.leaves:
                start = world.leaves[state.path]
            else:
                world.leaves[state.path] = start.requires_grad_(True)
                world.unknowns.add(state.path)
        elif state.kind == "any" and not is_plain(state.path):
            state.latent = True
            world.could_require.add(state.path)
            world.latent = world.latent or state.path in world.leaves
        state.tensor = start
    return state.tensor


@functools.lru_cache(maxsize=20_000)
def is_plain(path: str) -> bool:
    """Is an unknown of this name plain data: a setting, something that a module without graphs gave?"""
    head, *rest = path.split(".")
    owners = [head.partition("(")[0], *rest[:-1]]
    return tables.plain_module(path.partition("(")[0]) or (bool(rest) and not tables.SETTINGS.isdisjoint(owners))


def key(thing: Any) -> Hashable:
    """What a value is, for decisions: equal in two runs when the values are."""
    if isinstance(thing, StandIn):
        state = thing._vf
        if (state.kind in _BY_PATH or state.name == WRAPPED) and not state.touched:
            return state.path
        return (bits(numbers_of(thing)), state.tag)
    return signature(thing)


def signature(thing: Any) -> str:
    """The part of an argument that is plain data, as text; stand-ins in it are marked by ``#``."""
    kind = type(thing)
    if kind is StandIn:
        state: State = thing._vf
        return "#" + state.tag if state.kind != "torch" else state.path
    if kind in _PLAIN:
        return repr(thing)
    if isinstance(thing, (list, tuple)):
        if len(thing) == 1:
            return f"({signature(thing[0])})"
        return "(" + ",".join([signature(each) for each in thing]) + ")"
    if isinstance(thing, dict):
        return "{" + ",".join([f"{signature(k)}:{signature(v)}" for k, v in thing.items()]) + "}"
    if isinstance(thing, slice):
        return f"{signature(thing.start)}:{signature(thing.stop)}:{signature(thing.step)}"
    if isinstance(thing, (int, float, str, bytes, bool, complex, type(None), range)):
        return repr(thing)
    return thing.__name__ if isinstance(thing, type) else kind.__name__


_BY_PATH = frozenset(["any", "module", "torch", "imported", "key", "self"])
_PLAIN = frozenset([int, float, str, bytes, bool, complex, type(None), range])


def leaves_in(thing: Any) -> list[StandIn]:
    """The stand-ins in an argument, containers searched."""
    found: list[StandIn] = []
    if type(thing) in _PLAIN:
        return found
    if type(thing) is list:  # arguments, mostly
        for each in thing:
            kind = type(each)
            if kind is StandIn:
                if each._vf.kind != "torch":
                    found.append(each)
            elif kind not in _PLAIN:
                _gather(each, found)
    else:
        _gather(thing, found)
    return found


def _gather(thing: Any, found: list[StandIn]) -> None:
    kind = type(thing)
    if kind is StandIn:
        if thing._vf.kind != "torch":
            found.append(thing)
    elif kind in _PLAIN:
        return
    elif isinstance(thing, (list, tuple, set, frozenset)):
        for element in thing:
            _gather(element, found)
    elif isinstance(thing, dict):
        for element in thing.values():
            _gather(element, found)
    elif kind is Lazy:
        for element in thing.listed():
            _gather(element, found)
    elif isinstance(thing, slice):
        for element in (thing.start, thing.stop, thing.step):
            _gather(element, found)


def tensors_in(thing: Any) -> tuple[State, ...]:
    """The tensors in what a module gave, and whether they are latent; of an unknown that was handed on nothing is
    known."""
    return tuple(part._vf for part in leaves_in(thing))


def truth(standin: StandIn) -> bool:
    """Which way a run goes at ``if standin``."""
    state, world = standin._vf, here()
    if state.condition is None:
        return world.decide(("true", key(standin)))
    name, negated, subject, constant = state.condition
    if constant is not None:
        label = repr(subject)
        if label in world.equal_to:
            world.asks(world.equal_by[label])  # what said what it is equal to says this, too
            return bool(world.equal_to[label] == constant[0]) != negated
        if isinstance(constant[0], bool):  # ``x == True`` asks for the truth of x
            return (world.decide(("true", subject)) == constant[0]) != negated
        way = world.decide(name)
        if way:
            world.equal_to[label], world.equal_by[label] = constant[0], name
        return way != negated
    return world.decide(name) != negated


def answered(standin: StandIn) -> bool | None:
    """Which way this run went at ``if standin``; None where it was not asked."""
    state, ways = standin._vf, here().ways
    if state.condition is None:
        return ways.get(("true", key(standin)))
    name, negated, subject, constant = state.condition
    if constant is not None and isinstance(constant[0], bool):
        way = ways.get(("true", subject))
        return None if way is None else (way == constant[0]) != negated
    known = here().equal_to.get(repr(subject)) if constant is not None else None
    if known is not None:
        return bool(constant is not None and known == constant[0]) != negated
    way = ways.get(name)
    return None if way is None else way != negated


__all__ = ["SIZE", "StandIn", "StandInError", "State", "project_line"]
