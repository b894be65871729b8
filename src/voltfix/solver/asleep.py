"""Arms that a constant keeps from running: a switch that the author throws by hand.

It stands in the test itself (``if 0:``), or under a name of the function that is bound once and asked by nothing but
tests of arms (``greedy = True``, ``if greedy:``).

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
from voltfix.program.scopes import FUNCTIONS, binds
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
                         if isinstance(node, ast.If) and thrown(case.project, path, node) is not None)
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
        if isinstance(above, ast.If) and (on := thrown(project, path, above)) is not None:
            arm = above.orelse if on else above.body
            if any(inner is statement for statement in arm):
                yield above, Span(project.span(path, arm[0]).start, project.span(path, arm[-1]).end)
        inner = above


def thrown(project: Project, path: str, switch: ast.If) -> bool | None:
    """Is the switch on whose arms a statement has? None: its test is no constant."""
    test, negated = switch.test, False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    constant = named_constant(project, path, test) if isinstance(test, ast.Name) else test
    return bool(constant.value) is not negated if isinstance(constant, ast.Constant) else None


def named_constant(project: Project, path: str, name: ast.Name) -> ast.Constant | None:
    """What a name of a function is bound to, in one place, where nothing but tests of arms asks for it.

    Whoever throws the switch changes nothing else with it then. A module's names are in the hands of other modules.
    """
    function = next((each for each in (name, *project.parents(path, name)) if isinstance(
        each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))), None)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    value: ast.Constant | None = None
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id == name.id:
            above = project.parent(path, node)
            if isinstance(node.ctx, ast.Load):
                if not is_test(project, path, node):
                    return None
            elif value is None and isinstance(above, ast.Assign) and above.targets == [node] and isinstance(
                    above.value, ast.Constant) and project.scope(path, node) is function:
                value = above.value
            else:
                return None
        elif binds(node, name.id) or (isinstance(node, ast.arg) and node.arg == name.id) or (
                isinstance(node, (ast.Global, ast.Nonlocal)) and name.id in node.names):
            return None
    return value


def is_test(project: Project, path: str, name: ast.Name) -> bool:
    """Does a name decide by itself which arm of a statement runs?"""
    asked: ast.AST = name
    for above in project.parents(path, name):
        if not (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)):
            return isinstance(above, ast.If) and above.test is asked
        asked = above
    return False
