"""A name of a function's own that only flags asked goes with the last of them: ``off = False``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields

from voltfix.model import Edit, Site, SiteKind
from voltfix.program.effects import effectless
from voltfix.program.making import Making
from voltfix.program.scopes import is_said_outer
from voltfix.program.walking import walk
from voltfix.solver.case import Case
from voltfix.strategies import drop
from voltfix.torchmodel.python import SHOWS_LOCALS

_Asked = dict[tuple[str, ast.FunctionDef, str], tuple[set[ast.AST], list[Site]]]


def names_gone(case: Case, kept: set[Site]) -> list[tuple[list[Site], str, list[Edit]]]:
    """The edits that take out assignments of which nothing is asked any more: each with all sites that asked."""
    asked: _Asked = {}
    for site in case.open_sites(kept, SiteKind.ARGUMENT, SiteKind.WRAPPER):
        if site.kind is SiteKind.ARGUMENT or site in case.gone:
            for use in _names(case, site):
                function = next((each for each in case.project.parents(site.path, use)
                                 if isinstance(each, ast.FunctionDef)), None)
                if function is not None:
                    uses, sites = asked.setdefault((site.path, function, use.id), (set(), []))
                    uses.add(use)
                    sites += [] if site in sites else [site]
    return [(sites, path, [drop.statement(case.project.span(path, assigned))])
            for (path, function, name), (uses, sites) in asked.items()
            if (assigned := _assigned(case, path, function, name, uses)) is not None]


def _names(case: Case, site: Site) -> Iterator[ast.Name]:
    """The names that a flag asks; of one that stands in a dictionary none."""
    for argument in () if case.is_splat(site) else case.argument_nodes(site):
        yield from (node for node in walk(argument) if isinstance(node, ast.Name))


def _assigned(
    case: Case, path: str, function: ast.FunctionDef, name: str, uses: set[ast.AST]
) -> ast.Assign | None:
    """The one assignment of a name to which nothing but ``uses`` looks, where nothing else is lost with it."""
    others = [node for node in walk(function) if isinstance(node, ast.Name) and node not in uses]
    bound = [node for node in others if node.id == name]
    statement = case.project.parent(path, bound[0]) if len(bound) == 1 else None
    if not isinstance(statement, ast.Assign) or statement.targets != bound or statement not in function.body or (
            len(case.project.definitions(path, function, name)) != 1 or not _is_quiet(case, statement.value)):
        return None
    elsewhere = any(node.id in SHOWS_LOCALS for node in others) or is_said_outer(walk(function), name)
    if elsewhere or _is_written(case, path, name) or not effectless(case.project, path, statement.value):
        return None
    return statement


def _is_quiet(case: Case, value: ast.expr) -> bool:
    """Does it give a value and run nothing? Asking for an item may raise, and so may a comparison of what is no word.

    What an object has is asked of it as in a flag, which goes, too; but a property of the project's own may do more.
    """
    return all(_is_told(case, node) for node in walk(value))


def _is_told(case: Case, node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, (ast.Name, ast.Attribute)) and node.attr not in (
            case.project.computed(Making).found_out())
    if isinstance(node, ast.Compare):
        return all(isinstance(each, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) for each in node.ops) and all(
            isinstance(each, ast.Constant) for each in node.comparators)
    return not isinstance(node, (ast.Call, ast.Subscript, ast.BinOp))


def _is_written(case: Case, path: str, name: str) -> bool:
    """Does the text of an edit of this file say the name: the header of a block, a copy of a condition?"""
    said = re.compile(rf"\b{re.escape(name)}\b")
    texts = (getattr(edit, field.name) for _, at, edits in case.edits if at == path
             for edit in edits for field in fields(edit))
    return any(isinstance(text, str) and said.search(text) for text in texts) or any(
        name in names for names in case.header_names().values())
