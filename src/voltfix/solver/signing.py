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
from voltfix.program.walking import walk
from voltfix.rules import messages
from voltfix.solver import assembling, refusing, writing
from voltfix.solver.case import Case
from voltfix.solver.nameless import names_gone
from voltfix.solver.unasked import parameters_gone
from voltfix.strategies import drop


def settle_signatures(case: Case, kept: set[Site]) -> None:
    """Parameters that only carried the flag go, with every argument that fed them."""
    passing = case.passing
    signatures = case.signatures = Signatures(case.project, passing, case.options)
    dropped = {id(node) for s in case.open_sites(kept, SiteKind.ARGUMENT) for node in case.argument_nodes(s)}
    dropped |= {id(v) for s in case.open_sites(kept, SiteKind.ARGUMENT) for v in case.values(s)}
    dropped |= {id(written(case, s)) for s in case.open_sites(kept, SiteKind.WRITE) if goes(case, s)} - {id(None)}
    dropped |= {id(node) for s in case.open_sites(kept, SiteKind.WRAPPER) if s in case.parted.calls
                for node in case.argument_nodes(s)}
    case.wrappers = {(s.path, s.span): s for s in case.sites if s.kind is SiteKind.WRAPPER}
    case.gone, case.handed = {}, {}
    # an unseen call may fill it where one lets go of what comes back
    chosen = signatures.droppable(dropped, case.header_names(), lambda c: (
        id(c.function.node) not in case.let_go and feeding_sites_open(case, signatures, c, kept)))
    around = {id(carrier.parameter): sites_of(case, carrier, kept) for carrier in chosen}
    for carrier in chosen:
        family = signatures.families[id(carrier.parameter)] or [carrier]
        together = list(dict.fromkeys(site for each in family for site in around[id(each.parameter)]))
        span = case.project.span(carrier.path, carrier.function.node)
        edits: list[Edit] = [drop.parameter(span, case.project.span(carrier.path, carrier.parameter))]
        case.edits.append((together, carrier.path, edits))
        for feed in signatures.feeds[id(carrier.parameter)] or []:
            argument = case.project.span(feed.path, feed.argument)
            call = case.project.span(feed.path, feed.call)
            case.edits.append((together, feed.path, [drop.argument(call, argument)]))
        case.gone |= dict.fromkeys(feeding_sites(case, carrier), carrier)


def feeding_sites(case: Case, carrier: Carrier) -> list[Site]:
    """The sites that hand something over for a parameter."""
    places = ((f.path, case.project.span(f.path, f.argument))
              for f in case.signatures.feeds[id(carrier.parameter)] or [])
    return [case.wrappers[place] for place in places if place in case.wrappers]


def sites_of(case: Case, carrier: Carrier, kept: set[Site]) -> list[Site]:
    """The sites that fall with a parameter: those that ask it, and those that hand something over for it."""
    span = case.project.span(carrier.path, carrier.function.node)
    inner = [s for _, s in case.places.within(carrier.path, span)
             if s not in case.refusals and s not in kept and (
                 s.kind is SiteKind.ARGUMENT or hands_on(case, s, carrier) or writes(case, s, carrier))]
    return [*inner, *feeding_sites(case, carrier)]


def hands_on(case: Case, site: Site, carrier: Carrier) -> bool:
    """Is it an argument that hands a parameter on? It goes where the parameter does, also where no caller fills it."""
    return site.kind is SiteKind.WRAPPER and any(
        isinstance(node, ast.Name) and node.id == carrier.parameter.arg
        for argument in case.argument_nodes(site) for node in walk(argument))


def goes(case: Case, write: Site) -> bool:
    """Is an assignment to ``.volatile`` deleted, with nothing in its place?"""
    return write not in case.frozen and write not in case.cut


def writes(case: Case, site: Site, carrier: Carrier) -> bool:
    """Is it an assignment of a parameter to ``.volatile`` that goes?"""
    value = written(case, site) if site.kind is SiteKind.WRITE and goes(case, site) else None
    return value is not None and any(
        isinstance(node, ast.Name) and node.id == carrier.parameter.arg for node in walk(value))


def written(case: Case, write: Site) -> ast.expr | None:
    """What an assignment to ``.volatile`` and to nothing else assigns."""
    statement = case.project.parent(write.path, case.node_of(write))
    return statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None


def feeding_sites_open(case: Case, signatures: Signatures, carrier: Carrier, kept: set[Site]) -> bool:
    """Can every argument that feeds the parameter go?"""
    for feed in signatures.feeds[id(carrier.parameter)] or []:
        site = case.wrappers.get((feed.path, case.project.span(feed.path, feed.argument)))
        if site is None or site in case.refusals or site in kept:
            return False
        if not effectless(case.project, feed.path, feed.argument):
            return False
    return True


def take_out_of_calls(case: Case, kept: set[Site]) -> None:
    """The argument of a call that stands for itself goes, unless a block asks the parameter that its helper keeps."""
    headers = case.header_names() if case.parted.calls else {}
    for site in list(case.deciding_sites(kept)):
        asked, call = headers.get(id(case.parted.calls[site]), set()), id(case.node_of(site))
        names = {name.lstrip("*") for (each, _), (name, _) in case.parted.flags.items() if each == call}
        if names & asked:
            case.refuse(site, "condition-not-repeatable", messages.asked_by_block())
            continue
        case.edits.append(([site], site.path, [drop.argument(site.node, site.span)]))
        case.gone[site] = None


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
        if id(function) not in case.inlined or id(function) in case.let_go:
            case.refuse(site, "unseen-callers", messages.keywords_unseen())
            continue
        if finds_flag(case, site, function):
            case.refuse(site, "kwargs-dictionary", messages.in_mapping())
            continue
        empty_keywords(case, site, function, kept)


def finds_flag(case: Case, site: Site, function: ast.FunctionDef | ast.Lambda) -> bool:
    """May a function that hands its ``**kwargs`` on to a site find the flag there by itself?"""
    call = case.node_of(site)
    keys = case.passing.of_call(site.path, call)[0].keywords if isinstance(call, ast.Call) else frozenset()
    return looks_into(function, keys | {"volatile"}) or shows_others(case, site.path, function)


def shows_others(case: Case, path: str, function: ast.FunctionDef | ast.Lambda) -> bool:
    """Does a function of the project that no flag goes through get the ``**kwargs``, too? It may look what is there.

    Code from elsewhere that takes keywords knows no flag.
    """
    taken = function.args.kwarg
    for call in walk(function):
        handed = isinstance(call, ast.Call) and taken is not None and any(
            keyword.arg is None and isinstance(keyword.value, ast.Name) and keyword.value.id == taken.arg
            for keyword in call.keywords)
        if handed and isinstance(call, ast.Call) and case.entered.get(id(call)) and (
                not case.passing.of_call(path, call)[0]):
            return True
    return False


def looks_into(function: ast.FunctionDef | ast.Lambda, keys: frozenset[str]) -> bool:
    """May a function find a flag in its ``**kwargs``, or put it there? Handing on and asking for another is neither."""
    taken = function.args.kwarg
    for node in walk(function):
        for child in ast.iter_child_nodes(node):
            if taken is None or not isinstance(child, ast.Name) or child.id != taken.arg:
                continue
            if isinstance(node, ast.keyword) and node.arg is None:
                continue
            if not isinstance(node, (ast.Subscript, ast.Attribute)) or not asks_for_another(function, node, keys):
                return True
    return False


def asks_for_another(function: ast.AST, use: ast.Subscript | ast.Attribute, keys: frozenset[str]) -> bool:
    """``kwargs['size']``, ``kwargs.pop('size', 1)``."""
    if isinstance(use, ast.Subscript):
        return isinstance(use.slice, ast.Constant) and use.slice.value not in keys
    call = next((n for n in walk(function) if isinstance(n, ast.Call) and n.func is use), None)
    first = call.args[0] if call is not None and call.args else None
    return use.attr in ("get", "pop", "setdefault") and isinstance(first, ast.Constant) and first.value not in keys


def empty_keywords(case: Case, site: Site, function: ast.AST, kept: set[Site]) -> None:
    """The keywords of all calls that reach ``site`` through ``function``, and through those that hand them on."""
    waiting, seen = [function], {function}
    while waiting:
        entered = waiting.pop()
        for wrapper in case.open_sites(kept, SiteKind.WRAPPER):
            if id(entered) not in case.entered.get(id(case.node_of(wrapper)), ()):
                continue
            around = case.catch_all(wrapper) if case.is_splat(wrapper) else None
            if around is not None and id(around) in case.let_go:
                case.refuse(site, "unseen-callers", messages.keywords_unseen())
            if around is not None and finds_flag(case, wrapper, around):
                case.refuse(site, "kwargs-dictionary", messages.in_mapping())
            if by_star(case, wrapper, entered):
                for each in (site, wrapper):
                    case.refuse(each, "caller-not-resolved", messages.by_star())
                continue
            if around is not None and around not in seen:
                seen.add(around)
                waiting.append(around)
            if wrapper in case.gone:
                case.edits.append(([site, wrapper], wrapper.path, []))
                continue
            if case.is_splat(wrapper) and around is None:
                empty_dictionary(case, site, wrapper, kept)
                continue
            # a catch-all that is handed on as it is may hold other keywords: it stays
            edits: list[Edit] = [] if case.is_splat(wrapper) else [drop.argument(wrapper.node, wrapper.span)]
            case.edits.append(([site, wrapper], wrapper.path, edits))
            if edits:
                case.gone[wrapper] = None


def by_star(case: Case, wrapper: Site, entered: ast.AST) -> bool:
    """Does a call hand the flag over by its place, to a function that takes it among others, with a star?

    What is then handed on is no keyword, and no site of its own.
    """
    call, argument = case.node_of(wrapper), next(case.argument_nodes(wrapper), None)
    if not isinstance(entered, (ast.FunctionDef, ast.Lambda)) or not isinstance(call, ast.Call) or (
            entered.args.vararg is None or argument not in call.args):
        return False
    named = [*entered.args.posonlyargs, *entered.args.args]
    inside = isinstance(case.project.parent(wrapper.path, entered), ast.ClassDef)
    return call.args.index(argument) + int(inside) >= len(named)


def empty_dictionary(case: Case, site: Site, wrapper: Site, kept: set[Site]) -> None:
    """The flag comes out of a dictionary that a caller hands on: ``put(x, **{'volatile': True})``."""
    calls = {id(case.node_of(s)) for s in case.open_sites(kept, SiteKind.WRAPPER) if case.is_splat(s)}
    call, splat = case.node_of(wrapper), next(case.argument_nodes(wrapper), None)
    found = None
    if isinstance(call, ast.Call) and isinstance(splat, ast.keyword):
        keys = case.passing.of_call(wrapper.path, call)[0].keywords
        found = mappings.sources(case.project, wrapper.path, splat, keys, lambda path, other: id(other) in calls)
    if not found or not isinstance(splat, ast.keyword):
        for each in (site, wrapper):
            case.refuse(each, "kwargs-dictionary", messages.in_mapping())
        return
    if not all(effectless(case.project, source.path, source.value) for source in found):
        for each in (site, wrapper):
            case.refuse(each, "condition-not-repeatable", messages.effect_lost())
        return
    whole = mappings.inline(case.project, wrapper.path, wrapper.node, splat, found)
    if whole is not None:
        case.edits.append(([site, wrapper], wrapper.path, [whole]))
        case.gone[wrapper] = None
        return
    for source in found:
        together = [site, wrapper, *(s for s, theirs in case.handed.items() if any(source.node is t for t in theirs))]
        case.edits.append((together, source.path, [source.edit]))
    case.handed[wrapper] = [source.node for source in found]
    case.gone[wrapper] = None


def one_arm(case: Case, site: Site) -> tuple[Edit, ast.expr] | None:
    """``Variable(x) if train else Variable(x, volatile=True)`` is one call without the flag, if asking does nothing.

    The edit, and the test that goes.
    """
    call = case.node_of(site)
    choice = case.project.parent(site.path, call)
    if not isinstance(call, ast.Call) or not isinstance(choice, ast.IfExp) or call is choice.test:
        return None
    other = choice.orelse if call is choice.body else choice.body
    going = list(case.argument_nodes(site))
    left = ast.Call(call.func, [a for a in call.args if a not in going], [k for k in call.keywords if k not in going])
    span = case.project.span(site.path, choice)
    alone = not any(s is not site and s.path == site.path and s.span.start < span.end and span.start < s.span.end
                    for s in case.sites)
    if not alone or ast.dump(left) != ast.dump(other) or not effectless(case.project, site.path, choice.test):
        return None
    found = case.project.span(site.path, other)
    return drop.choice(span, case.project.modules[site.path].text[found.start : found.end]), choice.test


def own_edits(case: Case, kept: set[Site]) -> None:
    """Flags and writes go."""
    tests: list[tuple[str, ast.AST, list[Site]]] = []
    for site in case.open_sites(kept, SiteKind.ARGUMENT):
        if not case.is_splat(site):
            edit, test = one_arm(case, site) or (drop.argument(site.node, site.span), None)
            case.edits.append(([site], site.path, [edit]))
            asked = [test] if test is not None else case.argument_nodes(site)
            tests += [(site.path, each, [site]) for each in asked]
        take_out_options(case, site)
    empty_catch_alls(case, kept)
    for site in case.open_sites(kept, SiteKind.WRITE):
        if goes(case, site):
            case.edits.append(([site], site.path, [drop.statement(site.node), *writing.train_leaf(case, site)]))
    case.inside = {}
    take_out_of_calls(case, kept)
    take_out_of_partials(case, kept)
    while feeding := {s for s in case.open_sites(kept, SiteKind.WRAPPER) if feeds_kept(case, s, kept)}:
        kept |= feeding
    for site in list(case.open_sites(kept, SiteKind.WRAPPER)):
        if site in case.parted.calls:
            continue
        functions = case.entered.get(id(case.node_of(site)), set())
        if not functions:
            once = assembling.sites_inside(case, case.outcome.once.get(id(case.node_of(site)), set()))
            if because := next((s for s in once if s in case.refusals and s is not site), None):
                case.refuse(site, case.refusals[because].reason, messages.handed_flag_refused(case.where(because)))
            elif id(case.node_of(site)) in case.visited:
                case.refuse(site, "caller-not-resolved", messages.unresolved_call())
            else:
                case.refuse(site, *refusing.why_unseen(case, site))
        # where none is inside, the flag is kept on an object: any that stands in the project may take it from there
        for inner in assembling.sites_inside(case, functions) or [
                s for s in case.sites if s.kind is SiteKind.ARGUMENT and assembling.may_be_of_object(case, s)]:
            if inner in case.refusals and inner is not site:
                reason = case.refusals[inner].reason
                case.refuse(site, reason, messages.handed_flag_refused(case.where(inner)))
    # what only flags asked, once it is settled which of them go
    case.edits += parameters_gone(case, [each for each in tests if each[2][0] not in case.refusals])
    case.edits += names_gone(case, kept)
