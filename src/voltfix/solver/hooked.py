"""Reads of a flag in forward hooks: grad mode answers them where it says of every layer what that was given.

A hook runs while its layer does, so that grad mode is there what it is where the layer is called. Any layer may have
the hook. So the flag of what a layer is given has to be on where grad mode is off, and nowhere else: at every call that
was looked at, and in whatever of the project such a call may run unseen, if that is given what is volatile in a block.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

from voltfix.machine.facts import Passed
from voltfix.machine.values import SiteKey
from voltfix.program.bindings import ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.classes import receiver_name
from voltfix.program.hooks import forward_hooks, registers_hooks
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.solver.case import Case
from voltfix.solver.roots import Body

_MOST = 60  # functions that are run as if all that they are given were volatile


def runs_as_hook(case: Case, path: str, node: ast.AST) -> bool:
    """May layers run what a node stands in by themselves: as a hook, or by one that calls it?"""
    project = case.project
    if not registers_hooks(project):
        return False
    hooks = reached_by_hooks(case)
    functions = [project.function(path, each) for each in project.parents(path, node) if isinstance(each, FUNCTIONS)]
    return any(each is None or isinstance(each.node, ast.Lambda) or each.node in hooks or any(
        reference.kind not in ("call", "import", "base") for reference in project.computed(References).of(each))
        for each in functions)


def reached_by_hooks(case: Case) -> dict[ast.AST, int]:
    """The hooks that are known, and what they may come to call: over how many calls."""
    graph = case.project.computed(CallGraph)
    found: dict[ast.AST, int] = {}
    waiting = deque((case.project.function(*hook), 0) for hook in forward_hooks(case.project))
    while waiting:
        each, calls = waiting.popleft()
        if each is not None and each.node not in found:
            found[each.node] = calls
            waiting += [(called, calls + 1) for called in graph.callees(each)]
    return found


def answered_by(case: Case, path: str, node: ast.AST) -> frozenset[SiteKey] | Passed | None:
    """The sites by whose blocks grad mode says, wherever a layer may run the hook, what the flag that it reads said.

    Else a call that may give a layer something of which grad mode does not say so; None where no call is to blame.
    """
    at = position(case, path, node)
    if at is None or case.rounds.setting.tables.freezes:
        return None
    sites: frozenset[SiteKey] = frozenset()
    waiting = [passed for body, passed in case.outcome.passed if not case.has_callers(body)]
    seen: set[ast.AST] = set()
    while waiting:
        passed = waiting.pop()
        if not (passed.first if at == 0 else passed.every):
            return passed
        sites |= passed.sites
        for function in may_run(case, passed) if passed.off else ():
            if function.node in seen:
                continue
            seen.add(function.node)
            machine = case.rounds.setting.if_all_volatile(Body(function.path, function.node, function.qualname))
            if machine is None or len(seen) > _MOST:
                return passed
            waiting += machine.passed
    return sites


def position(case: Case, path: str, node: ast.AST) -> int | None:
    """Which argument of its layer a hook asks for its flag: ``given[0].volatile``; None of anything else."""
    asked = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(asked, ast.Subscript) or not isinstance(asked.value, ast.Name) or not (
            isinstance(asked.slice, ast.Constant) and isinstance(asked.slice.value, int)):
        return None
    hook = next((each for each in case.project.parents(path, node) if isinstance(each, FUNCTIONS)), None)
    names = [parameter.arg for parameter in parameters_of(hook)] if hook is not None else []
    if isinstance(hook, ast.FunctionDef) and case.project.hierarchy.class_around(path, hook) is not None:
        names = names[names[:1] == [receiver_name(hook)]:]
    return asked.slice.value if names[1:2] == [asked.value.id] else None


def may_run(case: Case, passed: Passed) -> Iterator[ProjectFunction]:
    """The functions of the project that a call may come to, which nobody looked into there."""
    project = case.project
    graph = project.computed(CallGraph)
    for path, node in passed.bodies:
        function = project.function(path, node)
        if function is not None:
            yield function
    if isinstance(passed.node, ast.Call):
        yield from graph.may_run(passed.path, passed.node)[0]
    for name in ("forward", "__call__"):  # what it runs may run any network
        yield from graph.methods(name)
