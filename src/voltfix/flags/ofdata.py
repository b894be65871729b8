"""Flags that are written to what ``Variable`` is made of right after: they are on plain data, and mean nothing.

``x.volatile = True`` and then ``x = Variable(x)``: on 0.3 ``Variable`` raised for a Variable, so whatever came past it
was a plain tensor, on which any attribute can be set and none is looked at. The Variable that was made then has a flag
of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from voltfix.flags.leaves import suites
from voltfix.program.bindings import VARIABLE, External
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import stores
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_NAME = "volatile"
_SIMPLE = (ast.Name, ast.Attribute, ast.Constant)
_RUN_ON = (ast.If, ast.For, ast.While)  # what is around lets what is raised through
_CATCHING = frozenset({"RuntimeError", "Exception", "BaseException", "StandardError"})


def written_to_data(project: Project, rebound: Rebound) -> frozenset[ast.AST]:
    """The ``x.volatile`` of such writes; none where anybody may ask data for an attribute of that name."""
    found: set[ast.AST] = set()
    for path in project.paths:
        if _NAME not in project.modules[path].text:
            continue
        for node in project.nodes(path):
            if _may_ask(node):
                return frozenset()
            if isinstance(node, ast.Assign) and _is_wrapped_next(project, rebound, path, node):
                found.add(node.targets[0])
    return frozenset(found)


def _may_ask(node: ast.AST) -> bool:
    """Does it ask for ``.volatile``, or say the name as text, as ``getattr`` is given it?"""
    asked = node.target if isinstance(node, ast.AugAssign) else node
    if isinstance(asked, ast.Attribute) and asked.attr == _NAME:
        return asked is not node or not isinstance(asked.ctx, ast.Store)
    return isinstance(node, ast.Constant) and node.value == _NAME


def _is_wrapped_next(project: Project, rebound: Rebound, path: str, write: ast.Assign) -> bool:
    name = _written(write)
    if name is None or not _comes_through(project, path, write):
        return False
    suite = next((each for each in suites(project.parent(path, write)) if write in each), [])
    for statement in suite[suite.index(write) + 1 :] if suite else ():
        wraps = _wrapped(project, rebound, path, statement)
        if name in wraps:
            return True
        sets = isinstance(statement, ast.Assign) and _written(statement) not in (None, name)
        if not sets and (not wraps or any(_binds(node, name) for node in walk(statement))):
            return False  # it may look at the flag, leave, or give the name to something else
    return False


def _binds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def _written(statement: ast.Assign) -> str | None:
    """``x`` of ``x.volatile = on``, where nothing else is done."""
    target = statement.targets[0]
    if len(statement.targets) > 1 or not isinstance(target, ast.Attribute) or target.attr != _NAME or not isinstance(
            target.value, ast.Name) or any(isinstance(each, ast.Call) for each in walk(statement.value)):
        return None
    read = any(isinstance(each, ast.Name) and each.id == target.value.id for each in walk(statement.value))
    return None if read else target.value.id


def _wrapped(project: Project, rebound: Rebound, path: str, statement: ast.stmt) -> frozenset[str]:
    """The names of which a statement makes a Variable each, and does nothing else with anything.

    ``x, y = Variable(x), Variable(y)``, of each what a method of a tensor gives, too: ``Variable(x).cuda()``.
    """
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return frozenset()
    target = statement.targets[0]
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    made = statement.value.elts if isinstance(statement.value, (ast.Tuple, ast.List)) else [statement.value]
    found = [_data_of(project, rebound, path, each) for each in made]
    if not all(isinstance(each, ast.Name) for each in names) or None in found:
        return frozenset()
    return frozenset(each for each in found if each is not None)


def _data_of(project: Project, rebound: Rebound, path: str, made: ast.expr) -> str | None:
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and isinstance(made.func.value, ast.Call):
        if not all(isinstance(each, _SIMPLE) for each in _given(made)):
            return None
        made = made.func.value
    if not isinstance(made, ast.Call) or not _is_variable(project, rebound, path, made.func):
        return None
    data = made.args[0] if made.args else next((each.value for each in made.keywords if each.arg == "data"), None)
    others = [each for each in _given(made) if each is not data]
    plain = all(isinstance(each, _SIMPLE) for each in others) and all(each.arg for each in made.keywords)
    return data.id if plain and isinstance(data, ast.Name) else None


def _given(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (each.value for each in call.keywords)


def _is_variable(project: Project, rebound: Rebound, path: str, called: ast.expr) -> bool:
    """Is it torch's, under whatever name, and does nobody put another in its place?"""
    replaced = rebound.is_bound_elsewhere(path, called) if isinstance(called, ast.Name) else (
        not isinstance(called, ast.Attribute) or rebound.is_patched(called.attr))
    return not replaced and project.resolve(path, project.scope(path, called), called) == External(VARIABLE) and (
        VARIABLE.rpartition(".")[2] not in project.computed(stores))


def _comes_through(project: Project, path: str, write: ast.stmt) -> bool:
    """Does what is raised there leave the function, and does nobody go on who calls it?"""
    for above in project.parents(path, write):
        if isinstance(above, FUNCTIONS):
            name = getattr(above, "name", None)
            decorated = getattr(above, "decorator_list", ())  # by what may catch it
            return name is not None and not decorated and name not in project.computed(_caught)
        if not isinstance(above, (*_RUN_ON, ast.Module)):
            return False
    return True


def _caught(project: Project) -> frozenset[str]:
    """What functions are called of which somebody may catch what ``Variable`` raised."""
    return frozenset(
        name for path in project.paths for node in project.nodes(path)
        if isinstance(node, ast.Try) and any(map(_catches, node.handlers))
        for statement in node.body for call in walk(statement)
        if isinstance(call, ast.Call) and (name := last_word(call.func)) is not None)


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(not isinstance(each, ast.Name) or each.id in _CATCHING for each in kinds)
