"""A parameter that nothing asks any more once a choice on it is gone goes with it, and what callers hand over for it.

``def wrap(x, test=False)`` chose by ``test`` between a flag and none: of the one arm that is left it is no part.
"""

from __future__ import annotations

import ast

from voltfix.flags.signatures import Carrier
from voltfix.model import Edit, Site
from voltfix.program.arguments import default_of
from voltfix.program.effects import effectless
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import walk
from voltfix.solver.case import Case
from voltfix.strategies import drop

_LOOKS_AT_ALL = frozenset({"locals", "vars", "eval", "exec", "dir"})


def parameter_gone(case: Case, path: str, test: ast.expr, group: list[Site]) -> list[tuple[str, Edit]]:
    """The edits, each with its module, that take out the parameter which alone ``test`` asks; none where it stays."""
    asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    function = case.project.function(path, case.project.scope(path, test))
    if not isinstance(asked, ast.Name) or function is None or not isinstance(function.node, ast.FunctionDef) or (
            function.node.decorator_list or case.options.keep_signatures):
        return []
    parameter = next((each for each in parameters_of(function.node) if each.arg == asked.id), None)
    if parameter is None or default_of(function.node, parameter) is None or id(parameter) in case.signatures.feeds:
        return []
    names = [node for node in walk(function.node) if isinstance(node, ast.Name)]
    if any(each.id == asked.id and each is not asked for each in names) or any(
            each.id in _LOOKS_AT_ALL and each is not asked for each in names) or (
            asked.id in case.header_names().get(id(function.node), ())):
        return []
    carrier = Carrier(path, function, parameter)
    feeds = case.signatures.feeds[id(parameter)] = case.signatures.feeds_of(carrier)
    if feeds is None or not case.signatures.may_go(carrier) or (
            case.callers.unseen(function, frozenset({asked.id})) is not None):
        return []
    others = [site for site in case.sites if site not in group]
    edits = [(path, drop.parameter(case.project.span(path, function.node), case.project.span(path, parameter)))]
    for feed in feeds:
        call, argument = case.project.span(feed.path, feed.call), case.project.span(feed.path, feed.argument)
        if not effectless(case.project, feed.path, feed.argument) or any(
                site.path == feed.path and call.start <= site.span.start < call.end for site in others):
            return []
        edits.append((feed.path, drop.argument(call, argument)))
    return edits
