"""Calls that hand over nothing volatile, whoever runs them: what is made there without a flag, constants, data.

``Variable(batch)`` is new, and what has no flag of its own takes on none: it is volatile nowhere before it is handed
over. Neither is ``x.data``, nor a number.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.arguments import unpacks
from voltfix.program.bindings import VARIABLE, External, ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import stores
from voltfix.program.scopes import Function
from voltfix.program.walking import walk
from voltfix.torchmodel.tables import WITHOUT_GRAPH

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_OTHERS = frozenset({"data", "requires_grad"})  # what ``Variable`` takes beside the flag
_SETTING = frozenset({"setattr", "__setitem__", "__setattr__", "__iadd__", "exec", "eval"})
_WRITTEN_INTO = frozenset({"out", "inplace", None})  # None: of ``**``, anything
_MOST = 40  # functions that are gone through for one question


def hands_nothing_volatile(project: Project, rebound: Rebound, path: str, call: ast.Call) -> bool:
    """Is each argument of a call one that cannot be volatile?"""
    return not unpacks(call) and all(
        _is_plain(project, rebound, path, each) for each in (*call.args, *(k.value for k in call.keywords)))


def has_plain_defaults(function: Function) -> bool:
    """Is what a function takes for arguments that are left out a constant each time?"""
    arguments = function.args
    return all(isinstance(each, ast.Constant)
               for each in (*arguments.defaults, *arguments.kw_defaults) if each is not None)


def _is_plain(project: Project, rebound: Rebound, path: str, given: ast.expr) -> bool:
    if isinstance(given, ast.Attribute):
        return given.attr == "data" and not rebound.is_assigned(given.attr)
    return isinstance(given, ast.Constant) or _is_made_without_flag(project, rebound, path, given)


def _is_made_without_flag(project: Project, rebound: Rebound, path: str, given: ast.expr) -> bool:
    """``Variable(x)``, ``Variable(x, requires_grad=True)``: of torch's own, under whatever name."""
    if not isinstance(given, ast.Call) or len(given.args) > 1 or unpacks(given) or any(
            each.arg not in _OTHERS for each in given.keywords):
        return False
    called, made = given.func, project.resolve(path, None, given.func)
    replaced = rebound.is_bound_elsewhere(path, called) if isinstance(called, ast.Name) else (
        not isinstance(called, ast.Attribute) or rebound.is_patched(called.attr))
    return isinstance(made, External) and made.name == VARIABLE and not replaced and (
        VARIABLE.rpartition(".")[2] not in project.computed(stores))


def stays_as_handed(project: Project, function: ProjectFunction, parameter: ast.arg) -> bool:
    """Does nothing that a function runs write into what it is handed for a parameter, as ``x.add_(volatile)`` would?

    It computes with it, asks for what has no graph, and hands it to functions that write into no tensor at all.
    """
    names = [node for node in walk(function.node) if isinstance(node, ast.Name) and node.id == parameter.arg]
    return all(_is_left(project, function.path, each) for each in names) and not any(
        map(_writes, walk(function.node)))


def _is_left(project: Project, path: str, name: ast.Name) -> bool:
    above = project.parent(path, name)
    if isinstance(above, ast.Attribute):
        return isinstance(above.ctx, ast.Load) and (above.attr == "volatile" or above.attr in WITHOUT_GRAPH)
    if isinstance(above, ast.Call) and name in above.args:
        return _only_computes(project, path, above)
    return isinstance(above, (ast.BinOp, ast.Compare))


def _only_computes(project: Project, path: str, call: ast.Call) -> bool:
    """Is it torch's that is called, or a function by its name which, with all that it comes to, writes into nothing?"""
    graph = project.computed(CallGraph)
    called = project.resolve(path, None, call.func)
    if isinstance(called, External):
        return called.name.startswith("torch.") and not any(map(_writes, walk(call)))
    if not isinstance(called, ProjectFunction) or called.node.args.vararg is not None:
        return False
    waiting, seen = [called], set[ast.AST]()
    while waiting:
        each = waiting.pop()
        if each.node not in seen:
            seen.add(each.node)
            waiting += graph.callees(each)
            if len(seen) > _MOST or any(map(_writes, walk(each.node))):
                return False
    return True


def _writes(node: ast.AST) -> bool:
    """May a tensor be written into there, or be given a flag?"""
    if isinstance(node, ast.Call):
        name = last_word(node.func) or ""
        return (name.endswith("_") and not name.endswith("__")) or name in _SETTING or any(
            each.arg in _WRITTEN_INTO for each in node.keywords)
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, (ast.AugAssign, ast.Global, ast.Nonlocal)) or (
        isinstance(node, ast.Attribute) and node.attr == "volatile" and not isinstance(node.ctx, ast.Load))
