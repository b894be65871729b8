"""May the expression of a flag go? What it does beside having a value would go with it."""

from __future__ import annotations

import ast

from voltfix.program.bindings import Ambiguous, Builtin, External, ProjectFunction
from voltfix.program.resolve import Project
from voltfix.program.walking import walk
from voltfix.torchmodel.python import EFFECTLESS
from voltfix.torchmodel.tables import EFFECTLESS_METHODS

DEPTH = 4  # of functions that call each other
LIBRARIES = ("torch.cuda.is_available", "torch.is_grad_enabled", "torch.is_tensor", "math.", "os.path.", "os.getenv",
             "os.environ.get", "numpy.bool_", "numpy.any", "numpy.all", "numpy.isnan", "operator.")  # fmt: skip
EFFECTS = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def effectless(project: Project, path: str, expression: ast.AST, depth: int = DEPTH) -> bool:
    """Is nothing lost where ``expression`` is not evaluated? Calls have to be known to leave nothing behind."""
    for node in walk(expression):
        if isinstance(node, EFFECTS):
            return False
        if isinstance(node, ast.Call) and not _harmless_call(project, path, node, depth):
            return False
    return True


def _harmless_call(project: Project, path: str, call: ast.Call, depth: int) -> bool:
    found = project.resolve(path, None, call.func)
    candidates = found.candidates if isinstance(found, Ambiguous) else (found,)
    return all(_harmless(project, call, each, depth) for each in candidates)


def _harmless(project: Project, call: ast.Call, found: object, depth: int) -> bool:
    if isinstance(found, Builtin):
        return found.name in EFFECTLESS
    if isinstance(found, External):
        return found.name.startswith(LIBRARIES)
    if isinstance(found, ProjectFunction):
        return depth > 0 and _only_computes(project, found, depth - 1)
    return isinstance(call.func, ast.Attribute) and call.func.attr in EFFECTLESS_METHODS


def _only_computes(project: Project, function: ProjectFunction, depth: int) -> bool:
    """Does a function of the project nothing but find out what it returns?"""
    if isinstance(function.node, ast.AsyncFunctionDef):
        return True  # a call makes a coroutine, and runs nothing
    body = [function.node.body] if isinstance(function.node, ast.Lambda) else function.node.body
    for statement in body:
        for node in walk(statement):
            if isinstance(node, ast.stmt) and not isinstance(node, (ast.Return, ast.If, ast.Pass)) and not _quiet(node):
                return False
        if not effectless(project, function.path, statement, depth):
            return False
    return True


def _quiet(statement: ast.stmt) -> bool:
    """Is it an assignment to a name of the function's own, or a docstring?"""
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
