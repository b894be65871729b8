"""Other places of the shape that was mended: offered as suggestions, since nobody saw them run."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import replace

from voltfix.model import ReplaceExpression
from voltfix.modernize.kinds import UNKNOWN, Tensor
from voltfix.modernize.scene import Scene
from voltfix.repair.place import Mend

_OF_TENSORS = frozenset({"VF202", "VF216", "VF217"})


def places(scene: Scene, mend: Mend) -> Iterator[tuple[str, int, str]]:
    """Path, line and text of the places in the project that look like the one that was mended, names apart."""
    if not isinstance(mend.node, (ast.Subscript, ast.Call, ast.BinOp, ast.Attribute)):
        return
    for path, node in _alike(scene, mend, mend.node):
        if node is not mend.node:
            yield path, getattr(node, "lineno", 0), scene.text(path, node)


def _alike(scene: Scene, mend: Mend, mended: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    """What has the shape of what was mended, names apart, and may be of its kind."""
    wanted = _shape(mended)
    for path in scene.project.paths:
        for node in scene.nodes(path):
            if type(node) is type(mended) and _shape(node) == wanted and not _is_another_kind(scene, path, node, mend):
                yield path, node


def _is_another_kind(scene: Scene, path: str, node: ast.AST, mend: Mend) -> bool:
    """Whether a tensor was mended, and this is surely asked of something else: a list, a text, a number."""
    asked = _asked(node)
    if mend.code not in _OF_TENSORS or asked is None:
        return False
    kind, own = scene.kind(path, asked), _asked(mend.node)
    if isinstance(kind, Tensor) or kind == UNKNOWN:
        return False
    # what was mended may have been a number as well, or hold several
    return own is None or type(scene.kind(mend.path, own)) is not type(kind) or scene.kind(mend.path, own) == UNKNOWN


def _asked(node: ast.AST | None) -> ast.expr | None:
    """What a subscript, an attribute or a method is asked of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value
    return node.value if isinstance(node, (ast.Subscript, ast.Attribute)) else None


def suggested(scene: Scene, mend: Mend) -> Iterator[tuple[str, ReplaceExpression]]:
    """The same mend at the places of its shape, as they are by now: its text with their names."""
    edits = mend.edits[0][1] if len(mend.edits) == 1 else ()
    if not isinstance(mend.node, (ast.Subscript, ast.Call, ast.BinOp, ast.Attribute)) or len(edits) != 1:
        return
    edit, names = edits[0], _names(mend.node)
    if not isinstance(edit, ReplaceExpression):
        return
    for path, node in _alike(scene, mend, mend.node):
        others = dict(zip(names, _names(node), strict=True))
        text = re.sub(r"(?<![\w.])[A-Za-z_]\w*", lambda m, n=others: n.get(m.group(), m.group()), edit.text)  # type: ignore[misc]
        yield path, ReplaceExpression(scene.span(path, node), text)


def _names(node: ast.AST) -> list[str]:
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]


def widened(scene: Scene, mend: Mend) -> Mend:
    """The mend, at the same expression elsewhere in the function too, where its names hold the same values."""
    if (
        mend.code != "VF202"
        or not isinstance(mend.node, ast.Subscript)
        or len(mend.edits) != 1
        or len(mend.edits[0][1]) != 1
    ):
        return mend
    edit = mend.edits[0][1][0]
    if not isinstance(edit, ReplaceExpression) or edit.span != scene.span(mend.path, mend.node):
        return mend
    more = [ReplaceExpression(scene.span(mend.path, node), edit.text) for node in _same(scene, mend.path, mend.node)]
    return replace(mend, edits=((mend.path, (edit, *more)),))


def _same(scene: Scene, path: str, wanted: ast.expr) -> Iterator[ast.expr]:
    """The very same expression elsewhere in the function, where the same definitions reach its names."""
    text, scope, reached = ast.dump(wanted), scene.project.scope(path, wanted), _reached(scene, path, wanted)
    for node in scene.nodes(path):
        if type(node) is not type(wanted) or node is wanted or not isinstance(node, ast.expr) or ast.dump(node) != text:
            continue
        if scene.project.scope(path, node) is scope and reached and _reached(scene, path, node) == reached:
            yield node


def _reached(scene: Scene, path: str, node: ast.expr) -> list[object]:
    names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)]
    return [(name.id, frozenset(scene.kinds.reaches(path, name))) for name in names]


def _shape(node: ast.AST) -> str:
    """The dump of a node without its names."""
    bare = copy.deepcopy(node)
    for inner in ast.walk(bare):
        if isinstance(inner, ast.Name):
            inner.id = "_"
    return ast.dump(bare)
