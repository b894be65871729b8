"""Which refused sites are one question: a flag, and the calls that hand it on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from voltfix.model import Decision, Site, SiteKind, Span
from voltfix.program.bindings import ProjectClass, ProjectFunction
from voltfix.records import dataclass
from voltfix.search.scene import FUNCTIONS, Scene, Scenes, word_of


@dataclass(frozen=True)
class Place:
    """A refused site in its syntax. ``node``: the call, the attribute, or the statement of a write."""

    decision: Decision
    scene: Scene
    node: ast.AST

    @property
    def site(self) -> Site:
        """The site itself."""
        return self.decision.site

    @property
    def function(self) -> tuple[str, ast.AST]:
        """The function that it stands in, or the module."""
        return self.site.path, self.scene.scope(self.node)

    @property
    def flag(self) -> str:
        """What the flag is set to, as source; "True" for what comes out of a dictionary."""
        text = self.scene.module.text
        if self.site.kind is SiteKind.WRITE:
            value = getattr(self.node, "value", None)
            return ast.unparse(value) if isinstance(value, ast.expr) else "True"
        span = self.site.span
        said = text[span.start : span.end]
        if said.startswith("**"):
            return "True"
        said = " ".join(said.split())  # on one line
        name, equals, value = said.partition("=")
        return value.strip() if equals and name.strip().isidentifier() and not value.startswith("=") else said.strip()


# the flag that reaches torch first, then others that are set alike in the same statement, and the calls that hand it on
Group = tuple[Place, ...]


def flags_of(group: Group) -> list[Place]:
    """The places of a group that decide by themselves: all but the calls, or the call where there is nothing else."""
    return [place for place in group if place.site.kind is not SiteKind.WRAPPER] or [group[0]]


def with_calls(group: Group) -> bool:
    """Is a flag handed on by calls that belong to it?"""
    return len(group) > len(flags_of(group))


def grouped(scenes: Scenes, refused: Sequence[Decision]) -> list[Group]:
    """The refused sites, those together that can only be changed together."""
    places = [place for decision in refused if (place := _place(scenes, decision)) is not None]
    heads = [place for place in places if place.site.kind is not SiteKind.WRAPPER]
    calls = [place for place in places if place.site.kind is SiteKind.WRAPPER]
    taken: set[int] = set()
    found: list[Group] = []
    while heads:
        head = heads.pop(0)
        alike = [other for other in heads if _alike(head, other)]
        heads = [other for other in heads if other not in alike]
        names = {*handing_on(head)}
        mine = [n for n, call in enumerate(calls) if n not in taken and not names.isdisjoint(_callee(call))
                and not _is_for_another(scenes, call, head, heads)]
        taken |= set(mine)
        found.append((head, *alike, *(calls[n] for n in mine)))
    return [*found, *((call,) for n, call in enumerate(calls) if n not in taken)]


def _is_for_another(scenes: Scenes, call: Place, head: Place, others: Sequence[Place]) -> bool:
    """Does a call that fits a flag by its word call what another flag stands in, of that very name?

    Scripts that were copied from each other each have their own ``get_batch``.
    """
    words = _callee(call)
    namesakes = [other for other in others if not words.isdisjoint(handing_on(other))]
    if all(_around(other) == _around(head) for other in namesakes):
        return False
    program, path = scenes.program, call.site.path
    node = next((each for each in program.nodes(path)
                 if isinstance(each, ast.Call) and program.span(path, each) == call.site.node), None)
    called = program.resolve(path, None, node.func) if node is not None else None
    if not isinstance(called, (ProjectFunction, ProjectClass)):
        return False
    there = called.path, program.span(called.path, called.node)
    return there not in _around(head) and any(there in _around(other) for other in namesakes)


def _around(place: Place) -> list[tuple[str, Span]]:
    """The functions and classes that a place stands in."""
    return [(place.site.path, place.scene.span(each)) for each in place.scene.above(place.node)
            if isinstance(each, (*FUNCTIONS, ast.ClassDef))]


def _alike(one: Place, other: Place) -> bool:
    """Are two flags arguments in one statement, set to the same?"""
    both = one.site.kind is other.site.kind is SiteKind.ARGUMENT and one.scene is other.scene
    return both and one.flag == other.flag and one.scene.statement(one.node) is other.scene.statement(other.node)


def united(groups: Sequence[Group]) -> list[Group]:
    """The groups that stand in one function and set their flags alike, as one question each.

    Of two flags of which each makes the same result volatile, neither can be told by itself: what one did, the other
    does still.
    """
    found: dict[tuple[tuple[str, ast.AST], str], list[Place]] = {}
    for group in groups:
        head = group[0]
        decides = head.site.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) and not with_calls(group)
        if decides and head.flag not in ("False", "0"):
            found.setdefault((head.function, head.flag), []).extend(group)
    return [tuple(sorted(places, key=lambda place: place.site.span.start)) for places in found.values()]


def _place(scenes: Scenes, decision: Decision) -> Place | None:
    site = decision.site
    try:
        scene = scenes.of(site.path)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if site.kind is SiteKind.WRITE:
        nodes: Iterable[ast.AST] = (n for n in ast.walk(scene.tree) if isinstance(n, ast.stmt))
        node = next((n for n in nodes if scene.span(n) == site.node), None)
        return Place(decision, scene, node) if node is not None else None
    node = scene.at(site.node)
    return Place(decision, scene, node) if node is not None else None


def handing_on(place: Place) -> list[str]:
    """The words by which code asks for what hands the flag on: names of functions and classes around it."""
    if place.site.kind is SiteKind.WRITE or place.flag in ("True", "False"):
        return []
    around = [each for each in place.scene.above(place.node) if isinstance(each, (*FUNCTIONS, ast.ClassDef))]
    return [each.name for each in around]


def _callee(place: Place) -> set[str]:
    assert isinstance(place.node, ast.Call)
    func = place.node.func
    words = {word_of(func).rpartition(".")[2], getattr(func, "attr", "")}
    return words - {""}
