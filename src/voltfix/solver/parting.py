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
from typing import TypeAlias

from voltfix.deadline import TimeUp
from voltfix.flags.signatures import argument_for
from voltfix.model import Plan, Refusal, Site, SiteKind, Span
from voltfix.program.arguments import default_of
from voltfix.program.bindings import ProjectFunction
from voltfix.program.scopes import FUNCTIONS, Function, parameters_of
from voltfix.program.unset import binds_again
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.rules import messages
from voltfix.solver.case import NOTHING, Case, Parted
from voltfix.solver.signing import asks_for_another

Called: TypeAlias = dict[int, list[tuple[Function, int]]]

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
    helpers = {function for function, _ in inside.values()} | set(case.parted.handing.values())
    needed = {function for function in helpers if any(site in left for site in calling(case, function))}
    needed |= {function for function, refusal in inside.values() if refusal.reason == "unseen-callers"
               and case.callers.unseen(known[function]) is not None}
    while True:
        more = {function for call, function in case.parted.handing.items() if function not in needed
                and any(id(other) in case.entered.get(call, ()) for other in needed)}
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
        handing = [call for call in case.parted.inside if call.kind is SiteKind.WRAPPER
                   and id(function) in case.entered.get(id(case.node_of(call)), ())]
        outer = (call for each in unmarked_above(case, function) for call in calling(case, each))
        left = next((call for call in (*calling(case, function), *handing, *outer) if call in refused), None)
        if left is not None:
            case.refusals[site] = Refusal(refused[left].reason, messages.still_passed(case.where(left)))


def unmarked_above(case: Case, function: Function) -> list[Function]:
    """The helpers that hand their keywords on to a function by a call that is no site."""
    sites = {id(case.node_of(site)) for site in case.parted.inside}
    found = [function]
    for below in found:
        found += [outer for call, outer in case.parted.handing.items() if call not in sites and outer not in found
                  and id(below) in case.entered.get(call, ())]
    return found[1:]


# --- which helpers, and which calls -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Helper:
    """A function, and how it takes a flag: by a parameter, or among what its catch-all takes."""

    path: str
    function: ProjectFunction
    parameter: ast.arg
    keyword: str  # by which callers say it
    catches: bool = False

    @property
    def name(self) -> str:
        """What is handed on, as it stands."""
        return f"**{self.parameter.arg}" if self.catches else self.parameter.arg


@dataclass(frozen=True, eq=False)
class Use:
    """A call to which a helper hands on what it takes, and the argument; ``site``: unless it is told by neither."""

    call: ast.Call
    argument: ast.AST
    site: Site | None


def parts_of(case: Case, plan: Plan, without: set[Function]) -> Parted:
    """The helpers that something was refused in, and the calls that hand them a flag and could stand for themselves."""
    refused = refused_in(plan)
    sites = {(s.path, s.span): s for s in case.sites if s.kind in (SiteKind.ARGUMENT, SiteKind.WRAPPER)}
    taking = takers(case)
    several = Counter(h.function.node for h in taking)
    uses = {h.function.node: found for h in taking if h.function.node not in without and (
        several[h.function.node] == 1) and (found := uses_of(case, h, sites)) is not None}
    helpers = {h.function.node: h for h in taking if h.function.node in uses}
    # what works with and without the flag hands it on for the old PyTorch: it is no one call's business then
    both = {node for each in plan.left if each.kept for node in case.entered.get(id(case.node_of(each.site)), ())}
    helpers = {node: h for node, h in helpers.items() if id(node) not in both and asked_about(uses[node], refused)}
    called = case.signatures.called_by({h.function.qualname.rsplit(".", 1)[-1] for h in taking})
    while True:  # what a helper hands on to goes by the same calls
        lone = [node for node, h in helpers.items() for use in uses[node]
                if handed_on(use) and not hands_to(case, use.call, use.argument, helpers, called, h)]
        if not lone:
            break
        for node in lone:
            helpers.pop(node, None)
    return together(case, refused, helpers, uses, called)


def together(case: Case, refused: dict[Site, Refusal], helpers: dict[Function, Helper],
             uses: dict[Function, list[Use]], called: Called) -> Parted:
    """What stands in the helpers, how they are called by each other, and the calls that stand for themselves."""
    inside: dict[Site, tuple[Function, Refusal]] = {}
    flags: dict[tuple[int, int], tuple[str, str]] = {}
    handing: dict[int, Function] = {}
    for node, helper in helpers.items():
        said = reasons_of(uses[node], refused)
        for use in uses[node]:
            if use.site is not None:
                inside[use.site] = node, refused.get(use.site, said[0])
            for other in hands_to(case, use.call, use.argument, helpers, called, helper) if handed_on(use) else ():
                handing[id(use.call)] = node
                flags[id(use.call), id(other)] = helpers[other].name, helper.name
    keys = Counter(case.key(s) for s in case.sites if s.kind is not SiteKind.READ)
    calls: dict[Site, Function] = {}
    for site in case.sites:
        call, argument = case.node_of(site), next(case.argument_nodes(site), None)
        if site.kind is not SiteKind.WRAPPER or site in inside or case.is_splat(site) or argument is None or (
                not isinstance(call, ast.Call)):
            continue
        functions = hands_to(case, call, argument, helpers, called)
        if functions and keys[case.key(site)] == 1 and comes_out(call, argument):
            calls[site] = functions[0]
            flags |= {(id(call), id(each)): (helpers[each].name, "") for each in functions}
    return Parted(flags, calls, inside, handing) if calls else NOTHING


def takers(case: Case) -> list[Helper]:
    """Every parameter that is handed on as a flag, and every catch-all that is with one in it."""
    found = [Helper(c.path, c.function, c.parameter, c.parameter.arg) for c in case.signatures.carriers]
    for function in case.project.functions():
        node, flags = function.node, case.passing.flags_of(function.node).keywords
        if node.args.kwarg is not None and flags:
            found += [Helper(function.path, function, node.args.kwarg, keyword, catches=True)
                      for keyword in sorted(flags - {each.arg for each in parameters_of(node)})]
    return found


def handed_on(use: Use) -> bool:
    """Does it go to a function of the project, and not to torch's Variable?"""
    return use.site is None or use.site.kind is SiteKind.WRAPPER


def asked_about(uses: list[Use], refused: dict[Site, Refusal]) -> bool:
    """Was something in a helper refused, or does it only hand on, so that what it hands on to says that?"""
    return bool(reasons_of(uses, refused)) or all(use.site is None for use in uses)


def reasons_of(uses: list[Use], refused: dict[Site, Refusal]) -> list[Refusal]:
    """Why something in a helper was refused; nothing where that is not for its calls to say."""
    found = [refused[use.site] for use in uses if use.site in refused]
    return [] if any(refusal.reason in _FOR_ITSELF for refusal in found) else found


def uses_of(case: Case, helper: Helper, sites: dict[tuple[str, Span], Site]) -> list[Use] | None:
    """Where what a helper takes is a flag, as it stands; None where it is for anything else, or not off by default."""
    node, project = helper.function.node, case.project
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__" or not is_off(node, helper) or (
            binds_again(node, helper.parameter) or is_replaced(case, helper)):
        return None
    if any(not isinstance(each, ast.Name) or each.id not in ("staticmethod", "classmethod")
           for each in node.decorator_list) or helper.parameter.arg in case.header_names().get(id(node), ()):
        return None
    found = []
    for name in walk(node):
        if not isinstance(name, ast.Name) or name.id != helper.parameter.arg:
            continue
        above = project.parent(helper.path, name)
        if helper.catches and isinstance(above, (ast.Subscript, ast.Attribute)) and asks_for_another(
                node, above, frozenset({helper.keyword})):
            continue
        use = use_at(case, helper, name, sites)
        around = next((each for each in project.parents(helper.path, name)
                       if isinstance(each, (*FUNCTIONS, ast.ClassDef))), None)
        if use is None or around is not node:
            return None
        found.append(use)
    return found or None


def use_at(case: Case, helper: Helper, name: ast.Name, sites: dict[tuple[str, Span], Site]) -> Use | None:
    """The call that is given a flag by that mention; None where it is none."""
    above = case.project.parent(helper.path, name)
    argument = above if isinstance(above, ast.keyword) else name
    site = sites.get((helper.path, case.project.span(helper.path, argument)))
    call = case.node_of(site) if site is not None else case.project.parent(helper.path, argument)
    if not isinstance(call, ast.Call) or (helper.catches and getattr(argument, "arg", "") is not None):
        return None
    return Use(call, argument, site) if site is not None or helper.catches else None


def is_off(node: ast.FunctionDef, helper: Helper) -> bool:
    """Is the flag off where a call does not set it?"""
    default = default_of(node, helper.parameter)
    return helper.catches or (isinstance(default, ast.Constant) and not default.value)


def is_replaced(case: Case, helper: Helper) -> bool:
    """Is something else put under the helper's name, or its default, or may it be by a class that others write?"""
    cls = case.project.hierarchy.class_around(helper.path, helper.function.node)
    name = helper.function.qualname.rsplit(".", 1)[-1]
    rebound = case.callers.rebound
    return any(rebound.is_named(each) for each in (name, *_DEFAULTS)) or (
        cls is not None and case.signatures.is_for_others(helper.function))


def hands_to(case: Case, call: ast.Call, argument: ast.AST, helpers: dict[Function, Helper], called: Called,
             outer: Helper | None = None) -> list[Function]:
    """The helpers that a call hands its flag to; none where it may be of anything else, or more is handed on."""
    whole = outer is not None and outer.catches  # all keywords of the helper around the call
    if any(keyword.arg is None and keyword is not argument for keyword in call.keywords):
        return []
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    may_be = dict(called.get(id(call), ()))
    entered = case.entered.get(id(call), set())
    if not entered or not entered <= {id(node) for node in may_be}:
        return []
    for node, filled in may_be.items():
        helper = helpers.get(node)
        if helper is None or (starred and not helper.catches):
            return []
        taken = argument_for(node, helper.parameter, call, filled)
        if helper.catches:
            taken = next((each for each in call.keywords if each.arg == helper.keyword), None)
        if (taken is not None or outer is None or outer.keyword != helper.keyword) if whole else taken is not argument:
            return []
    return list(may_be)


def comes_out(call: ast.Call, argument: ast.AST) -> bool:
    """Can the argument go, and all others stay what they are?"""
    return isinstance(argument, ast.keyword) or (bool(call.args) and call.args[-1] is argument)
