"""Methods that autograd calls, and nobody else: ``backward`` of the project's classes of ``torch.autograd.Function``.

On 0.3 gradients were volatile anyway, but where ``create_graph`` asked for a graph of theirs. A volatile one that a
``backward`` gave had none, and a second derivative through it raised. So the flag did nothing in a program that ran.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, ProjectClass, ProjectFunction
from voltfix.program.mentions import Mentions

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


def called_by_autograd(project: Project, path: str, node: ast.AST) -> bool:
    """Is it the ``backward`` of an operation, which no code of the project calls by its name?"""
    if not isinstance(node, ast.FunctionDef) or node.name != "backward":
        return False
    around = project.hierarchy.class_around(path, node)
    if around is None or not any(is_operation(base) for base in project.mro(around)):
        return False
    mentions = project.computed(Mentions)
    return not any(means_it(project, at, mention, node) for at, mention in mentions.of({"backward"}, attributes=True))


def is_operation(base: object) -> bool:
    """Is it torch's class of operations?"""
    return isinstance(base, External) and base.name.endswith("autograd.Function")


def means_it(project: Project, path: str, mention: ast.AST, node: ast.FunctionDef) -> bool:
    """May a mention of ``backward`` mean this one: by the class, by an instance made in view, by ``self``?"""
    if not isinstance(mention, ast.Attribute):
        return False
    found = project.resolve(path, None, mention)
    if isinstance(found, ProjectFunction):
        return found.node is node
    binding = project.resolve(path, None, mention.value)
    return isinstance(binding, ProjectClass) and any(is_operation(base) for base in project.mro(binding))
