"""What a ``**`` argument can hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

from voltfix.program.arguments import calls_of
from voltfix.program.bindings import Builtin, Local, ProjectFunction
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS

_DEEPEST = 8


class Holds(Enum):
    """Does a mapping hold a key?"""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def holds(project: Project, path: str, value: ast.expr, keys: frozenset[str], depth: int = 0) -> Holds:
    """Does the mapping ``value`` hold one of ``keys``? UNKNOWN where it is not written out."""
    if depth > _DEEPEST:
        return Holds.UNKNOWN
    if isinstance(value, ast.Dict):
        return _display(project, path, value, keys, depth)
    if isinstance(value, ast.Call):
        return _made_by_dict(project, path, value, keys, depth)
    if isinstance(value, ast.IfExp):
        return _any(holds(project, path, v, keys, depth + 1) for v in (value.body, value.orelse))
    if isinstance(value, (ast.Name, ast.Attribute)):
        return _named(project, path, value, keys, depth)
    return Holds.UNKNOWN


def _any(answers: Iterator[Holds] | list[Holds]) -> Holds:
    found = set(answers)
    if Holds.YES in found:
        return Holds.YES
    return Holds.UNKNOWN if Holds.UNKNOWN in found else Holds.NO


def _display(project: Project, path: str, value: ast.Dict, keys: frozenset[str], depth: int) -> Holds:
    answers = []
    for key, inner in zip(value.keys, value.values, strict=True):
        if key is None:
            answers.append(holds(project, path, inner, keys, depth + 1))
        elif isinstance(key, ast.Constant):
            answers.append(Holds.YES if key.value in keys else Holds.NO)
        else:
            answers.append(Holds.UNKNOWN)
    return _any(answers)


def _made_by_dict(project: Project, path: str, value: ast.Call, keys: frozenset[str], depth: int) -> Holds:
    if not isinstance(value.func, ast.Name) or project.resolve(path, None, value.func) != Builtin("dict"):
        return Holds.UNKNOWN
    answers = [holds(project, path, argument, keys, depth + 1) for argument in value.args]
    for keyword in value.keywords:
        if keyword.arg is None:
            answers.append(holds(project, path, keyword.value, keys, depth + 1))
        else:
            answers.append(Holds.YES if keyword.arg in keys else Holds.NO)
    return _any(answers)


def _named(
    project: Project, path: str, value: ast.Name | ast.Attribute, keys: frozenset[str], depth: int
) -> Holds:
    binding = project.resolve(path, None, value)
    if not isinstance(binding, Local):
        return Holds.UNKNOWN
    changed = _changes(project, binding.path, ast.unparse(value), keys)
    if changed is not Holds.NO:
        return changed
    if binding.parameter is not None:
        return _catch_all(project, binding.path, binding.parameter, keys, depth)
    if not binding.complete or not binding.values:
        return Holds.UNKNOWN
    return _any(holds(project, binding.path, v, keys, depth + 1) for v in binding.values)


def _changes(project: Project, path: str, name: str, keys: frozenset[str]) -> Holds:
    """What ``name[key] = ...`` and ``name.update(...)`` put into a mapping of that name in the module."""
    table = project.table(path)
    found = Holds.NO
    for node in table.owner if table is not None else ():
        put: Holds | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if ast.unparse(node.value) == name:
                put = _key(node.slice, keys)
        elif isinstance(node, ast.Call) and _changed_by(node) == name:
            put = _updated(node, keys)
        if put is Holds.YES:
            return put
        found = put if put is Holds.UNKNOWN else found
    return found


def _changed_by(call: ast.Call) -> str:
    """The text of ``x`` in ``x.update(...)``."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("update", "setdefault"):
        return ast.unparse(call.func.value)
    return ""


def _key(key: ast.expr, keys: frozenset[str]) -> Holds:
    if not isinstance(key, ast.Constant):
        return Holds.UNKNOWN
    return Holds.YES if key.value in keys else Holds.NO


def _updated(call: ast.Call, keys: frozenset[str]) -> Holds:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "setdefault" and call.args:
        return _key(call.args[0], keys)
    named = {keyword.arg for keyword in call.keywords}
    if named & keys:
        return Holds.YES
    given: list[ast.expr | None] = []
    for argument in call.args:
        given += argument.keys if isinstance(argument, ast.Dict) else [None]
    if any(isinstance(key, ast.Constant) and key.value in keys for key in given):
        return Holds.YES
    unknown = None in named or not all(isinstance(key, ast.Constant) for key in given)
    return Holds.UNKNOWN if unknown else Holds.NO


def _catch_all(project: Project, path: str, parameter: ast.arg, keys: frozenset[str], depth: int) -> Holds:
    """``**kwargs`` of a function holds what its callers hand over under names that no parameter takes."""
    table = project.table(path)
    node = table.owner[parameter].node if table is not None else None
    function = project.function(path, node) if isinstance(node, FUNCTIONS) else None
    if function is None or function.node.args.kwarg is not parameter:
        return Holds.UNKNOWN
    return _handed_over(project, function, keys, depth)


def _handed_over(project: Project, function: ProjectFunction, keys: frozenset[str], depth: int) -> Holds:
    calls = list(calls_of(project, function))
    unseen = not calls or _escapes(project, function)  # callers that nobody here sees
    answers = [Holds.UNKNOWN if unseen else Holds.NO]
    for path, call, _ in calls:
        for keyword in call.keywords:
            if keyword.arg is None and not _is_own(project, path, keyword.value, function):
                answers.append(holds(project, path, keyword.value, keys, depth + 1))
            elif keyword.arg in keys:
                answers.append(Holds.YES)
    return _any(answers)


def _is_own(project: Project, path: str, value: ast.expr, function: ProjectFunction) -> bool:
    """Is it the function's own catch-all, which it hands to itself? Nothing new comes in by that."""
    binding = project.resolve(path, None, value) if isinstance(value, ast.Name) else None
    own = function.node.args.kwarg
    return own is not None and isinstance(binding, Local) and binding.parameter is own


def _escapes(project: Project, function: ProjectFunction) -> bool:
    """Is the function handed over as a value?"""
    return any(reference.kind in ("value", "maybe") for reference in project.computed(References).of(function))
