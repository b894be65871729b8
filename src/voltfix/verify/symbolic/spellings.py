"""Old and new spellings of one thing, so that a modernised file is compared with its legacy behaviour.

``loss.data[0]`` is ``loss.item()``, ``1 - mask`` is ``~mask``, ``size_average=False`` is ``reduction='sum'``,
``x.add_(2, y)`` is ``x.add_(y, alpha=2)``: both sides of a comparison are brought to one form here. What torch
merely renamed with an underscore, and ``async``, fall together where they are called.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from voltfix.torchmodel import COMPARISONS
from voltfix.verify.symbolic.standin import StandIn, numbers_of, tensor_of, value
from voltfix.verify.symbolic.tags import tag_of

_NAMES = {"upsample": "interpolate", "nll_loss2d": "nll_loss", "reshape": "view"}
_SOFTMAX = frozenset({"softmax", "log_softmax", "softmin"})
_MASKED = frozenset({"masked_select", "masked_fill", "masked_scatter"})
_CORNERS = frozenset({"interpolate", "grid_sample", "affine_grid"})
_SCALED = {"add": "alpha", "sub": "alpha", "addcmul": "value", "addcdiv": "value"}
_PRODUCTS = frozenset({"addmm", "addmv", "addr", "addbmm", "baddbmm"})
# their positions have more forms than one
_SPELLED = _MASKED | _SCALED.keys() | _PRODUCTS | {"sub", "fill", "embedding"}
_MASK_RESULTS = COMPARISONS | {"invert"}
REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "norm", "std", "var", "median"})
MOVES = frozenset({"cpu", "cuda", "contiguous"})  # the same numbers somewhere else


def spelled(name: str, args: list[Any], kwargs: dict[str, Any] | None) -> tuple[str, list[Any], dict[str, Any]]:
    """An operation, its arguments (the tensor first) and keywords in the one form."""
    base, ending, simple = _form(name)
    if simple and not kwargs:
        return base + ending, args, {}
    named = dict(kwargs or {})
    if base == "sub" and len(args) == 2 and type(args[0]) is int and args[0] == 1 and is_mask(args[1]):
        return "invert", [args[1]], named
    if base in _SOFTMAX:
        named.pop("dim", None)  # 0.3 chose it by a shape that nobody knows here
    named = reduced(named)
    if base in _CORNERS:
        named.pop("align_corners", None)  # 0.3 always aligned them
    if base in _MASKED:
        args = [args[0], *map(uncast, args[1:])]
        named = {key: uncast(each) for key, each in named.items()}
    if base == "embedding":
        named.pop("padding_idx", None)  # no row was -1 then, and is None today
        args = [*args[:2], *([None] if len(args) > 2 else []), *args[3:]]
    if base == "fill":
        args = [args[0], *map(_as_number, args[1:])]
        named = {key: _as_number(each) for key, each in named.items()}
    if base in _SCALED:
        args = _scaled(base, args, named)
    elif base in _PRODUCTS:
        args = _product(args, named)
    return base + ending, args, named


@lru_cache(maxsize=5_000)
def _form(name: str) -> tuple[str, str, bool]:
    """The name of an operation, its underscore if it works in place, and whether positions have one form only."""
    ending = "_" if name.endswith("_") and not name.endswith("__") else ""
    base = name.removesuffix(ending) if ending else name
    base = _NAMES.get(base, base)
    return base, ending, base not in _SPELLED


def is_transfer(keyword: str) -> bool:
    """Is it ``non_blocking``, or ``async``, which has a capital in a text that today's Python can read?"""
    return keyword == "non_blocking" or keyword.lower().rstrip("_") == "async"


def reduced(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keywords of a loss with ``reduction`` instead of ``size_average`` and ``reduce``."""
    old: dict[str, Any] = {key: kwargs[key] for key in ("size_average", "reduce") if key in kwargs}
    if not old or any(isinstance(each, StandIn) for each in old.values()):
        return kwargs
    rest = {key: each for key, each in kwargs.items() if key not in old}
    return {**rest, "reduction": reduction(old)}


def reduction(old: dict[str, Any]) -> str:
    """What ``size_average`` and ``reduce`` are called today."""
    if old.get("reduce") is not None and not old["reduce"]:
        return "none"
    return "mean" if old.get("size_average") is None or old["size_average"] else "sum"


def _scaled(base: str, args: list[Any], named: dict[str, Any]) -> list[Any]:
    """The factor behind what it scales."""
    if _SCALED[base] in named:
        return [*args, named.pop(_SCALED[base])]
    whole = len(args) == (4 if base.startswith("addc") else 3)
    return [args[0], *args[2:], args[1]] if whole else args


def _product(args: list[Any], named: dict[str, Any]) -> list[Any]:
    """``x, a, b, beta, alpha`` of every overload."""
    if len(args) > 3:
        function = not isinstance(args[0], StandIn)
        first = args[1] if function else args[0]
        factors = ([args[0], *args[2:-2]]) if function else args[1:-2]
        return [first, *args[-2:], *factors]
    return [*args, *(named.pop(key) for key in ("beta", "alpha") if key in named)]


# --- masks ---------------------------------------------------------------------------------------------------


def is_mask(thing: Any) -> bool:
    """Is it what a comparison gave: bytes on 0.3, bool today?"""
    return isinstance(thing, StandIn) and (thing._vf.condition is not None or thing._vf.path in _MASK_RESULTS)


def uncast(thing: Any) -> Any:
    """A mask or index without the cast to bytes or bool around it."""
    if isinstance(thing, tuple):
        return tuple(map(uncast, thing))
    if isinstance(thing, StandIn) and thing._vf.path == "bool" and thing._vf.moved is not None:
        return thing._vf.moved
    return thing


# --- numbers -------------------------------------------------------------------------------------------------


def unmoved(standin: StandIn) -> StandIn:
    """A tensor before it went to another device, or to NumPy."""
    while standin._vf.moved is not None and standin._vf.path in (*MOVES, "numpy"):
        standin = standin._vf.moved
    return standin


def number_in(standin: StandIn) -> StandIn:
    """The number in a tensor of one element: ``.item()``, ``.data[0]``, ``float()``.

    It is what ``[0]`` gives, but of a sum over everything, which was a number by itself on 0.3.
    """
    source = unmoved(standin)
    tensor = numbers_of(source).detach().clone()
    tag = source._vf.tag if source._vf.scalar else tag_of("getitem", 0, source._vf.tag)
    made = value(source._vf.path, tensor, tag=tag, kind="number")
    made._vf.scalar = True
    return made


def _as_number(thing: Any) -> Any:
    """What fills a tensor, where a tensor of one element is as good as the number in it; its graph stays."""
    if not isinstance(thing, StandIn) or thing._vf.kind not in ("any", "value", "number") or thing._vf.scalar:
        return thing
    return value(thing._vf.path, tensor_of(thing), thing._vf.volatile, tag_of("getitem", 0, thing._vf.tag))


def is_first_number(source: StandIn, index: Any) -> bool:
    """Does ``source[index]`` take the number out of a tensor's data: ``x.data.cpu().numpy()[0]``?"""
    if type(index) is not int or index != 0:
        return False
    return unmoved(source)._vf.name == "data"


def fitted(new: Any) -> Any:
    """What is assigned, without the ``reshape_as`` that gives it the shape of its place."""
    if isinstance(new, StandIn) and new._vf.path == "reshape_as" and new._vf.moved is not None:
        return new._vf.moved
    return new
