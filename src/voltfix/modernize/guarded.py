"""What stands behind a guard for Python 2: only an older Python gets there, or its failing is provided for."""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from typing import Any

from voltfix.modernize.scene import Scene
from voltfix.program.bindings import Builtin, External, Local

Block = list[ast.stmt]

_VERSION = (3, 10, 0)  # the oldest Python that is meant by today's; what is asked of it is whether it is Python 3
_KNOWN = {"sys.version_info": _VERSION, "sys.version": "3.10.0", "sys.hexversion": 0x030A00F0,
          "sys.version_info.major": 3, "six.PY2": False, "six.PY3": True}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_RAISED = {ast.Import: ("ImportError", "ModuleNotFoundError"), ast.ImportFrom: ("ImportError", "ModuleNotFoundError"),
           ast.Name: ("NameError",), ast.Attribute: ("AttributeError",)}  # fmt: skip
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_DEEPEST = 8  # names of names


def is_guarded(scene: Scene, path: str, node: ast.AST) -> bool:
    """Does the place never run on Python 3, or is what it raises there caught, and something else done?"""
    below = node
    for above in scene.project.parents(path, node):
        if isinstance(above, ast.Try) and _is_provided_for(scene, path, above, below, node):
            return True
        if isinstance(above, (ast.If, ast.IfExp)) and _is_of_the_past(scene, path, above, below):
            return True
        if isinstance(below, ast.stmt) and any(_leaves(scene, path, each) for each in _before(above, below)):
            return True
        below = above
    return False


def is_own_method(scene: Scene, path: str, node: ast.Attribute) -> bool:
    """May it be a method of that name that a class of the project has? Not where it is asked of a dictionary."""
    project = scene.project
    if not any(isinstance(member, ast.FunctionDef) and member.name == node.attr
               for cls in project.classes() for member in cls.node.body):  # fmt: skip
        return False
    return not _is_dictionary(scene, path, node.value)


def _is_dictionary(scene: Scene, path: str, value: ast.expr) -> bool:
    if isinstance(value, (ast.Dict, ast.DictComp)):
        return True
    if isinstance(value, ast.Call):
        made = scene.project.resolve(path, None, value.func)
        return made in (Builtin("dict"), Builtin("vars")) or (
            isinstance(made, External) and made.name in ("collections.OrderedDict", "collections.defaultdict"))
    held = scene.project.resolve(path, None, value)
    return isinstance(held, Local) and held.complete and bool(held.values) and all(
        not isinstance(each, ast.Name) and _is_dictionary(scene, held.path, each) for each in held.values)


# --- try and except --------------------------------------------------------------------------------------------------


def _is_provided_for(scene: Scene, path: str, guard: ast.Try, below: ast.AST, node: ast.AST) -> bool:
    raised = next((names for kind, names in _RAISED.items() if isinstance(node, kind)), ())
    mending = [handler for handler in guard.handlers if _catches(handler, raised) and not _gives_up(handler)]
    if below in guard.body:
        return bool(mending)
    return below in mending and _works_today(scene, path, guard.body)


def _catches(handler: ast.ExceptHandler, raised: tuple[str, ...]) -> bool:
    """Is it for what the place raises? One for everything is where it imports something else."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    if names.intersection(raised):
        return True
    return (handler.type is None or "Exception" in names) and "ImportError" in raised and any(
        isinstance(each, (ast.Import, ast.ImportFrom)) for each in handler.body)


def _gives_up(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.body[-1], ast.Raise)


def _works_today(scene: Scene, path: str, body: Block) -> bool:
    """Does what is tried first import what every Python 3 has, or use a name of it?"""
    imported = [alias.name for each in body if isinstance(each, ast.Import) for alias in each.names]
    imported += [each.module or "" for each in body if isinstance(each, ast.ImportFrom) and not each.level]
    if imported:
        return all(name.split(".")[0] in sys.stdlib_module_names for name in imported)
    tried = [each for part in body for each in ast.walk(part) if isinstance(each, ast.Name)]
    return bool(tried) and all(isinstance(scene.project.resolve(path, None, each), Builtin) for each in tried
                               if isinstance(each.ctx, ast.Load))  # fmt: skip


# --- the version -----------------------------------------------------------------------------------------------------


def _is_of_the_past(scene: Scene, path: str, above: ast.If | ast.IfExp, below: ast.AST) -> bool:
    """Is it the branch that Python 3 does not take?"""
    bodies = [each if isinstance(each, list) else [each] for each in (above.body, above.orelse)]
    branch = next((number for number, body in enumerate(bodies) if below in body), None)
    if branch is None:
        return False
    taken = _answer(scene, path, above.test)
    return taken is not None and bool(taken) == (branch == 1)


def _before(above: ast.AST, below: ast.stmt) -> Block:
    """The statements in front of one, in the same block."""
    if isinstance(above, (ast.Module, ast.ClassDef)):
        return []
    for field in ("body", "orelse", "finalbody"):
        block = getattr(above, field, None)
        if isinstance(block, list) and below in block:
            return block[: block.index(below)]
    return []


def _leaves(scene: Scene, path: str, statement: ast.stmt) -> bool:
    """``if sys.version_info[0] >= 3: return ...``"""
    if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], _LEAVING):
        return False
    return bool(_answer(scene, path, statement.test))


def _answer(scene: Scene, path: str, test: ast.expr) -> Any:
    """What a check of the version says on Python 3; None where it asks for something else."""
    asked: list[str] = []
    try:
        said = _value(scene, path, test, asked)
    except (LookupError, TypeError, ValueError):
        return None
    return said if asked else None


def _value(scene: Scene, path: str, node: ast.expr, asked: list[str], depth: int = 0) -> Any:
    """What an expression gives; ``asked`` gets the names of what it asks for of the version."""

    def of(part: ast.expr) -> Any:
        return _value(scene, path, part, asked, depth + 1)

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(map(of, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not of(node.operand)
    if isinstance(node, ast.BoolOp):  # one part may decide, whatever the others are
        decides = isinstance(node.op, ast.Or)
        answers = [_answer(scene, path, part) for part in node.values]
        asked += ["" for each in answers if each is not None]
        if any(each is not None and bool(each) == decides for each in answers):
            return decides
        if None not in answers:
            return not decides
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        return _COMPARED[type(node.ops[0])](of(node.left), of(node.comparators[0]))
    if isinstance(node, ast.Subscript):
        return of(node.value)[_index(node.slice, of)]
    if isinstance(node, (ast.Name, ast.Attribute)):
        bound = scene.project.resolve(path, None, node)
        if isinstance(bound, External) and bound.name in _KNOWN:
            asked.append(bound.name)
            return _KNOWN[bound.name]
        if isinstance(bound, Local) and bound.complete and len(bound.values) == 1 and depth < _DEEPEST:
            return _value(scene, bound.path, bound.values[0], asked, depth + 1)
    raise LookupError


def _index(node: ast.expr, of: Callable[[ast.expr], Any]) -> Any:
    if not isinstance(node, ast.Slice):
        return of(node)
    return slice(*(None if part is None else of(part) for part in (node.lower, node.upper, node.step)))
