"""Decisions with their evidence, and changes: the sites that share an edit."""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from voltfix.domains.precision import LADDER
from voltfix.model import (
    Change,
    Decision,
    Edit,
    Look,
    Plan,
    Site,
    SiteKind,
    Span,
    Strategy,
    file_of,
)
from voltfix.program.bindings import Local, ProjectFunction
from voltfix.program.ofclass import objects_handed
from voltfix.program.receivers import handed_for
from voltfix.program.telling import place
from voltfix.program.unset import binds_again
from voltfix.rules import messages, premises
from voltfix.solver import arms, emptied, reading
from voltfix.solver.case import Case, functions_by_node
from voltfix.solver.evidence import Premises


def assemble(case: Case, kept: set[Site]) -> Plan:
    """Changes from groups of sites, decisions for all."""
    joined: set[int] = set()  # a parameter and all of its arguments share one list
    for sites, _, _ in case.edits:
        if id(sites) not in joined:
            joined.add(id(sites))
            case.groups.join(sites)
    members: dict[Site, list[Site]] = {}
    for site in case.sites:
        if site not in case.refusals and site not in kept:
            members.setdefault(case.groups.find(site), []).append(site)
    by_group: dict[Site, list[tuple[str, list[Edit]]]] = {}
    for sites, path, some in case.edits:
        if sites:
            by_group.setdefault(case.groups.find(sites[0]), []).append((path, some))
    groups: list[tuple[list[Site], dict[str, dict[Edit, None]]]] = []
    for head, group in sorted(members.items(), key=lambda item: (item[0].path, item[0].span)):
        edits: dict[str, dict[Edit, None]] = {}
        for path, some in by_group.get(head, ()):
            edits.setdefault(path, {}).update(dict.fromkeys(some))
        groups.append((group, edits))
    arms.without_twins(case, groups)
    emptied.without_empty(case, groups)
    changes = []
    for number, (group, edits) in enumerate(groups, 1):
        decisions = tuple(decision(case, site) for site in group)
        places = tuple(sorted(touched(case, edits)))
        changes.append(
            Change(f"c{number}", decisions, tuple((p, tuple(e)) for p, e in sorted(edits.items())), places)
        )
    left = [
        Decision(s, None, r.message, (*r.because, *case.evidence.get(s, ())), refusal=r)
        for s, r in case.refusals.items()
    ]
    left += [Decision(s, None, messages.works_on_both(), tuple(case.evidence.get(s, ())), kept=True) for s in kept]
    left.sort(key=lambda d: (d.site.path, d.site.span))
    return Plan(tuple(changes), tuple(left), tuple(case.looks.values()))


def note_looks(case: Case) -> None:
    """Remember how closely each function was looked at in this pass."""
    outcome = case.outcome
    looked_at = outcome.let_go | {root: (body, root not in outcome.too_complex)
                                  for root, body in outcome.bodies.items()}
    case.looks |= {root: Look(LADDER[outcome.levels.get(root, 0)].given_up, outcome.grown.get(root, ""), followed,
                              body.path, body.qualname) for root, (body, followed) in looked_at.items()}


def decision(case: Case, site: Site) -> Decision:
    """What a report says of a migrated site, or of an argument that stays beside one."""
    if site.kind is SiteKind.WRAPPER and site not in case.gone:
        return Decision(site, None, said(case, site), tuple(case.evidence.get(site, ())), kept=True)
    strategy: Strategy = case.strategies.get(site, "drop")
    evidence = tuple(case.evidence.get(site, ()))
    known = (case.before_trust or {}).get(site) if case.trusted else None
    guess = known.message if known is not None else ""
    return Decision(site, strategy, said(case, site), evidence, open=case.opened.get(site, ""), guess=guess)


def said(case: Case, site: Site) -> str:
    """The sentence on what was done at a migrated site."""
    if site.kind is SiteKind.WRAPPER and (site not in case.parted.calls or case.gone[site] is not None):
        if site not in case.gone:
            return messages.kept_argument(stays(case, site))
        together = case.gone[site] is not None
        return messages.removed_with_parameter() if together else messages.removed_handed_flag()
    done = case.done.get(site, ())
    if done:
        return messages.all_of(done)
    if site.kind is SiteKind.READ:
        return messages.removed_copy()
    text = case.project.modules[site.path].text
    flag = text[reading.extent(case, site).start : reading.extent(case, site).end]
    if site.kind is not SiteKind.WRITE and not any(isinstance(n, ast.keyword) for n in case.argument_nodes(site)):
        flag = f"the {'third ' if site.kind is SiteKind.ARGUMENT else ''}argument, {flag}"
    if site in case.on_data:
        return messages.removed_on_data(flag)
    if "".join(flag.split()).endswith(("=False", ",False")):
        return messages.removed_cure(flag) if site.kind is SiteKind.WRITE else messages.removed_default(flag)
    if site in case.in_no_grad:
        return messages.removed_in_no_grad(flag)
    if site in case.unasked:
        return messages.removed_unasked(flag)
    if site in case.never_on:
        return (messages.removed_as_copied if site in case.as_copied else messages.removed_never_on)(flag)
    return messages.removed_idle(flag, *case.users.get(site, ((), False)))


def stays(case: Case, wrapper: Site) -> str:
    """Why the parameter stays that takes the argument of a wrapper."""
    if case.options.keep_signatures:
        return messages.signatures_stay()
    if case.is_splat(wrapper):
        return messages.is_catch_all()
    entered = case.entered.get(id(case.node_of(wrapper)), set())
    for carrier in (c for c in case.signatures.carriers if id(c.function.node) in entered):
        if case.signatures.feeds[id(carrier.parameter)] is None or id(carrier.function.node) in case.let_go:
            return messages.has_other_callers()
        if case.signatures.overrides(carrier):
            return messages.is_overridden()
        if case.signatures.is_for_others(carrier.function):
            return messages.is_importable(file_of(carrier.path))
        if not case.signatures.may_go(carrier):
            return messages.is_outside()
    return messages.is_used()


def touched(case: Case, edits: Mapping[str, Iterable[Edit]]) -> set[tuple[str, str]]:
    """The functions whose text the edits change."""
    out = set()
    for path, some in edits.items():
        for edit in some:
            span = (
                getattr(edit, "span", None)
                or getattr(edit, "first", None)
                or getattr(edit, "call", None)
                or getattr(edit, "function", None)
            )
            if isinstance(span, Span):
                out.add((path, function_at(case, path, span)))
    return out


def function_at(case: Case, path: str, span: Span) -> str:
    """The qualified name of the innermost function around a place; "" at module level."""
    if not case.functions:
        for function in case.project.functions():
            if not isinstance(function.node, ast.Lambda):
                around = case.project.span(function.path, function.node)
                case.functions.setdefault(function.path, []).append((around.start, around.end, function.qualname))
        for found in case.functions.values():
            found.sort()
    found = case.functions.get(path, [])
    for index in range(bisect_right(found, (span.start, sys.maxsize, "")) - 1, -1, -1):
        if span.end <= found[index][1]:
            return found[index][2]
    return ""


def sites_inside(case: Case, functions: set[int]) -> list[Site]:
    """The arguments that decide volatility inside some functions."""
    key = frozenset(functions)
    if key not in case.inside:
        known: dict[int, ProjectFunction] = case.project.computed(functions_by_node)
        around = [known[node] for node in functions if node in known]
        found = {item for f in around for item in case.places.within(f.path, case.project.span(f.path, f.node))}
        case.inside[key] = [s for _, s in sorted(found) if s.kind in (SiteKind.ARGUMENT, SiteKind.WRAPPER)]
    return case.inside[key]


def may_be_of_object(case: Case, site: Site) -> bool:
    """May a flag be what some object keeps? A constant is none, nor a parameter for which all calls give constants."""
    values = [each.value if isinstance(each, ast.keyword) else each for each in case.values(site)]
    return not values or not all(_is_said(case, site.path, each) for each in values)


def _is_said(case: Case, path: str, value: ast.AST) -> bool:
    """Is it a constant, or a parameter for which all who call its function give one?"""
    if isinstance(value, ast.Constant):
        return True
    bound = case.project.resolve(path, None, value) if isinstance(value, ast.Name) else None
    if not isinstance(bound, Local) or bound.parameter is None or bound.values:
        return False
    handed = handed_for(case.project, bound.path, bound.parameter)
    return handed is not None and not binds_again(handed.by.node, bound.parameter) and (
        case.project.computed(objects_handed).is_named(handed.by)) and all(
        isinstance(each, ast.Constant) for _, each in handed.values)


def settle_premises(case: Case, kept: set[Site]) -> None:
    """Say what each decision rests on; one that rests on nothing is a fault of this analysis, and stays."""
    known = Premises(case.project, case.outcome, case.callers, case.rounds.setting.private)
    for site in list(case.open_sites(kept, *SiteKind)):
        found = case.evidence.setdefault(site, [])
        if not found:
            found += premises_of(case, site, known)
        if not found:
            case.refuse(site, "internal-error", messages.rests_on_nothing())
        found += known.of_slips(case.key(site))
        if site in case.parted.calls:
            found.append(premises.helper_stays(helper_of(case, site)))
    for site in kept:
        case.evidence.setdefault(site, []).append(premises.works_on_both(case.where(site)))


def helper_of(case: Case, site: Site) -> str:
    """Where the helper stands that a call which stands for itself calls."""
    function = case.parted.calls[site]
    known: dict[int, ProjectFunction] = case.project.computed(functions_by_node)
    return place(case.project, known[id(function)].path, function)


def premises_of(case: Case, site: Site, known: Premises) -> Iterator[str]:
    """What the decision at a site without a block rests on."""
    node = case.node_of(site)
    if site.kind is SiteKind.WRAPPER and site not in case.parted.calls:
        inner = [s for s in sites_inside(case, case.entered.get(id(node), set())) if s is not site]
        flags = [s for s in case.sites if s.kind is SiteKind.ARGUMENT and may_be_of_object(case, s)]
        if not inner and not any(s in case.refusals for s in flags):
            inner = flags  # it is kept on an object, and any of them may take it from there
        yield from known.of_wrapper(inner, case.where)
    elif site.kind is SiteKind.READ:
        copied = next(iter(reading.carrying(case, site)), None)
        answer = next((each for each in case.done.get(site, ()) if each.how != "mode"), None)
        if copied is not None:
            yield premises.copy_goes(case.where(copied))
        else:
            yield from known.of_read(site, node, answer.text if answer is not None else None)
    else:
        value = next(case.argument_nodes(site), None) if site.kind is not SiteKind.WRITE else None
        if site.kind is SiteKind.WRITE:
            statement = next((n for n in case.values(site) if isinstance(n, ast.Assign)), None)
            value = statement.value if statement is not None else None
        value = value.value if isinstance(value, ast.keyword) else value
        if site in case.as_copied and case.key(site) not in known.on:  # in sight it is not; unseen it may be
            yield premises.copy_goes_with_blocks(case.where(site))
        else:
            yield from known.of_flag(site, case.key(site), node, value)
        yield from known.of_run(case.key(site), case.rounds.setting.harmless)
        case.users[site] = known.users(case.key(site))
        if site.kind is not SiteKind.WRITE and case.key(site) not in known.on:
            case.never_on.add(site)
        if case.key(site) in known.inside:
            case.in_no_grad.add(site)
        if case.key(site) in case.unset or known.is_unasked(site, case.key(site), node):
            case.unasked.add(site)
