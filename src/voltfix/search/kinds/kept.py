"""The value is kept on an object: a block around what computes on it, in every function that reads it there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import SiteKind, WrapStatements
from voltfix.program.walking import walk
from voltfix.search.cover import Run, Tracer, merged
from voltfix.search.draft import Draft, Sketch
from voltfix.search.group import Group, with_calls
from voltfix.search.kinds.around import covered
from voltfix.search.kinds.flag import modes, strategy_of, without_flag
from voltfix.search.scene import Scene, Scenes

_MOST = 8  # functions that read it


def drafts(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """Blocks where ``self.x`` is read, by the attribute's name."""
    head = group[0]
    if head.site.kind is not SiteKind.ARGUMENT or with_calls(group) or head.flag not in ("True", "1"):
        return
    cover = covered(scenes, group)
    attributes = frozenset(name.rpartition(".")[2] for name in cover.names if "." in name)
    if not attributes:
        return
    scope, sketch = head.scene.scope(head.node), Sketch()
    if cover.mixed or not without_flag(sketch, group):
        return
    header, found = "", 0
    for scene in scenes.mentioning(attributes, head.site.path):
        for function in scene.functions:
            if function.node is scope or not _reads(function.node, attributes):
                continue
            runs = _runs(scenes, scene, function.node, attributes)
            found += bool(runs)
            if runs is None or found > _MOST:
                return
            for first, last in runs:
                header = next(modes(head, sketch.torch(scene)))
                sketch.add(scene, function.node, WrapStatements(scene.span(first), scene.span(last), header))
    for first, last in merged(head.scene, cover.tight):
        header = next(modes(head, sketch.torch(head.scene)))
        sketch.add(head.scene, scope, WrapStatements(head.scene.span(first), head.scene.span(last), header))
    if found:
        yield sketch.draft(f"a block around what computes on .{', .'.join(sorted(attributes))}", strategy_of(header))


def _reads(function: ast.AST, attributes: frozenset[str]) -> bool:
    read = (n.attr for n in walk(function) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load))
    return not attributes.isdisjoint(read)


def _runs(
    scenes: Scenes, scene: Scene, function: ast.FunctionDef | ast.AsyncFunctionDef, attributes: frozenset[str]
) -> list[Run] | None:
    """The statements of a function that compute on the attribute; None where one of them trains."""
    sources = frozenset(n for n in walk(function) if isinstance(n, ast.Attribute) and n.attr in attributes
                        and isinstance(n.ctx, ast.Load) and scene.scope(n) is function)
    cover = Tracer(scenes, scene, sources).over(function.body)
    return None if cover.mixed or isinstance(function, ast.AsyncFunctionDef) else merged(scene, cover.tight)

