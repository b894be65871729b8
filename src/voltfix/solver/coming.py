"""What is volatile and comes to a function by calls that nobody looked into."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.machine.values import SiteKey
from voltfix.program.bindings import ProjectFunction
from voltfix.program.calls import RUN_BY_OBJECT, CallGraph
from voltfix.solver.case import Case


def comes_unseen(case: Case, function: ProjectFunction, but: frozenset[SiteKey]) -> bool:
    """May a call that is given something volatile run a function, though nobody saw it do so?

    ``but``: sites that do not count, since they stand in the function itself.
    """
    graph = case.project.computed(CallGraph)
    calls = list(unseen_calls(case, but))
    waiting = [each for path, call in calls for each in graph.may_run(path, call)[0]]
    if calls:  # what it is of may be a network, or have one
        waiting += [each for name in RUN_BY_OBJECT for each in graph.methods(name)]
    seen: set[ast.AST] = set()
    while waiting:
        each = waiting.pop()
        if each.node is function.node:
            return True
        if each.node not in seen:
            seen.add(each.node)
            waiting += graph.callees(each)
    return False


def unseen_calls(case: Case, but: frozenset[SiteKey]) -> Iterator[tuple[str, ast.Call]]:
    """The calls that a block stands around, for what they are given is volatile, of code that nobody looked into."""
    found = {id(fact.chain[-1]) for machine in case.outcome.machines.values() for fact in machine.facts
             if id(fact.chain[-1]) in machine.unresolved and not fact.need.is_false and fact.sites - but}
    for path in case.project.paths if found else ():
        for node in case.project.nodes(path):
            if isinstance(node, ast.Call) and id(node) in found:
                yield path, node
