"""A block around a statement that computes on the value and trains inside: what trains there keeps grad mode on.

``with torch.enable_grad():`` around the training of a function that is called within a block does what 0.3 did: the
training had its graph whoever called. Where no block is around the call it changes nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from voltfix.model import SiteKind, WrapStatements
from voltfix.search.cover import Run, merged
from voltfix.search.draft import Draft, Sketch
from voltfix.search.group import Group, with_calls
from voltfix.search.kinds.around import covered
from voltfix.search.kinds.flag import modes, strategy_of, without_flag
from voltfix.search.scene import FUNCTIONS, Found, Scene, Scenes, bound, called, own, read, suites

_DEEPEST = 4


def drafts(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """Blocks over what trains inside of what they call."""
    head = group[0]
    if head.site.kind not in (SiteKind.ARGUMENT, SiteKind.WRITE) or with_calls(group) or head.flag in ("False", "0"):
        return
    cover = covered(scenes, group)
    if not cover.mixed:
        return
    scene = head.scene
    for header in modes(head, scene.torch or "torch"):
        sketch = Sketch()
        if not without_flag(sketch, group):
            return
        if not all(keep_training(scenes, sketch, scene, each) for each in cover.mixed):
            return
        sketch.torch(scene)
        for first, last in merged(scene, [*cover.tight, *((each, each) for each in cover.mixed)]):
            sketch.add(scene, scene.scope(first), WrapStatements(scene.span(first), scene.span(last), header))
        how = "a block around what computes on it; what trains inside keeps its graph"
        yield sketch.draft(how, strategy_of(header))


def keep_training(scenes: Scenes, sketch: Sketch, scene: Scene, statement: ast.AST) -> bool:
    """Keep grad mode on around the training of the functions that a statement comes to; False where it cannot be."""
    kept = False
    for found in _training(scenes, scene, statement):
        inner = found.scene
        for first, last in _stretches(found.node.body):
            header = f"{sketch.torch(inner)}.enable_grad()"
            sketch.add(inner, found.node, WrapStatements(inner.span(first), inner.span(last), header))
            kept = True
    return kept


def _training(scenes: Scenes, scene: Scene, statement: ast.AST) -> list[Found]:
    """The functions that a statement comes to by name and that send gradients themselves."""
    found: dict[ast.AST, Found] = {}
    seen: set[ast.AST] = set()
    waiting: list[tuple[Scene, ast.AST, int]] = [(scene, statement, 0)]
    while waiting:
        here, node, depth = waiting.pop()
        for name in sorted(called(node)):
            for each in scenes.named(name, here.module.path):
                if each.node in seen or not scenes.trains(each.scene, each.node):
                    continue
                seen.add(each.node)
                if any(_sends(inner) for inner in own(each.node)):
                    found[each.node] = each
                if depth < _DEEPEST:
                    waiting.append((each.scene, each.node, depth + 1))
    return list(found.values())


def _sends(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "backward"


def _stretches(suite: Sequence[ast.stmt]) -> Iterator[Run]:
    """What trains in a suite, from where the graph begins: the statements that make what is sent backward."""
    sending = [n for n, s in enumerate(suite) if any(_sends(each) for each in own(s))]
    if not sending:
        return
    if len(sending) == 1 and (inner := [s for s in suites(suite[sending[0]]) if any(map(_trains, s))]):
        here = suite[sending[0]]
        if not isinstance(here, FUNCTIONS) and len(inner) == 1:
            yield from _stretches(inner[0])
            return
    wanted: set[int] = set()
    for at in sending:
        needed = set(read(suite[at]))
        wanted.add(at)
        for n in range(at - 1, -1, -1):
            if not needed.isdisjoint(bound(suite[n])):
                wanted.add(n)
                needed |= read(suite[n])
    start: int | None = None
    for n in range(len(suite) + 1):
        if n in wanted:
            start = n if start is None else start
        elif start is not None:
            yield suite[start], suite[n - 1]
            start = None


def _trains(statement: ast.stmt) -> bool:
    return any(_sends(each) for each in own(statement))
