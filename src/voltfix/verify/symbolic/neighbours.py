"""Near misses of the new text, which a proof has to tell from the right one: a proof that cannot is worth nothing.

For each grad mode that the new text has and the old one had not: the mode taken out ("out": the flag was dropped, and
nothing came instead), and a block one statement longer ("longer"). They are made while the code runs, not from its
text: a mode that is not entered, or not left before the next statement ends. A near miss counts where it matters: an
operation in the block that would make a graph, one right behind it that makes one.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import torch

from voltfix.verify.symbolic.walking import last_word, walk
from voltfix.verify.symbolic.world import Place, here

Neighbour = tuple[str, Place]  # "out" or "longer", and the line of the block
_MODES = frozenset(["no_grad", "set_grad_enabled", "enable_grad", "inference_mode"])
SAID = {"out": "with the block at {} taken out", "longer": "with the block at {} one statement longer"}


def modes_in(node: ast.AST) -> Iterator[int]:
    """The lines of a tree on which it makes grad modes."""
    for each in walk(node):
        if isinstance(each, (ast.Call, ast.Name, ast.Attribute)) and _is_mode(each):
            yield each.lineno


def _is_mode(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    return last_word(node) in _MODES


def block_line(node: ast.stmt) -> int | None:
    """The line of the mode that a ``with`` enters."""
    if not isinstance(node, ast.With):
        return None
    return next((item.context_expr.lineno for item in node.items if _is_mode(item.context_expr)), None)


# -- while the code runs ------------------------------------------------------------


def enter(place: Place | None, real: Any) -> None:
    """A block begins."""
    world = here()
    if place is not None and place in world.watched:
        world.opens(place)
    world.mode_depth += 1
    if world.neighbour != ("out", place):
        real.__enter__()
    else:
        undo(real)


def undo(real: Any) -> None:
    """A mode that is not to be: ``set_grad_enabled`` switches where it is made already."""
    if isinstance(real, torch.set_grad_enabled):
        torch.set_grad_enabled(real.prev)


def leave(place: Place | None, real: Any, error: tuple[Any, ...]) -> None:
    """A block ends; where it is longer, it does so behind the next statement (``past``)."""
    world = here()
    world.mode_depth -= 1
    if place is not None and place in world.watched:
        if world.open_blocks and world.open_blocks[-1] == place:
            world.open_blocks.pop()
        if error[0] is None and not torch.is_grad_enabled():  # one that switches nothing off can be as long as it likes
            world.behind, world.behind_in = place, world.mode_depth
            if world.neighbour == ("longer", place):
                world.held.setdefault(place, []).append(real)
                return
    if world.neighbour != ("out", place):
        real.__exit__(*error)


def past(place: Place) -> None:
    """The statement behind a block is over."""
    world = here()
    if world.behind == place:
        world.behind = None
    for real in reversed(world.held.pop(place, [])):
        real.__exit__(None, None, None)


def is_out(place: Place | None) -> bool:
    """Is this mode taken out in this run?"""
    return here().neighbour == ("out", place)


def within(place: Place | None, real: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """A call of ``function`` in the mode."""
    world = here()
    if place is None or place not in world.watched:
        return real(lambda: function(*args, **kwargs))()
    world.opens(place)
    try:
        return real(lambda: function(*args, **kwargs))()
    finally:
        world.open_blocks.pop()


def decorated(place: Place | None, real: Any, function: Any) -> Any:
    """A function of the project in the mode, as torch decorates it."""
    made = real(function)
    if place is None or place not in here().watched or not callable(made) or inspect.isgeneratorfunction(function):
        return made
    if isinstance(made, type):
        return made

    def call(*args: Any, **kwargs: Any) -> Any:
        world = here()
        world.opens(place)
        try:
            return made(*args, **kwargs)
        finally:
            world.open_blocks.pop()

    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call
