"""A loop or a choice in which nothing stood but what goes: it goes, too, where asking and going round leave nothing."""

from __future__ import annotations

import ast
import re

from voltfix.edit.conflicts import cover
from voltfix.model import DeleteStatement, DropArgument, Edit, Site, Span
from voltfix.program.effects import effectless
from voltfix.program.scopes import is_said_outer, parameters_of
from voltfix.program.walking import walk
from voltfix.solver.case import Case
from voltfix.solver.regions import is_elif
from voltfix.sources.lexer import lex
from voltfix.strategies import drop
from voltfix.torchmodel.python import SHOWS_LOCALS

_FLAG = re.compile(r"volatil", re.IGNORECASE)
_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)
_Groups = list[tuple[list[Site], dict[str, dict[Edit, None]]]]


def without_empty(case: Case, changes: _Groups) -> None:
    """Let the statement go around those of which a change leaves nothing, as far out as that is so."""
    everywhere: dict[str, list[Edit]] = {}
    for _, edits in changes:
        for path, some in edits.items():
            everywhere.setdefault(path, []).extend(some)
    for group, edits in changes:
        for site in group:
            going = {edit.span for edit in edits.get(site.path, ()) if isinstance(edit, DeleteStatement)}
            for around in case.project.parents(site.path, case.node_of(site)):
                if not isinstance(around, ast.stmt):
                    continue
                span = case.project.span(site.path, around)
                if span in going:
                    continue
                if not _is_empty(case, site.path, around, going) or not _is_alone(
                        case, site.path, span, group, [
                            e for e in everywhere[site.path]
                            if e not in edits[site.path] or not isinstance(e, (DeleteStatement, DropArgument))]):
                    break
                edits[site.path][drop.statement(span)] = None
                going.add(span)


def _is_empty(case: Case, path: str, statement: ast.stmt, going: set[Span]) -> bool:
    """Is nothing left of a loop or a choice, and nothing lost with it?"""
    if not isinstance(statement, (ast.For, ast.If)) or statement.orelse or any(
            case.project.span(path, each) not in going for each in statement.body):
        return False
    if isinstance(statement, ast.For):
        return _goes_over_what_is_there(case, path, statement.iter) and _is_own(case, path, statement)
    above = case.project.parent(path, statement)
    return effectless(case.project, path, statement.test) and not (
        isinstance(above, ast.If) and is_elif(statement, above))


def _goes_over_what_is_there(case: Case, path: str, over: ast.expr) -> bool:
    """Is it a list that the function makes itself? Who goes over an iterator uses it up."""
    scope = case.project.scope(path, over)
    if not isinstance(over, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return isinstance(over, _DISPLAYS) and effectless(case.project, path, over)
    bound = [node for node in walk(scope)
             if isinstance(node, ast.Name) and node.id == over.id and not isinstance(node.ctx, ast.Load)]
    makes = [case.project.parent(path, node) for node in bound]
    return bool(bound) and over.id not in {each.arg for each in parameters_of(scope)} and not is_said_outer(
        walk(scope), over.id) and all(
        (isinstance(each, ast.AugAssign) or (isinstance(each, ast.Assign) and each.targets == [node]))
        and isinstance(each.value, _DISPLAYS) for node, each in zip(bound, makes, strict=True))


def _is_own(case: Case, path: str, loop: ast.For) -> bool:
    """Is the name of a loop one of the function, that nothing outside of the loop asks?"""
    scope = case.project.scope(path, loop)
    if not isinstance(loop.target, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return False
    inside = set(walk(loop))
    return not is_said_outer(walk(scope), loop.target.id) and not any(
        isinstance(node, ast.Name) and node not in inside and node.id in {loop.target.id, *SHOWS_LOCALS}
        for node in walk(scope))


def _is_alone(case: Case, path: str, span: Span, group: list[Site], others: list[Edit]) -> bool:
    """Is nothing else done in a statement or next to it, not by another change; and does no comment speak of more?"""
    text = case.project.modules[path].text
    inside = [s for s in case.sites if s.path == path and span.start <= s.span.start < span.end]
    said = [text[t.start : t.end] for t in lex(text, span.start) if t.kind == "comment" and t.start < span.end]
    covers = [around for around in map(cover, others) if around.start < span.end and span.start < around.end]
    return all(site in group for site in inside) and all(map(_FLAG.search, said)) and all(
        around.start < span.start and span.end < around.end for around in covers)
