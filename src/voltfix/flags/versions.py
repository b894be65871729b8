"""What a question about torch's version answers today: yes, no, or who knows.

``minor > 3 and major == 0`` was yes on 0.4, and is no from 1.0 on: the arm for older versions is what runs today.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from voltfix.program.arguments import unpacks
from voltfix.program.bindings import External, Local
from voltfix.program.mentions import stores
from voltfix.program.resolve import Project
from voltfix.program.walking import walk
from voltfix.torchmodel.names import asks_version

_TODAY = 2  # the first number of every version that is meant by today's torch
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_DEEPEST = 4  # names that stand for names


def today(project: Project, path: str, test: ast.expr, depth: int = 0) -> bool | None:
    """The answer on today's torch; None where the version does not say it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        answer = today(project, path, test.operand, depth)
        return None if answer is None else not answer
    if isinstance(test, ast.BoolOp):
        decides = isinstance(test.op, ast.Or)
        answers = [today(project, path, each, depth) for each in test.values]
        return decides if decides in answers else None if None in answers else not decides
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = (_standing_for(project, path, each) for each in (test.left, test.comparators[0]))
        return _compared(left, test.ops[0], right)
    if isinstance(test, ast.Call):
        return _begins(test)
    if isinstance(test, (ast.Name, ast.Attribute)) and depth < _DEEPEST:
        values = _bound(project, path, test)
        answers = [None if value is None else today(project, at, value, depth + 1) for at, value in values]
        return answers[0] if answers and len(set(answers)) == 1 else None
    return None


def open_today(project: Project, path: str, test: ast.expr) -> list[ast.expr]:
    """What a question hangs on today: without the parts that have an answer and leave it to the others.

    ``torch.__version__[:3] == '0.4' or not quiet`` is ``not quiet`` on today's torch, whichever arm that takes.
    """
    if not isinstance(test, ast.BoolOp):
        return [test]
    decides = isinstance(test.op, ast.Or)
    left = [each for each in test.values if today(project, path, each) is not (not decides)]
    return [part for each in left for part in open_today(project, path, each)] or [test]


def asks_for_it(project: Project, path: str, test: ast.expr) -> bool:
    """Is torch's version in it, or a name that is made of it: ``parts = torch.__version__.split('.')``?"""
    return any(isinstance(part, ast.Name) and _standing_for(project, path, part) is not part for part in walk(test))


def _standing_for(project: Project, path: str, node: ast.expr, depth: int = 0) -> ast.expr:
    """An expression in which what names stand for is written out, where that is torch's version or made of it."""
    if isinstance(node, ast.Name):
        binding = project.resolve(path, None, node)
        if isinstance(binding, External) and binding.name == "torch.__version__":
            return ast.Attribute(ast.Name("torch", ast.Load()), "__version__", ast.Load())
        if not isinstance(binding, Local) or binding.parameter is not None or not binding.complete or (
                len(binding.values) != 1 or depth == _DEEPEST):
            return node
        spelled = _standing_for(project, binding.path, binding.values[0], depth + 1)
        return spelled if _is_of_torch(spelled) else node
    if isinstance(node, ast.Subscript):
        return ast.Subscript(_standing_for(project, path, node.value, depth), node.slice, node.ctx)
    if isinstance(node, ast.Attribute):
        return ast.Attribute(_standing_for(project, path, node.value, depth), node.attr, node.ctx)
    if isinstance(node, ast.Call) and not node.keywords and not unpacks(node):
        given = [_standing_for(project, path, each, depth) for each in node.args]
        return ast.Call(_standing_for(project, path, node.func, depth), given, [])
    return node


def _is_of_torch(node: ast.expr) -> bool:
    """Does an expression ask for torch's version, and for nothing else?"""
    asked = [each for each in ast.walk(node) if isinstance(each, ast.Attribute) and each.attr == "__version__"]
    return bool(asked) and all(
        isinstance(each.value, ast.Name) and each.value.id == "torch" for each in asked)


def _bound(project: Project, path: str, name: ast.expr) -> list[tuple[str, ast.expr | None]]:
    """All that a name, or an attribute of whatever object, is bound to."""
    binding = project.resolve(path, None, name)
    if isinstance(binding, Local) and binding.parameter is None and binding.values:
        return [(binding.path, value) for value in binding.values]
    found: list[tuple[str, ast.expr | None]] = []
    for at, kept in project.computed(stores).get(name.attr, ()) if isinstance(name, ast.Attribute) else ():
        above = project.parent(at, kept)
        found.append((at, above.value if isinstance(above, ast.Assign) and kept in above.targets else None))
    return found


def _compared(left: ast.expr, how: ast.cmpop, right: ast.expr) -> bool | None:
    """``torch.__version__ >= '0.4'``, ``version.major == 0``, ``int(torch.__version__.split('.')[0]) > 0``."""
    if isinstance(left, ast.Constant) and isinstance(how, (ast.In, ast.NotIn)) and _is_text(right):
        whole = isinstance(left.value, str) and left.value.startswith("0.") and left.value.count(".") > 1
        return isinstance(how, ast.NotIn) if whole else None
    compare = _COMPARED.get(type(how))
    if compare is None or not isinstance(right, ast.Constant):
        return None
    if isinstance(right.value, str) and _is_text(left):
        return compare(str(_TODAY), right.value) if right.value.split(".")[0] in ("0", "1") else None
    if type(right.value) is int and right.value < _TODAY and _is_first(left):  # of others a later torch may say more
        return compare(_TODAY, right.value)
    return None


def _begins(test: ast.Call) -> bool | None:
    """``torch.__version__.startswith('0.4')``."""
    called, given = test.func, test.args
    if not isinstance(called, ast.Attribute) or called.attr != "startswith" or len(given) != 1 or not _is_text(
            called.value):
        return None
    text = given[0].value if isinstance(given[0], ast.Constant) else None
    return False if isinstance(text, str) and text.startswith("0") else None


def _is_text(node: ast.expr) -> bool:
    """Is it the text of torch's version, or how that begins?"""
    if isinstance(node, ast.Subscript):
        begins = (isinstance(node.slice, ast.Slice) and node.slice.lower is None) or (
            isinstance(node.slice, ast.Constant) and node.slice.value == 0)
        return begins and _is_text(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        return len(node.args) == 1 and _is_text(node.args[0])
    return isinstance(node, ast.Attribute) and node.attr == "__version__" and isinstance(
        node.value, ast.Name) and node.value.id == "torch"


def _is_first(node: ast.expr) -> bool:
    """Is it the first number of torch's version?"""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int" and node.args:
        node = node.args[0]
    if isinstance(node, ast.Subscript):
        first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
        return first and _names_version(node.value)
    return isinstance(node, ast.Attribute) and node.attr == "major" and _names_version(node.value)


def _names_version(node: ast.expr) -> bool:
    """Is it torch's version, or the parts of it, by what it is called?"""
    names = [part.attr if isinstance(part, ast.Attribute) else part.id for part in walk(node)
             if isinstance(part, (ast.Attribute, ast.Name))]
    return ("torch" in names and "__version__" in names) or any(map(asks_version, names))
