"""By which name torch is used at a place already, so that nothing has to be imported for a block there.

An ``import`` at the top of the module is not the only one: each arm of a choice may have its own, and a star import of
a module of the project may bring the name. Where what runs before has used it, it is bound.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.program.between import statements_before
from voltfix.program.bindings import External
from voltfix.program.scopes import FUNCTIONS, PERHAPS
from voltfix.program.walking import children

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_TORCH = External("torch")


def torch_in_use(project: Project, path: str, node: ast.AST) -> str | None:
    """The name under which torch was imported, or used, by what surely runs before ``node`` in the same function."""
    for statement in statements_before(project, path, node, loops=True):
        for name in _names(statement):
            if project.resolve(path, project.scope(path, node), name) == _TORCH:
                return name
    return _by_star(project, path, node)


def _names(statement: ast.AST) -> Iterator[str]:
    """The names that a simple statement surely reads, or binds by an import."""
    if isinstance(statement, ast.Import):
        yield from (alias.asname or "torch" for alias in statement.names
                    if alias.name == "torch" or (alias.name.startswith("torch.") and alias.asname is None))
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign)):
        return
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, PERHAPS):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        waiting += children(node)


def _by_star(project: Project, path: str, node: ast.AST) -> str | None:
    """``torch``, where a star import of a module of the project brings it before the place is reached."""
    tree = project.tree(path)
    if tree is None or project.resolve(path, project.scope(path, node), "torch") != _TORCH or (
            path in (binding := project.bound_in(path, "torch")) or not binding):
        return None
    later = any(isinstance(above, FUNCTIONS) for above in project.parents(path, node))
    stars = [each for each in tree.body if isinstance(each, ast.ImportFrom) and each.names[0].name == "*"]
    return "torch" if any(later or each.lineno < getattr(node, "lineno", 0) for each in stars) else None
