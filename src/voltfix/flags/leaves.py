"""Leaves whose flag is cured to train them: ``x.volatile = False`` beside ``x.requires_grad = True``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.records import dataclass

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


@dataclass(frozen=True)
class Trained:
    """The statement beside a cure that asks for gradients, and of what."""

    statement: ast.stmt
    tensor: str


def trained_at(project: Project, path: str, target: ast.AST) -> Trained | None:
    """What stands right before or after ``x.volatile = False`` and makes the same ``x`` require grad; None if nothing.
    """
    statement = project.parent(path, target)
    cure = assigned(statement)
    if statement is None or cure is None or cure[1] is not False:
        return None
    suite = next((body for body in suites(project.parent(path, statement)) if statement in body), [])
    at = suite.index(statement) if statement in suite else 0
    for beside in [*suite[at + 1 : at + 2], *suite[max(at - 1, 0) : at]]:
        found = assigned(beside)
        if found is not None and found[0] == f"{cure[2]}.requires_grad" and found[1] is True:
            return Trained(beside, cure[2])
    return None


def assigned(statement: ast.AST | None) -> tuple[str, object, str] | None:
    """Target, constant and object of ``object.name = constant``."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or not isinstance(statement.value, ast.Constant):
        return None
    return ast.unparse(target), statement.value.value, ast.unparse(target.value)


def suites(node: ast.AST | None) -> list[list[ast.stmt]]:
    """The suites of a compound statement, a definition or a module."""
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    return [body for body in found if isinstance(body, list)]
