"""Arms that a constant keeps from running (``if 0:``): a switch that the author throws by hand.

What stands in one does not run, so that no edit in it can be wrong for the program as it is; what it is there for is to
be switched on. Its sites are decided in a plan of their own, in which nothing is known of that constant, and of that
plan only those changes are taken that stay within such arms: all others are those of the program as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from voltfix.deadline import TimeUp
from voltfix.edit.conflicts import cover
from voltfix.model import Change, EnsureImport, Plan, Site, Span
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.telling import place
from voltfix.program.walking import walk
from voltfix.rules import premises

if TYPE_CHECKING:
    from voltfix.program.resolve import Project
    from voltfix.solver.case import Case


def with_arms_asleep(case: Case, plan: Plan, decide: Callable[[frozenset[ast.AST]], Plan]) -> Plan:
    """The plan, and beside it what can be changed in arms that a constant keeps from running.

    ``decide`` makes a plan for which nothing is known of the constants of these statements.
    """
    asleep: dict[Site, list[tuple[ast.If, Span]]] = {}
    for decision in plan.left:
        if decision.refusal is not None and decision.refusal.reason == "not-analysed":
            asleep[decision.site] = list(arms_around(case.project, decision.site.path, case.node_of(decision.site)))
    if not any(asleep.values()):
        return plan
    # all of the project: what one arm makes another one may use
    switches = frozenset(node for path in case.project.paths for node in case.project.nodes(path)
                         if isinstance(node, ast.If) and isinstance(node.test, ast.Constant))
    asleep = {site: found for site, found in asleep.items() if not sleeps_on(case.project, site.path, found)}
    try:
        other = decide(switches)
    except TimeUp:
        return plan  # what was asked for is decided
    taken = [change for change in other.changes
             if all(asleep.get(each.site) for each in change.decisions) and stays_asleep(change, asleep)
             and not meets(change, plan.changes)]
    awake = {each.site for change in taken for each in change.decisions}
    numbered = [replace(change, id=f"c{number}", decisions=tuple(
        replace(each, evidence=(premises.asleep(place(case.project, each.site.path, asleep[each.site][0][0])),
                                *each.evidence)) for each in change.decisions))
        for number, change in enumerate(taken, len(plan.changes) + 1)]
    return replace(plan, changes=(*plan.changes, *numbered),
                   left=tuple(each for each in plan.left if each.site not in awake))


def sleeps_on(project: Project, path: str, arms: Sequence[tuple[ast.If, Span]]) -> bool:
    """Does a constant keep something else around these arms from running, which is no statement with arms?"""
    scopes = [next(each for each in project.parents(path, switch) if isinstance(each, (*FUNCTIONS, ast.Module)))
              for switch, _ in arms]
    return any(isinstance(node, (ast.IfExp, ast.While)) and isinstance(node.test, ast.Constant) and not (
        isinstance(node, ast.While) and node.test.value) for scope in scopes for node in walk(scope))


def stays_asleep(change: Change, asleep: Mapping[Site, list[tuple[ast.If, Span]]]) -> bool:
    """Does a change write nothing but in these arms, and an import?"""
    arms = [(site.path, span) for site, found in asleep.items() for _, span in found]
    return all(isinstance(edit, EnsureImport) or any(
        path == at and span.start <= cover(edit).start and cover(edit).end <= span.end for at, span in arms)
        for path, edits in change.edits for edit in edits)


def meets(change: Change, others: Sequence[Change]) -> bool:
    """Does a change write where another one does?"""
    mine, theirs = ([(path, cover(edit)) for each in changes for path, edits in each.edits for edit in edits
                     if not isinstance(edit, EnsureImport)] for changes in ([change], others))
    return any(path == at and one.start < other.end and other.start < one.end
               for path, one in mine for at, other in theirs)


def arms_around(project: Project, path: str, node: ast.AST) -> Iterator[tuple[ast.If, Span]]:
    """The statements around a node whose constant keeps it from running, each with the stretch that it keeps so."""
    inner = node
    for above in project.parents(path, node):
        if isinstance(above, ast.If) and isinstance(above.test, ast.Constant):
            arm = above.orelse if above.test.value else above.body
            if any(inner is statement for statement in arm):
                yield above, Span(project.span(path, arm[0]).start, project.span(path, arm[-1]).end)
        inner = above
