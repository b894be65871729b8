"""What an author's own ``with torch.no_grad():`` computes anew: it has no graph, whatever goes in.

It has to be made anew: what hands back its argument (``x.float()``, ``F.dropout`` of a network that does not train)
hands back the graph that this had before. So a product of matrices, and an operation of torch on what is made anew; no
``+``, which joins lists, too, and keeps what is in them. Where any word of the project turns gradients on again,
nothing is believed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import External
from voltfix.program.mentions import Mentions, stores
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk
from voltfix.torchmodel.operations import OPERATIONS
from voltfix.torchmodel.tables import PRODUCTS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_TURNS_ON = ("enable_grad", "set_grad_enabled", "_set_grad_enabled", "inference_mode")
_OF_TORCH = ("torch.", "torch.nn.functional.")
_STOPS = (ast.Yield, ast.YieldFrom, ast.Await)
_SCOPES = (*FUNCTIONS, ast.ClassDef)
_STEPS = (ast.For, ast.While, ast.If)


def has_no_graph_here(project: Project, path: str, value: ast.expr) -> bool:
    """Is a value that is assigned made anew where the author has turned gradients off?"""
    above = project.parent(path, value)
    return isinstance(above, ast.Assign) and above.value is value and _is_anew(project, path, value) and (
        _is_off(project, path, above)) and not _may_be_turned_on(project)


def _is_off(project: Project, path: str, statement: ast.stmt) -> bool:
    """Does a statement stand in a ``with torch.no_grad():`` of its function, and in no other ``with`` inside that?"""
    for above in project.parents(path, statement):
        if isinstance(above, ast.With):
            return len(above.items) == 1 and _is_no_grad(project, path, above.items[0].context_expr) and not any(
                isinstance(node, _STOPS) for node in walk(above))
        if isinstance(above, _SCOPES) or not isinstance(above, _STEPS):
            return False
    return False


def _is_no_grad(project: Project, path: str, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and not node.args and not node.keywords and (
        project.resolve(path, None, node.func) == External("torch.no_grad"))


def _is_anew(project: Project, path: str, value: ast.expr) -> bool:
    """Is it a tensor that nothing else has?"""
    if not isinstance(value, ast.Call) or not value.args or isinstance(value.args[0], ast.Starred) or any(
            keyword.arg in (None, "out") for keyword in value.keywords):
        return False
    meant = project.resolve(path, None, value.func)
    before, _, word = meant.name.rpartition(".") if isinstance(meant, External) else ("", "", "")
    if f"{before}." not in _OF_TORCH or word not in PRODUCTS | OPERATIONS.keys():
        return False
    return word in PRODUCTS or _is_anew(project, path, value.args[0])


def _may_be_turned_on(project: Project) -> bool:
    mentions = project.computed(Mentions)
    if "no_grad" in project.computed(stores) or any(map(mentions.is_written, _TURNS_ON)):
        return True
    return any(True for word in _TURNS_ON for _ in (*mentions.places(word), *mentions.asked_for(word)))
