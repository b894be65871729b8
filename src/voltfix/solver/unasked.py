"""A parameter that nothing asks any more once the choices and the flags on it are gone goes with them, and so do its
arguments.

``def wrap(x, test=False)`` chose by ``test`` between a flag and none: of the one arm that is left it is no part.
Nor is it of ``def rows(x, training)`` whose flag was ``not training``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from voltfix.flags.signatures import Carrier
from voltfix.model import Edit, Site
from voltfix.program.bindings import ProjectFunction
from voltfix.program.effects import effectless
from voltfix.program.scopes import parameters_of
from voltfix.program.walking import walk
from voltfix.solver.case import Case
from voltfix.strategies import drop
from voltfix.torchmodel.python import SHOWS_LOCALS

Gone = tuple[list[Site], str, list[Edit]]  # the sites of an edit, and its module


def parameters_gone(case: Case, gone: Iterable[tuple[str, ast.AST, list[Site]]]) -> list[Gone]:
    """The edits that take out the parameters which nothing asks but tests, or flags, that went: each with its sites."""
    asking: dict[tuple[str, ast.AST, str], tuple[ProjectFunction, set[ast.AST], list[Site]]] = {}
    for path, test, sites in gone:
        function = case.project.function(path, case.project.scope(path, test))
        for asked in walk(test):
            if isinstance(asked, ast.Name) and function is not None and not isinstance(
                    case.project.parent(path, asked), ast.Attribute):  # ``self``: who calls asks it, too
                _, names, theirs = asking.setdefault((path, function.node, asked.id), (function, set(), []))
                names.add(asked)
                theirs += [site for site in sites if site not in theirs]
    return [(sites, path, [edit]) for (_, _, name), (function, names, sites) in asking.items()
            for path, edit in parameter_gone(case, function, name, names, sites)]


def parameter_gone(
    case: Case, function: ProjectFunction, name: str, asking: set[ast.AST], group: list[Site]
) -> list[tuple[str, Edit]]:
    """The edits for one parameter, each with its module; none where it has another use, or where not all is in sight.
    """
    node, path = function.node, function.path
    parameter = next((each for each in parameters_of(node) if each.arg == name), None)
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or case.options.keep_signatures or (
            parameter is None or id(parameter) in case.signatures.feeds) or (
            parameter is parameters_of(node)[0] and case.project.hierarchy.class_around(path, node) is not None):
        return []
    names = [each for each in walk(node) if isinstance(each, ast.Name) and each not in asking]
    if any(each.id == name or each.id in SHOWS_LOCALS for each in names) or (
            name in case.header_names().get(id(node), ())):
        return []
    feeds = case.signatures.feeds[id(parameter)] = case.signatures.feeds_of(Carrier(path, function, parameter))
    if feeds is None or not case.signatures.may_go(Carrier(path, function, parameter)) or (
            case.callers.unseen(function, frozenset({name})) is not None):
        return []
    others = [site for site in case.sites if site not in group]
    edits = [(path, drop.parameter(case.project.span(path, node), case.project.span(path, parameter)))]
    for feed in feeds:
        call, argument = case.project.span(feed.path, feed.call), case.project.span(feed.path, feed.argument)
        if not effectless(case.project, feed.path, feed.argument) or any(
                site.path == feed.path and call.start <= site.span.start < call.end for site in others):
            return []
        edits.append((feed.path, drop.argument(call, argument)))
    return edits
