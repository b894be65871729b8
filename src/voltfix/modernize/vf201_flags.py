"""Part of VF201: ``requires_grad`` as it is set and handed over, in the words of today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import ReplaceStatement
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding
from voltfix.modernize.kinds import Tensor
from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom
from voltfix.program.arguments import arguments_for
from voltfix.program.bindings import Builtin, ProjectFunction

_DEEPEST = 5


def switched(scene: Scene, path: str, code: str) -> Iterator[Finding]:
    """``p.requires_grad = flag`` of what is shown to be a parameter or tensor: ``p.requires_grad_(flag)``."""
    for node in scene.nodes(path):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Attribute) or target.attr != "requires_grad":
            continue
        if not _is_tensor(scene, path, target.value):  # a module has the method, too, and an option would have none
            continue
        on = isinstance(node.value, ast.Constant) and node.value.value is True
        given = "" if on else scene.text(path, node.value)
        text = f"{atom(scene, path, target.value)}.requires_grad_({given})"
        span = scene.span(path, node)
        yield Finding(code, path, span, messages.switches(), (ReplaceStatement(span, text),))


def _is_tensor(scene: Scene, path: str, node: ast.expr) -> bool:
    kind = scene.kind(path, node)
    if isinstance(kind, Tensor) and not kind.unsure:
        return True
    reached = scene.kinds.reaches(path, node) if isinstance(node, ast.Name) else ()
    return bool(reached) and all(_is_parameter(scene, path, reach) for reach in reached)


def _is_parameter(scene: Scene, path: str, reach: Reach) -> bool:
    """Is it what a loop over ``net.parameters()`` or ``net.named_parameters()`` gives?"""
    call = reach.value
    if reach.how != "item" or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    wanted = {"parameters": (), "named_parameters": (1,)}.get(call.func.attr)
    own = any(isinstance(found, ProjectFunction) for found in scene.may_be(path, call.func))
    return wanted is not None and reach.path == wanted and not own and not scene.kinds.guess(call.func.attr)


def truth(scene: Scene, path: str, node: ast.expr) -> str:
    """The text of a flag for ``requires_grad_()``, which takes bools alone; ``Variable`` took numbers as well."""
    text = scene.text(path, node)
    return text if _is_bool(scene, path, node) else f"bool({text})"


def _is_bool(scene: Scene, path: str, node: ast.expr, depth: int = 0) -> bool:
    """Is it shown to be True or False, and nothing that only counts as such?"""
    if depth > _DEEPEST:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Compare):
        plain = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in node.comparators)
        return plain or isinstance(node.ops[-1], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
    if isinstance(node, (ast.BoolOp, ast.IfExp)):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        return all(_is_bool(scene, path, part, depth + 1) for part in parts)
    if isinstance(node, ast.Call):
        found = scene.project.resolve(path, None, node.func)
        return isinstance(found, Builtin) and found.name in ("bool", "isinstance", "any", "all")
    if isinstance(node, ast.Attribute):
        return node.attr in ("training", "requires_grad", "is_cuda")
    reached = scene.kinds.reaches(path, node) if isinstance(node, ast.Name) else ()
    return bool(reached) and all(_gives_bool(scene, path, reach, depth + 1) for reach in reached)


def _gives_bool(scene: Scene, path: str, reach: Reach, depth: int) -> bool:
    if reach.how == "parameter" and isinstance(reach.node, ast.arg):
        handed = list(arguments_for(scene.project, path, reach.node))
        return bool(handed) and all(_is_bool(scene, at, value, depth) for at, value in handed)
    return (
        reach.how == "value"
        and not reach.path
        and reach.value is not None
        and _is_bool(scene, path, reach.value, depth)
    )
