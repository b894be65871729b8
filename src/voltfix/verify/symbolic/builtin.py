"""The builtins that project code sees: an allow-list, some of them taught about stand-ins."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

from voltfix.verify.symbolic import ops, torchapi
from voltfix.verify.symbolic.allowed import ALLOWED
from voltfix.verify.symbolic.helpers import HELPERS
from voltfix.verify.symbolic.kinds import is_instance, is_subclass, number, type_of
from voltfix.verify.symbolic.objects import Shadow, Super
from voltfix.verify.symbolic.rewrite import FORBIDDEN
from voltfix.verify.symbolic.sequences import Lazy, bound, lazy_filter, lazy_map
from voltfix.verify.symbolic.standin import StandIn, key, leaves_in, unknown
from voltfix.verify.symbolic.world import StandInError, here


def _range(*args: Any) -> Any:
    """``range``, as the list that Python 2 made of it."""
    args = tuple(map(bound, args))
    args = _at_hand(args)
    if any(isinstance(arg, StandIn) for arg in args):
        step = args[2] if len(args) > 2 and not isinstance(args[2], StandIn) else 1
        start = args[0] if len(args) > 1 and not isinstance(args[0], StandIn) else 0
        if len(args) > 1 and isinstance(args[0], StandIn):
            return [args[0], ops.apply("add", [args[0], 1])]
        end, last = args[1] if len(args) > 1 else args[0], start + 2 * step
        if isinstance(end, StandIn) and step > 0:  # what one such range goes through to the end, another one does, too
            last = here().ends.setdefault(key(end), last)
        return _as_often(range(start, last, step)) or [start]
    return _as_often(range(*args))


def _as_often(rounds: range) -> list[int]:
    """The numbers of a range, as many of them as a run of this kind goes through."""
    world = here()
    if len(rounds) > 4 and world.brief:
        world.cut = True
        return list(rounds[:2])
    return list(rounds[:4] if world.short or len(rounds) > 64 else rounds)  # a long loop does what a short one does


def _at_hand(bounds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of how many things there are, which nobody knows (``_len``): those that are there can be asked for one by one,
    if that is any."""
    known = tuple(each._vf.items.get(_KNOWN, each) if isinstance(each, StandIn) else each for each in bounds)
    return bounds if any(isinstance(each, StandIn) for each in known) or not range(*known) else known


def lazy_zip(*things: Any, **named: Any) -> Any:
    """``zip``; that of unknowns knows them: ``a, b, c = zip(*batch)`` says how long the samples of a batch are."""
    unknown = bool(things) and all(isinstance(each, StandIn) for each in things)
    return Lazy(zip(*things, strict=bool(named.get("strict"))), things if unknown else ())


_KNOWN = object()


def _len(thing: Any) -> Any:
    if isinstance(thing, StandIn):
        return ops.plain("len", [thing])
    if isinstance(thing, Shadow):
        return type(thing).__len__(thing)
    found = thing.listed() if isinstance(thing, Lazy) else thing
    if here().filled and isinstance(found, list) and leaves_in(found[:1]):
        made = ops.plain("len", found[:1])  # how many there were is not known
        made._vf.items[_KNOWN] = len(found)
        return made
    return len(found)


def _id(thing: Any) -> int:
    """``id``: a number that no other object has; the same in two runs of the same program, as addresses are not."""
    known = here().identities
    same = key(thing) if isinstance(thing, StandIn) else None  # two of these may stand for one thing
    name = same if isinstance(same, str) else id(thing)
    return known.setdefault(name, (len(known) + 1, thing))[0]  # it is held on to, so that no later one gets its address


def _safe_name(name: Any) -> str:
    text = str(name)
    if text in FORBIDDEN or text.startswith("_vf"):
        raise StandInError(f"code that reaches for {text} is not run")
    return text


def _getattr(thing: Any, name: Any, *default: Any) -> Any:
    text = _safe_name(name)
    try:
        return getattr(thing, text)
    except AttributeError:
        if default:
            return default[0]
        if isinstance(name, StandIn) and isinstance(thing, (types.ModuleType, types.SimpleNamespace)):
            return unknown(f"{getattr(thing, '__name__', 'module')}.{text}")  # a name that nobody knows is some name
        raise


def _setattr(thing: Any, name: Any, new: Any) -> None:
    setattr(thing, _safe_name(name), new)


def _delattr(thing: Any, name: Any) -> None:
    delattr(thing, _safe_name(name))


def _hasattr(thing: Any, name: Any) -> bool:
    text = _safe_name(name)
    if isinstance(thing, StandIn):
        if thing._vf.kind == "torch":
            return torchapi.has(thing, text)
        return text in thing._vf.attrs or here().decide(("hasattr", key(thing), text))
    return hasattr(thing, text)


def _sum(things: Any, start: Any = 0) -> Any:
    if isinstance(things, StandIn):
        return ops.apply("sum", [things])
    return sum(things, start)


def _extreme(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def pick(*args: Any, **kwargs: Any) -> Any:
        inside = list(args[0]) if len(args) == 1 and not isinstance(args[0], StandIn) else list(args)
        if leaves_in(inside):
            return ops.apply(name, inside)
        return real(*args, **kwargs)

    return pick


def _round(thing: Any, *digits: Any) -> Any:
    return ops.plain("round", [thing]) if isinstance(thing, StandIn) else round(thing, *digits)


def _quiet(*_: Any, **__: Any) -> None:
    return None


def _leave(*code: Any, **__: Any) -> NoReturn:
    """``exit()`` and ``quit()`` of the site module: what follows does not run."""
    raise SystemExit(*code)


def _next(iterator: Any, *default: Any) -> Any:
    return next(iter(iterator) if isinstance(iterator, list) else iterator, *default)


def _iter(thing: Any, *rest: Any) -> Any:
    if isinstance(thing, StandIn):
        path = f"iter({thing._vf.path})"
        again = here().count("new:" + path)
        return unknown(path if again == 1 else f"{path}#{again}")
    return iter(thing, *rest)


def _open(*args: Any, **_: Any) -> Any:
    return unknown(f"open({', '.join(str(each) for each in args)})")


def _vars(thing: Any = None) -> Any:
    if isinstance(thing, Shadow):
        return {name: each for name, each in thing.__dict__.items() if not name.startswith("_vf")}
    return unknown("vars()")


def _build_class(function: Any, name: str, *given: Any, **_: Any) -> Any:
    made = builtins.__build_class__(function, name, *given)
    return made


def make_builtins(import_module: Callable[..., Any]) -> dict[str, Any]:
    """The builtins of one run. Names that nothing binds are unknown globals of the module."""
    return {**_same_for_all(), "__import__": import_module, "int": number(int), "float": number(float)}


@functools.cache
def builtin_names() -> frozenset[str]:
    """The names that all modules have."""
    return frozenset(make_builtins(__import__))


@functools.cache
def _same_for_all() -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(builtins, name) for name in ALLOWED if hasattr(builtins, name)}
    found.update(HELPERS)
    found.update(
        __build_class__=_build_class,
        super=Super,
        bool=bool,
        range=_range,
        xrange=_range,
        len=_len,
        id=_id,
        isinstance=is_instance,
        issubclass=is_subclass,
        type=type_of,
        getattr=_getattr,
        setattr=_setattr,
        delattr=_delattr,
        hasattr=_hasattr,
        sum=_sum,
        round=_round,
        print=_quiet,
        min=_extreme("min", min),
        max=_extreme("max", max),
        next=_next,
        iter=_iter,
        open=_open,
        file=_open,
        vars=_vars,
        input=lambda *_: unknown("input()"),
        raw_input=lambda *_: unknown("input()"),
        unicode=str,
        long=int,
        basestring=str,
        reduce=_reduce,
        map=lazy_map,
        filter=lazy_filter,
        zip=lazy_zip,
        exit=_leave,
        quit=_leave,
        globals=lambda: unknown("globals()"),
        locals=lambda: unknown("locals()"),
        dir=lambda *_: [],
        format=lambda thing, spec="": str(thing),
        eval=_no_code,
        exec=_no_code,
        compile=_no_code,
        unichr=chr,
        memoryview=lambda thing: thing,
    )
    return found


def _reduce(function: Any, things: Any, *start: Any) -> Any:
    items = [*start, *things]
    result = items[0]
    for each in items[1:]:
        result = function(result, each)
    return result


def _no_code(*args: Any, **_: Any) -> Any:
    return unknown(f"eval({args[0] if args else ''})")
