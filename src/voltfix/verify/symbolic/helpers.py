"""What the rewrite of project code calls (``rewrite.py``): unpacking, ``is``, loops, ``try``, bases."""

from __future__ import annotations

import itertools
import operator
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from voltfix.verify.symbolic import cells, skipping
from voltfix.verify.symbolic.bases import bases, is_open
from voltfix.verify.symbolic.kinds import Number, TypeOf, type_of
from voltfix.verify.symbolic.neighbours import past
from voltfix.verify.symbolic.objects import Shadow
from voltfix.verify.symbolic.observe import digest
from voltfix.verify.symbolic.ops import item, one_more, plain
from voltfix.verify.symbolic.sequences import Lazy, bound, own_list, unpacked
from voltfix.verify.symbolic.standin import FILLED_IN, StandIn, key, signature, truth, unknown
from voltfix.verify.symbolic.world import StandInError, here


def _unpack(thing: Any, shape: Any) -> Any:
    """``a, b = thing``: a stand-in gives as many values as are asked for."""
    if isinstance(thing, StandIn):
        parts = []
        for place, inside in enumerate(shape):
            if inside == "*":
                parts.append(item(thing, place, unpacked=True))
                continue
            part = item(thing, place, unpacked=True)
            parts.append(part if inside is None else _unpack(part, inside))
        return parts
    if isinstance(thing, Lazy) and "*" not in shape:
        thing = unpacked(thing, len(shape), lambda part, place: item(part, place, unpacked=True)) or thing
    if here().filled and isinstance(thing, (list, tuple)) and "*" not in shape and len(thing) != len(shape):
        thing = [*thing[: len(shape)], *_missing(thing, len(shape))]
    if not any(isinstance(inside, tuple) for inside in shape):
        return thing
    things = list(thing)
    return [
        _unpack(each, inside) if isinstance(inside, tuple) else each
        for each, inside in zip(things, shape, strict=False)
    ]


def _missing(things: list[Any] | tuple[Any, ...], wanted: int) -> list[Any]:
    """What a list of data that is too short lacks; nothing where nobody knows how that was made."""
    more = [one_more([*things], f"missing[{place}]") for place in range(len(things), wanted)]
    return [] if any(each is None for each in more) else more


def _star(function: Any, things: Any, given: int) -> Any:
    """``f(*things)``: an unknown gives as many arguments as ``f`` still needs."""
    rest = isinstance(things, tuple) and bool(things) and all(isinstance(each, StandIn) for each in things)
    zipped = isinstance(things, Lazy) and bool(things._vf_parts)
    short = here().filled and isinstance(things, (list, tuple))
    if not isinstance(things, StandIn) and not rest and not zipped and not short:
        return things
    wanted = _wanted(function, given)
    if wanted is None:
        return things
    if zipped:
        return _unpack(things, (None,) * max(0, wanted))
    if short and not rest:
        return (*things, *_missing(things, wanted))
    if isinstance(things, tuple):  # the ``*args`` of the function that is looked at: how many is not known
        name = things[0]._vf.path.partition("[")[0]
        return (*things, *(unknown(f"{name}[{place}]") for place in range(len(things), wanted)))
    return _unpack(things, (None,) * max(0, wanted))


def _stars(things: Any) -> Any:
    """``f(**things)``: of an unknown no names are known."""
    return {} if isinstance(things, StandIn) else things


def _wanted(function: Any, given: int) -> int | None:
    """How many arguments a function still needs; None where it takes any number, or nobody knows."""
    bound = 0
    if isinstance(function, type) and issubclass(function, tuple):
        fields = getattr(function, "_fields", None)  # of a named tuple
        return None if fields is None else len(fields) - given
    if isinstance(function, type):
        function, bound = function.__init__, 1  # type: ignore[misc]
    elif isinstance(function, types.MethodType):
        bound = 1
    elif isinstance(function, Shadow):
        function, bound = getattr(type(function), "forward", None), 1
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x04:
        return None
    defaults = len(getattr(function, "__defaults__", None) or ()) - getattr(function, FILLED_IN, 0)
    return int(code.co_argcount - bound - given - defaults)


def _each(things: Any, shape: Any) -> Iterator[Any]:
    for thing in things:
        yield _unpack(thing, shape)


def _rounds(things: Any) -> Any:
    """What a loop goes over; an iterator of the project's own as often as a loop over a known range."""
    kind = type(things)
    if issubclass(kind, StandIn) or not isinstance(getattr(kind, "__iter__", None), types.FunctionType) or (
            not isinstance(getattr(kind, "__next__", None), types.FunctionType) or issubclass(kind, Lazy)):
        return things
    return _some(things)


def _some(things: Any) -> Iterator[Any]:
    for done, thing in enumerate(things):
        if done > 1 and here().brief:
            here().cut = True
            return
        if done >= MOST_ROUNDS:
            return
        yield thing


def _is(left: Any, right: Any) -> bool:
    for thing, constant in ((left, right), (right, left)):
        if isinstance(thing, StandIn) and constant is None and thing._vf.kind in ("any", "function"):
            if thing._vf.tensor is not None or thing._vf.called:
                return False
            return here().decide(("none", thing._vf.path), default=False)
        if isinstance(thing, StandIn) and isinstance(constant, bool):
            return truth(thing) == constant
        if isinstance(thing, TypeOf):
            return bool(thing == constant)
    if isinstance(left, Number) or isinstance(right, Number):
        return bool(left == right)
    return left is right


def _in(thing: Any, things: Any) -> bool:
    """``thing in things``: whether a container has a key that nobody knows, the run decides."""
    if not isinstance(things, (dict, set, frozenset)) or not things or thing in things:
        return thing in things
    if not isinstance(thing, StandIn) and not (type(thing) is str and here().made_of_unknown(thing)):
        return False
    known = ",".join(str(key(each)) for each in itertools.islice(things, 8))
    return here().decide(("in", key(thing), known), default=False)


def _guard(test: Callable[[], Any], wanted: bool) -> bool:
    """The condition of an ``assert``, or of ``if ...: raise``."""
    return here().hold(lambda: bool(test()), wanted)


def _shown(thing: Any) -> Any:
    """What stands at the top of a module by itself: a notebook shows it."""
    if here().main:
        here().record("shown", digest(thing, reach=False, flags=False))
    return thing


ROUNDS = 4  # of a loop that goes on as long as something is so
MOST_ROUNDS = 64  # ... where it is not cut short


class _Counter:
    __slots__ = ("rounds",)

    def __init__(self) -> None:
        self.rounds = 0


def _while(counter: Any, test: Any, endless: bool | str) -> bool:
    """``while test``: twice over an unknown; a condition that is known decides itself, within reason."""
    counter.rounds += 1
    if isinstance(test, StandIn):
        return truth(test) and counter.rounds <= 2
    if endless == "yields":
        return bool(counter.rounds <= 100)
    if endless == "returns" and counter.rounds > (ROUNDS if here().brief else MOST_ROUNDS):  # nobody ever was behind it
        here().cut = True
        raise StandInError("a loop that only a return ends goes on")
    if endless == "returns":
        return True
    if endless and counter.rounds > ROUNDS:
        return False
    if counter.rounds > ROUNDS and here().brief:  # as of a loop over a known range
        here().cut = True
        return False
    return counter.rounds <= MOST_ROUNDS and bool(test)


class _UnknownError(Exception):
    """Raised where the first handler waits for a class that is not at hand."""


def _caught(kinds: Any) -> Any:
    """``except KINDS``: whether a class that is not at hand catches what the run itself did not raise, nobody knows."""
    if isinstance(kinds, tuple):
        return tuple(map(_caught, kinds))
    if not isinstance(kinds, StandIn):
        return kinds
    error = sys.exc_info()[1]
    if error is not None and not isinstance(error, _UnknownError):
        raise StandInError(f"whether {kinds._vf.path} catches {type(error).__name__} is not known")
    return _UnknownError


def _try(kinds: Callable[[], Any]) -> None:
    """The start of a ``try`` body: does it raise what the first handler waits for?"""
    world = here()
    number = world.count("try")
    if not world.decide(("raises", number), default=False):
        return
    kind = kinds()
    kind = kind[0] if isinstance(kind, tuple) else kind
    if isinstance(kind, type) and issubclass(kind, Exception):
        raise kind("out of memory")
    if isinstance(kind, StandIn):
        raise _UnknownError("out of memory")


def _at(place: tuple[str, int, int]) -> None:
    """A changed statement runs."""
    here().reached.add(place)


def _met(place: tuple[str, int, int]) -> None:
    """A function that a function defines begins."""
    here().called.add(place)


def _inner(place: tuple[str, int, int], function: Any) -> None:
    """A function defines another one."""
    here().inner[place] = function


def _item(thing: Any, index: Any, called: bool = False) -> Any:
    """``thing[index]``: of a real container, under an unknown key: one of what it holds, as the run decides; where the
    text calls it, and of the names of a module, one that can be called, functions of the project before all others."""
    if isinstance(thing, StandIn):
        return thing[index]
    if not (isinstance(index, StandIn) or _is_made(thing, index)):
        return _entry(thing, index)
    if isinstance(thing, (list, tuple)):
        return thing[1 % len(thing)] if thing else unknown(f"item of nothing[{key(index)}]")
    if isinstance(thing, dict):
        if index in thing or (not thing and getattr(thing, "default_factory", None) is not None):
            return thing[index]  # of a defaultdict: the first one of any key is made
        keys = sorted(thing, key=lambda each: _is_empty(thing[each]), reverse=True)  # a likely one last
        if "_vf_path" in thing:  # the names of a module: not those that every module has
            keys = [each for each in keys if not each.startswith("_")]
        if called or "_vf_path" in thing:
            keys = [each for each in keys if callable(thing[each])] or keys
            keys = _likely_last(thing, keys)
        for each in keys[:-1]:
            if here().decide(("key", key(index), key(each)), default=False):
                return thing[each]
        return thing[keys[-1]] if keys else unknown(f"item of nothing[{key(index)}]")
    return thing[index]


def _likely_last(thing: Any, keys: list[Any]) -> list[Any]:
    """What the project defines last, functions after classes; of those of one file, one last of all: they are much the
    same, and one of another file is tried before the rest."""
    made = [each for each in keys if isinstance(thing[each], types.FunctionType)]
    last = set({thing[each].__code__.co_filename: each for each in made}.values())
    return sorted(keys, key=lambda each: isinstance(thing[each], type) + 2 * (each in made) + (each in last))


def _entry(thing: Any, index: Any) -> Any:
    """``thing["name"]``: what a container lacks in a run that ends there, data that is not at hand had put in it."""
    name = f"missing[{signature(index)}]"
    try:
        return thing[index]
    except (KeyError, IndexError):
        if id(thing) in here().shared:
            made = unknown(name)
        elif not here().filled or _is_known(thing, index):
            raise
        else:
            made = one_more(_held(thing), name)
            if made is None:
                raise
    if isinstance(thing, dict):
        thing[index] = made
    return made


def _held(thing: Any) -> list[Any]:
    if isinstance(thing, dict):
        return list(thing.values())
    return list(thing) if isinstance(thing, (list, tuple)) else []


def _is_known(thing: Any, index: Any) -> bool:
    """A dictionary that has nothing but what the text puts into it: what it lacks is the author's own error.

    Not so where a function would have put it there, which other settings run.
    """
    if not isinstance(thing, dict) or not thing or (type(index) is str and index in here().keyed):
        return False
    return not any(isinstance(each, StandIn) or (type(each) is str and here().made_of_unknown(each)) for each in thing)


def _is_empty(thing: Any) -> bool:
    return isinstance(thing, (list, tuple, dict, str)) and not thing


def _is_made(thing: Any, index: Any) -> bool:
    """Is it a key that a dictionary lacks, and a text that was made of an unknown?"""
    return type(index) is str and isinstance(thing, dict) and index not in thing and here().made_of_unknown(index)


def _init(base: Any) -> Any:
    """``Base.__init__``: of a base that is not at hand, what an object of the project inherits."""
    return Shadow.__init__ if isinstance(base, StandIn) else base.__init__


def _module(thing: Any) -> Any:
    """``type(x).__module__``: of what nobody knows, it is asked what it is ('numpy', 'torch')."""
    if isinstance(thing, TypeOf):
        return unknown(f"type({key(thing._vf)}).__module__")
    if isinstance(thing, StandIn):
        return "torch" if thing._vf.kind == "torch" else unknown(f"{thing._vf.path}.__module__")
    return thing.__module__


def _class(thing: Any) -> Any:
    """``x.__class__``: of what nobody knows, the same as ``type(x)``."""
    return type_of(thing) if isinstance(thing, StandIn) else thing.__class__


def _flag(value: Any, place: tuple[str, int, int]) -> Any:
    """What ``volatile=`` is given, or ``.volatile`` is; of an unknown, the run may still decide it."""
    here().flags.append((place, value))
    return value


def _format(text: Any, *args: Any, **kwargs: Any) -> Any:
    """``text.format(*unknown)``: what is missing is left out."""
    if not isinstance(text, str):
        return text.format(*args, **kwargs)
    try:
        return text.format(*args, **kwargs)
    except (IndexError, KeyError, TypeError, ValueError):
        return text


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def _order(left: Any, order: str, right: Any) -> Any:
    """``if step > start:``, ``if count == 128:``: where all ways are wanted, whatever a long run would come to."""
    said = _COMPARED[order](left, right)
    world = here()
    if not world.open_settings or type(said) is not bool or not {type(left), type(right)} <= {int, float}:
        return said
    if order in ("==", "!="):
        if not world.open_counts:
            return said
        negated = order == "!="
        first, second = sorted((left, right))  # in which order they stand says nothing
        return world.suppose(("same", first, second), f"{left} == {right}", said != negated) != negated
    turned, negated = order in (">", "<="), order in ("<=", ">=")
    first, second = (right, left) if turned else (left, right)
    return world.suppose(("less", first, second), f"{first} < {second}", said != negated) != negated


def _percent(text: str, values: Any) -> Any:
    """``text % unknown``: what is missing is left out."""
    try:
        return text % values
    except (TypeError, ValueError, KeyError):
        return text


def _modulo(left: Any, right: Any) -> Any:
    """``step % 500``: where all ways are wanted, whatever a long run would come to."""
    if here().open_settings and isinstance(left, int) and isinstance(right, int):
        return unknown(f"{left} modulo {right}", "number")
    return _percent(left, right) if isinstance(left, str) else left % right


def _let_go(thing: Any) -> Any:
    """``f(x).detach()``: nobody but ``detach`` has what ``f`` gives."""
    here().let_go(thing)
    return thing


def _next(thing: Any) -> Any:
    """``thing.next()``: a method of its own where a class has one, whose ``__next__`` may call it."""
    if isinstance(thing, Iterator) and not isinstance(thing, StandIn) and not hasattr(type(thing), "next"):
        return next(thing)
    return thing.next()


def _length(thing: Any) -> Any:
    """``thing.__len__()``: of what nobody knows, as ``len(thing)``."""
    return plain("len", [thing]) if isinstance(thing, StandIn) else thing.__len__()


def _setting(name: str, constant: Any) -> Any:
    """A truth value, or None, at the top of a module: what it says, or unknown where all its ways are wanted."""
    kind = "any" if constant is None else "number"
    return unknown("setting " + name, kind) if here().open_settings else constant


def _given_later(name: str, constant: Any) -> Any:
    """None at the top of a module, of which the functions there ask attributes: where what is missing is filled in,
    somebody else gave it something before they were called (``common.net = net``, of whatever is called ``common``)."""
    return unknown("global " + name) if here().filled and not here().main else _setting(name, constant)


def _state(name: str, constant: Any) -> Any:
    """A global that functions bind again, and that is nothing at first: unknown to whoever is called later."""
    return constant if here().main else unknown("global " + name)


def _rebound(name: str) -> Any:
    """What held a module, a function or a class first, and is bound again by statements that are not run."""
    return unknown(name)


def _option(name: str, constant: Any) -> Any:
    """What a container of settings holds at first: as it is, or unknown where it is taken for one that is set later."""
    if not here().open_options:
        return constant
    return unknown("option " + name, "number" if isinstance(constant, bool) else "any")


def _veiled(place: tuple[str, str]) -> Any:
    """A decorator of what reaches for the interpreter's insides: in some rounds it is not in view (``veiled.py``)."""
    path = f"{place[0].removesuffix('.py').replace('/', '.')}.{place[1]}"
    return lambda made: unknown(path, "imported") if place in here().veiled else made


def _refused(message: str) -> Any:
    raise StandInError(message)


def _join(separator: Any, parts: Any) -> Any:
    if isinstance(separator, str) and not isinstance(parts, StandIn):
        listed = list(parts)
        return separator.join(str(part) if isinstance(part, StandIn) else part for part in listed)
    if isinstance(separator, (str, bytes)):
        return separator
    return separator.join(parts)


def _bases(*given: Any) -> tuple[type, ...]:
    found = bases(*given)
    of_objects = [kind for kind in found if issubclass(kind, Shadow)]
    if not is_open(given) or not of_objects or any(kind._vf_open for kind in of_objects):
        return found
    return (*(kind for kind in found if kind is not Shadow), OpenShadow)


class OpenShadow(Shadow):
    """The base of a class that has a base which is not at hand."""

    _vf_open = True


HELPERS: dict[str, Any] = {
    "__vf_modulo__": _modulo,
    "__vf_order__": _order,
    "__vf_let_go__": _let_go,
    "__vf_next__": _next,
    "__vf_len__": _length,
    "__vf_format__": _format,
    "__vf_percent__": _percent,
    "__vf_setting__": _setting,
    "__vf_option__": _option,
    "__vf_state__": _state,
    "__vf_later__": _given_later,
    "__vf_any__": cells.errors,
    "__vf_begins__": cells.begins,
    "__vf_leaves_cell__": cells.leaves,
    "__vf_at__": _at,
    "__vf_met__": _met,
    "__vf_inner__": _inner,
    "__vf_asked__": skipping.answer,
    "__vf_module__": _module,
    "__vf_class__": _class,
    "__vf_item__": _item,
    "__vf_entry__": _entry,
    "__vf_rebound__": _rebound,
    "__vf_init__": _init,
    "__vf_past__": past,
    "__vf_flag__": _flag,
    "__vf_read__": _flag,
    "__vf_caught__": _caught,
    "__vf_unpack__": _unpack,
    "__vf_each__": _each,
    "__vf_rounds__": _rounds,
    "__vf_is__": _is,
    "__vf_in__": _in,
    "__vf_guard__": _guard,
    "__vf_shown__": _shown,
    "__vf_while__": _while,
    "__vf_counter__": _Counter,
    "__vf_try__": _try,
    "__vf_join__": _join,
    "__vf_bases__": _bases,
    "__vf_refused__": _refused,
    "__vf_veiled__": _veiled,
    "__vf_star__": _star,
    "__vf_stars__": _stars,
    "__vf_listed__": own_list,
    "__vf_bound__": bound,
    "__vf_errors__": skipping.errors,
    "__vf_skips__": skipping.skips,
    "__vf_skipped__": skipping.skipped,
    "__vf_leaves__": skipping.leaves,
}
