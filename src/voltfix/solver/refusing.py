"""What is left as it is for what the interpretation found: places never reached, errors of 0.3, values that leave."""

from __future__ import annotations

import ast

from voltfix.machine.execute import Interpreter
from voltfix.machine.facts import CALLER, Store
from voltfix.machine.values import SiteKey
from voltfix.model import (
    Site,
    SiteKind,
    file_of,
)
from voltfix.program.autograd import called_by_autograd
from voltfix.program.bindings import Local, ProjectFunction
from voltfix.program.classes import receiver_name
from voltfix.program.effects import effectless
from voltfix.program.receivers import given
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.telling import place
from voltfix.program.unset import unset_parameter
from voltfix.program.walking import root_of, walk
from voltfix.rules import messages, premises
from voltfix.solver import writing
from voltfix.solver.case import Case
from voltfix.solver.claims import NOBODY, PUBLIC
from voltfix.solver.halves import belongs_with
from voltfix.solver.roots import Body
from voltfix.torchmodel import tables

_WRITTEN_OUT = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
# how a value is put into what outlives the function
KEPT = ("a container", "an object", "an item of something unknown")


def settle_visits(case: Case, kept: set[Site]) -> None:
    """A site that the interpretation never came to, or did not take for torch's, is left."""
    variables = {key for m in case.outcome.machines.values() for key in m.variables}
    writes = {
        (w.path, getattr(w.node, "lineno", 0), getattr(w.node, "col_offset", 0)) for _, w in case.outcome.writes
    }
    if settle_raising(case, kept, variables | writes):
        return  # with those sites refused, what stands after is analysed
    for site in case.deciding_sites(kept, SiteKind.ARGUMENT):
        if case.key(site) not in variables:
            case.refuse(site, *why_unseen(case, site))
    if case.outcome.too_complex:
        settle_too_complex(case)
    for site in case.open_sites(kept, SiteKind.WRITE):
        if case.key(site) not in writes and not writing.is_of_network(case, site):
            case.refuse(site, "not-analysed", messages.no_tensor())


def why_unseen(case: Case, site: Site) -> tuple[str, str]:
    """Why no path came to a site: the function around it is too complex, or another that leads to it."""
    bodies = [b for k, b in case.outcome.bodies.items() if k in case.outcome.too_complex]
    for body in sorted(bodies, key=lambda body: not (body.path == site.path and case.within(site, body.node))):
        return "too-complex", complexity(case, body)
    return "not-analysed", messages.never_reached()


def complexity(case: Case, body: Body) -> str:
    """What grew in a function that is too complex."""
    where = f"{file_of(body.path)}: {body.qualname or 'the top level'}"
    grown = case.outcome.grown.get(id(body.node), "too many paths")
    return messages.too_complex(where, grown)


def settle_raising(case: Case, kept: set[Site], seen: set[SiteKey]) -> bool:
    """Code that 0.3 never came to, for it raised before: its sites are refused, and those that made it raise.

    What such code does is not known while it counts as unreachable. True if any site was refused.
    """
    found = False
    reads = {id(read.node) for _, _, read in case.outcome.reads}
    for site in case.open_sites(kept, *SiteKind):
        node = case.node_of(site)
        if case.key(site) in seen or id(node) in reads or id(node) in case.outcome.visited:
            continue
        if site.kind is not SiteKind.WRAPPER and is_dead(case, site):
            continue
        for body in case.outcome.bodies.values():
            machine = case.outcome.machines.get(id(body.node))
            if machine is None or body.path != site.path or not case.within(site, body.node):
                continue
            for conflict in machine.raising:
                where = place(case.project, conflict.path, conflict.node)
                for other in (site, *case.sites_of(conflict.sites)):
                    if other not in kept and other not in case.refusals:
                        found = True
                        said = messages.demanded(where) if conflict.unseen else messages.raised(where)
                        case.refuse(other, "gradient-demanded", said)
    return found


def settle_too_complex(case: Case) -> None:
    """Where the analysis gave up on a body, nothing is known of its sites, nor of values that come to it."""
    for body in [b for k, b in case.outcome.bodies.items() if k in case.outcome.too_complex]:
        fed = case.outcome.fed.get(id(body.node), set())
        for key, site in case.by_key.items():
            if (key in fed and not is_never_set(case, site)) or (
                    body.path == site.path and case.within(site, body.node)):
                case.refuse(site, "too-complex", complexity(case, body))


def is_never_set(case: Case, site: Site) -> bool:
    """Is a flag a parameter that is off by default, of a function all of whose calls are known, and none sets it?"""
    around = next((each for each in case.project.parents(site.path, case.node_of(site))
                   if isinstance(each, FUNCTIONS)), None)
    function = case.project.function(site.path, around) if isinstance(around, ast.FunctionDef) else None
    if function is None or site.kind is not SiteKind.ARGUMENT or not case.callers.are_named(function):
        return False
    for node in case.argument_nodes(site):
        value = node.value if isinstance(node, ast.keyword) else node
        name = unset_parameter(case.project, function, value) if isinstance(value, ast.expr) else None
        if name is None or case.callers.unseen(function, frozenset({name})) is not None:
            return False
    return True


def settle_unset(case: Case, kept: set[Site]) -> None:
    """A flag that no call sets is off: what was refused for what it would do is looked at again as if it said so.

    What runs of the program is another then, so that the claim is asked again, too.
    """
    for site in list(case.deciding_sites(kept, SiteKind.ARGUMENT)):
        if case.key(site) in case.unset and not is_never_set(case, site):
            case.refusals[site] = case.unset.pop(case.key(site))
    for site in [s for s in case.refusals if case.key(s) in case.outcome.refused and s not in kept]:
        if case.by_key.get(case.key(site)) is site and case.key(site) not in case.unset and is_never_set(case, site):
            case.unset[case.key(site)] = case.refusals.pop(site)


def is_dead(case: Case, site: Site) -> bool:
    """Does the site stand in an arm that no path takes?"""
    return id(case.node_of(site)) in case.dead


def settle_escapes(case: Case, kept: set[Site]) -> None:
    """A value that leaves as it was made needs callers that are known: their blocks replace the flag."""
    for body in case.outcome.bodies.values():
        machine = case.outcome.machines.get(id(body.node))
        if machine is None:
            continue
        for store in machine.stores:
            if store.foreign and not store.vol.is_false:
                settle_foreign(case, body, machine, store, kept)
            if isinstance(body.node, ast.Module) and store.how != "a global":
                continue
            home = file_of(body.path)
            reader = read_elsewhere(case, store.name) if store.how == "an attribute" else None
            if reader is not None:
                for site in case.sites_of(store.sites):
                    if site not in kept:
                        case.refuse(site, "escapes-by-attribute", messages.kept_in_attribute(store.name, reader))
            if store.how == "a global" and read_by_others(case, store.name, body):
                for site in case.sites_of(store.sites):
                    if site not in kept:
                        case.refuse(site, "escapes-by-global", messages.kept_in_global(home, store.name))
            if store.how == CALLER and store.doubt:
                note_doubt(case, body, store)
            if store.how in KEPT and not store.vol.is_false:
                settle_kept(case, body, machine, store, kept)
            if store.how in (*KEPT, "an attribute") and not store.vol.is_false:
                settle_put(case, body, machine, store, kept)
            if store.how == CALLER and not store.vol.is_false:
                settle_return(case, body, machine, store, kept)


def settle_kept(case: Case, body: Body, machine: Interpreter, store: Store, kept: set[Site]) -> None:
    """A value that is put where later code finds it, into what was not made in view: that code may ask for the flag."""
    sites = [site for site in case.sites_of(store.sites if store.fresh else unserved(machine, store))
             if site not in kept]
    holder = store.node.value if isinstance(store.node, (ast.Attribute, ast.Subscript)) else None
    while isinstance(holder, ast.Subscript):
        holder = holder.value
    if not sites or holder is None:
        return
    name = holder.attr if isinstance(holder, ast.Attribute) else ""
    reader = taken_out(case, name, holder) if name else None
    if reader is None and store.how == "an object":
        reader = ""
    if reader is not None:
        for site in sites:
            case.refuse(site, "escapes-by-attribute", messages.kept_in_attribute(name, reader))


def settle_put(case: Case, body: Body, machine: Interpreter, store: Store, kept: set[Site]) -> None:
    """A value that is put into what a caller handed in leaves to him, as what is returned does."""
    into, function = root_of(store.node), case.project.function(body.path, body.node)
    if not isinstance(into, ast.Name) or function is None or not is_handed_in(case, function, into):
        return
    left = store.sites if is_as_made(case, body, store) else unserved(machine, store)
    sites = [site for site in case.sites_of(left) if site not in kept]
    why = case.callers.unseen(function, case.callers.through(machine, store)) if sites else None
    if why is not None:
        refuse_unseen(case, sites, messages.put_into(into.id, *how_unseen(why)), why)


def settle_foreign(case: Case, body: Body, machine: Interpreter, store: Store, kept: set[Site]) -> None:
    """A value that is put on an object which code that nobody has seen has, too: it may take it out, and compute.

    Not where the project itself asks for what has that name, or says what is kept under it: that decides then.
    """
    into, function = root_of(store.node), case.project.function(body.path, body.node)
    if isinstance(into, ast.Name) and function is not None and is_handed_in(case, function, into):
        return  # his who handed it in, which ``settle_put`` asks
    if store.how in KEPT:
        holder = getattr(store.node, "value", None)
        ours = isinstance(holder, (ast.Name, ast.Attribute)) and is_made_here(case, body.path, holder)
    else:
        ours = bool(case.project.computed(Loads).by_name.get(store.name))
    for site in case.sites_of(store.sites if store.fresh else unserved(machine, store)) if not ours else ():
        if site not in kept:
            case.refuse(site, "escapes-by-attribute", messages.kept_in_attribute(store.name, ""))


def is_made_here(case: Case, path: str, holder: ast.Name | ast.Attribute) -> bool:
    """Is something only ever bound to containers that are written out?"""
    bound = case.project.resolve(path, None, holder)
    values = bound.values if isinstance(bound, Local) and bound.complete else ()
    return bool(values) and all(isinstance(each, _WRITTEN_OUT) for each in values)


def how_unseen(why: str) -> tuple[bool, bool]:
    """Are there callers in sight, and is it other programs that may call as well?"""
    return not why.startswith(NOBODY), why.endswith(PUBLIC)


def refuse_unseen(case: Case, sites: list[Site], message: str, why: str) -> None:
    """Refuse sites for callers that were not seen; where some were, say what keeps them from being all."""
    because = () if why.startswith(NOBODY) else (why,)
    for site in sites:
        case.refuse(site, "unseen-callers", message, *because)


def is_handed_in(case: Case, function: ProjectFunction, name: ast.Name) -> bool:
    """Does a name in a function stand for one of its parameters, other than the object of a method, all through it?"""
    owner = case.project.hierarchy.class_around(function.path, function.node)
    own = receiver_name(function.node) if owner is not None else None
    nodes = list(walk(function.node))
    return name.id != own and name.id in {p.arg for p in parameters_of(function.node)} and any(
        node is name for node in nodes) and not any(
        isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Store) for node in nodes)


def taken_out(case: Case, name: str, put: ast.expr) -> str | None:
    """Where something may be taken out of what an attribute holds; None where it is only put in, or looked at."""
    for path, node in case.rounds.names.of({name}, attributes=True):
        above = case.project.parent(path, node)
        stored = isinstance(above, ast.Attribute) and above.attr in tables.STORING
        if node is not put and not stored and isinstance(getattr(node, "ctx", None), ast.Load) and not (
                isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "len"):
            return place(case.project, path, node)
    return None


def settle_return(case: Case, body: Body, machine: Interpreter, store: Store, kept: set[Site]) -> None:
    """A value that leaves to the caller, and whose flag may be there for him."""
    sites = case.sites_of(for_the_caller(case, body, machine, store))
    if sites and called_by_autograd(case.project, body.path, body.node):
        for site in sites:
            case.evidence.setdefault(site, []).append(premises.by_autograd(place(case.project, body.path, body.node)))
        return
    function = case.project.function(body.path, body.node)
    if not sites or function is None:
        return
    through = case.callers.through(machine, store)
    why = case.callers.unseen(function, through, used=True)
    if case.callers.only_let_go(function, through):
        case.let_go.add(id(function.node))
    asked = [site for site in sites if why is None or site in kept]
    if why is not None:
        leaving = [site for site in sites if site not in kept]
        refuse_unseen(case, leaving, messages.returned(body.qualname, *how_unseen(why)), why)
    for site in asked if case.callers.is_public(function) else ():
        case.opened[site] = messages.others_may_call()


def for_the_caller(case: Case, body: Body, machine: Interpreter, store: Store) -> frozenset[SiteKey]:
    """The sites of a value that leaves to the caller whose flag only he can have a use for.

    They are those of a value that leaves as it was made; of what was computed from it, where nothing in the function
    would have had a graph without the flag. Not so in a dictionary that shows, out of sight, what a function did:
    there something had a graph, or both what was made and what was computed are in it. And what is done to
    parameters, or to what came from elsewhere, is not undone by a drop.
    """
    if is_as_made(case, body, store):
        return store.sites
    computes = any(not fact.need.is_false or fact.text == "backward" for fact in machine.facts)
    return frozenset() if store.bundled and (computes or store.shows) else unserved(machine, store)


def is_as_made(case: Case, body: Body, store: Store) -> bool:
    """Does a value leave as it was made, so that who gets it may compute with it himself?"""
    return store.fresh and (not store.bundled or id(body.node) in case.inlined)


def unserved(machine: Interpreter, store: Store) -> frozenset[SiteKey]:
    """The sites of the parts of a value for which no operation in a function had a use."""
    served = {site for fact in machine.facts if not fact.need.is_false for site in fact.sites}
    elsewhere = {(write.path, getattr(write.node, "lineno", 0), getattr(write.node, "col_offset", 0))
                 for write in machine.writes if write.kind in ("weights", "unknown")}
    lone = (part for part in store.parts if part.isdisjoint(served))
    return frozenset[SiteKey]().union(*lone) - elsewhere


def note_doubt(case: Case, body: Body, store: Store) -> None:
    """What unknown code gave for something volatile and a graph goes to callers that nobody sees: they may train on it.

    Were it given nothing but what is volatile, there would be no graph for it to keep.
    """
    function = case.project.function(body.path, body.node)
    if function is None or not case.callers.may_be_called(function):
        return
    path, line, _ = min(store.doubt)
    for site in case.sites_of(store.sites):
        case.opened.setdefault(site, messages.unknown_result(f"{file_of(path)}:{line}"))


def note_guesses(case: Case, kept: set[Site]) -> None:
    """A method that is found by its name alone, on something unknown, may be somebody else's."""
    for root, machine in case.outcome.machines.items():
        body = case.outcome.bodies[root]
        guesses = machine.by_guess.items() if machine.by_guess and not case.has_callers(body) else ()
        for key, (path, call, asked) in guesses:
            inside = {item[1] for f in case.project.functions() if id(f.node) in machine.entered.get(key, ())
                      for item in case.places.within(f.path, case.project.span(f.path, f.node))}
            inside |= {site for site in case.parted.calls if case.node_of(site) is call}
            entered = machine.entered.get(key, set())
            for site in inside if not all(is_surely(case, at, named, entered) for at, named in asked) else ():
                case.opened.setdefault(site, messages.by_its_name(place(case.project, path, call)))


def is_surely(case: Case, path: str, named: ast.Attribute, entered: set[int]) -> bool:
    """Do all who hand over the object that is asked for a method hand over one that has the method that was run?"""
    found = given(case.project, case.callers.rebound, path, named.value)
    if found is None or not all(case.callers.are_named(f) for f in found.through):
        return False
    methods = [case.project.hierarchy.on_instance(cls, named.attr) for cls in found.classes]
    return all(isinstance(method, ProjectFunction) and id(method.node) in entered for method in methods)


def read_by_others(case: Case, name: str, body: Body) -> bool:
    """Is a module's name read in a function that nobody was seen to call?"""
    for path, node in case.rounds.names.of({name}) if name else ():
        around = [n for n in case.project.parents(path, node) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
        if around and body.node not in around and id(around[0]) not in case.inlined and (
                not isinstance(body.node, ast.Module) or is_of_module(case, body.path, name, path, node)):
            return True
    return not name


def is_of_module(case: Case, home: str, name: str, path: str, node: ast.AST) -> bool:
    """Does a mention of a name mean the one that a module binds, and no other of that name?"""
    if path == home and isinstance(node, ast.Name):
        return not any(case.project.definitions(path, each, name)
                       for each in case.project.parents(path, node) if isinstance(each, FUNCTIONS))
    bound = case.project.resolve(path, None, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    return isinstance(bound, Local) and bound.path == home and path != home


class Loads:
    """The places of a project that read an attribute, by its name."""

    def __init__(self, project: Project) -> None:
        self.by_name: dict[str, list[tuple[str, ast.Attribute]]] = {}
        for path in project.paths:
            for node in walk(project.tree(path) or ast.Module([], [])):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    self.by_name.setdefault(node.attr, []).append((path, node))


def read_elsewhere(case: Case, name: str) -> str | None:
    """Where an attribute of that name is read in code that was not interpreted, or of objects that nobody knows.

    None where it is not, "" where no line says so. Of several places that may be meant, one that does not ask
    ``self``.
    """
    reads = case.project.computed(Loads).by_name.get(name, [])
    for path, node in reads:
        if id(node) not in case.outcome.visited:
            return place(case.project, path, node)
    if any(name in m.foreign_reads for m in case.outcome.machines.values()):
        others = [r for r in reads if not (isinstance(r[1].value, ast.Name) and r[1].value.id == "self")]
        return next((place(case.project, *read) for read in (others or reads)), "")
    return None


def settle_effects(case: Case, kept: set[Site]) -> None:
    """A flag whose value is found out by doing something cannot just go."""
    for site in case.deciding_sites(kept, SiteKind.ARGUMENT, SiteKind.WRITE):
        given = not case.is_splat(site) or site in case.options_of
        if given and not all(effectless(case.project, site.path, v) for v in case.values(site)):
            case.refuse(site, "condition-not-repeatable", messages.effect_lost())


def settle_options(case: Case, kept: set[Site]) -> None:
    """A flag comes out of a dictionary for all that have it, or for none."""
    for site in case.open_sites(kept, SiteKind.ARGUMENT):
        for source in case.options_of.get(site, ()):
            for other, theirs in case.options_of.items():
                if any(source.node is each.node for each in theirs) and other in case.refusals:
                    case.refuse(site, "held-together", messages.held_together())


def met_with(case: Case, site: Site) -> list[Site]:
    """The refused flags that alone made volatile what the tensor of a site goes into one operation with."""
    key = case.key(site)
    met = (machine.met_beside.get(key, ()) for machine in case.outcome.machines.values())
    return case.sites_of({other for sites in met for other in sites})


def settle_halves(case: Case, kept: set[Site]) -> None:
    """A flag without effect stays beside one that was refused, where the two belong together."""
    refused = (s for s in case.refusals if not case.is_splat(s) and (
        s.kind is SiteKind.ARGUMENT or s in case.parted.calls))
    left = sorted(refused, key=lambda s: (s.path, s.span.start))  # so that the first of them is named, in every run
    for site in case.deciding_sites(kept, SiteKind.ARGUMENT, SiteKind.WRITE) if case.refusals else ():
        if site in case.strategies or case.is_splat(site):
            continue
        met = next((other for other in met_with(case, site) if other in case.refusals), None)
        if met is not None:
            case.refuse(site, "held-together", messages.half_of_a_change(case.where(met)))
            continue
        if site.kind is SiteKind.WRITE:
            continue
        mine = case.node_of(site), list(case.argument_nodes(site))
        for other in left:
            if other.path == site.path and belongs_with(
                    case.project, site.path, mine, (case.node_of(other), list(case.argument_nodes(other)))):
                case.refuse(site, "held-together", messages.half_of_a_change(case.where(other)))
                break
