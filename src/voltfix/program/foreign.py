"""What is called by a parameter's name and comes from outside, whoever calls: ``block(64)`` that is given torch's own.

A parameter that is only ever handed a class or a function of a library stands for that, as the name itself would.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, Local, ProjectFunction
from voltfix.program.layered import Layered
from voltfix.program.mentions import stores
from voltfix.program.receivers import handed_for
from voltfix.torchmodel.layers import HOLDS_MODULES

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_MOST = 40  # places that are gone through for one question


def only_foreign(project: Project, rebound: Rebound, path: str, called: ast.expr) -> tuple[ProjectFunction, ...] | None:
    """The functions through which a name got what it stands for, where all of that is from outside; else None.

    That holds where these functions are called by their names alone.
    """
    through: dict[ast.AST, ProjectFunction] = {}
    waiting, seen, foreign = [(path, called)], set[ast.expr](), False
    while waiting:
        at, part = waiting.pop()
        if part in seen or (isinstance(part, ast.Constant) and part.value is None):
            continue  # to call None raises
        seen.add(part)
        if not isinstance(part, (ast.Name, ast.Attribute)) or len(seen) > _MOST or (
                isinstance(part, ast.Attribute) and rebound.is_patched(part.attr)) or (
                isinstance(part, ast.Name) and rebound.is_bound_elsewhere(at, part)):
            return None
        bound = project.resolve(at, None, part)
        if isinstance(bound, External):
            foreign = True
        elif isinstance(bound, Local) and (parameter := project.handed_as(bound)) is not None:
            handed = handed_for(project, bound.path, parameter)
            if handed is None or not handed.values:
                return None
            through[handed.by.node] = handed.by
            waiting += handed.values
        elif isinstance(bound, Local) and bound.parameter is None and bound.complete and bound.values:
            waiting += [(bound.path, value) for value in bound.values]
        else:
            return None
    return tuple(through.values()) if foreign else None


def holds_layer(
    project: Project, rebound: Rebound, path: str, called: ast.expr,
    beside: Callable[[str, ast.expr], bool] | None = None,
) -> bool:
    """Is it an attribute that holds a layer of torch's, whatever binds it?

    ``beside``: says of what is put into the table of a network whether it will do, too; none does where it is missing.
    """
    if not isinstance(called, ast.Attribute) or rebound.is_patched_at(path, called):
        return False
    put = project.computed(Layered).put_beside(called.attr)
    if put is None or (put and (beside is None or not all(beside(*each) for each in put))):
        return False
    held = project.resolve(path, None, called)
    return isinstance(held, Local) and held.complete and bool(held.values) and all(
        _makes_layer(project, held.path, value, called.attr) for value in held.values)


def _makes_layer(project: Project, path: str, value: ast.expr, held: str, named: bool = False) -> bool:
    """Is it a layer that is made, or several in a row, which nobody puts another one into?

    ``named``: it has a name of the function's first, by which several in a row may get another one.
    """
    if isinstance(value, ast.Name) and not named:
        made = project.bound_within(path, value)
        return bool(made) and all(_makes_layer(project, path, each, held, named=True) for each in made)
    of = project.resolve(path, None, value.func) if isinstance(value, ast.Call) else None
    module, _, name = of.name.rpartition(".") if isinstance(of, External) else ("", "", "")
    if name == "Sequential" and isinstance(value, ast.Call) and not value.keywords and not named and (
            project.computed(Layered).is_left_alone(held)):
        return module == "torch.nn" and all(_makes_layer(project, path, each, held) for each in value.args)
    return module == "torch.nn" and name not in HOLDS_MODULES and name[:1].isupper() and (
        name not in project.computed(stores))
