"""Values that may be None: ``e if e is None else Variable(e, volatile=True)``.

Where such a value is None there is nothing to compute on, and what is given nothing else computes nothing: the question
whether it was None need not be asked again at the block. Not so where a network of the project takes None for a sign.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.domains.conditions import Formula
from voltfix.machine.values import Abstract, Plain, Value, fold_truths
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

ABSENT = Plain(-1)  # None, where there is a value on other paths


def none_test(node: ast.expr) -> tuple[str, bool] | None:
    """The name that a test asks for None, and whether it is true of None."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.left, ast.Name):
        return None
    other = node.comparators[0]
    if not isinstance(other, ast.Constant) or other.value is not None:
        return None
    if isinstance(node.ops[0], (ast.Is, ast.Eq)):
        return node.left.id, True
    return (node.left.id, False) if isinstance(node.ops[0], (ast.IsNot, ast.NotEq)) else None


def absent_where(value: Value, old: frozenset[Abstract], none: Formula, volatile: Formula) -> Value:
    """``value``, with nothing in the place of those of the ``old`` things that it was where it was None.

    ``volatile``: where what it is elsewhere is that. Where it could not be no block is asked for, and None is None.
    """
    out: list[tuple[Formula, Abstract]] = []
    none = none if volatile.is_false else none & volatile.without(none.support())
    for guard, thing in value:
        if thing not in old:
            out.append((guard, thing))
            continue
        for where, what in ((guard & none, ABSENT), (guard & ~none, thing)):
            if not where.is_false:
                out.append((where, what))
    return fold_truths(tuple(out))


def takes_none(project: Project) -> bool:
    """Does a network of the project ask whether what it is given is None?"""
    for cls in project.classes():
        for method in cls.node.body:
            if isinstance(method, ast.FunctionDef) and method.name in ("forward", "__call__"):
                names = {a.arg for a in [*method.args.args, *method.args.kwonlyargs]}
                tests = (none_test(n) for n in walk(method) if isinstance(n, ast.Compare))
                if any(test is not None and test[0] in names for test in tests):
                    return True
    return False
