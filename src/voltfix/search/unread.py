"""A parameter that only carried a flag which is taken goes with it, and so do the arguments for it.

``def batch(rows, off=False): return Variable(rows, volatile=off)``: once the flag is gone nobody reads ``off``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
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
    Span,
    WrapStatements,
)
from voltfix.program.arguments import default_of
from voltfix.program.effects import effectless
from voltfix.program.resolve import Project
from voltfix.program.walking import walk
from voltfix.rules import messages, premises
from voltfix.strategies import drop
from voltfix.torchmodel.python import SHOWS_LOCALS

_TAKES = (DropArgument, DeleteStatement, ReplaceExpression, ReplaceStatement)


def with_parameters(program: Project, options: Options, change: Change, beside: Sequence[Change]) -> Change | None:
    """A change, and the parameters that go with it; None where there are none.

    ``beside``: the other changes that are made. Their blocks may ask for a parameter. An argument for it, or the flag
    that it stood in, may have gone with one of them: that one is part of the change from now on, for without it a call
    would hand something over for what is gone.
    """
    others = tuple(each for each in beside if each.edits)
    own, theirs = _arguments(change), [_arguments(other) for other in others]
    nodes = {(path, program.span(path, node)): node for path in {path for path, _ in own.union(*theirs)}
             for node in program.nodes(path) if isinstance(node, (ast.keyword, ast.expr))}
    gone = {id(nodes[place]) for place in own.union(*theirs) if place in nodes}
    signatures = Signatures(program, program.computed(Passing), options)
    asked = _asked_by_blocks(program, (change, *beside))

    def needs(carrier: Carrier) -> set[tuple[str, Span]]:
        """What has to go with a parameter: its arguments, and the flags that it stands in."""
        feeds = {(feed.path, program.span(feed.path, feed.argument))
                 for feed in signatures.feeds[id(carrier.parameter)] or ()}
        return feeds | {place for place in own.union(*theirs) if place in nodes and place[0] == carrier.path
                        and _carries(program, carrier, {id(nodes[place])})}

    went = set[tuple[str, Span]]().union(*theirs)
    chosen = signatures.droppable(gone, asked, lambda c: (
        _carries(program, c, gone) or id(c.function.node) in signatures.stubs) and not own.isdisjoint(needs(c))
        and _may_go(program, signatures, c, change, went))
    edits = {edit: path for carrier in chosen for path, edit in _gone_with(program, signatures, carrier)}
    if not edits:
        return None
    needed = set[tuple[str, Span]]().union(*map(needs, chosen))
    parts = [change, *(other for other, there in zip(others, theirs, strict=True) if not needed.isdisjoint(there))]
    return _as_one(parts, edits)


def _gone_with(program: Project, signatures: Signatures, carrier: Carrier) -> Iterator[tuple[str, Edit]]:
    """The edits for a parameter and all of its arguments, each with its module."""
    span = program.span(carrier.path, carrier.function.node)
    yield carrier.path, drop.parameter(span, program.span(carrier.path, carrier.parameter))
    for feed in signatures.feeds[id(carrier.parameter)] or ():
        call, argument = program.span(feed.path, feed.call), program.span(feed.path, feed.argument)
        yield feed.path, drop.argument(call, argument)


def _as_one(parts: Sequence[Change], edits: Mapping[Edit, str]) -> Change:
    """Changes as one, the first of them with these edits besides; of the others nothing is said that is over now."""
    first, *others = parts
    found: dict[str, dict[Edit, None]] = {}
    for path, each in (pair for part in parts for pair in part.edits):
        found.setdefault(path, {}).update(dict.fromkeys(each))
    for edit, path in edits.items():
        found.setdefault(path, {})[edit] = None
    decisions = [replace(d, evidence=tuple(each for each in d.evidence if premises.HELPER_STAYS not in each))
                 for other in others for d in other.decisions]
    touched = dict.fromkeys(place for part in parts for place in part.touched)
    return replace(first, decisions=(*first.decisions, *decisions), touched=tuple(touched),
                   edits=tuple((path, tuple(each)) for path, each in sorted(found.items())))


def _arguments(change: Change) -> set[tuple[str, Span]]:
    """The arguments that go with a change, each with its module."""
    return {(path, edit.argument) for path, found in change.edits for edit in found if isinstance(edit, DropArgument)}


def left_in_place(program: Project, change: Change) -> tuple[Decision, ...]:
    """The decisions of a change: an argument that none of its edits takes out of its call is kept, and not migrated."""
    covered = {path: [cover(edit) for edit in edits if isinstance(edit, _TAKES)] for path, edits in change.edits}

    def stays(decision: Decision) -> bool:
        site = decision.site
        text = program.modules[site.path].text[site.span.start : site.span.end]
        return site.kind is SiteKind.WRAPPER and not decision.kept and not text.startswith("**") and not any(
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


def _carries(program: Project, carrier: Carrier, gone: set[int]) -> bool:
    """Did it stand in a flag that goes?"""
    return any(isinstance(node, ast.Name) and node.id == carrier.parameter.arg and (
        id(node) in gone or any(id(above) in gone for above in program.parents(carrier.path, node)))
        for node in walk(carrier.function.node))


def _may_go(
    program: Project, signatures: Signatures, carrier: Carrier, change: Change, went: set[tuple[str, Span]]
) -> bool:
    """Does each caller hand over what does nothing, at a place that is part of the change, or went before?"""
    mine = {(d.site.path, d.site.span) for d in change.decisions if d.site.kind is SiteKind.WRAPPER} | went
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
