"""What is called for its effect alone, and is not in view, may train (``callback(x)``, ``agent.learn()``).

Nobody takes what such a call gives, so nothing that a run compares shows whether it makes a graph. What it does hangs
on the grad mode that it is called in: each such call is noted with it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from voltfix.verify.symbolic import tables
from voltfix.verify.symbolic.standin import StandIn, leaves_in, tensor_of
from voltfix.verify.symbolic.walking import last_word
from voltfix.verify.symbolic.world import here, project_line

ANY = "*"
FILE = "open("  # what Python's own ``open`` gives (``builtin.py``): it writes text
COMPUTED = "what a backward is run on"
Acting = Mapping[int, frozenset[str]]  # the words of what is called for its effect, by line


def acting_in(nodes: Iterable[ast.AST]) -> Acting:
    """The lines of a module on which something is called for its effect alone, and by which word; ``ANY`` where the
    statement calls nothing else."""
    found: dict[int, set[str]] = {}
    for each in nodes:
        for call in _for_effect(each) if isinstance(each, (ast.Expr, ast.Assign)) else ():
            alone = sum(isinstance(inner, ast.Call) for inner in ast.walk(call)) == 1
            for line in range(call.lineno, (call.end_lineno or call.lineno) + 1):
                found.setdefault(line, set()).add(ANY if alone else last_word(call.func))
    return {line: frozenset(words) for line, words in found.items()}


def _for_effect(statement: ast.Expr | ast.Assign) -> Iterator[ast.Call]:
    """The calls of a statement of which nobody takes what they give: ``c(x)``, ``[c(x) for c in callbacks]``."""
    unread = isinstance(statement, ast.Expr) or all(
        isinstance(target, ast.Name) and target.id == "_" for target in statement.targets)
    waiting = [statement.value] if unread else []
    while waiting:
        value = waiting.pop()
        if isinstance(value, ast.Call):
            yield value
        elif isinstance(value, (ast.ListComp, ast.SetComp)):
            waiting.append(value.elt)
        elif isinstance(value, ast.BoolOp):
            waiting.append(value.values[-1])
        elif isinstance(value, ast.IfExp):
            waiting += [value.body, value.orelse]
        elif isinstance(value, (ast.Tuple, ast.List)):
            waiting += value.elts


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


def gives(path: str, given: list[Any]) -> None:
    """Something that is not in view gives what may be anything: note whether that may have a graph."""
    world = here()
    volatile = world.legacy and any(each._vf.volatile for each in leaves_in(given))
    world.gave[path] = torch.is_grad_enabled() and not volatile


def traces(source: StandIn) -> None:
    """A backward is run: where it comes to nothing but what unknown code gave, some of that has a graph."""
    world, state, tensor = here(), source._vf, tensor_of(source)
    if state.kind == "value" and not tensor.requires_grad:  # in a run in which nothing unknown has one
        world.traced.setdefault(COMPUTED, []).append(state.latent)
        return
    names = {id(leaf): name for name, leaf in world.leaves.items()}
    reached = [names.get(id(leaf), "") for leaf in _leaves(tensor)]
    sources = [_source(name) for name in reached]
    if sources and None not in sources:
        first = min(each for each in sources if each is not None)
        world.traced.setdefault(first, []).append(any(world.gave[each] for each in sources if each is not None))


def _source(name: str) -> str | None:
    """The call that gave an unknown, or that of which it is a part."""
    ends = [at for at, each in enumerate(name) if each in "[."]
    return next((part for at in (len(name), *reversed(ends)) if (part := name[:at]) in here().gave), None)


def _leaves(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """What a graph begins with."""
    if tensor.grad_fn is None:
        yield tensor
    waiting, seen = [tensor.grad_fn], set[Any]()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        waiting += [each for each, _ in node.next_functions]


def _word(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _is_known(path: str) -> bool:
    """Does the text say that it has no weights, or does it come from a module that knows nothing of graphs?"""
    world = here()
    known = path.startswith(FILE) or path in world.unweighted or _word(path) in world.functions
    return known or tables.plain_module(path.split("[")[0].split(":")[-1])


def switched_off(before: Mapping[str, list[bool]], after: Mapping[str, list[bool]]) -> str | None:
    """What was called so with grad mode on before, and is with it off after."""
    for path, old in before.items():
        if any(was and not now for was, now in zip(old, after.get(path, ()), strict=False)):
            return path
    return None
