"""Whether modules go about as values: else no object has under a name what stands at the top level of a module.

``x.train`` of something unknown may be a method of it, or what somebody put there. It is a function of a module's only
where ``x`` may be a module: handed over, kept, looked for by its name, or loaded by what runs a file. Settings of a
command line are none, where no module goes about.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Set
from typing import TYPE_CHECKING

from voltfix.model import file_of
from voltfix.program.bindings import (
    Ambiguous,
    Binding,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    ProjectModule,
    Unknown,
    is_one_of,
)
from voltfix.program.mentioned import last_word
from voltfix.torchmodel.library import GIVES_MODULE, LOADS_MODULE, RUNS_FILES, RUNS_TEXTS, is_torch

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_DEEPEST = 12  # names that stand for each other
_GIVES = GIVES_MODULE | RUNS_FILES | {"inspect.getmodule", "importlib.reload", "imp.reload"}
_LAST = frozenset(name.rsplit(".", 1)[-1] for name in _GIVES)
_HAS = LOADS_MODULE | {"f_globals"}  # of what loads a module, and of a frame
_SHOWS = RUNS_TEXTS | {"globals", "locals"}  # have all names of a module, or make them


def modules_go_about(project: Project) -> bool:
    """May a module be what a name stands for, an attribute or an item, beside the name that an import gives it?"""
    if project.for_others:
        return True
    stems = {"__main__", *(part for path in project.paths for part in posixpath.splitext(file_of(path))[0].split("/"))}
    words = stems | {alias.asname for path in project.paths for node in project.nodes(path)
                     if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names if alias.asname}
    return any(_is_module(project, path, node, words, stems) for path in project.paths for node in project.nodes(path))


def is_no_module(project: Project, path: str, of: ast.expr, depth: int = 0) -> bool:
    """Is it settings of a command line, what torch made, or a part of that? What is handed over may be a module."""
    while isinstance(of, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(of, ast.Call):
            made = project.resolve(path, None, of.func)
            if isinstance(made, External):
                return made.name.startswith("argparse.") or is_torch(made.name)
            if isinstance(made, (ProjectFunction, ProjectClass)):
                return False
            of = of.func
        else:
            of = of.value
    found = project.resolve(path, None, of) if isinstance(of, ast.Name) else None
    return isinstance(found, Local) and found.parameter is None and found.complete and depth < _DEEPEST and all(
        is_no_module(project, found.path, value, depth + 1) for value in found.values)


def _is_module(project: Project, path: str, node: ast.AST, words: Set[str], stems: Set[str]) -> bool:
    """May an expression give a module to whoever has what it stands in?"""
    if isinstance(node, ast.Call) and last_word(node.func) == "vars" and not node.args:
        return True
    if isinstance(node, (ast.Import, ast.ImportFrom)):  # what a class binds, its objects have
        return isinstance(project.scope(path, node), ast.ClassDef)
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return False
    word = last_word(node)
    if isinstance(node, ast.Attribute) and word in _HAS:
        return True
    if isinstance(node, ast.Name) and word in _SHOWS:
        return True
    if (word in _LAST or word in words) and is_one_of(project.resolve(path, None, node), _GIVES):
        return True
    above = project.parent(path, node)
    asked = isinstance(above, ast.Attribute) and not above.attr.startswith("__")
    return word in words and not asked and _may_be_module(project.resolve(path, None, node), node, stems)


def _may_be_module(binding: Binding, node: ast.expr, stems: Set[str]) -> bool:
    if isinstance(binding, Ambiguous):
        return any(_may_be_module(each, node, stems) for each in binding.candidates)
    if isinstance(binding, External):
        return not stems.isdisjoint(binding.name.split("."))  # a name that several files have
    return isinstance(binding, ProjectModule) or (isinstance(binding, Unknown) and isinstance(node, ast.Name))
