"""Simple statements in which one call is all that runs code: a block around such a one is no wider than the call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from typing import TypeAlias

from voltfix.program.bindings import VARIABLE
from voltfix.program.walking import children
from voltfix.torchmodel import python, tables
from voltfix.torchmodel.library import is_torch

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr)
_READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.keyword, ast.UnaryOp, ast.BinOp,
         ast.Slice)
Run: TypeAlias = Callable[[ast.Call], Set[str]]


def is_all(statement: ast.AST, call: ast.Call, run_by: Run) -> bool:
    """Does a simple statement run nothing but ``call``, methods of tensors on what it gives, and torch's functions?

    What waits to be gone over (a generator, a ``map``) is gone over in the call then, or not at all. ``run_by``: the
    names of what a call runs, where all of it is known, and not of the project.
    """
    return isinstance(statement, _SIMPLE) and all(_reads(part, call, run_by) for part in children(statement))


def _reads(node: ast.AST, call: ast.Call, run_by: Run) -> bool:
    """Is nothing in an expression run but ``call`` and what goes over nothing?"""
    if isinstance(node, ast.Call):
        if node is not call and not _is_method_of(node, call) and not _goes_over_nothing(run_by(node)):
            return False
    elif not isinstance(node, (*_READ, ast.expr_context, ast.unaryop, ast.operator)):
        return False
    return all(_reads(part, call, run_by) for part in children(node))


def _is_method_of(node: ast.Call, call: ast.Call) -> bool:
    """Is it one of the methods of tensors, called on what ``call`` gives: ``net(x).data.cpu()``?"""
    method = node.func
    if not isinstance(method, ast.Attribute) or method.attr not in tables.TENSOR_METHODS | tables.PLAIN_METHODS:
        return False
    on = method.value
    while on is not call and isinstance(on, (ast.Attribute, ast.Subscript, ast.Call)):
        on = on.func if isinstance(on, ast.Call) else on.value
    return on is call


def _goes_over_nothing(names: Set[str]) -> bool:
    """Does a call run functions of torch or built-ins alone, none of which goes over what waits?

    What computes takes lists and tuples of tensors, and raises where it is given what only gives them one by one.
    """
    return bool(names) and all(
        name == VARIABLE or name.startswith("torch.nn.functional.") or (is_torch(name) and name.count(".") == 1)
        or name.removeprefix("builtins.") in python.TELLING for name in names)
