"""Cells of a notebook: an error ends the one that it comes from, and whoever reads on runs the next one.

So a run goes on behind a cell that ends at an error, on both sides at the same one. A cell in which a flag was on, or
something else ran that changed, is not gone past: what it made would be lost, and nobody would have seen whether it had
a graph.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from voltfix.verify.symbolic.rewrite import call_of, made_by_rewrite
from voltfix.verify.symbolic.world import StandInError, VolatileError, here


def apart(body: Sequence[ast.stmt], starts: Sequence[tuple[int, int]]) -> list[ast.stmt]:
    """The statements of a notebook, those of each cell in a ``try`` of their own; ``starts``: (first line, cell)."""
    cells: dict[int, list[ast.stmt]] = {}
    for each in body:
        cells.setdefault(max((at for at in starts if at[0] <= each.lineno), default=(0, 0))[1], []).append(each)
    found: list[ast.stmt] = []
    for number, inside in cells.items():
        if any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in inside):
            found += inside  # that has to come first
            continue
        begins = ast.Expr(call_of("__vf_begins__"))
        leaves = ast.If(call_of("__vf_leaves_cell__", ast.Constant(number)), [ast.Raise()], [])
        handler = ast.ExceptHandler(call_of("__vf_any__"), None, [leaves])
        made = ast.Try([begins, *inside], [handler], [], [])
        found.append(made_by_rewrite(made, inside[0]))
    return found


def errors() -> type[Exception]:
    """What is caught, whatever the notebook calls so."""
    return Exception


def begins() -> None:
    """A cell begins: what changed and ran before it was run elsewhere."""
    world = here()
    world.before_cell = world.reached & world.changed, len(world.flags)


def leaves(number: int) -> bool:
    """Does the error at which a cell ends end the run, too?"""
    world, error = here(), sys.exc_info()[1]
    refused = isinstance(error, StandInError) and "code that" in str(error)
    if refused or isinstance(error, (VolatileError, RecursionError, MemoryError)):
        return True
    ran, flags = world.before_cell
    on = any(value is not False for _, value in world.flags[flags:])
    if on or world.reached & world.changed != ran or world.held_cell == number:
        world.held_cell = number
        return True
    world.record(f"cell {number} ends", type(error).__name__)
    return False
