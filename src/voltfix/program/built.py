"""What a name that is put together may be asked of: a module has its own functions, an object its methods."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Binding, Local, ProjectClass, ProjectFunction, ProjectModule, is_one_of
from voltfix.program.calls import BuiltName
from voltfix.torchmodel.library import GIVES_MODULE, GIVES_NO_OBJECT

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_DEEPEST = 12  # names that stand for each other


def may_have(project: Project, built: BuiltName, function: ProjectFunction) -> bool:
    """May what a name is asked of have the function? A module has its own functions, an object its methods."""
    owner = project.hierarchy.class_around(function.path, function.node)
    holder, name = built.holder, function.qualname
    if holder is None:
        found = project.resolve(built.path, None, name) if owner is None and "." not in name else None
        return isinstance(found, ProjectFunction) and found.node is function.node
    binding = project.resolve(built.path, None, holder)
    if owner is None:
        return "." not in name and (binding.path == function.path if isinstance(binding, ProjectModule)
                                    else gives_module(project, built.path, holder))
    known = binding if isinstance(binding, ProjectClass) else project.instance(built.path, holder)
    return not isinstance(binding, ProjectModule) and not _gives_no_object(project, binding) and (
        known is None or any(cls.node is owner.node for cls in project.hierarchy.family(known)))


def gives_module(project: Project, path: str, holder: ast.expr, depth: int = 0) -> bool:
    """May an expression give any module, one that is looked for by its name?"""
    binding = project.resolve(path, None, holder)
    if isinstance(binding, Local) and binding.values:
        return depth < _DEEPEST and any(
            gives_module(project, binding.path, value, depth + 1) for value in binding.values)
    asked = holder.func if isinstance(holder, ast.Call) else (
        holder.value if isinstance(holder, ast.Subscript) else None)
    of = project.resolve(path, None, asked) if asked is not None else None
    return is_one_of(of, GIVES_MODULE)


def holds_no_object(project: Project, path: str, holder: ast.expr) -> bool:
    """Is it a module, or only ever made by what gives no object of the project?"""
    binding = project.resolve(path, None, holder)
    return isinstance(binding, ProjectModule) or _gives_no_object(project, binding)


def _gives_no_object(project: Project, binding: Binding) -> bool:
    """Is something only ever made by what gives no object of the project?"""
    if not isinstance(binding, Local) or not binding.complete or not binding.values:
        return False
    return all(_makes_no_object(project, binding.path, value) for value in binding.values)


def _makes_no_object(project: Project, path: str, value: ast.expr) -> bool:
    """Does it call what gives a module, or the settings of a command, and fills no object that it is handed?"""
    of = project.resolve(path, None, value.func) if isinstance(value, ast.Call) else None
    return is_one_of(of, GIVES_MODULE) or (is_one_of(of, GIVES_NO_OBJECT) and isinstance(value, ast.Call) and (
        len(value.args) < 2 and all(k.arg == "args" for k in value.keywords)))  # no namespace=
