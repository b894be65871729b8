"""A helper with a flag that not every call of it can do without: it stays as it is, and each call stands for itself.

A helper and all calls that hand it a flag are one change as long as that can be. Where it cannot, the project is
decided once more: what the helper makes is then by the call that hands the flag in, and not by what stands in the
helper. A call that can be shown loses its argument, for the parameter is off without it; the helper keeps its parameter
for the others.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from voltfix.deadline import TimeUp
from voltfix.flags.signatures import Carrier, argument_for
from voltfix.model import Plan, Refusal, Site, SiteKind, Span
from voltfix.program.arguments import default_of, unpacks
from voltfix.program.scopes import FUNCTIONS, Function
from voltfix.program.unset import binds_again
from voltfix.program.walking import walk
from voltfix.rules import messages
from voltfix.solver.case import NOTHING, Case, Parted

# what says nothing of the calls: the author, or a check, wants the helper as it is, or nobody knows what it is
_FOR_ITSELF = frozenset({"held", "outside-paths", "caller-not-resolved", "kwargs-dictionary", "internal-error"})
_TRIES = 3
_DEFAULTS = ("__defaults__", "__kwdefaults__", "func_defaults")  # where what a call leaves out is written anew


def with_calls_apart(case: Case, plan: Plan, decide: Callable[[Parted], tuple[Case, Plan]]) -> Plan:
    """The plan, or the one in which the helpers stay of which something was refused, if that one does more."""
    without: set[Function] = set()
    latest, standing = case, plan
    for _ in range(_TRIES):
        parted = parts_of(latest, standing, without)
        if not parted.calls or set(parted.inside) <= set(latest.parted.inside):
            break
        try:
            other, found = decide(parted)
        except TimeUp:
            break  # what was asked for is decided
        idle = {function for function, _ in parted.inside.values()} - still_needed(other, found)
        if idle:
            without |= idle
            continue
        if number_of(found) < number_of(standing):
            break
        latest, standing = other, found
    return standing


def number_of(plan: Plan) -> int:
    """How many sites a plan does."""
    return sum(len(change.decisions) for change in plan.changes)


def refused_in(plan: Plan) -> dict[Site, Refusal]:
    """The refused sites of a plan."""
    return {each.site: each.refusal for each in plan.left if each.refusal is not None}


def still_needed(case: Case, plan: Plan) -> set[Function]:
    """The helpers whose parameter something is left for: a call, one that nobody has seen, or what is handed on to."""
    left, inside = refused_in(plan), case.parted.inside
    known = {function.node: function for function in case.project.functions()}
    needed = {function for function, _ in inside.values() if any(site in left for site in calling(case, function))}
    needed |= {function for function, refusal in inside.values() if refusal.reason == "unseen-callers"
               and case.callers.unseen(known[function]) is not None}
    while True:
        more = {function for site, (function, _) in inside.items() if function not in needed
                and any(id(other) in case.entered.get(id(case.node_of(site)), ()) for other in needed)}
        if not more:
            return needed
        needed |= more


def calling(case: Case, function: Function) -> Iterator[Site]:
    """The calls that hand a flag to a function."""
    for site in case.sites:
        if site.kind is SiteKind.WRAPPER and site not in case.parted.inside and (
                case.parted.calls.get(site) is function
                or id(function) in case.entered.get(id(case.node_of(site)), ())):
            yield site


def name_what_stays(case: Case) -> None:
    """Say of what stays in a helper which call it stays for."""
    refused = {**(case.before_trust or {}), **case.refusals}
    for site, (function, _) in case.parted.inside.items():
        handing = (call for call in case.parted.inside if call.kind is SiteKind.WRAPPER
                   and id(function) in case.entered.get(id(case.node_of(call)), ()))
        left = next((call for call in (*calling(case, function), *handing) if call in refused), None)
        if left is not None:
            case.refusals[site] = Refusal(refused[left].reason, messages.still_passed(case.where(left)))


# --- which helpers, and which calls -----------------------------------------------------------------------------------


def parts_of(case: Case, plan: Plan, without: set[Function]) -> Parted:
    """The helpers that something was refused in, and the calls that hand them a flag and could stand for themselves."""
    refused = refused_in(plan)
    sites = {(s.path, s.span): s for s in case.sites if s.kind in (SiteKind.ARGUMENT, SiteKind.WRAPPER)}
    uses = {id(c.parameter): found for c in case.signatures.carriers
            if c.function.node not in without and (found := uses_of(case, c, sites)) is not None}
    helpers = {c.function.node: c for c in case.signatures.carriers if id(c.parameter) in uses}
    # what works with and without the flag hands it on for the old PyTorch: it is no one call's business then
    both = {node for each in plan.left if each.kept for node in case.entered.get(id(case.node_of(each.site)), ())}
    helpers = {node: c for node, c in helpers.items() if id(node) not in both}
    several = Counter(c.function.node for c in case.signatures.carriers)
    helpers = {node: c for node, c in helpers.items() if several[node] == 1}
    helpers = {node: c for node, c in helpers.items() if reasons_of(uses[id(c.parameter)], refused)}
    while True:  # what a helper hands on to goes by the same calls
        lone = [node for node, c in helpers.items() for site in uses[id(c.parameter)]
                if site.kind is SiteKind.WRAPPER and not hands_to(case, site, helpers)]
        if not lone:
            break
        for node in lone:
            helpers.pop(node, None)
    inside: dict[Site, tuple[Function, Refusal]] = {}
    flags: dict[tuple[int, int], tuple[str, str]] = {}
    for node, carrier in helpers.items():
        said = reasons_of(uses[id(carrier.parameter)], refused)
        for site in uses[id(carrier.parameter)]:
            inside[site] = node, refused.get(site, said[0])
            for other in hands_to(case, site, helpers) if site.kind is SiteKind.WRAPPER else ():
                flags[id(case.node_of(site)), id(other)] = helpers[other].parameter.arg, carrier.parameter.arg
    keys = Counter(case.key(s) for s in case.sites if s.kind is not SiteKind.READ)
    calls: dict[Site, Function] = {}
    for site in case.sites:
        functions = hands_to(case, site, helpers) if site.kind is SiteKind.WRAPPER and site not in inside else ()
        if functions and keys[case.key(site)] == 1 and comes_out(case, site):
            calls[site] = functions[0]
            flags |= {(id(case.node_of(site)), id(each)): (helpers[each].parameter.arg, "") for each in functions}
    return Parted(flags, calls, inside) if calls else NOTHING


def reasons_of(uses: list[Site], refused: dict[Site, Refusal]) -> list[Refusal]:
    """Why something in a helper was refused; nothing where that is not for its calls to say."""
    found = [refused[site] for site in uses if site in refused]
    return [] if any(refusal.reason in _FOR_ITSELF for refusal in found) else found


def uses_of(case: Case, carrier: Carrier, sites: dict[tuple[str, Span], Site]) -> list[Site] | None:
    """The flags that a parameter is, as it stands; None where it is for anything else, or is not off by default."""
    node, name, project = carrier.function.node, carrier.parameter.arg, case.project
    default = default_of(node, carrier.parameter)
    if not isinstance(node, ast.FunctionDef) or not isinstance(default, ast.Constant) or default.value or (
            node.name == "__init__" or binds_again(node, carrier.parameter) or is_replaced(case, carrier)):
        return None
    if any(not isinstance(each, ast.Name) or each.id not in ("staticmethod", "classmethod")
           for each in node.decorator_list) or name in case.header_names().get(id(node), ()):
        return None
    found = []
    for use in walk(node):
        if not isinstance(use, ast.Name) or use.id != name:
            continue
        above = project.parent(carrier.path, use)
        argument = above if isinstance(above, ast.keyword) else use
        site = sites.get((carrier.path, project.span(carrier.path, argument)))
        around = next((each for each in project.parents(carrier.path, use)
                       if isinstance(each, (*FUNCTIONS, ast.ClassDef))), None)
        if site is None or around is not node:
            return None
        found.append(site)
    return found or None


def is_replaced(case: Case, carrier: Carrier) -> bool:
    """Is something else put under the helper's name, or its default, or may it be by a class that others write?"""
    cls = case.project.hierarchy.class_around(carrier.path, carrier.function.node)
    name = carrier.function.qualname.rsplit(".", 1)[-1]
    rebound = case.callers.rebound
    return any(rebound.is_named(each) for each in (name, *_DEFAULTS)) or (
        cls is not None and case.signatures.is_for_others(carrier))


def hands_to(case: Case, site: Site, helpers: dict[Function, Carrier]) -> list[Function]:
    """The helpers that a call hands its flag to; none where it may be of anything else, or more is handed on."""
    call = case.node_of(site)
    argument = next(case.argument_nodes(site), None)
    if not isinstance(call, ast.Call) or argument is None or case.is_splat(site):
        return []
    if unpacks(call):
        return []
    called = dict(case.signatures.called.get(id(call), ()))
    entered = case.entered.get(id(call), set())
    if not entered or not entered <= {id(node) for node in called}:
        return []
    for node, filled in called.items():
        carrier = helpers.get(node)
        if carrier is None or argument_for(node, carrier.parameter, call, filled) is not argument:
            return []
    return list(called)


def comes_out(case: Case, site: Site) -> bool:
    """Can the argument go, and all others stay what they are?"""
    call, argument = case.node_of(site), next(case.argument_nodes(site), None)
    return isinstance(call, ast.Call) and (isinstance(argument, ast.keyword) or (
        bool(call.args) and call.args[-1] is argument))
