"""What goes to code that is not in view: nobody sees what it computes of that, or keeps.

Where something volatile went there on 0.3, whatever it does has no graph; where that is not volatile any more,
it may have one, and no run shows it: what a run compares is what was handed over, which is alike either way.
"""

from __future__ import annotations

import copy
import itertools
import types
from collections.abc import Iterator
from typing import Any

import torch

from voltfix.verify.symbolic.standin import StandIn, leaves_in
from voltfix.verify.symbolic.world import here

_DEEP = 4  # objects within objects
_LONG = 8  # items of an iterator
_WAITING: tuple[type[Iterator[Any]], ...] = (type(iter([])), type(iter(())), type(iter({}.values())))


def lend(sink: str, *things: Any) -> None:
    """Code that is not in view gets ``things``: may what it does with them have a graph?"""
    world = here()
    if world.observing or (world.loading and not world.main):
        return
    held = [leaf for each in things for leaf in _held(each, 0)]
    if held:
        free = torch.is_grad_enabled() and not any(leaf._vf.volatile for leaf in held)
        world.lent.setdefault(sink, []).append(free)


def share(things: Any, depth: int = 0) -> None:
    """Code that is not in view gets ``things``: it may put into dictionaries in them what the text asks for later."""
    if isinstance(things, dict):
        here().shared[id(things)] = things  # it is held on to, so that no other one gets its address
    if isinstance(things, (list, tuple, dict)) and depth < _DEEP:
        for each in things.values() if isinstance(things, dict) else things:
            share(each, depth + 1)


def _held(thing: Any, depth: int) -> list[StandIn]:
    """The stand-ins that somebody has who has ``thing``: in containers, objects, functions and what waits in them."""
    found = leaves_in(thing)
    if depth >= _DEEP:
        return found
    return [*found, *(leaf for inner in _inside(thing) for leaf in _held(inner, depth + 1))]


def _inside(thing: Any) -> list[Any]:
    if hasattr(type(thing), "_vf_path"):  # an object of the project
        return [each for name, each in vars(thing).items() if not name.startswith("_vf")]
    if isinstance(thing, (list, tuple, set, frozenset)):
        return [each for each in thing if not isinstance(each, StandIn)]
    if isinstance(thing, dict):
        return [each for each in thing.values() if not isinstance(each, StandIn)]
    if isinstance(thing, types.MethodType):
        return [thing.__self__]
    if isinstance(thing, types.FunctionType):
        cells = [cell.cell_contents for cell in thing.__closure__ or () if cell != _EMPTY]
        return [*cells, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
    if isinstance(thing, types.GeneratorType) and thing.gi_frame is not None:
        return list(thing.gi_frame.f_locals.values())
    if isinstance(thing, _WAITING):
        return list(itertools.islice(copy.copy(thing), _LONG))  # the one that is handed over stays where it is
    return []


_EMPTY = types.CellType()
