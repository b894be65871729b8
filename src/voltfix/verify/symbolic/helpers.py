"""The builtins that project code sees: an allow-list, some of them taught about stand-ins, and the
rewrite's helpers.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterator
from typing import Any

from voltfix.verify.symbolic import ops, torchapi
from voltfix.verify.symbolic.objects import Shadow, Super, bases, is_open
from voltfix.verify.symbolic.rewrite import FORBIDDEN
from voltfix.verify.symbolic.standin import StandIn, item, key, leaves_in, project_line, truth, unknown
from voltfix.verify.symbolic.world import StandInError, Stopped, here

ALLOWED = [
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "complex",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "frozenset",
    "hash",
    "hex",
    "id",
    "list",
    "map",
    "oct",
    "ord",
    "pow",
    "property",
    "repr",
    "reversed",
    "set",
    "slice",
    "sorted",
    "staticmethod",
    "classmethod",
    "str",
    "tuple",
    "zip",
    "True",
    "False",
    "None",
    "NotImplemented",
    "Ellipsis",
    "object",
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "EOFError",
    "Exception",
    "FileNotFoundError",
    "FloatingPointError",
    "IOError",
    "ImportError",
    "IndexError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "RuntimeError",
    "RuntimeWarning",
    "StopIteration",
    "SyntaxError",
    "SystemExit",
    "TypeError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "DeprecationWarning",
    "FutureWarning",
    "TimeoutError",
    "UnboundLocalError",
    "StopAsyncIteration",
    "GeneratorExit",
    "RecursionError",
    "__build_class__",
]


class _Number(type):
    """``int`` and ``float`` that leave a stand-in a stand-in, and still pass for the real ones in
    isinstance.
    """

    _real: type

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls._real)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], StandIn):
            return (
                ops.plain("getitem0", [args[0]])
                if args[0]._vf.kind == "value"
                else ops.plain("data", [args[0]])
            )
        return cls._real(*args, **kwargs)

    def __eq__(cls, other: object) -> bool:
        return other is cls._real or other is cls

    def __hash__(cls) -> int:
        return hash(cls._real)


def _number(real: type) -> Any:
    return _Number(real.__name__, (), {"_real": real})


def _range(*args: Any) -> Any:
    if any(isinstance(arg, StandIn) for arg in args):
        step = args[2] if len(args) > 2 and not isinstance(args[2], StandIn) else 1
        start = args[0] if len(args) > 1 and not isinstance(args[0], StandIn) else 0
        if len(args) > 1 and isinstance(args[0], StandIn):
            return [args[0], ops.apply("add", [args[0], 1])]
        return range(start, start + 2 * step, step)
    if len(range(*args)) > 64:  # a long loop does what a short one does
        return range(*args)[:4]
    return range(*args)


def _len(thing: Any) -> Any:
    if isinstance(thing, StandIn):
        return ops.plain("len", [thing])
    if isinstance(thing, Shadow):
        return type(thing).__len__(thing)
    return len(thing)


def _kind_name(kind: Any) -> str:
    if isinstance(kind, StandIn):
        last = kind._vf.path.rsplit(".", 1)[-1]
        return "Tensor" if last.endswith(("Tensor", "Variable")) else last
    return str(getattr(kind, "__name__", kind))


def _isinstance(thing: Any, kinds: Any) -> bool:
    if isinstance(kinds, tuple):
        return any(_isinstance(thing, kind) for kind in kinds)
    if isinstance(kinds, _Number):
        kinds = kinds._real
    if not isinstance(thing, StandIn):
        return isinstance(thing, kinds) if isinstance(kinds, type) else False
    name, state = _kind_name(kinds), thing._vf
    if state.kind == "value" and not state.multiple:
        return name == "Tensor"
    if state.kind == "module" and isinstance(kinds, StandIn):
        return state.name == name or name == "Module"
    default = isinstance(kinds, StandIn)
    return here().decide(("isinstance", key(thing), name), default)


def _type(thing: Any, *more: Any) -> Any:
    if more:
        raise StandInError("classes made by type() are not run")
    if isinstance(thing, StandIn):
        if thing._vf.kind == "value":
            return torchapi.name("torch.autograd.Variable")
        return _TypeOf(thing)
    if isinstance(thing, type):
        raise StandInError("the type of a class is not given out")
    return type(thing)


class _TypeOf:
    """``type(unknown)``: equal to a type when the run decides so."""

    __slots__ = ("_vf",)

    def __init__(self, thing: StandIn) -> None:
        self._vf = thing

    def __eq__(self, other: object) -> bool:
        return _isinstance(self._vf, other)

    def __hash__(self) -> int:
        return hash(key(self._vf))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Iterator):
            return list(args[0])
        return args[0] if args else unknown(self._vf._vf.path + ".new")

    def __getattr__(self, name: str) -> Any:
        return self._vf._vf.path if name == "__name__" else getattr(self._vf, name)


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
        if any(True for _ in leaves_in(inside)):
            return ops.apply(name, inside)
        return real(*args, **kwargs)

    return pick


def _round(thing: Any, *digits: Any) -> Any:
    return ops.plain("round", [thing]) if isinstance(thing, StandIn) else round(thing, *digits)


def _quiet(*_: Any, **__: Any) -> None:
    return None


def _next(iterator: Any, *default: Any) -> Any:
    return next(iter(iterator) if isinstance(iterator, list) else iterator, *default)


def _iter(thing: Any, *rest: Any) -> Any:
    if isinstance(thing, StandIn):
        return unknown(f"iter({thing._vf.path})")
    return iter(thing, *rest)


def _issubclass(kind: Any, kinds: Any) -> bool:
    if isinstance(kind, type) and isinstance(kinds, type):
        return issubclass(kind, kinds)
    return here().decide(("issubclass", _kind_name(kind), str(kinds)))


def _open(*args: Any, **_: Any) -> Any:
    return unknown(f"open({', '.join(str(each) for each in args)})")


def _vars(thing: Any = None) -> Any:
    if isinstance(thing, Shadow):
        return {name: each for name, each in thing.__dict__.items() if not name.startswith("_vf")}
    return unknown("vars()")


# -- helpers of the rewrite ------------------------------------------------------------


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
    if not any(isinstance(inside, tuple) for inside in shape):
        return thing
    things = list(thing)
    return [
        _unpack(each, inside) if isinstance(inside, tuple) else each
        for each, inside in zip(things, shape, strict=False)
    ]


def _star(function: Any, things: Any, given: int) -> Any:
    """``f(*things)``: an unknown gives as many arguments as ``f`` still needs."""
    rest = isinstance(things, tuple) and bool(things) and all(isinstance(each, StandIn) for each in things)
    if not isinstance(things, StandIn) and not rest:
        return things
    bound = 0
    if isinstance(function, type):
        function, bound = function.__init__, 1  # type: ignore[misc]
    elif isinstance(function, types.MethodType):
        bound = 1
    elif isinstance(function, Shadow):
        function, bound = getattr(type(function), "forward", None), 1
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x04:  # takes any number itself
        return things
    wanted = code.co_argcount - bound - given - len(getattr(function, "__defaults__", None) or ())
    if isinstance(things, tuple):  # the ``*args`` of the function that is looked at: how many is not known
        name = things[0]._vf.path.partition("[")[0]
        return (*things, *(unknown(f"{name}[{place}]") for place in range(len(things), wanted)))
    return _unpack(things, (None,) * max(0, wanted))


def _each(things: Any, shape: Any) -> Iterator[Any]:
    for thing in things:
        yield _unpack(thing, shape)


def _is(left: Any, right: Any) -> bool:
    for thing, constant in ((left, right), (right, left)):
        if isinstance(thing, StandIn) and constant is None and thing._vf.kind in ("any", "function"):
            if thing._vf.tensor is not None or thing._vf.called:
                return False
            return here().decide(("none", thing._vf.path), default=False)
        if isinstance(thing, StandIn) and isinstance(constant, bool):
            return truth(thing) == constant
        if isinstance(thing, _TypeOf):
            return bool(thing == constant)
    if isinstance(left, _Number) or isinstance(right, _Number):
        return bool(left == right)
    return left is right


class _Counter:
    __slots__ = ("rounds",)

    def __init__(self) -> None:
        self.rounds = 0


def _while(counter: Any, test: Any, endless: bool) -> bool:
    """``while test``: twice over an unknown; a condition that is known decides itself, within reason."""
    counter.rounds += 1
    if isinstance(test, StandIn):
        return truth(test) and counter.rounds <= 2
    if endless and counter.rounds > 4:
        return False
    if counter.rounds > 64:
        return False
    return bool(test)


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
        raise RuntimeError("out of memory")


def _refused(message: str) -> Any:
    raise StandInError(message)


def _join(separator: Any, parts: Any) -> Any:
    if isinstance(separator, str) and not isinstance(parts, StandIn):
        listed = list(parts)
        return separator.join(str(part) if isinstance(part, StandIn) else part for part in listed)
    if isinstance(separator, (str, bytes)):
        return separator
    return separator.join(parts)


def _build_class(function: Any, name: str, *given: Any, **_: Any) -> Any:
    made = builtins.__build_class__(function, name, *given)
    return made


def _bases(*given: Any) -> tuple[type, ...]:
    found = bases(*given)
    if is_open(given) and Shadow not in found:
        return found
    return (OpenShadow,) if found == (Shadow,) and is_open(given) else found


class OpenShadow(Shadow):
    """The base of a class that has a base which is not at hand."""

    _vf_open = True


def make_builtins(import_module: Callable[..., Any]) -> dict[str, Any]:
    """The builtins of one run. Names that nothing binds are unknown globals of the module."""
    found: dict[str, Any] = {name: getattr(builtins, name) for name in ALLOWED if hasattr(builtins, name)}
    found.update(
        __import__=import_module,
        __build_class__=_build_class,
        super=Super,
        int=_number(int),
        float=_number(float),
        bool=bool,
        range=_range,
        xrange=_range,
        len=_len,
        isinstance=_isinstance,
        issubclass=_issubclass,
        type=_type,
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
        exit=_quiet,
        quit=_quiet,
        globals=lambda: unknown("globals()"),
        locals=lambda: unknown("locals()"),
        dir=lambda *_: [],
        format=lambda thing, spec="": str(thing),
        eval=_no_code,
        exec=_no_code,
        compile=_no_code,
        unichr=chr,
        memoryview=lambda thing: thing,
        __vf_unpack__=_unpack,
        __vf_each__=_each,
        __vf_is__=_is,
        __vf_while__=_while,
        __vf_counter__=_Counter,
        __vf_try__=_try,
        __vf_join__=_join,
        __vf_bases__=_bases,
        __vf_refused__=_refused,
        __vf_star__=_star,
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


__all__ = ["Stopped", "make_builtins", "project_line"]
