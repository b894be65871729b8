"""What a name was asked for before: a function has no ``.eval``, so what was asked for it is none, or Python raised.

What may be called by a name that nothing is known of is any function that the project hands out; not where the name
was asked, on the way to the call, for an attribute that functions lack.
"""

from __future__ import annotations

import ast
import functools
import types
from typing import TYPE_CHECKING

from voltfix.program.between import COMPOUND, is_sure, statements_before
from voltfix.program.bindings import Local
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_HAVE = frozenset(name for kind in (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
                  for name in dir(kind))


def is_no_function(project: Project, rebound: Rebound, path: str, called: ast.expr) -> bool:
    """Was a name, which is bound once, surely asked before its call for what no function has?"""
    if not isinstance(called, ast.Name):
        return False
    bound = project.resolve(path, None, called)
    if not isinstance(bound, Local) or (bound.values if bound.parameter is not None else not (
            bound.complete and len(bound.values) == 1)):
        return False
    return any(_asks(project, rebound, path, statement, called)
               for statement in statements_before(project, path, called, loops=True))


def _asks(project: Project, rebound: Rebound, path: str, statement: ast.stmt, called: ast.Name) -> bool:
    """Does a simple statement ask the name for such an attribute, whatever it decides?"""
    if isinstance(statement, COMPOUND):
        return False
    return any(isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
               and node.value.id == called.id and node.attr not in _HAVE and not rebound.is_assigned(node.attr)
               and is_sure(project, path, node, statement) for node in walk(statement))

