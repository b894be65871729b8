"""Part of VF201: could somebody tell ``Variable(x)`` from ``x`` itself?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.modernize.kinds import Instance
from voltfix.modernize.scene import Scene
from voltfix.program.bindings import ProjectClass, ProjectFunction
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

_FLAGGED = re.compile(r"\.requires_grad\s*=\s*True|\.requires_grad_\(\s*(?:True)?\s*\)|\.retain_grad\(")
_TELLING = frozenset({"requires_grad", "volatile", "grad", "data"})


def cannot_tell(scene: Scene, path: str, call: ast.Call, value: ast.expr) -> bool:
    """Would nobody notice that the result is the very object that went in?"""
    if isinstance(value, ast.Call) and is_fresh(scene, path, value):
        return True
    above = scene.project.parent(path, call)
    if isinstance(above, (ast.Return, ast.Yield)) or _to_self(above):
        return not _flags_set(scene)
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name) and len(above.targets) == 1:
        name = above.targets[0].id
        return not is_told(scene, path, call, name)
    return not _is_written_by_callee(scene, path, call)


def _to_self(above: ast.AST | None) -> bool:
    return isinstance(above, ast.Assign) and any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in above.targets)


def _flags_set(scene: Scene) -> bool:
    """Does any code of the project switch gradients on for a tensor?"""
    return any(_FLAGGED.search(module.text) for module in scene.project.modules.values())


def is_told(scene: Scene, path: str, call: ast.Call, name: str) -> bool:
    """Does the function around set flags of ``name``, or write into it, by itself or by what it calls?"""
    around = next((a for a in scene.project.parents(path, call) if isinstance(a, (*FUNCTIONS, ast.Module))), None)
    if around is None:
        return False
    handed = [n for n in walk(around) if isinstance(n, ast.Name) and n.id == name]
    return _changes(around, name) or any(_is_written_by_callee(scene, path, node) for node in handed)


def _is_written_by_callee(scene: Scene, path: str, argument: ast.expr) -> bool:
    """Is it handed to a function of the project that writes into it?"""
    above = scene.project.parent(path, argument)
    name = above.arg if isinstance(above, ast.keyword) else None
    call = scene.project.parent(path, above) if isinstance(above, ast.keyword) else above
    if not isinstance(call, ast.Call) or call.func is argument:
        return False
    for function, bound in _called(scene, path, call):
        parameter = name if name is not None else _parameter(function, call.args.index(argument) + bound)
        if parameter is not None and _changes(function.node, parameter, (scene, function.path)):
            return True
    return False


def _parameter(function: ProjectFunction, place: int) -> str | None:
    parameters = [*function.node.args.posonlyargs, *function.node.args.args]
    return parameters[place].arg if place < len(parameters) else None


def _called(scene: Scene, path: str, call: ast.Call) -> Iterator[tuple[ProjectFunction, int]]:
    """The functions of the project that a call may enter, and how many parameters are bound already."""
    for binding in scene.may_be(path, call.func):
        if isinstance(binding, ProjectFunction):
            yield binding, int("." in binding.qualname and isinstance(call.func, ast.Attribute))
    kind = scene.kind(path, call.func)
    for one in (kind, *kind.others) if isinstance(kind, Instance) else ():
        for name in ("__call__", "forward") if isinstance(one.cls, ProjectClass) else ():
            found = scene.project.method(one.cls, name) if isinstance(one.cls, ProjectClass) else None
            if isinstance(found, ProjectFunction):
                yield found, 1


def _changes(around: ast.AST, name: str, handed: tuple[Scene, str] | None = None) -> bool:
    """Does the body set flags of ``name``, or write into it? ``handed``: as far as it is the parameter."""
    return any(node.id == name and (handed is None or _is_parameter(*handed, node)) for node in _written(around))


def _written(around: ast.AST) -> Iterator[ast.Name]:
    """The names that something is written into, or whose flags are set."""
    for node in walk(around):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Name):
            stored = isinstance(node.ctx, ast.Store)
            if isinstance(node, ast.Subscript):
                told = stored
            else:
                told = stored and node.attr in _TELLING
                told = told or node.attr in ("register_hook", "retain_grad") or _in_place(node.attr)
            if told:
                yield node.value


def _is_parameter(scene: Scene, path: str, node: ast.Name) -> bool:
    return any(reach.how == "parameter" for reach in scene.kinds.reaches(path, node))


def _in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def is_fresh(scene: Scene, path: str, value: ast.expr) -> bool:
    """Is it made on the spot, so that nobody else holds it?"""
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    if isinstance(func, ast.Name):
        return func.id[:1].isupper() and not any(isinstance(b, ProjectFunction) for b in scene.may_be(path, func))
    while isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call):
        if func.attr not in (
            "cuda",
            "zero_",
            "fill_",
            "normal_",
            "uniform_",
            "float",
            "long",
            "double",
            "resize_",
        ):
            return False
        func = func.value.func
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in ("torch", "th")
