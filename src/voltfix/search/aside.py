"""What a candidate leaves aside: uses of the value in functions that no run of the others comes to with it.

A function runs on objects as it finds them: what another one keeps on them, or in a global, is not there. So a use of
what is kept, in a function that does not get it as an argument or a result, says nothing of a candidate, unless it lies
in a block of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from voltfix.model import Decorate, Edit, WrapStatements
from voltfix.program.mentioned import last_word
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.search.cover import Cover, Run, Tracer, suites_of
from voltfix.search.group import Group
from voltfix.search.reach import Reach
from voltfix.search.scene import Found, Scene, Scenes, bound

Edits = tuple[tuple[str, tuple[Edit, ...]], ...]  # by module
_BEHIND = 1 << 40  # the end of any text


@dataclass(frozen=True)
class Use:
    """Statements of a function that compute on what is kept."""

    scene: Scene
    function: ast.AST
    run: Run

    def within(self, edits: Edits) -> bool:
        """Does it lie in one of their blocks?"""
        start, end = self.scene.span(self.run[0]).start, self.scene.span(self.run[1]).end
        return any(
            (isinstance(edit, WrapStatements) and edit.first.start <= start and end <= edit.last.end
             and not edit.header.endswith("enable_grad()"))
            or (isinstance(edit, Decorate) and edit.function == self.scene.span(self.function))
            for path, found in edits if path == self.scene.module.path for edit in found)


def uses_elsewhere(scenes: Scenes, group: Group, reach: Reach) -> list[Use]:
    """The uses of what a group of sites makes, in functions that find it on an object or in a global."""
    if not reach.kept or reach.anew:
        return []
    told = _told_in_runs(scenes, group, reach.kept)
    found: list[Use] = []
    for scene in scenes.mentioning(reach.kept, group[0].site.path):
        for each in scene.functions:
            there = _filled(scene, each, group, reach)
            sources = frozenset(
                node for node in _reads(scene, each.node, reach.kept)
                if scene.span(node).start < there and not (_of_self(node) and last_word(node) in told))
            if sources:
                cover = Tracer(scenes, scene, sources).over(each.node.body)
                runs = [*cover.tight, *((statement, statement) for statement in cover.mixed)]
                found += [Use(scene, each.node, run) for run in runs]
    return found


def left_aside(uses: Sequence[Use], edits: Edits) -> bool:
    """Do edits leave one of these uses as it is?"""
    return not all(use.within(edits) for use in uses)


def stands_in_blocks(group: Group, cover: Cover, edits: Edits) -> bool:
    """Does all that computes on the value in its own function lie in ``torch.no_grad()`` by what is written anyway?"""
    scene = group[0].scene
    sure = tuple((path, tuple(each for each in found if isinstance(each, WrapStatements)
                              and each.header.endswith("no_grad()"))) for path, found in edits)
    runs = [*cover.tight, *((statement, statement) for statement in cover.mixed)]
    return bool(runs) and not left_aside([Use(scene, scene.scope(group[0].node), run) for run in runs], sure)


def _reads(scene: Scene, function: ast.AST, kept: frozenset[str]) -> Iterator[ast.expr]:
    """Where a function reads an attribute of these names, or a global that it does not bind itself."""
    own = {n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in walk(function) if isinstance(n, ast.arg)}
    own -= {name for n in walk(function) if isinstance(n, ast.Global) for name in n.names}
    for node in walk(function):
        if not isinstance(getattr(node, "ctx", None), ast.Load) or scene.scope(node) is not function:
            continue
        if (isinstance(node, ast.Attribute) and node.attr in kept) or (
                isinstance(node, ast.Name) and node.id in kept - own):
            yield node


def _filled(scene: Scene, function: Found, group: Group, reach: Reach) -> int:
    """From where on the runs of a function have the value: it is put there by it, or by what it calls."""
    ends = [scene.span(node).end for node in walk(function.node)
            if isinstance(node, ast.Call) and last_word(node.func) in reach.words]
    head = group[0]
    if head.scene is scene and scene.scope(head.node) is function.node:
        ends += [scene.span(node).end for node in walk(function.node) if isinstance(node, ast.stmt)
                 and not suites_of(node) and not reach.kept.isdisjoint(map(_last, bound(node)))]
    return min(ends, default=_BEHIND)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _told_in_runs(scenes: Scenes, group: Group, kept: frozenset[str]) -> frozenset[str]:
    """The attributes that are volatile in every run of a method, for nothing else is ever stored in them."""
    stored: dict[str, bool] = {}
    for scene in scenes.mentioning(kept, group[0].site.path):
        made = {id(target): each.value for each in walk(scene.tree) if isinstance(each, ast.Assign)
                for target in each.targets}
        for node in walk(scene.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in kept:
                right = id(node) in made and _is_volatile(made[id(node)])
                stored[node.attr] = stored.get(node.attr, True) and right
    return frozenset(name for name, right in stored.items() if right)


def _is_volatile(node: ast.expr) -> bool:
    """``Variable(x, volatile=True)``, perhaps moved."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("cuda", "cpu"):
        node = node.func.value
    return isinstance(node, ast.Call) and last_word(node.func) == "Variable" and any(
        word.arg == "volatile" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords)
