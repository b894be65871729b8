"""Pieces of text that the rules put together."""

from __future__ import annotations

import ast

from voltfix.model import Edit, EnsureImport, ReplaceExpression, Span
from voltfix.modernize.scene import Scene

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Tuple)
TORCH = "torch"


def atom(scene: Scene, path: str, node: ast.expr) -> str:
    """The source of ``node``, in parentheses unless something can be asked of it as it is."""
    text = scene.text(path, node)
    if isinstance(node, ast.Tuple) and not text.startswith("("):
        return f"({text})"
    return text if isinstance(node, _ATOMS) else f"({text})"


def replaced(scene: Scene, path: str, node: ast.expr, text: str) -> ReplaceExpression:
    """The edit that puts ``text`` in the place of ``node``."""
    return ReplaceExpression(scene.span(path, node), text)


def renamed(scene: Scene, path: str, node: ast.Attribute, name: str) -> ReplaceExpression:
    """The edit that makes ``x.name`` of the attribute ``node``; what is left of the dot stays as it is
    written."""
    span = scene.span(path, node)
    return scene.rewritten(path, node, [(Span(span.end - len(node.attr), span.end), name)])


def torch_name(scene: Scene, path: str, node: ast.AST) -> tuple[str, tuple[Edit, ...]]:
    """How ``node`` can call torch: by the name that the module gave it, or with the edit that imports it."""
    table = scene.project.table(path)
    for name, found in table.root.definitions.items() if table is not None else ():
        source = found[0].source
        plain = len(found) == 1 and source is not None and (source.module, source.name) == (TORCH, None)
        if plain and _means_torch(scene, path, node, name):
            return name, ()
    bound = table is not None and TORCH in table.root.definitions
    if bound and _means_torch(scene, path, node, TORCH):
        return TORCH, ()
    return TORCH, (EnsureImport(TORCH),)


def _means_torch(scene: Scene, path: str, node: ast.AST, name: str) -> bool:
    from voltfix.program.bindings import External

    scope = scene.project.scope(path, node)
    return scene.project.resolve(path, scope, name) == External(TORCH)


def is_written(node: ast.expr) -> bool:
    """Does the expression stand where something is stored or deleted?"""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
