"""Arguments, parameters and entries that only carried the flag: each goes in the way of its place."""

from __future__ import annotations

import ast

from voltfix.flags import options as mappings
from voltfix.flags.signatures import Carrier, Signatures
from voltfix.model import (
    Edit,
    Site,
    SiteKind,
)
from voltfix.program.arguments import default_of
from voltfix.program.effects import effectless
from voltfix.rules import messages
from voltfix.solver import assembling, writing
from voltfix.solver.case import Case
from voltfix.strategies import drop


def settle_signatures(case: Case, kept: set[Site]) -> None:
    """Parameters that only carried the flag go, with every argument that fed them."""
    passing = case.passing
    signatures = case.signatures = Signatures(case.project, passing, case.options)
    dropped = {id(node) for s in case.open_sites(kept, SiteKind.ARGUMENT) for node in case.argument_nodes(s)}
    dropped |= {id(v) for s in case.open_sites(kept, SiteKind.ARGUMENT) for v in case.values(s)}
    case.wrappers = {(s.path, s.span): s for s in case.sites if s.kind is SiteKind.WRAPPER}
    case.gone = {}
    chosen = signatures.droppable(dropped, case.header_names())
    chosen = [c for c in chosen if feeding_sites_open(case, signatures, c, kept)]
    for carrier in chosen:
        feeds = signatures.feeds[id(carrier.parameter)] or []
        members = [case.wrappers[(f.path, case.project.span(f.path, f.argument))] for f in feeds
                   if (f.path, case.project.span(f.path, f.argument)) in case.wrappers]
        span = case.project.span(carrier.path, carrier.function.node)
        inner = [s for _, s in case.places.within(carrier.path, span)
                 if s.kind is SiteKind.ARGUMENT and s not in case.refusals and s not in kept]
        together = [*inner, *members]
        edits: list[Edit] = [drop.parameter(span, case.project.span(carrier.path, carrier.parameter))]
        case.edits.append((together, carrier.path, edits))
        for feed in feeds:
            argument = case.project.span(feed.path, feed.argument)
            call = case.project.span(feed.path, feed.call)
            case.edits.append((together, feed.path, [drop.argument(call, argument)]))
        case.gone |= dict.fromkeys(members, carrier)


def feeding_sites_open(case: Case, signatures: Signatures, carrier: Carrier, kept: set[Site]) -> bool:
    """Can every argument that feeds the parameter go?"""
    for feed in signatures.feeds[id(carrier.parameter)] or []:
        site = case.wrappers.get((feed.path, case.project.span(feed.path, feed.argument)))
        if site is None or site in case.refusals or site in kept:
            return False
        if not effectless(case.project, feed.path, feed.argument):
            return False
    return True


def take_out_of_partials(case: Case, kept: set[Site]) -> None:
    """``partial(to_var, volatile=True)``: the argument goes, also where the parameter has to stay, but unused."""
    dropped = list(case.open_sites(kept, SiteKind.ARGUMENT))
    gone = {id(n) for s in dropped for n in (*case.argument_nodes(s), *case.values(s))}
    for site in list(case.open_sites(kept, SiteKind.WRAPPER)):
        call = case.node_of(site)
        is_partial = isinstance(call, ast.Call) and case.passing.fills_arguments(site.path, call)
        functions = case.entered.get(id(call), set()) if is_partial and site not in case.gone else set()
        keyword = next((n for n in case.argument_nodes(site) if isinstance(n, ast.keyword)), None)
        carriers = [c for c in case.signatures.carriers if id(c.function.node) in functions]
        if keyword is not None and carriers and all(c.parameter.arg == keyword.arg for c in carriers) and all(
                default_of(c.function.node, c.parameter) is not None
                and case.signatures.unused_but_for(c, gone, case.header_names()) for c in carriers):
            inner = [s for s in assembling.sites_inside(case, functions) if s not in case.refusals and s not in kept]
            case.edits.append(([site, *inner], site.path, [drop.argument(site.node, site.span)]))
            case.gone[site] = None


def take_out_options(case: Case, site: Site) -> None:
    """The flag of ``**options`` comes out of the dictionary."""
    found = case.options_of.get(site, [])
    for splat in case.argument_nodes(site) if found else ():
        whole = isinstance(splat, ast.keyword) and mappings.inline(
            case.project, site.path, site.node, splat, found)
        if whole:
            case.edits.append(([site], site.path, [whole]))
            return
    for source in found:
        together = [s for s, theirs in case.options_of.items() if any(source.node is each.node for each in theirs)]
        case.edits.append((together, source.path, [source.edit]))


def feeds_kept(case: Case, wrapper: Site, kept: set[Site]) -> bool:
    """Does the flag go to code alone that works on both sides of 0.4?"""
    inner = assembling.sites_inside(case, case.entered.get(id(case.node_of(wrapper)), set()))
    return bool(inner) and all(site in kept for site in inner)


def empty_catch_alls(case: Case, kept: set[Site]) -> None:
    """``Variable(x, **kwargs)`` of a function's own catch-all: the callers' keywords go, the ``**`` may stay."""
    for site in list(case.open_sites(kept, SiteKind.ARGUMENT)):
        function = case.catch_all(site) if case.is_splat(site) else None
        if function is None:
            continue
        if id(function) not in case.inlined:
            case.refuse(site, "unseen-callers", messages.keywords_unseen())
            continue
        empty_keywords(case, site, function, kept)


def empty_keywords(case: Case, site: Site, function: ast.AST, kept: set[Site]) -> None:
    """The keywords of all calls that reach ``site`` through ``function``, and through those that hand them on."""
    waiting, seen = [function], {function}
    while waiting:
        entered = waiting.pop()
        for wrapper in case.open_sites(kept, SiteKind.WRAPPER):
            if id(entered) not in case.entered.get(id(case.node_of(wrapper)), ()):
                continue
            around = case.catch_all(wrapper) if case.is_splat(wrapper) else None
            if around is not None and around not in seen:
                seen.add(around)
                waiting.append(around)
            if wrapper in case.gone:
                case.edits.append(([site, wrapper], wrapper.path, []))
                continue
            # a catch-all that is handed on as it is may hold other keywords: it stays
            edits: list[Edit] = [] if case.is_splat(wrapper) else [drop.argument(wrapper.node, wrapper.span)]
            case.edits.append(([site, wrapper], wrapper.path, edits))
            if edits:
                case.gone[wrapper] = None


def own_edits(case: Case, kept: set[Site]) -> None:
    """Flags and writes go."""
    for site in case.open_sites(kept, SiteKind.ARGUMENT):
        if not case.is_splat(site):
            case.edits.append(([site], site.path, [drop.argument(site.node, site.span)]))
        take_out_options(case, site)
    empty_catch_alls(case, kept)
    for site in case.open_sites(kept, SiteKind.WRITE):
        if site not in case.frozen and site not in case.cut:
            case.edits.append(([site], site.path, [drop.statement(site.node), *writing.train_leaf(case, site)]))
    case.inside = {}
    take_out_of_partials(case, kept)
    while feeding := {s for s in case.open_sites(kept, SiteKind.WRAPPER) if feeds_kept(case, s, kept)}:
        kept |= feeding
    for site in list(case.open_sites(kept, SiteKind.WRAPPER)):
        functions = case.entered.get(id(case.node_of(site)), set())
        if not functions:
            case.refuse(site, "caller-not-resolved", messages.unresolved_call())
        # where none is inside, the flag is kept on an object: any that stands in the project may take it from there
        for inner in assembling.sites_inside(case, functions) or [s for s in case.sites if s.kind is SiteKind.ARGUMENT]:
            if inner in case.refusals and inner is not site:
                reason = case.refusals[inner].reason
                case.refuse(site, reason, messages.handed_flag_refused(case.where(inner)))
