"""Which expressions may be torch's Variable, or something else: what calls of those mean nobody here can say."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.program.bindings import VARIABLE, Ambiguous, External, Local, ProjectClass, ProjectFunction
from voltfix.program.resolve import Project

_DEEPEST = 6


def may_be_variable(project: Project, path: str, expression: ast.expr) -> bool:
    """May ``expression``, which is not Variable for sure, be it?

    ``make or Variable``, a choice between two, an entry of a display, and names that hold one of these. A name that
    may be another library's Variable, or the project's own, is taken for that.
    """
    return _may_be(project, path, expression, 0)


def _may_be(project: Project, path: str, expression: ast.expr, depth: int) -> bool:
    if depth > _DEEPEST:
        return False
    if isinstance(expression, ast.Subscript):
        return any(_may_be(project, at, part, depth + 1) for at, part in _entries(project, path, expression.value))
    if isinstance(expression, ast.Call):
        return _asked_for(project, path, expression) == VARIABLE
    if not isinstance(expression, (ast.Name, ast.Attribute)):
        return any(_may_be(project, path, part, depth + 1) for part in _choices(expression))
    binding = project.resolve(path, None, expression)
    if isinstance(binding, Local):
        return any(_may_be(project, binding.path, value, depth + 1) for value in binding.values)
    candidates = binding.candidates if isinstance(binding, Ambiguous) else (binding,)
    name = expression.attr if isinstance(expression, ast.Attribute) else expression.id
    if any(isinstance(own, (ProjectClass, ProjectFunction)) and own.qualname == name for own in candidates):
        return False  # a definition of the project that shadows an import
    outside = {candidate.name for candidate in candidates if isinstance(candidate, External)}
    return outside == {VARIABLE}


def _choices(expression: ast.expr) -> list[ast.expr]:
    """What the value of ``expression`` is one of."""
    if isinstance(expression, ast.BoolOp):
        return expression.values
    if isinstance(expression, ast.IfExp):
        return [expression.body, expression.orelse]
    return [expression.value] if isinstance(expression, ast.NamedExpr) else []


def _asked_for(project: Project, path: str, call: ast.Call) -> str | None:
    """The dotted name of ``getattr(autograd, "Variable")``."""
    if not isinstance(call.func, ast.Name) or call.func.id != "getattr" or len(call.args) < 2:
        return None
    holder, name = project.resolve(path, None, call.args[0]), call.args[1]
    if not isinstance(holder, External) or not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    return f"{holder.name}.{name.value}"


def _entries(project: Project, path: str, holder: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """What stands in a list, tuple or dictionary that is written out, there or where its name is bound."""
    places = [(path, holder)]
    if isinstance(holder, (ast.Name, ast.Attribute)):
        binding = project.resolve(path, None, holder)
        places = [(binding.path, value) for value in binding.values] if isinstance(binding, Local) else []
    for at, display in places:
        if isinstance(display, ast.Dict):
            yield from ((at, value) for value in display.values)
        elif isinstance(display, (ast.List, ast.Tuple)):
            yield from ((at, value) for value in display.elts)
