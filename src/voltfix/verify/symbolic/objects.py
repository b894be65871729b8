"""Classes of the project: what stands in for a base class that is not at hand, and ``super()`` over it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, cast

from voltfix.verify.symbolic.lending import lend
from voltfix.verify.symbolic.parameters import parameters_below, parameters_of
from voltfix.verify.symbolic.rewrite import FORBIDDEN
from voltfix.verify.symbolic.standin import StandIn, State, leaves_in, named_part, tensors_in, unknown
from voltfix.verify.symbolic.world import StandInError, here


class _Apply:
    """``MyFunction.apply(x)`` on a class runs a function of its arguments; on an object it gives the object."""

    __slots__ = ()

    def __get__(self, thing: Any, kind: type) -> Any:
        if thing is not None:
            return lambda *_: thing
        return StandIn(State(f"{kind.__name__}.apply", "function"))


class Shadow:
    """The base of every class of the project whose own base is unknown (nn.Module, a framework's class,
    object).

    An object whose ``__init__`` was not run (``_vf_path`` names it) answers unknown attributes with
    stand-ins.
    """

    _vf_path: str = ""
    _vf_tensor = False  # is it derived from Variable?
    _vf_open = (
        False  # has the class a base that is not at hand? then it may have attributes that nobody here sees
    )

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Objects are numbered as they are made: in which order independent ones are used is the author's business."""
        world = here()
        if cls.__module__ in world.opaque and cls._vf_open and hasattr(cls, "forward"):
            other = unknown(f"{cls.__name__}#{world.count('object:' + cls.__name__)}", "module")
            other._vf.attrs["_parts"] = [*args, *kwargs.values()]
            world.hand_out(args, kwargs)
            lend(other._vf.path, args, kwargs)
            world.unseen.add(other._vf.path)
            return other
        made = object.__new__(cls)
        made.__dict__["_vf_number"] = world.count("object:" + cls.__name__)
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """What a decorator or a base that is not at hand makes of these is not known: the object has them; by the names
        of the fields that the class is written with, where it has as many."""
        fields = _fields(type(self))
        if fields and len(args) <= len(fields) and kwargs.keys() <= set(fields[len(args) :]):
            self.__dict__["_vf_fields"] = fields
            self.__dict__.update(zip(fields, args, strict=False), **kwargs)
            for name in fields:
                if name not in self.__dict__ and isinstance(getattr(type(self), name, None), (StandIn, type(None))):
                    self.__dict__[name] = named_part(inner(self), name)
            for name in ("__post_init__", "__attrs_post_init__"):
                getattr(type(self), name, lambda _: None)(self)
        elif args or kwargs:
            self.__dict__["_vf_given"] = args, kwargs
            lend(type(self).__name__, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return shadow_attribute(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As nn.Module has it: a call is forward()."""
        forward = getattr(type(self), "forward", None)
        if forward is None:
            return inner(self)(*args, **kwargs)
        world = here()
        begun = len(world.events)
        world.inside += 1
        try:
            out = forward(self, *args, **kwargs)
        finally:
            world.inside -= 1
        if type(self).__name__ in world.cutting:
            world.leave(begun)
        volatile = any(part._vf.volatile for part in leaves_in([args, kwargs, out]))
        world.record("call " + path_of(self), (), tensors_in(out), volatile or world.inside > 0)
        return out

    apply = _Apply()

    def __iter__(self) -> Iterator[Any]:
        if "_vf_fields" in self.__dict__:  # a named tuple
            return iter([getattr(self, name) for name in self.__dict__["_vf_fields"]])
        getter = getattr(type(self), "__getitem__", None)
        if getter is None:
            return iter(inner(self))
        return _by_index(self)

    def __len__(self) -> int:
        return 2

    def __str__(self) -> str:
        return f"<{path_of(self)}>"

    __repr__ = __str__


def _fields(kind: type) -> list[str]:
    """The names that a class without an ``__init__`` is written with, those of the classes above first: ``x: Tensor``,
    ``x = attr.ib()``. In a class of another kind they are notes, and its object is not given them."""
    found: dict[str, None] = {}
    for each in reversed(kind.__mro__):
        if issubclass(each, Shadow) and each is not Shadow:
            called = (name for name, held in vars(each).items() if isinstance(held, StandIn) and _is_given(held))
            found.update(dict.fromkeys([*vars(each).get("__annotations__", ()), *called]))
    return list(found)


def _is_given(held: StandIn) -> bool:
    """Did a call give it that is not in view?"""
    return held._vf.path.endswith(")")


def _by_index(thing: Any) -> Iterator[Any]:
    for index in range(2):
        try:
            found = thing[index]
        except IndexError:
            return
        yield found


def path_of(thing: Shadow) -> str:
    """The name of an object of the project: that of the unknown it stands for, or its class and number."""
    found = thing.__dict__.get("_vf_path")
    if found is None:
        found = f"{type(thing).__name__}#{thing.__dict__['_vf_number']}"
        thing.__dict__["_vf_path"] = found
    return str(found)


def inner(thing: Shadow) -> StandIn:
    """The stand-in for what an object inherits from a base that is not at hand."""
    found = thing.__dict__.get("_vf_inner")
    if found is None:
        found = thing.__dict__["_vf_inner"] = unknown(path_of(thing), "self")
    return cast(StandIn, found)


class Moving:
    """``thing.cuda``: called, it gives the thing; one that is asked for its truth is a setting by the name of a method,
    kept by an ``__init__`` that is not at hand, or was not run."""

    __slots__ = ("_vf",)

    def __init__(self, asked: tuple[Shadow, str]) -> None:
        self._vf = asked

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The object, wherever it was moved."""
        return self._vf[0]

    def __bool__(self) -> bool:
        thing, name = self._vf
        return here().decide(("true", f"{path_of(thing)}.{name}"))


_OF_TENSORS = frozenset(["data", "grad", "volatile", "requires_grad", "is_cuda", "shape", "T"])


def shadow_attribute(thing: Shadow, name: str) -> Any:
    """An attribute that neither the object nor its classes have."""
    if name in FORBIDDEN:
        raise StandInError(f"code that reaches for {name} is not run")
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    if name.startswith("_vf"):
        raise AttributeError(name)
    half_made = "_vf_bare" in thing.__dict__
    if not half_made and not type(thing)._vf_open and not here().filled:
        raise AttributeError(f"{type(thing).__name__!r} object has no attribute {name!r}")
    if name == "parameters":
        return lambda *a, **k: _parameters(thing)
    if name == "named_parameters":
        return lambda *a, **k: [(f"weight{n}", each) for n, each in enumerate(_parameters(thing))]
    if name in ("cuda", "cpu", "float", "double", "to", "share_memory", "half"):
        return Moving((thing, name))
    if name in ("train", "eval"):
        return lambda mode=True: _switch(thing, bool(mode) and name == "train")
    held = inner(thing)
    given = [each for each in leaves_in(thing.__dict__.get("_vf_given", ())) if each._vf.kind == "value"]
    if given and name not in held._vf.attrs:
        taken = unknown(f"{type(thing).__name__}.{name}", "function")
        held._vf.attrs[name] = taken(*given)  # one of them, or made of them
    flagged = half_made and name in here().flagged and name not in held._vf.attrs
    if name in _OF_TENSORS and name not in held._vf.attrs and not type(thing)._vf_tensor:
        return named_part(held, name)  # what the class keeps by that name is its own business
    found = getattr(held, name)
    if flagged and isinstance(found, StandIn):  # what __init__, which was not run, stores there
        found._vf.volatile = True
    return found


def _switch(thing: Shadow, training: bool) -> Shadow:
    here().modes[path_of(thing)] = training
    for value in [each for name, each in thing.__dict__.items() if not name.startswith("_vf")]:
        if isinstance(value, StandIn) and value._vf.kind in ("any", "module"):
            here().modes[value._vf.path] = training
    return thing


def _parameters(thing: Shadow) -> list[StandIn]:
    found = []
    for value in [each for name, each in thing.__dict__.items() if not name.startswith("_vf")]:
        if isinstance(value, StandIn) and value._vf.kind == "module":
            found += parameters_of(value._vf.path)
        elif isinstance(value, StandIn) and value._vf.path in here().leaves:
            found.append(value)
    return found or parameters_below(path_of(thing))


def bare(cls: type, path: str) -> Any:
    """An object of a project class whose ``__init__`` is not run: all that it holds is unknown."""
    made: Any = object.__new__(cls)
    made.__dict__["_vf_path"] = path
    made.__dict__["_vf_bare"] = True
    for name in _fields(cls):  # what the class holds by these names says what an object has, and is none of it
        if isinstance(getattr(cls, name, None), StandIn):
            made.__dict__[name] = named_part(inner(made), name)
    return made


class Super:
    """``super()``: what it finds first, and stand-ins for what a base that is not at hand would have."""

    __slots__ = ("_vf",)

    def __init__(self, cls: Any = None, instance: Any = None) -> None:
        if cls is None:
            frame = sys._getframe(1)
            cls = frame.f_locals.get("__class__")
            names = frame.f_code.co_varnames
            instance = frame.f_locals.get(names[0]) if names else None
        if isinstance(cls, type):
            self._vf: tuple[Any, Any] = (super(cls, instance), instance)
        elif isinstance(cls, StandIn) and isinstance(instance, Shadow):  # a name that no class of the project has
            self._vf = (None, instance)
        else:
            raise StandInError("super() of something that is no class")

    def __getattribute__(self, name: str) -> Any:
        real, instance = object.__getattribute__(self, "_vf")
        if name in FORBIDDEN:
            raise StandInError(f"code that reaches for {name} is not run")
        try:
            return getattr(real, name)
        except AttributeError:
            if isinstance(instance, Shadow):
                if name in ("train", "eval", "parameters", "cuda"):
                    return shadow_attribute(instance, name)
                return getattr(inner(instance), name)
            if isinstance(instance, type):
                return unknown(f"{instance.__name__}.{name}")
            raise
