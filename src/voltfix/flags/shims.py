"""Code that works on both sides of 0.4: it asks for the version, or for ``no_grad``, before it uses volatile."""

from __future__ import annotations

import ast

from voltfix.flags.versions import asks_for_it, open_today, today
from voltfix.program.bindings import Local
from voltfix.program.resolve import Project
from voltfix.program.walking import walk
from voltfix.torchmodel.names import asks_version

_MODES = ("no_grad", "set_grad_enabled", "inference_mode")


def is_shim(project: Project, path: str, node: ast.AST) -> bool:
    """Does the site stand in one arm of a choice between old and new torch?"""
    below = node
    is_read = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)  # decides nothing that no_grad could
    for above in project.parents(path, node):
        if isinstance(above, (ast.If, ast.IfExp)) and is_for_today(project, path, above, below):
            below = above
            continue
        if isinstance(above, (ast.If, ast.IfExp)) and below is not above.test and any(
                asks(each) or asks_by_name(project, path, each) or asks_for_it(project, path, each)
                for each in open_today(project, path, above.test)):
            return True
        if isinstance(above, ast.If) and below is not above.test and not is_read and other_arm(above, below):
            return True
        if isinstance(above, ast.Try) and other_arm(above, below):
            return True
        if any(map(returns_for_new, before(above, below))):
            return True
        below = above
    return False


def is_for_today(project: Project, path: str, choice: ast.If | ast.IfExp, below: ast.AST) -> bool:
    """Is it the arm that today's torch takes, by what is asked of its version? Then it is none for older ones."""
    answer = today(project, path, choice.test) if below is not choice.test else None
    arms = [choice.body, choice.orelse]
    taken = None if answer is None else arms[not answer]
    return taken is not None and (below in taken if isinstance(taken, list) else below is taken)


def before(above: ast.AST, statement: ast.AST) -> list[ast.stmt]:
    """The statements of the same suite that come first."""
    for suite in (getattr(above, "body", None), getattr(above, "orelse", None)):
        if isinstance(suite, list) and statement in suite:
            return suite[: suite.index(statement)]
    return []


def returns_for_new(choice: ast.stmt) -> bool:
    """Does ``if torch.__version__ >= '0.4': return x`` leave what follows to the older versions?"""
    last = choice.body[-1] if isinstance(choice, ast.If) and not choice.orelse else None
    return isinstance(choice, ast.If) and isinstance(last, ast.Return) and last.value is not None and (
        is_new(choice.test))


def is_new(test: ast.expr) -> bool:
    """Does a question say yes for torch from 0.4 on?"""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        old = test.operand
        return isinstance(old, ast.Compare) and is_version(old, ast.Lt, ast.LtE)
    if isinstance(test, ast.Compare):
        return is_version(test, ast.Gt, ast.GtE)
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or len(test.args) != 2:
        return False
    of, asked = test.args
    return test.func.id == "hasattr" and isinstance(of, ast.Name) and of.id == "torch" and (
        isinstance(asked, ast.Constant) and asked.value in _MODES)


def is_version(test: ast.Compare, *after: type[ast.cmpop]) -> bool:
    """Is torch's version compared with a number by one of the operators?"""
    torchs = any(isinstance(n, ast.Name) and n.id == "torch" for n in walk(test.left))
    return len(test.ops) == 1 and isinstance(test.ops[0], after) and asks(test.left) and torchs and any(
        isinstance(n, ast.Constant) and str(n.value).startswith(("0.4", "0.3")) for n in walk(test.comparators[0]))


def asks_by_name(project: Project, path: str, test: ast.expr) -> bool:
    """Is it a name, or not that name, that was set to the answer to such a question?"""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if not isinstance(test, (ast.Name, ast.Attribute)):
        return False
    binding = project.resolve(path, None, test)
    return (
        isinstance(binding, Local) and binding.parameter is None and bool(binding.values)
        and all(asks(value) for value in binding.values)
    )


def asks(test: ast.expr) -> bool:
    """Is it a question about torch's version, or whether it has ``no_grad``?"""
    for node in walk(test):
        if isinstance(node, ast.Constant) and node.value in _MODES:
            return True
        if isinstance(node, (ast.Attribute, ast.Name)):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            if name in ("__version__", *_MODES) or asks_version(name):
                return True
    return False


def other_arm(choice: ast.If | ast.Try, arm: ast.AST) -> bool:
    """Does an arm beside this one use grad mode, and this one not?"""
    if isinstance(choice, ast.If):
        arms: list[list[ast.stmt]] = [choice.body, choice.orelse]
    else:
        arms = [choice.body, *[h.body for h in choice.handlers], choice.orelse]
        arm = arm.body[0] if isinstance(arm, ast.ExceptHandler) else arm
    mine = [a for a in arms if any(arm is n or any(arm is m for m in walk(n)) for n in a)]
    others = [a for a in arms if a not in mine]
    return (
        bool(mine) and not any(uses_mode(s) for a in mine for s in a) and any(uses_mode(s) for a in others for s in a)
    )


def uses_mode(statement: ast.stmt) -> bool:
    """Does torch's grad mode occur in it?"""
    return any(isinstance(n, ast.Attribute) and n.attr in _MODES for n in walk(statement))
