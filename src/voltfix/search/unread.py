"""A parameter that only carried a flag which is taken goes with it, and so do the arguments for it.

``def batch(rows, off=False): return Variable(rows, volatile=off)``: once the flag is gone nobody reads ``off``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from voltfix.edit.conflicts import cover
from voltfix.flags.propagation import Passing
from voltfix.flags.signatures import Carrier, Signatures
from voltfix.model import (
    Change,
    Decision,
    Decorate,
    DeleteStatement,
    DropArgument,
    Edit,
    Options,
    ReplaceExpression,
    ReplaceStatement,
    SiteKind,
    WrapStatements,
)
from voltfix.program.arguments import default_of
from voltfix.program.effects import effectless
from voltfix.program.resolve import Project
from voltfix.program.walking import walk
from voltfix.rules import messages
from voltfix.strategies import drop
from voltfix.torchmodel.python import SHOWS_LOCALS

_TAKES = (DropArgument, DeleteStatement, ReplaceExpression, ReplaceStatement)
Edits = tuple[tuple[str, tuple[Edit, ...]], ...]


def with_parameters(program: Project, options: Options, change: Change, beside: Sequence[Change]) -> Edits | None:
    """The edits of a change, and those of the parameters that go with it; None where there are none.

    ``beside``: the other changes that are made; their blocks may ask for a parameter.
    """
    spans = {(path, edit.argument) for path, edits in change.edits for edit in edits if isinstance(edit, DropArgument)}
    gone = {id(node) for path, _ in change.edits for node in program.nodes(path)
            if isinstance(node, (ast.keyword, ast.expr)) and (path, program.span(path, node)) in spans}
    signatures = Signatures(program, program.computed(Passing), options)
    asked = _asked_by_blocks(program, (change, *beside))
    found: dict[str, dict[Edit, None]] = {path: dict.fromkeys(edits) for path, edits in change.edits}
    before = sum(map(len, found.values()))
    for carrier in signatures.droppable(gone, asked, lambda c: (
            _is_carried(program, c, gone) or id(c.function.node) in signatures.stubs) and _may_go(
                program, signatures, c, change)):
        span = program.span(carrier.path, carrier.function.node)
        parameter = drop.parameter(span, program.span(carrier.path, carrier.parameter))
        found.setdefault(carrier.path, {})[parameter] = None
        for feed in signatures.feeds[id(carrier.parameter)] or ():
            call, argument = program.span(feed.path, feed.call), program.span(feed.path, feed.argument)
            found.setdefault(feed.path, {})[drop.argument(call, argument)] = None
    if sum(map(len, found.values())) == before:
        return None
    return tuple((path, tuple(edits)) for path, edits in sorted(found.items()))


def left_in_place(program: Project, change: Change) -> tuple[Decision, ...]:
    """The decisions of a change: an argument that none of its edits takes out of its call is kept, and not migrated."""
    covered = {path: [cover(edit) for edit in edits if isinstance(edit, _TAKES)] for path, edits in change.edits}

    def stays(decision: Decision) -> bool:
        site = decision.site
        text = program.modules[site.path].text[site.span.start : site.span.end]
        return site.kind is SiteKind.WRAPPER and not text.startswith("**") and not any(
            span.start <= site.span.start and site.span.end <= span.end for span in covered.get(site.path, ()))

    kept = messages.kept_argument(messages.may_be_asked())
    return tuple(replace(d, strategy=None, message=kept, kept=True) if stays(d) else d for d in change.decisions)


def _asked_by_blocks(program: Project, changes: Sequence[Change]) -> dict[int, set[str]]:
    """By function of the modules that are changed, by node id, the names that blocks ask for."""
    names: dict[str, set[str]] = {}
    for change in changes:
        for path, edits in change.edits:
            for edit in edits:
                text = edit.header if isinstance(edit, WrapStatements) else (
                    edit.decorator if isinstance(edit, Decorate) else "")
                names.setdefault(path, set()).update(
                    node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
    return {id(function.node): names[function.path] for function in program.functions() if function.path in names}


def _is_carried(program: Project, carrier: Carrier, gone: set[int]) -> bool:
    """Did it stand in a flag that goes?"""
    return any(isinstance(node, ast.Name) and node.id == carrier.parameter.arg and (
        id(node) in gone or any(id(above) in gone for above in program.parents(carrier.path, node)))
        for node in walk(carrier.function.node))


def _may_go(program: Project, signatures: Signatures, carrier: Carrier, change: Change) -> bool:
    """Does each caller hand over what does nothing, at a place that is part of the change?"""
    mine = {(d.site.path, d.site.span) for d in change.decisions if d.site.kind is SiteKind.WRAPPER}
    function = carrier.function.node
    if any(isinstance(node, ast.Name) and node.id in SHOWS_LOCALS for node in walk(function)):
        return False
    return default_of(function, carrier.parameter) is not None and all(
        effectless(program, feed.path, feed.argument) and (
            (feed.path, program.span(feed.path, feed.argument)) in mine or _is_off(feed.argument))
        for feed in signatures.feeds[id(carrier.parameter)] or ())


def _is_off(argument: ast.AST) -> bool:
    value = argument.value if isinstance(argument, ast.keyword) else argument
    return isinstance(value, ast.Constant) and not value.value
