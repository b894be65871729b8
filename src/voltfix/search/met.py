"""What a candidate leaves out of its blocks, and no run came by while the flag was on: nothing shows it needs none.

A run may miss a statement since it never takes the way to it, or comes by with the flag off. What the others say of it
says nothing then. What lies in a block has no graph, whether it was run or not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from voltfix.model import Verification
from voltfix.program.walking import walk
from voltfix.search.aside import Edits, Use
from voltfix.search.cover import Cover, suites_of
from voltfix.search.group import Group, Place
from voltfix.search.kinds.around import covered
from voltfix.search.reach import Reach, in_callers
from voltfix.search.scene import DEFINITIONS, Scene, Scenes, read

Unit = tuple[str, str]  # as in ``Change.touched``


def uses_of(scenes: Scenes, group: Group, reach: Reach) -> list[tuple[Unit, Use]]:
    """The statements that compute on the value, in the function of a group of sites and in those that call it."""
    head = group[0]
    scope = head.scene.scope(head.node)
    found = [(_unit(head), use) for use in _uses(head.scene, scope, covered(scenes, group))]
    for scene, each, cover in in_callers(scenes, group, reach):
        found += [((scene.module.path, each.name), use) for use in _uses(scene, each.node, cover)]
    return found


def _unit(place: Place) -> Unit:
    return place.scene.module.path, place.scene.qualified(place.scene.scope(place.node))


def _uses(scene: Scene, function: ast.AST, cover: Cover) -> Iterator[Use]:
    for statement in (*cover.uses, *cover.mixed):
        if not suites_of(statement):
            yield Use(scene, function, (statement, statement))
            continue
        for each in walk(statement):
            if isinstance(each, ast.stmt) and not suites_of(each) and not isinstance(each, DEFINITIONS) and (
                    not cover.names.isdisjoint(read(each))):
                yield Use(scene, function, (each, each))


def never_met(uses: Sequence[tuple[Unit, Use]], group: Group, edits: Edits, verdict: Verification) -> Use | None:
    """What these edits leave out of their blocks, and no run came by while the flag was on.

    Of a function that no run came to with the flag on, the others have to say enough.
    """
    head, dark = group[0], frozenset(verdict.dark)
    lit = {run for _, run in verdict.lit or ()}
    if (head.site.path, head.scene.statement(head.node).lineno) not in dark:
        lit.add(_unit(head))
    for unit, use in uses:
        if unit in lit and (use.scene.module.path, use.run[0].lineno) in dark and not use.within(edits):
            return use
    return None
