"""Flags that belong together: those of one function that say the same name, and those whose tensors go into one call.

A flag without effect could go on its own. Beside others that stay it would leave half of what the author wrote.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


def belongs_with(project: Project, path: str, flag: tuple[ast.AST, Sequence[ast.AST]],
                 other: tuple[ast.AST, Sequence[ast.AST]]) -> bool:
    """Do two flags of one module belong together? Each is given as its call and the expressions that it says."""
    scope = around(project, path, flag[0])
    if scope is not around(project, path, other[0]):
        return False
    if names_in(flag[1]) and names_in(flag[1]) == names_in(other[1]):
        return True
    return bool(taken_by(project, path, flag[0], scope) & taken_by(project, path, other[0], scope))


def around(project: Project, path: str, node: ast.AST) -> ast.AST | None:
    """The function around a node; None at the top level."""
    return next((above for above in project.parents(path, node) if isinstance(above, FUNCTIONS)), None)


def names_in(values: Sequence[ast.AST]) -> str:
    """What a flag says, where it is no constant."""
    said = [value.value if isinstance(value, ast.keyword) else value for value in values]
    return "" if all(isinstance(value, ast.Constant) for value in said) else " ".join(map(ast.unparse, said))


def taken_by(project: Project, path: str, call: ast.AST, scope: ast.AST | None) -> frozenset[ast.AST]:
    """The calls that the tensor made by ``call`` is an argument of, as it is or under the name that it is given."""
    node, above = call, project.parent(path, call)
    while isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and above.func is node):
        node, above = above, project.parent(path, above)  # Variable(...).cuda()
    if isinstance(above, ast.keyword):
        node, above = above, project.parent(path, above)
    if isinstance(above, ast.Call):
        return frozenset({above})
    if not isinstance(above, ast.Assign) or scope is None:
        return frozenset()
    names = {target.id for target in above.targets if isinstance(target, ast.Name)}
    return frozenset(
        use for use in walk(scope) if isinstance(use, ast.Call) and any(
            isinstance(given, ast.Name) and given.id in names
            for given in (*use.args, *(keyword.value for keyword in use.keywords))))
