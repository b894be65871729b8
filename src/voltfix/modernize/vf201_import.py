"""The other half of VF201: the import of Variable goes when nothing uses it any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import DeleteStatement, Edit, ReplaceStatement
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding
from voltfix.modernize.scene import Scene

_MODULES = frozenset({"torch.autograd", "torch.autograd.variable"})


def unused(scene: Scene, path: str, code: str) -> Iterator[Finding]:
    """Imports of torch's Variable whose name stands nowhere else in the module, and is taken from nowhere
    else."""
    for node in scene.nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module in _MODULES and not node.level:
            gone = [alias for alias in node.names if alias.name == "Variable"]
            if gone and all(_is_unused(scene, path, alias.asname or alias.name) for alias in gone):
                yield _finding(scene, path, node, gone, code)


def _finding(scene: Scene, path: str, node: ast.ImportFrom, gone: list[ast.alias], code: str) -> Finding:
    span = scene.span(path, node)
    left = [alias for alias in node.names if alias not in gone]
    edit: Edit = DeleteStatement(span)
    if left:
        names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in left)
        edit = ReplaceStatement(span, f"from {node.module} import {names}")
    return Finding(code, path, span, messages.unused_import(), (edit,))


def _is_unused(scene: Scene, path: str, name: str) -> bool:
    module = scene.project.modules[path]
    if module.kind != "python" or "noqa" in module.text:
        return False
    if len(re.findall(rf"\b{re.escape(name)}\b", _code(module.text))) > 1:
        return False
    return not is_taken(scene, path, name)


def is_taken(scene: Scene, path: str, name: str) -> bool:
    """May another module of the project take ``name`` from the module at ``path``?"""
    return any(_takes(scene, other, path, name) for other in scene.project.paths if other != path)


def _code(text: str) -> str:
    """The text without comments."""
    from voltfix.sources.lexer import lex

    return "".join(text[token.start : token.end] for token in lex(text) if token.kind != "comment")


def _takes(scene: Scene, other: str, path: str, name: str) -> bool:
    """Does ``other`` import ``name`` from the module at ``path``, or could it (by a star, or as its
    attribute)?"""
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    stem = path.rsplit("/", 2)[-2] if stem == "__init__" and "/" in path else stem
    for node in scene.nodes(other):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] in (stem, ""):
            taken = any(alias.name in (name, "*") for alias in node.names)
        else:
            taken = isinstance(node, ast.Attribute) and ast.unparse(node) == f"{stem}.{name}"
        if taken:
            return True
    return False
