"""What a name was asked for before: a function has no ``.eval``, so what was asked for it is none, or Python raised.

What may be called by a name that nothing is known of is any function that the project hands out; not where the name
was asked, on the way to the call, for an attribute that functions lack. Nor where it is an item of what only ever holds
layers: ``nn.ModuleList`` takes in nothing else.
"""

from __future__ import annotations

import ast
import functools
import types
from typing import TYPE_CHECKING

from voltfix.program.between import COMPOUND, is_sure, statements_before
from voltfix.program.bindings import Builtin, External, Local
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import names_of_functions, stores
from voltfix.program.scopes import Comprehension
from voltfix.program.walking import walk
from voltfix.torchmodel.layers import LISTS_OF_MODULES

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_HAVE = frozenset(name for kind in (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
                  for name in dir(kind))


def is_no_function(project: Project, rebound: Rebound, path: str, called: ast.expr) -> bool:
    """Was a name, which is bound once, surely asked before its call for what no function has? Or is it a layer?"""
    if _is_layer(project, rebound, path, called):
        return True
    if not isinstance(called, ast.Name):
        return False
    before = statements_before(project, path, called, loops=True)
    bound = project.resolve(path, None, called)
    if not isinstance(bound, Local) or (bound.values if bound.parameter is not None else not (
            bound.complete and len(bound.values) == 1)):
        if not _stays_while_run(project, rebound, path, called):
            return any(_asks(project, rebound, path, statement, called) and _is_bound_before(
                project, rebound, path, called, statement) for statement in before)
        scope = project.scope(path, called)
        before = (statement for statement in before if project.scope(path, statement) is scope)
    return any(_asks(project, rebound, path, statement, called) for statement in before)


def _stays_while_run(project: Project, rebound: Rebound, path: str, name: ast.Name) -> bool:
    """Is it a name of what stands around a function, which waits while that runs, and does nobody else bind it?"""
    scope = project.scope(path, name)
    return isinstance(scope, ast.FunctionDef) and not project.definitions(path, scope, name.id) and not any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global)) for node in walk(scope)) and not any(
        isinstance(node, ast.Nonlocal) and name.id in node.names for node in project.nodes(path)) and (
        not rebound.is_bound_elsewhere(path, name))


def _is_bound_before(
    project: Project, rebound: Rebound, path: str, called: ast.Name, asking: ast.stmt
) -> bool:
    """Does nothing bind a name again from where a statement asks it for something to where it is called?"""
    scope = project.scope(path, called)
    places = project.definitions(path, scope, called.id)
    if not places or project.scope(path, asking) is not scope or rebound.is_bound_elsewhere(path, called) or any(
            isinstance(node, ast.Nonlocal) and called.id in node.names for node in project.nodes(path)):
        return False
    start, end = (asking.lineno, asking.col_offset), (called.lineno, called.col_offset)
    for place in places:
        line = getattr(place.node, "lineno", None)  # what has none, as in ``with open() as name``, may stand anywhere
        if line is None or start <= (line, getattr(place.node, "col_offset", 0)) < end:
            return False
    rounds = [each for each in project.parents(path, called) if isinstance(each, (ast.For, ast.AsyncFor, ast.While))
              and not any(node is asking for node in walk(each))]
    return not any(node is place.node for each in rounds for node in walk(each) for place in places)


def _asks(project: Project, rebound: Rebound, path: str, statement: ast.stmt, called: ast.Name) -> bool:
    """Does a simple statement ask the name for such an attribute, whatever it decides?"""
    if isinstance(statement, COMPOUND):
        return False
    return any(isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
               and node.value.id == called.id and node.attr not in _HAVE and not rebound.is_assigned(node.attr)
               and is_sure(project, path, node, statement) for node in walk(statement))



def _is_layer(project: Project, rebound: Rebound, path: str, called: ast.expr) -> bool:
    """Is it taken out of an attribute that only ever holds layers: ``self.blocks[i]``, ``for block in ...``?"""
    if isinstance(called, ast.Subscript):
        return _holds_layers(project, rebound, path, called.value)
    if not isinstance(called, ast.Name) or len(project.definitions(
            path, project.scope(path, called), called.id)) != 1:
        return False
    for above in project.parents(path, called):
        loops = above.generators if isinstance(above, Comprehension) else [above]
        for loop in loops:
            if isinstance(loop, (ast.For, ast.comprehension)) and any(
                    isinstance(node, ast.Name) and node.id == called.id for node in walk(loop.target)):
                given = _gone_over(project, path, loop.target, loop.iter, called.id)
                return given is not None and _holds_layers(project, rebound, path, given)
    return False


def _gone_over(project: Project, path: str, target: ast.expr, given: ast.expr, name: str) -> ast.expr | None:
    """What a name gets the items of in a loop, which may go over several things at once; None: something else."""
    if isinstance(target, ast.Name):
        return given
    if not isinstance(target, ast.Tuple) or not isinstance(given, ast.Call) or given.keywords:
        return None
    made = project.resolve(path, None, given.func)
    over = [None, *given.args] if made == Builtin("enumerate") else given.args if made == Builtin("zip") else []
    for part, each in zip(target.elts, over, strict=False):
        if isinstance(each, ast.Starred):
            return None
        if isinstance(part, ast.Name) and part.id == name:
            return each
    return None


def _holds_layers(project: Project, rebound: Rebound, path: str, held: ast.expr) -> bool:
    """Is it an attribute that is bound to lists of layers alone, all over the project, and by its name?"""
    if not isinstance(held, ast.Attribute):
        return False
    of = project.instance(path, held.value)
    if (rebound.is_patched(held.attr) if of is None else rebound.is_said(held.attr, of)) or (
            held.attr in project.computed(names_of_functions)):
        return False
    made = [(at, project.parent(at, node)) for at, node in project.computed(stores).get(held.attr, ())]
    return bool(made) and all(
        isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
        and last_word(each.value.func) in LISTS_OF_MODULES
        and isinstance(project.resolve(at, None, each.value.func), External) for at, each in made)
