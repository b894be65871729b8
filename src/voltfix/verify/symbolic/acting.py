"""What is called for its effect alone, and is not in view, may train (``callback(x)``, ``agent.learn()``).

Nobody takes what such a call gives, so nothing that a run compares shows whether it makes a graph. What it does hangs
on the grad mode that it is called in: each such call is noted with it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from voltfix.verify.symbolic import tables
from voltfix.verify.symbolic.standin import leaves_in
from voltfix.verify.symbolic.walking import last_word
from voltfix.verify.symbolic.world import here, project_line

ANY = "*"
Acting = Mapping[int, frozenset[str]]  # the words of what is called for its effect, by line


def acting_in(nodes: Iterable[ast.AST]) -> Acting:
    """The lines of a module on which something is called for its effect alone, and by which word; ``ANY`` where the
    statement calls nothing else."""
    found: dict[int, set[str]] = {}
    for each in nodes:
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            call = each.value
            alone = sum(isinstance(inner, ast.Call) for inner in ast.walk(call)) == 1
            for line in range(each.lineno, (each.end_lineno or each.lineno) + 1):
                found.setdefault(line, set()).add(ANY if alone else last_word(call.func))
    return {line: frozenset(words) for line, words in found.items()}


def acts(path: str, given: list[Any]) -> None:
    """Something that is not in view is called: where that is for its effect alone, note whether it may make graphs.

    What is shown something volatile is taken for a function of that, which had no graph.
    """
    world = here()
    if world.acting is None or world.observing:
        return
    line = project_line()
    words = world.acting(line[0]).get(line[1]) if line is not None else None
    if words is None or not (ANY in words or _word(path) in words) or _is_known(path):
        return
    volatile = world.legacy and any(each._vf.volatile for each in leaves_in(given))
    world.acted.setdefault(path, []).append(torch.is_grad_enabled() and not volatile)


def _word(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _is_known(path: str) -> bool:
    """Does the text say that it has no weights, or does it come from a module that knows nothing of graphs?"""
    world = here()
    known = path in world.unweighted or _word(path) in world.functions
    return known or tables.plain_module(path.split("[")[0].split(":")[-1])


def switched_off(before: Mapping[str, list[bool]], after: Mapping[str, list[bool]]) -> str | None:
    """What was called so with grad mode on before, and is with it off after."""
    for path, old in before.items():
        if any(was and not now for was, now in zip(old, after.get(path, ()), strict=False)):
            return path
    return None
