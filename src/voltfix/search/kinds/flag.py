"""What every candidate has in common: the flag goes, and grad mode is what it was."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.machine.express import plainly
from voltfix.model import DeleteStatement, DropArgument, Edit, Site, SiteKind, Strategy
from voltfix.search.draft import Sketch
from voltfix.search.group import Group, Place, flags_of
from voltfix.search.scene import FUNCTIONS


def without_flag(sketch: Sketch, group: Group) -> bool:
    """Take the flag out; False where it stands in what cannot be taken apart."""
    places = flags_of(group)
    edits = [edit for place in places if (edit := gone_with(place.site, place.scene.module.text)) is not None]
    if not edits or len(edits) < len(places):
        return False
    sketch.add(places[0].scene, places[0].scene.scope(places[0].node), *edits)
    return True


def gone_with(site: Site, text: str) -> Edit | None:
    """The edit that takes a flag out of the text of its module; None where it cannot be taken out by itself."""
    if site.kind is SiteKind.WRITE:
        return DeleteStatement(site.node)
    if site.kind in (SiteKind.READ, SiteKind.WRAPPER) or text.startswith("**", site.span.start):
        return None
    return DropArgument(site.node, site.span)


def modes(place: Place, torch: str) -> Iterator[str]:
    """The grad mode that the flag of a site asked for, likeliest first."""
    mode = mode_of(place.flag, torch)
    yield mode
    if not mode.endswith("no_grad()"):
        yield f"{torch}.set_grad_enabled({torch}.is_grad_enabled() and not ({place.flag}))"


def mode_of(flag: str, torch: str) -> str:
    """The grad mode that a flag asks for, given as source."""
    if flag in ("True", "1"):
        return f"{torch}.no_grad()"
    node = ast.parse(f"({flag})", mode="eval").body
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"{torch}.set_grad_enabled(bool({ast.unparse(node.operand)}))"
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return f"{torch}.set_grad_enabled(not {flag})" if plain else f"{torch}.set_grad_enabled(not ({flag}))"


def conditions(group: Group) -> list[str]:
    """The tests of the ``if`` around all of the sites in their function, as they got there: of those that only ask."""
    ways = [_conditions(place) for place in flags_of(group)]
    return [test for way, test in ways[0].items() if all(way in other for other in ways)]


def _conditions(place: Place) -> dict[tuple[ast.If, bool], str]:
    """By choice and arm, what has to hold for a place to be come to."""
    found: dict[tuple[ast.If, bool], str] = {}
    inner: ast.AST = place.node
    for each in place.scene.above(place.node):
        if isinstance(each, FUNCTIONS):
            break
        if isinstance(each, ast.If) and inner is not each.test and not any(
                isinstance(n, (ast.Call, ast.Await, ast.NamedExpr)) for n in ast.walk(each.test)):
            test = ast.unparse(each.test)
            there = inner in each.body
            found[each, there] = test if there else plainly(f"not ({test})")
        inner = each
    return found


def strategy_of(header: str) -> Strategy:
    """The contract's word for a grad mode."""
    return "no_grad" if header.endswith("no_grad()") else "set_grad_enabled"
