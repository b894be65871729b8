"""What type an unknown has: isinstance, type, int and float over stand-ins."""

from __future__ import annotations

import collections.abc
import functools
import numbers
import types
from collections.abc import Iterator
from typing import Any

from voltfix.verify.symbolic import ops, spellings
from voltfix.verify.symbolic.standin import WRAPPED, StandIn, key, leaves_in, tensor_of, unknown
from voltfix.verify.symbolic.torchnames import name
from voltfix.verify.symbolic.world import StandInError, goes_round, here

NESTED = 6  # brackets in the name of an unknown, beyond which it is not taken for one more container
ROUNDS = 4  # calls of a function in calls of itself, beyond which nothing more is found to take apart


class Number(type):
    """``int`` and ``float`` that leave a stand-in a stand-in, and still pass for the real ones in
    isinstance.
    """

    _real: type

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls._real)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """``int(x)``: of an unknown, plain data that is made of it."""
        if args and isinstance(args[0], StandIn):
            return (
                spellings.number_in(args[0])
                if args[0]._vf.kind in ("value", "number")
                else ops.plain("data", [args[0]])
            )
        try:
            return cls._real(*args, **kwargs)
        except ValueError:
            if not (args and type(args[0]) is str and here().made_of_unknown(args[0])):
                raise
        return unknown(f"{cls._real.__name__}({args[0]})", "number")  # ``float('%.2f' % loss)``

    def __getattr__(cls, name: str) -> Any:
        """``int.from_bytes(...)``: of an unknown, an unknown number."""
        made = getattr(cls._real, name) if name in vars(cls._real) and not name.startswith("_") else None
        if not callable(made):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")

        def call(*args: Any, **kwargs: Any) -> Any:
            unknowns = leaves_in([*args, *kwargs.values()])
            return ops.plain(f"{cls.__name__}.{name}", unknowns) if unknowns else made(*args, **kwargs)

        return call

    def __setattr__(cls, name: str, value: Any) -> None:
        """All runs have the same two, and nothing is left on them: as it is with the real ones."""
        if "_real" in cls.__dict__:
            raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__name__!r}")
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        if "_real" in cls.__dict__:
            raise TypeError(f"cannot set {name!r} attribute of immutable type {cls.__name__!r}")
        super().__delattr__(name)

    def __eq__(cls, other: object) -> bool:
        return other is cls._real or other is cls

    def __hash__(cls) -> int:
        return hash(cls._real)


@functools.cache
def number(real: type) -> Any:
    """What project code sees as ``int`` or ``float``."""
    return Number(real.__name__, (), {"_real": real})


def _kind_name(kind: Any) -> str:
    if isinstance(kind, StandIn):
        return kind._vf.path.rsplit(".", 1)[-1]
    return str(getattr(kind, "__name__", kind))


def is_tensor(thing: StandIn, name: str) -> bool:
    """Is an unknown a Variable, or a tensor of the kind ``name``? On 0.3 none was both; today there is one class."""
    world, path = here(), key(thing)
    variable, tensor = ("isinstance", path, "Variable"), ("isinstance", path, "Tensor")
    if world.modern:
        answers = [each for each in (variable, tensor) if each in world.ways or each in world.decisions]
        return any(world.decide(each) for each in answers or (variable,))
    mine, other = (variable, tensor) if name == "Variable" else (tensor, variable)
    return not world.ways.get(other, False) and world.decide(mine)


def is_instance(thing: Any, kinds: Any) -> bool:
    """``isinstance``: decided by the run for what nobody knows."""
    if isinstance(kinds, tuple):
        return any(is_instance(thing, kind) for kind in kinds)
    if isinstance(kinds, Number):
        kinds = kinds._real
    if not isinstance(thing, StandIn):
        known = kinds if isinstance(kinds, type) else _of_python(kinds)
        return known is not None and isinstance(thing, known)
    here().kinds += 1
    if goes_round(ROUNDS):
        return False  # what a function takes apart by calling itself comes to an end somewhere
    name, state = _kind_name(kinds), thing._vf
    if state.kind == "value" and not state.multiple and state.name != WRAPPED:
        if name == "ndarray" and here().filled and not state.volatile and not tensor_of(thing).requires_grad:
            return here().decide(("isinstance", key(thing), name), False)  # computed from arrays, perhaps
        if state.raw and not here().modern and name == "Variable":
            return False  # 0.3 knew tensors from Variables; today each is both
        return name.endswith(("Tensor", "Variable"))
    if state.kind == "module" and isinstance(kinds, StandIn):
        return state.name == name or name == "Module"
    default = isinstance(kinds, StandIn)
    if type(thing._vf.path) is str and thing._vf.path.count("[") > NESTED:
        default = False  # what holds what holds ... ends somewhere
    if default and kinds._vf.kind == "torch" and name in ("Variable", "Tensor"):
        return is_tensor(thing, name)
    return here().decide(("isinstance", key(thing), name), default)


def _of_python(kind: Any) -> type | None:
    """A class of Python's own that is not handed out, and is known all the same: ``types.LambdaType``."""
    path = kind._vf.path.split(".") if isinstance(kind, StandIn) and kind._vf.kind == "imported" else []
    found: Any = _MODULES.get(".".join(path[:-1]))
    known = getattr(found, path[-1], None) if found is not None else None
    return known if isinstance(known, type) else None


_MODULES = {"types": types, "numbers": numbers, "collections": collections.abc, "collections.abc": collections.abc}


def type_of(thing: Any, *more: Any) -> Any:
    """``type(thing)``: of an unknown, something that is equal to a type when the run decides so."""
    if more:
        raise StandInError("code that makes classes by type() is not run")
    if isinstance(thing, StandIn):
        if thing._vf.kind == "value" and not thing._vf.multiple and thing._vf.name != WRAPPED:
            return name("torch.autograd.Variable")
        return TypeOf(thing)
    if isinstance(thing, type):
        raise StandInError("the type of a class is not given out")
    return type(thing)


class TypeOf:
    """``type(unknown)``: equal to a type when the run decides so."""

    __slots__ = ("_vf",)

    def __init__(self, thing: StandIn) -> None:
        self._vf = thing

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TypeOf) and key(other._vf) == key(self._vf):
            return True
        return is_instance(self._vf, other)

    def __hash__(self) -> int:
        return hash(key(self._vf))

    def __str__(self) -> str:
        """``str(type(x))``: the same text in each run, with no address in it that a slice could leave behind."""
        return f"<class '{self.__name__}'>"

    __repr__ = __str__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """``type(x)(y)`` makes a container of y."""
        if args and isinstance(args[0], Iterator) and not isinstance(args[0], StandIn):
            return list(args[0])
        return args[0] if args else unknown(self._vf._vf.path + ".new")

    def __getattr__(self, name: str) -> Any:
        state = self._vf._vf
        if name in ("__name__", "__qualname__"):
            return state.name if state.kind == "module" and state.name else unknown(f"type({state.path}).__name__")
        return getattr(self._vf, name)


def is_subclass(kind: Any, kinds: Any) -> bool:
    """``issubclass``: decided by the run for what is not at hand."""
    if isinstance(kind, type) and isinstance(kinds, type):
        return issubclass(kind, kinds)
    return here().decide(("issubclass", _kind_name(kind), str(kinds)))
