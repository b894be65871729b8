"""Which parts of a function a call comes to: an arm whose test its constants answer with no is none of them.

``core.run("test", x)`` does not come to what stands below ``if mode == "train":``, where nothing else is ever bound to
``mode`` in the function. That holds of every function that the call may run, whichever it is.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from voltfix.program.arguments import argument_for, default_of, is_static, unpacks
from voltfix.program.bindings import ProjectFunction
from voltfix.program.calls import fits
from voltfix.program.scopes import parameters_of
from voltfix.program.unset import binds_again

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

Known = Mapping[str, object]

_COMPARED: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,  # type: ignore[operator]
}  # fmt: skip
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SUITES = ("body", "orelse", "handlers", "finalbody")


def reached(
    project: Project, function: ProjectFunction, call: ast.Call,
    said: Mapping[ast.expr, object] = MappingProxyType({}), bound: bool = False,
) -> list[ast.AST] | None:
    """The statements, and the heads of compound ones, that a call of a function comes to; None where it may be all.

    Whether the call runs that function, and hands it nothing but what it says, is for whoever asks. ``said``: what
    arguments are that are no constants in the text, where that is known of the call. ``bound``: it is surely a method
    of what is called, which takes that first.
    """
    node = function.node
    if not isinstance(node, ast.FunctionDef) or unpacks(call):
        return None
    inside = project.hierarchy.class_around(function.path, node) is not None
    fillings = [n for n in ((1,) if bound else (0, 1) if inside else (0,)) if fits(node, call, n) and not (
        n == 0 and inside and not is_static(node) and call.args and isinstance(call.args[0], ast.Constant))]
    known = [_constants(node, call, filled, said) for filled in fillings]
    if not known or any(each != known[0] for each in known):
        return None  # where it is not sure whether the first is the object
    return list(_parts(node.body, known[0])) if known[0] else None


def _constants(
    node: ast.FunctionDef, call: ast.Call, filled: int, said: Mapping[ast.expr, object]
) -> dict[str, object]:
    """The parameters that are constants all through a function, and which."""
    known: dict[str, object] = {}
    for parameter in parameters_of(node)[filled:]:
        given = argument_for(call, node, parameter, filled) or default_of(node, parameter)
        if given is None or not (isinstance(given, ast.Constant) or given in said) or binds_again(node, parameter):
            continue
        value = given.value if isinstance(given, ast.Constant) else said[given]
        if isinstance(value, (str, int, bool, type(None))):
            known[parameter.arg] = value
    return known


def _parts(suite: list[ast.stmt], known: Known) -> Iterator[ast.AST]:
    """What is come to in a suite: simple statements, and of the others their heads and suites."""
    for statement in suite:
        if isinstance(statement, ast.If) and (answer := _answer(statement.test, known)) is not None:
            taken = statement.body if answer else statement.orelse
            yield from _parts(taken, known)
            if _ends(taken, known):
                return
        elif isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            for name, value in ast.iter_fields(statement):
                if name not in _SUITES:
                    yield from (each for each in (value if isinstance(value, list) else [value])
                                if isinstance(each, ast.AST))
            for name in ("body", "orelse", "finalbody"):
                yield from _parts(getattr(statement, name, []), known)
            for handler in getattr(statement, "handlers", []):
                yield from [handler.type] if handler.type is not None else []
                yield from _parts(handler.body, known)
        else:
            yield statement
            if isinstance(statement, _ENDS):
                return


def _ends(suite: list[ast.stmt], known: Known) -> bool:
    """Does nothing that follows a suite run after it, as far as the end of the suite around it?"""
    for statement in suite:
        if isinstance(statement, _ENDS):
            return True
        if isinstance(statement, ast.If) and (answer := _answer(statement.test, known)) is not None and _ends(
                statement.body if answer else statement.orelse, known):
            return True
    return False


def _answer(test: ast.expr, known: Known) -> bool | None:
    """What a test of names and constants alone comes to; None where that is not known."""
    if isinstance(test, ast.Name):
        return bool(known[test.id]) if test.id in known else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        answer = _answer(test.operand, known)
        return None if answer is None else not answer
    if isinstance(test, ast.BoolOp):
        return _answer_of_several(test, known)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = [_value(side, known) for side in (test.left, test.comparators[0])]
        compared, values = _COMPARED.get(type(test.ops[0])), [value for side in sides for value in side]
        if isinstance(test.ops[0], (ast.Is, ast.IsNot)) and not all(v is None or isinstance(v, bool) for v in values):
            return None  # two texts that are alike may be one, or not
        if compared is not None and len(values) == len(sides):
            try:
                return compared(*values)
            except TypeError:
                return None
    return None


def _answer_of_several(test: ast.BoolOp, known: Known) -> bool | None:
    """What ``and`` and ``or`` come to: one that is asked before another may settle it."""
    settles = isinstance(test.op, ast.Or)
    for each in test.values:
        answer = _answer(each, known)
        if answer is None or answer is settles:
            return answer
    return not settles


def _value(side: ast.expr, known: Known) -> tuple[object, ...]:
    """What one side of a comparison is, alone in a tuple; nothing where that is not known."""
    if isinstance(side, ast.Name):
        return (known[side.id],) if side.id in known else ()
    if isinstance(side, ast.Constant):
        return (side.value,)
    if isinstance(side, (ast.Tuple, ast.List, ast.Set)) and all(isinstance(e, ast.Constant) for e in side.elts):
        return ([each.value for each in side.elts if isinstance(each, ast.Constant)],)
    return ()
