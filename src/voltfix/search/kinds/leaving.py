"""No block: the value is cut off where it leaves, or its leaf is cured."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import ReplaceStatement, SiteKind, WrapExpression
from voltfix.search.draft import Draft, Sketch
from voltfix.search.group import Group, with_calls
from voltfix.search.kinds.around import covered
from voltfix.search.kinds.flag import without_flag
from voltfix.search.scene import Scenes, bound


def drafts(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """``.detach()`` at what is returned; ``x = x.detach()`` and ``x.requires_grad_()`` for a cure."""
    head = group[0]
    scene, scope = head.scene, head.scene.scope(head.node)
    if head.site.kind is SiteKind.WRITE:
        node = head.node
        if isinstance(node, ast.Assign) and head.flag in ("False", "0") and isinstance(node.targets[0], ast.Attribute):
            owner = ast.unparse(node.targets[0].value)
            if _is_each(scope, owner):
                return  # one of many that somebody else holds: another object under that name changes none of them
            for text, strategy in ((f"{owner} = {owner}.detach()", "detach"), (f"{owner}.requires_grad_()", None)):
                sketch = Sketch()
                sketch.add(scene, scope, ReplaceStatement(head.site.node, text))
                yield sketch.draft(f"`{text}`", "detach" if strategy else "requires_grad_")
        return
    if head.site.kind is not SiteKind.ARGUMENT or with_calls(group) or head.flag not in ("True", "1"):
        return
    for statement in covered(scenes, group).leaves:
        value = getattr(statement, "value", None)
        if isinstance(value, (ast.Name, ast.Call, ast.BinOp)) and isinstance(statement, ast.Return):
            sketch = Sketch()
            if without_flag(sketch, group):
                sketch.add(scene, scope, WrapExpression(scene.span(value), "", ".detach()"))
                yield sketch.draft(f".detach() where it is returned (line {scene.line(statement)})", "detach")


def _is_each(scope: ast.AST, name: str) -> bool:
    """Is it the name of a loop, that takes one element after another?"""
    loops = [each for each in ast.walk(scope) if isinstance(each, (ast.For, ast.comprehension))]
    return any(name in bound(each.target) for each in loops)
