"""From an outcome to a plan: what happens at each site, which edits carry it out, which sites share a change."""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from voltfix.flags import leaves
from voltfix.flags import options as mappings
from voltfix.flags.propagation import Passing
from voltfix.flags.shims import is_shim
from voltfix.flags.signatures import Carrier, Signatures, is_public
from voltfix.machine import express
from voltfix.machine.facts import CallKey, VolatileWrite
from voltfix.machine.values import SiteKey
from voltfix.model import (
    Change,
    Decision,
    Edit,
    EnsureImport,
    InsertStatement,
    Options,
    Plan,
    Refusal,
    Site,
    SiteKind,
    Span,
    Strategy,
    file_of,
)
from voltfix.program.arguments import default_of
from voltfix.program.autograd import called_by_autograd
from voltfix.program.bindings import ProjectFunction
from voltfix.program.effects import effectless
from voltfix.program.imports import used_as_torch
from voltfix.program.resolve import Project
from voltfix.program.telling import lines, place, stretch
from voltfix.program.walking import walk
from voltfix.rules import messages, premises
from voltfix.rules.messages import Done, How
from voltfix.solver import frozen
from voltfix.solver.claims import Callers
from voltfix.solver.evidence import Premises
from voltfix.solver.fixpoint import Rounds, entered_functions
from voltfix.solver.halves import belongs_with
from voltfix.solver.places import Groups, Places
from voltfix.solver.reads import Answer, Reads, guarded
from voltfix.solver.roots import Body, Planned
from voltfix.strategies import block, detach, drop, grad_mode, requires_grad

Place = tuple[str, int]  # path and character offset
CARRYING = frozenset(SiteKind) - {SiteKind.READ}  # whose arguments or statements go
_COVERED = {"call": premises.call_covered, "detached": premises.detached, "whole": premises.whole_covered}


class Decider:
    """Makes the plan for one project."""

    def __init__(self, project: Project, sites: Sequence[Site], options: Options) -> None:
        self.project = project
        self.passing = project.computed(Passing)
        self.options = options
        self.sites = list(sites)
        self.nodes: dict[Place, list[ast.AST]] = {}
        for path in {site.path for site in sites}:
            self.index_nodes(path)
        self.refusals: dict[Site, Refusal] = {}
        self.strategies: dict[Site, Strategy] = {}
        self.evidence: dict[Site, list[str]] = {}
        self.users: dict[Site, tuple[tuple[str, ...], bool]] = {}  # what takes a tensor whose flag had no effect
        self.edits: list[tuple[list[Site], str, list[Edit]]] = []  # the sites that need them, path, edits
        self.groups = Groups()
        self.places = Places(self.sites)
        self.options_of: dict[Site, list[mappings.Source]] = {}  # of ``**options``: where their flags come from
        self.may_trust: set[CallKey] = set()
        self.switched: set[SiteKey] = set()  # writes of parameters' flags that a block says
        self.found_nodes: dict[Site, ast.AST] = {}
        self.functions: dict[str, list[tuple[int, int, str]]] = {}  # by path: start, end, qualified name
        self.torch_names: dict[str, str | None] = {}

    def index_nodes(self, path: str) -> None:
        """Note the calls and attributes of a module by where they start."""
        for node in self.project.nodes(path):
            if isinstance(node, (ast.Call, ast.Attribute)):
                self.nodes.setdefault((path, self.project.span(path, node).start), []).append(node)

    # --- the plan ----------------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """Run the rounds, decide every site, and put together what belongs together."""
        kept = {s for s in self.sites if is_shim(self.project, s.path, self.node_of(s))}
        for site in self.sites:
            if (site.path, site.span.start) in self.options.held:
                self.refusals[site] = Refusal("held", messages.held())
            elif self.options.editable is not None and file_of(site.path) not in self.options.editable:
                self.refusals[site] = Refusal("outside-paths", messages.outside_paths(site.path))
            elif site.kind is SiteKind.ARGUMENT and self.is_splat(site) and self.catch_all(site) is None:
                self.find_options(site)
            elif site.kind is SiteKind.WRAPPER and self.passing.is_uncertain(site.path, self.node_of(site)):
                self.refusals[site] = Refusal("caller-not-resolved", messages.maybe_variable())
        certain: Plan | None = None
        while True:
            before = set(self.refusals), set(self.switched)
            self.decide(kept)
            if (set(self.refusals), self.switched) == before:
                self.settle_premises(kept)
            if (set(self.refusals), self.switched) == before:
                plan = self.assemble(kept)
                certain = certain or plan
                if not self.trust():
                    return self.with_guesses(certain, plan)

    # --- unknown code that is given something volatile and something with a graph -------------------------------------

    def trust(self) -> bool:
        """Look once more at sites that were refused for what unknown code may do: taken to give what is volatile.

        That a value is returned is not that gradients are asked of it; that is ``backward``, ``grad``, an optimizer.
        What comes of it is a guess. True if there is something to look at.
        """
        again = [site for site, refusal in self.refusals.items() if refusal.reason == "unknown-callee"]
        if self.before_trust is not None or not self.may_trust or not again:
            return False
        self.before_trust = dict(self.refusals)
        self.trusted = frozenset(self.may_trust)
        for site in again:
            del self.refusals[site]
        return True

    def with_guesses(self, certain: Plan, plan: Plan) -> Plan:
        """``plan``, if it is ``certain`` and guesses beside it, in changes of their own; else ``certain``."""
        guesses = [change for change in plan.changes if all(d.guess for d in change.decisions)]
        others = {change.edits for change in plan.changes if change not in guesses}
        return plan if others == {change.edits for change in certain.changes} else certain

    before_trust: dict[Site, Refusal] | None = None
    trusted: frozenset[CallKey] = frozenset()

    def decide(self, kept: set[Site]) -> None:
        """One pass: interpret, then settle each kind of site; grows ``refusals``."""
        self.edits, self.strategies, self.evidence, self.users, self.groups = [], {}, {}, {}, Groups()
        self.done: dict[Site, list[Done]] = {}  # what was done for a site, and where
        self.opened: dict[Site, str] = {}  # what code outside could break
        self.by_key = {self.key(s): s for s in self.sites if s.kind in (SiteKind.ARGUMENT, SiteKind.WRITE)}
        held = frozenset(k for k, s in self.by_key.items() if s in self.refusals or s in kept)
        start = [(s.path, self.node_of(s)) for s in self.sites if s not in kept]
        start += [(source.path, source.node) for found in self.options_of.values() for source in found]
        self.rounds = Rounds(self.project, start, held, self.breaks())
        self.rounds.setting.trusted = dict.fromkeys(self.trusted, True)
        self.rounds.setting.switched = dict.fromkeys(self.switched, True)
        self.outcome = self.rounds.settle()
        self.may_trust |= self.outcome.may_trust
        machines = self.outcome.machines.values()
        self.entered = entered_functions(machines)
        self.inlined = {node for m in machines for node in m.inlined}
        self.callers = Callers(self.project, self.options, self.outcome, self.entered)
        self.visited = {node for m in machines for node in m.visited}
        self.dead = {node for m in machines for node in m.dead} - self.visited
        for key, (reason, sentence) in self.outcome.refused.items():
            if key in self.by_key:
                self.refusals.setdefault(self.by_key[key], Refusal(reason, sentence))
        self.settle_visits(kept)
        self.settle_escapes(kept)
        self.settle_writes(kept)
        self.settle_reads(kept)
        self.settle_effects(kept)
        self.settle_options(kept)
        self.layouts()
        self.settle_halves(kept)
        self.settle_signatures(kept)
        self.own_edits(kept)

    def breaks(self) -> frozenset[int]:
        """Statements that start a cell: no block may reach them from the cell before."""
        out: set[int] = set()
        for path, module in self.project.modules.items():
            tree = self.project.tree(path)
            if tree is None or not module.barriers:
                continue
            starts = [(self.project.span(path, s).start, s) for s in tree.body]
            for barrier in module.barriers:
                following = [s for start, s in starts if start >= barrier]
                if following:
                    out.add(id(following[0]))
        return frozenset(out)

    # --- sites and nodes ---------------------------------------------------------------------------------------------

    def node_of(self, site: Site) -> ast.AST:
        """The call, or the attribute, of a site."""
        if site not in self.found_nodes:
            self.found_nodes[site] = self.find_node(site)
        return self.found_nodes[site]

    def find_node(self, site: Site) -> ast.AST:
        """Look for the node of a site."""
        at = site.span.start if site.kind in (SiteKind.READ, SiteKind.WRITE) else site.node.start
        end = site.span.end if site.kind in (SiteKind.READ, SiteKind.WRITE) else site.node.end
        found = self.nodes.get((site.path, at), [])
        exact = [n for n in found if self.project.span(site.path, n).end == end]
        wanted = ast.Attribute if site.kind in (SiteKind.READ, SiteKind.WRITE) else ast.Call
        typed = [n for n in exact if isinstance(n, wanted)] or exact
        return typed[0] if typed else (found[0] if found else ast.Pass())

    def key(self, site: Site) -> SiteKey:
        """How the machine names the site."""
        node = self.node_of(site)
        return (site.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))

    def is_splat(self, site: Site) -> bool:
        """Is the argument a ``**`` mapping?"""
        text = self.project.modules[site.path].text
        return text[site.span.start : site.span.start + 2] == "**"

    def find_options(self, site: Site) -> None:
        """Where the flag of ``**options`` comes from, if that can be told."""
        passing, call = self.passing, self.node_of(site)
        splat = next(self.argument_nodes(site), None)
        found: list[mappings.Source] | None = None
        if isinstance(call, ast.Call) and isinstance(splat, ast.keyword):
            keys = passing.of_call(site.path, call)[0].keywords
            found = mappings.sources(
                self.project, site.path, splat, keys, lambda path, other: passing.of_call(path, other)[0].direct)
        if not found:
            self.refusals[site] = Refusal("kwargs-dictionary", messages.in_mapping())
            return
        self.options_of[site] = found

    def catch_all(self, site: Site) -> ast.FunctionDef | ast.Lambda | None:
        """The function whose own ``**kwargs`` a splat site hands on to Variable, if it is one."""
        text = self.project.modules[site.path].text[site.span.start : site.span.end].lstrip("*").strip()
        for above in self.project.parents(site.path, self.node_of(site)):
            if isinstance(above, ast.FunctionDef):
                named = above.args.kwarg is not None and above.args.kwarg.arg == text
                return above if named else None
            if isinstance(above, ast.Lambda):
                return above if above.args.kwarg is not None and above.args.kwarg.arg == text else None
        return None

    def refuse(self, site: Site, reason: str, message: str) -> None:
        """Refuse a site, unless it is refused already."""
        self.refusals.setdefault(site, Refusal(reason, message))

    def open_sites(self, kept: set[Site], *kinds: SiteKind) -> Iterator[Site]:
        """The sites of some kinds that are neither refused nor kept."""
        for site in self.sites:
            if site.kind in kinds and site not in self.refusals and site not in kept:
                yield site

    # --- what the interpretation says --------------------------------------------------------------------------------

    def settle_visits(self, kept: set[Site]) -> None:
        """A site that the interpretation never came to, or did not take for torch's, is left."""
        variables = {key for m in self.outcome.machines.values() for key in m.variables}
        writes = {
            (w.path, getattr(w.node, "lineno", 0), getattr(w.node, "col_offset", 0)) for _, w in self.outcome.writes
        }
        if self.settle_raising(kept, variables | writes):
            return  # with those sites refused, what stands after is analysed
        for site in self.open_sites(kept, SiteKind.ARGUMENT):
            if self.key(site) not in variables:
                self.refuse(site, *self.why_unseen(site))
        if self.outcome.too_complex:
            self.settle_too_complex()
        for site in self.open_sites(kept, SiteKind.WRITE):
            if self.key(site) not in writes:
                self.refuse(site, "not-analysed", messages.no_tensor())

    def why_unseen(self, site: Site) -> tuple[str, str]:
        """Why no path came to a site: the function around it is too complex, or another that leads to it."""
        bodies = [b for k, b in self.outcome.bodies.items() if k in self.outcome.too_complex]
        for body in sorted(bodies, key=lambda body: not (body.path == site.path and self.within(site, body.node))):
            return "too-complex", self.complexity(body)
        return "not-analysed", messages.never_reached()

    def complexity(self, body: Body) -> str:
        """What grew in a function that is too complex."""
        where = f"{file_of(body.path)}: {body.qualname or 'the top level'}"
        grown = self.outcome.grown.get(id(body.node), "too many paths")
        return messages.too_complex(where, grown)

    def settle_raising(self, kept: set[Site], seen: set[SiteKey]) -> bool:
        """Code that 0.3 never came to, for it raised before: its sites are refused, and those that made it raise.

        What such code does is not known while it counts as unreachable. True if any site was refused.
        """
        found = False
        reads = {id(read.node) for _, _, read in self.outcome.reads}
        for site in self.open_sites(kept, *SiteKind):
            node = self.node_of(site)
            if self.key(site) in seen or id(node) in reads or id(node) in self.outcome.visited:
                continue
            if site.kind is not SiteKind.WRAPPER and self.is_dead(site):
                continue
            for body in self.outcome.bodies.values():
                machine = self.outcome.machines.get(id(body.node))
                if machine is None or body.path != site.path or not self.within(site, body.node):
                    continue
                for conflict in machine.raising:
                    where = place(self.project, conflict.path, conflict.node)
                    for other in (site, *self.sites_of(conflict.sites)):
                        if other not in kept and other not in self.refusals:
                            found = True
                            said = messages.demanded(where) if conflict.unseen else messages.raised(where)
                            self.refuse(other, "gradient-demanded", said)
        return found

    def settle_too_complex(self) -> None:
        """Where the analysis gave up on a body, nothing is known of its sites, nor of values that come to it."""
        for body in [b for k, b in self.outcome.bodies.items() if k in self.outcome.too_complex]:
            fed = self.outcome.fed.get(id(body.node), set())
            for key, site in self.by_key.items():
                if key in fed or (body.path == site.path and self.within(site, body.node)):
                    self.refuse(site, "too-complex", self.complexity(body))

    def is_dead(self, site: Site) -> bool:
        """Does the site stand in an arm that no path takes?"""
        return id(self.node_of(site)) in self.dead

    def settle_escapes(self, kept: set[Site]) -> None:
        """A value that leaves as it was made needs callers that are known: their blocks replace the flag."""
        for body in self.outcome.bodies.values():
            machine = self.outcome.machines.get(id(body.node))
            if machine is None:
                continue
            for store in machine.stores:
                if isinstance(body.node, ast.Module) and store.how != "a global":
                    continue
                home = file_of(body.path)
                reader = self.read_elsewhere(store.name) if store.how == "an attribute" else None
                if reader is not None:
                    for site in self.sites_of(store.sites):
                        if site not in kept:
                            self.refuse(site, "escapes-by-attribute", messages.kept_in_attribute(store.name, reader))
                if store.how == "a global" and self.read_by_others(store.name, body):
                    for site in self.sites_of(store.sites):
                        if site not in kept:
                            self.refuse(site, "escapes-by-global", messages.kept_in_global(home, store.name))
                if store.how != "the caller" or not store.fresh or store.vol.is_false:
                    continue
                if called_by_autograd(self.project, body.path, body.node):
                    where = place(self.project, body.path, body.node)
                    for site in self.sites_of(store.sites):
                        self.evidence.setdefault(site, []).append(premises.by_autograd(where))
                    continue
                if store.bundled and machine.operations and id(body.node) not in self.inlined:
                    continue  # results shown beside others by code that computes, not a supplier of volatile values
                function = self.project.function(body.path, body.node)
                through = self.callers.through(machine, store)
                why = self.callers.unseen(function, through) if function is not None else None
                for site in self.sites_of(store.sites):
                    if why is not None and site not in kept:
                        self.refuse(site, "unseen-callers", messages.returned(body.qualname))
                    elif function is not None and self.callers.is_public(function):
                        self.opened[site] = messages.others_may_call(body.qualname)

    def read_by_others(self, name: str, body: Body) -> bool:
        """Is a module's name read in a function that nobody was seen to call?"""
        for path, node in self.rounds.names.of({name}) if name else ():
            around = [n for n in self.project.parents(path, node) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
            if around and body.node not in around and id(around[0]) not in self.inlined:
                return True
        return not name

    def read_elsewhere(self, name: str) -> str | None:
        """Where an attribute of that name is read in code that was not interpreted, or of objects that nobody knows.

        None where it is not, "" where no line says so. Of several places that may be meant, one that does not ask
        ``self``.
        """
        reads = [
            (path, node) for path in self.project.paths for node in walk(self.project.tree(path) or ast.Module([], []))
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        ]
        for path, node in reads:
            if id(node) not in self.outcome.visited:
                return place(self.project, path, node)
        if any(name in m.foreign_reads for m in self.outcome.machines.values()):
            others = [r for r in reads if not (isinstance(r[1].value, ast.Name) and r[1].value.id == "self")]
            return next((place(self.project, *read) for read in (others or reads)), "")
        return None

    def sites_of(self, keys: Iterable[SiteKey]) -> list[Site]:
        """The sites behind the machine's keys."""
        return [self.by_key[k] for k in sorted(keys) if k in self.by_key]

    # --- writes and reads --------------------------------------------------------------------------------------------

    def settle_writes(self, kept: set[Site]) -> None:
        """``x.volatile = ...``: on what is it, and does a block say the same?"""
        self.frozen: dict[Site, list[VolatileWrite]] = {}
        self.cut: set[Site] = set()
        for body, write in self.outcome.writes:
            site = self.by_key.get((write.path, getattr(write.node, "lineno", 0), getattr(write.node, "col_offset", 0)))
            if site is None or site in self.refusals or site in kept:
                continue
            left = [self.by_key[k] for k in sorted(write.left) if self.by_key.get(k) in self.refusals]
            if left:
                because = self.refusals[left[0]]
                self.refuse(site, because.reason, messages.written_flag_refused(self.where(left[0])))
                continue
            if write.kind == "weights" and (write.depth or not self.has_callers(body)):
                self.frozen.setdefault(site, []).append(write)
            if write.kind != "weights" and write.depth == 0 and self.has_callers(body):
                continue  # what it is written to, its callers show
            if write.kind != "weights" and write.raised is not None:
                self.cut_result(site, write)
                continue
            if (
                write.kind in ("tensor", "weights")
                or write.origin in ("call", "made", "param")
                or (write.pc & ~write.before).is_false
            ):
                lasts = write.kind != "weights" or id(write) not in self.outcome.switched_off
                if write.origin == "param" and write.depth == 0 and lasts and not self.has_callers(body):
                    self.refuse(site, "unseen-callers", messages.parameter_written())
                continue
            self.refuse(site, "unknown-origin", messages.unknown_origin())
        for site, writes in self.frozen.items():
            self.freeze(site, writes)

    def cut_result(self, site: Site, write: VolatileWrite) -> None:
        """Nothing makes the result volatile whose flag is written: had it a graph, 0.3 raised; today it would keep it.

        ``= False`` says that it is to have none: it is detached, where no other name keeps the graph.
        """
        node = self.node_of(site)
        name = node.value if isinstance(node, ast.Attribute) else None
        alone = isinstance(name, ast.Name) and not write.held and write.origin == "call" and is_fresh(
            self.project, site.path, node, name.id)
        if not write.value.is_false or not alone or not isinstance(name, ast.Name):
            self.refuse(site, "not-a-leaf", messages.not_a_leaf())
        elif site not in self.cut:
            self.cut.add(site)
            self.strategies[site] = "detach"
            at = lines(self.project, site.path, [name.lineno], read_in=site.path)
            self.done.setdefault(site, []).append(Done("detached", at))
            self.evidence.setdefault(site, []).append(premises.not_volatile_here(at))
            trained = leaves.trained_at(self.project, site.path, node)
            edits: list[Edit] = [detach.instead(site.node, name.id, trained is not None)]
            edits += [drop.statement(self.project.span(site.path, trained.statement))] if trained is not None else []
            self.edits.append(([site], site.path, edits))

    def is_helped(self, write: VolatileWrite) -> bool:
        """Do functions that are called write the flag of the same parameters, too? They go on doing so."""
        return any(w.cell == write.cell and w.depth for w in self.outcome.together.get(id(write), ()))

    def freeze(self, site: Site, writes: list[VolatileWrite]) -> None:
        """Parameters that the flag froze do not require grad, or what they were frozen for has a block."""
        if site in self.refusals:
            return
        if self.key(site) not in self.switched and all(
                write.depth == 0 and id(write) in self.outcome.switched_off and not self.is_helped(write)
                for write in writes):
            self.switched.add(self.key(site))  # to be looked at again, with a block in mind
        followed = {node for m in self.outcome.machines.values() for node in m.asking}
        found = frozen.settle(self.project, site.path, self.node_of(site), writes, followed,
                              self.key(site) in self.switched)
        if isinstance(found, Refusal):
            self.refuse(site, found.reason, found.message)
            return
        self.evidence.setdefault(site, []).extend(found.evidence)
        self.done.setdefault(site, []).extend(found.done)
        if found.enabled is not None:
            self.strategies[site] = "requires_grad_"
            edit = requires_grad.instead(site.node, found.tensor, found.enabled)
        else:
            edit = drop.statement(self.project.span(site.path, frozen.all_of(self.project, site.path, found.statement)))
        self.edits.append(([site], site.path, [edit]))

    def settle_effects(self, kept: set[Site]) -> None:
        """A flag whose value is found out by doing something cannot just go."""
        for site in self.open_sites(kept, SiteKind.ARGUMENT, SiteKind.WRITE):
            given = not self.is_splat(site) or site in self.options_of
            if given and not all(effectless(self.project, site.path, v) for v in self.values(site)):
                self.refuse(site, "condition-not-repeatable", messages.effect_lost())

    def settle_options(self, kept: set[Site]) -> None:
        """A flag comes out of a dictionary for all that have it, or for none."""
        for site in self.open_sites(kept, SiteKind.ARGUMENT):
            for source in self.options_of.get(site, ()):
                for other, theirs in self.options_of.items():
                    if any(source.node is each.node for each in theirs) and other in self.refusals:
                        self.refuse(site, "held-together", messages.held_together())

    def settle_halves(self, kept: set[Site]) -> None:
        """A flag without effect stays beside one that was refused, where the two belong together."""
        left = [s for s in self.refusals if s.kind is SiteKind.ARGUMENT and not self.is_splat(s)]
        for site in self.open_sites(kept, SiteKind.ARGUMENT) if left else ():
            if site in self.strategies or self.is_splat(site):
                continue
            mine = self.node_of(site), list(self.argument_nodes(site))
            for other in left:
                if other.path == site.path and belongs_with(
                        self.project, site.path, mine, (self.node_of(other), list(self.argument_nodes(other)))):
                    self.refuse(site, "held-together", messages.half_of_a_change(self.where(other)))
                    break

    def values(self, site: Site) -> Iterator[ast.AST]:
        """The expressions that go with a site: an argument's, an option's, or what a write assigns."""
        if site in self.options_of:
            yield from (source.value for source in self.options_of[site])
            return
        if site.kind is not SiteKind.WRITE:
            yield from self.argument_nodes(site)
        else:
            node = self.node_of(site)
            around = next(each for each in self.project.parents(site.path, node) if isinstance(each, ast.stmt))
            said = isinstance(node, ast.Call) and isinstance(around, ast.Expr) and around.value is node
            yield from node.args if said and isinstance(node, ast.Call) else [around]  # setattr(x, "volatile", on)

    def has_callers(self, body: Body) -> bool:
        """Was the function interpreted in place, from all calls that there are?"""
        function = self.project.function(body.path, body.node)
        return function is not None and id(body.node) in self.inlined and self.callers.unseen(function) is None

    def settle_reads(self, kept: set[Site]) -> None:
        """``x.volatile`` as a value: the condition that it was, or a question about grad mode, or a refusal."""
        self.reads = Reads(self.outcome, lambda body: self.has_callers(body))
        for site in self.open_sites(kept, SiteKind.READ):
            node = self.node_of(site)
            if self.inside_dropped(site):
                self.copied_flag(site, node)
                continue
            refused = any(s.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) for s in self.refusals)
            answer = self.reads.answer(node, not refused)
            if (answer is None or answer.asks_mode) and self.asks_graph(site, node):
                continue
            if answer is None:
                self.refuse(site, "volatile-read", messages.read_differs())
                for other in self.sites_of(self.reads.feeding(node)):
                    where = lines(self.project, site.path, [getattr(node, "lineno", 0)], read_in=other.path)
                    self.refuse(other, "volatile-read", messages.is_read(where))
            else:
                self.replace_read(site, node, answer)

    def asks_graph(self, site: Site, node: ast.AST) -> bool:
        """``if not x.volatile: x.register_hook(f)`` asks whether x requires grad: 0.3 raised where it does not."""
        name = guarded(node, lambda inner: self.project.parent(site.path, inner))
        if name is None:
            return False
        span, _, _ = self.question(site, node, "")
        self.edits.append(([site], site.path, [grad_mode.says(span, f"{name}.requires_grad")]))
        self.strategies[site] = "drop"
        self.done.setdefault(site, []).append(Done("condition", "", f"{name}.requires_grad"))
        where = place(self.project, site.path, node)
        self.evidence[site] = [premises.guards_refused(where)]
        return True

    def copied_flag(self, site: Site, node: ast.AST) -> None:
        """``volatile=x.volatile`` of a parameter: without a caller in sight the copy's effect would be lost."""
        function = next((n for n in self.project.parents(site.path, node) if isinstance(n, ast.FunctionDef)), None)
        receiver = node.value if isinstance(node, ast.Attribute) else None
        names = {a.arg for a in function.args.args} if function is not None else set()
        if isinstance(receiver, ast.Name) and receiver.id in names and not self.is_seen(site.path, function):
            if self.is_idle(site, function):
                for each in self.carrying(site):
                    self.evidence[each] = [premises.copy_changes_nothing(self.where(each))]
                return
            for each in [site, *self.carrying(site)]:
                self.refuse(each, "unseen-callers", messages.copied_from_parameter())

    def is_seen(self, path: str, node: ast.AST | None) -> bool:
        """Are all callers of a function known, and was it interpreted as they call it?"""
        function = self.project.function(path, node) if node is not None else None
        return function is not None and id(node) in self.inlined and self.callers.unseen(function) is None

    def is_idle(self, read: Site, function: ast.FunctionDef | None) -> bool:
        """Does nothing depend on the flag that the read is copied to, as none does on that of an index or a mask?"""
        around = [s for s in self.carrying(read) if s.kind is SiteKind.ARGUMENT]
        body = self.outcome.bodies.get(id(function))
        if len(around) != 1 or body is None:
            return False
        machine = self.rounds.setting.if_volatile(body, self.key(around[0]))
        return machine is not None and self.key(around[0]) in machine.variables and not machine.shows(
            self.key(around[0]))

    def inside_dropped(self, site: Site) -> bool:
        """Does the read stand in an argument, or a write, that goes?"""
        return any(other not in self.refusals for other in self.carrying(site))

    def carrying(self, read: Site) -> list[Site]:
        """The arguments and writes that a read stands in."""
        return [s for s in self.places.around(read, CARRYING) if read.span.end <= self.extent(s).end]

    def extent(self, site: Site) -> Span:
        """What goes with the site: the statement of a write, the argument else."""
        return site.node if site.kind is SiteKind.WRITE else site.span

    def replace_read(self, site: Site, node: ast.AST, answer: Answer) -> None:
        """Write down what answers as ``.volatile`` did."""
        torch, imports = self.torch_name(site.path, node)
        feeding = [s for s in self.sites_of(self.reads.feeding(node)) if s not in self.refusals]
        span, torch, inverted = self.question(site, node, torch)
        if answer.asks_mode:
            edit = grad_mode.asks_mode(span, torch, inverted)
            self.done[site] = [Done("mode", "", "" if inverted else "not ")]
        elif answer.text in ("True", "False"):  # `True == False` is a question that nobody asks
            edit, imports = grad_mode.says(span, str((answer.text == "True") is not inverted)), []
            self.done[site] = [Done("constant", "", answer.text)]
        else:
            edit, imports = grad_mode.says(site.span, answer.text), []
            self.done[site] = [Done("condition", "", answer.text)]
        self.edits.append(([site, *feeding], site.path, [edit, *imports]))
        self.strategies[site] = "no_grad" if answer.asks_mode else "drop"

    def question(self, site: Site, node: ast.AST, torch: str) -> tuple[Span, str, bool]:
        """What the answer to a read replaces, torch's name, and whether it is asked the other way round.

        ``not x.volatile`` and ``x.volatile == False`` are one question with what stands around the read.
        """
        above = self.project.parent(site.path, node)
        if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
            return self.project.span(site.path, above), torch, True
        if isinstance(above, ast.Compare) and len(above.ops) == 1 and above.left is node:
            other = above.comparators[0]
            equal = isinstance(above.ops[0], ast.Eq) and isinstance(other, ast.Constant) and other.value in (0, 1)
            same = isinstance(above.ops[0], ast.Is) and isinstance(other, ast.Constant)
            if isinstance(other, ast.Constant) and (equal or (same and isinstance(other.value, bool))):
                return self.project.span(site.path, above), torch, not other.value
        return site.span, torch, False

    # --- blocks ------------------------------------------------------------------------------------------------------

    def layouts(self) -> None:
        """The edits of all regions."""
        for key, planned in self.outcome.planned.items():
            body = self.outcome.bodies[key]
            if not isinstance(body.node, ast.AST):
                continue
            self.regions(body, planned)
            self.wraps(body, planned)
            if planned.layout.whole is not None:
                self.whole(body, planned)

    def regions(self, body: Body, planned: Planned) -> None:
        """The blocks around statements."""
        for region in planned.layout.regions:
            torch, imports = self.torch_name(body.path, region.first)
            sites = self.sites_of({s for f in region.facts for s in f.sites})
            text = planned.texts[id(region.first)]
            context = block.header(torch, text, id(region.first) in self.outcome.reentered)
            first, last = self.project.span(body.path, region.first), self.project.span(body.path, region.last)
            self.edits.append((sites, body.path, [block.block(first, last, context), *imports]))
            strategy: Strategy = "set_grad_enabled" if text else "no_grad"
            end = region.last.end_lineno or region.last.lineno
            self.tell(sites, strategy, body.path, (region.first.lineno, end), "wrapped", context, region.facts)

    def wraps(self, body: Body, planned: Planned) -> None:
        """The expressions that are covered on their own."""
        for wrap in planned.layout.wraps:
            torch, imports = self.torch_name(body.path, wrap.node)
            sites = self.sites_of({s for f in wrap.facts for s in f.sites})
            at = wrap.node.lineno, wrap.node.lineno
            if wrap.how == "call" and isinstance(wrap.node, ast.Call):
                edit = block.wrapped(self.project.span(body.path, wrap.node.func), torch)
                self.edits.append((sites, body.path, [edit, *imports]))
                self.tell(sites, "no_grad", body.path, at, "call", "", wrap.facts)
            else:
                self.edits.append((sites, body.path, [detach.result(self.project.span(body.path, wrap.node))]))
                self.tell(sites, "detach", body.path, at, "detached", "", wrap.facts)

    def whole(self, body: Body, planned: Planned) -> None:
        """The function that runs under ``no_grad`` as a whole."""
        torch, imports = self.torch_name(body.path)
        facts = planned.layout.whole or ()
        sites = self.sites_of({s for f in facts for s in f.sites})
        span = self.project.span(body.path, body.node)
        edit = block.wrapped(span, torch) if isinstance(body.node, ast.Lambda) else block.decorator(span, torch)
        self.edits.append((sites, body.path, [edit, *imports]))
        line = getattr(body.node, "lineno", 0)
        self.tell(sites, "no_grad", body.path, (line, line), "whole", "", facts)

    def tell(
        self, sites: Iterable[Site], strategy: Strategy, path: str, at: tuple[int, int], how: How, header: str,
        facts: Iterable[object],
    ) -> None:  # fmt: skip
        """Note for sites what was done from line to line of a module, and on what grounds."""
        grounds = {getattr(getattr(f, "chain", (None,))[0], "lineno", 0) for f in facts}
        for site in sites:
            lines_of = stretch(self.project, path, *at, read_in=site.path)
            self.done.setdefault(site, []).append(Done(how, lines_of, header))
            sentence = premises.covered(lines_of, header) if header else _COVERED[how](lines_of)
            proof = premises.needs_block(lines(self.project, path, grounds, read_in=site.path))
            if self.strategies.get(site) not in ("set_grad_enabled", "requires_grad_"):
                self.strategies[site] = strategy
            for text in (sentence, proof):
                if text not in self.evidence.setdefault(site, []):
                    self.evidence[site].append(text)

    def torch_name(self, path: str, node: ast.AST | None = None) -> tuple[str, list[Edit]]:
        """What torch is called at a place, and the import that is needed for it.

        A function that imports torch lazily keeps doing so: no import at the module's top would be right for it.
        """
        for around in self.project.parents(path, node) if node is not None else ():
            if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
                local = torch_alias(around)
                if local is not None:
                    return local, []
                lazy = [
                    s for s in around.body if isinstance(s, ast.ImportFrom) and (s.module or "").startswith("torch")
                ]
                if lazy and self.torch_at_top(path) is None:
                    return "torch", [InsertStatement(self.project.span(path, lazy[0]), "import torch")]
        if path not in self.torch_names:
            tree = self.project.tree(path)
            loose = sorted(used_as_torch(tree)) if tree is not None else []
            unbound = [n for n in loose if not any(binds(s, n) for s in walk(tree or ast.Pass()))]
            self.torch_names[path] = torch_alias(tree) or next(iter(unbound), None)
        name = self.torch_names[path]
        return (name, []) if name is not None else ("torch", [EnsureImport("torch")])

    def torch_at_top(self, path: str) -> str | None:
        """The name of torch at the module's top level."""
        return torch_alias(self.project.tree(path))

    # --- signatures --------------------------------------------------------------------------------------------------

    def settle_signatures(self, kept: set[Site]) -> None:
        """Parameters that only carried the flag go, with every argument that fed them."""
        passing = self.passing
        signatures = self.signatures = Signatures(self.project, passing, self.options)
        dropped = {id(node) for s in self.open_sites(kept, SiteKind.ARGUMENT) for node in self.argument_nodes(s)}
        dropped |= {id(v) for s in self.open_sites(kept, SiteKind.ARGUMENT) for v in self.values(s)}
        self.wrappers = {(s.path, s.span): s for s in self.sites if s.kind is SiteKind.WRAPPER}
        self.gone: dict[Site, Carrier | None] = {}
        chosen = signatures.droppable(dropped, self.header_names())
        chosen = [c for c in chosen if self.feeding_sites_open(signatures, c, kept)]
        for carrier in chosen:
            feeds = signatures.feeds[id(carrier.parameter)] or []
            members = [self.wrappers[(f.path, self.project.span(f.path, f.argument))] for f in feeds
                       if (f.path, self.project.span(f.path, f.argument)) in self.wrappers]
            span = self.project.span(carrier.path, carrier.function.node)
            inner = [s for _, s in self.places.within(carrier.path, span)
                     if s.kind is SiteKind.ARGUMENT and s not in self.refusals and s not in kept]
            together = [*inner, *members]
            edits: list[Edit] = [drop.parameter(span, self.project.span(carrier.path, carrier.parameter))]
            self.edits.append((together, carrier.path, edits))
            for feed in feeds:
                argument = self.project.span(feed.path, feed.argument)
                call = self.project.span(feed.path, feed.call)
                self.edits.append((together, feed.path, [drop.argument(call, argument)]))
            self.gone |= dict.fromkeys(members, carrier)

    def feeding_sites_open(self, signatures: Signatures, carrier: Carrier, kept: set[Site]) -> bool:
        """Can every argument that feeds the parameter go?"""
        for feed in signatures.feeds[id(carrier.parameter)] or []:
            site = self.wrappers.get((feed.path, self.project.span(feed.path, feed.argument)))
            if site is None or site in self.refusals or site in kept:
                return False
            if not effectless(self.project, feed.path, feed.argument):
                return False
        return True

    def within(self, site: Site, node: ast.AST) -> bool:
        """Does the site stand inside the node?"""
        span = self.project.span(site.path, node)
        return span.start <= site.span.start and site.span.end <= span.end

    def argument_nodes(self, site: Site) -> Iterator[ast.AST]:
        """The keyword or expression that a site's span covers."""
        call = self.node_of(site)
        if isinstance(call, ast.Call):
            for argument in [*call.args, *call.keywords]:
                if self.project.span(site.path, argument) == site.span:
                    yield argument

    def header_names(self) -> dict[int, set[str]]:
        """The names that the headers of blocks use, by function."""
        out: dict[int, set[str]] = {}
        for key, planned in self.outcome.planned.items():
            for text in planned.texts.values():
                if text:
                    names = {n.id for n in walk(express.parse(text)) if isinstance(n, ast.Name)}
                    out.setdefault(key, set()).update(names)
        return out

    # --- the edits of the sites themselves ---------------------------------------------------------------------------

    def own_edits(self, kept: set[Site]) -> None:
        """Flags and writes go."""
        for site in self.open_sites(kept, SiteKind.ARGUMENT):
            if not self.is_splat(site):
                self.edits.append(([site], site.path, [drop.argument(site.node, site.span)]))
            self.take_out_options(site)
        self.empty_catch_alls(kept)
        for site in self.open_sites(kept, SiteKind.WRITE):
            if site not in self.frozen and site not in self.cut:
                self.edits.append(([site], site.path, [drop.statement(site.node), *self.train_leaf(site)]))
        self.inside: dict[frozenset[int], list[Site]] = {}
        self.take_out_of_partials(kept)
        while feeding := {s for s in self.open_sites(kept, SiteKind.WRAPPER) if self.feeds_kept(s, kept)}:
            kept |= feeding
        for site in list(self.open_sites(kept, SiteKind.WRAPPER)):
            functions = self.entered.get(id(self.node_of(site)), set())
            if not functions:
                self.refuse(site, "caller-not-resolved", messages.unresolved_call())
            # where none is inside, the flag is kept on an object: any that stands in the project may take it from there
            for inner in self.sites_inside(functions) or [s for s in self.sites if s.kind is SiteKind.ARGUMENT]:
                if inner in self.refusals and inner is not site:
                    reason = self.refusals[inner].reason
                    self.refuse(site, reason, messages.handed_flag_refused(self.where(inner)))

    def train_leaf(self, site: Site) -> Iterator[Edit]:
        """A cure that goes with ``x.requires_grad = True`` is ``x.requires_grad_()``."""
        found = leaves.trained_at(self.project, site.path, self.node_of(site))
        if found is not None:
            where = place(self.project, site.path, found.statement)
            self.strategies[site] = "requires_grad_"
            self.done.setdefault(site, []).insert(0, Done("frozen", where, ""))
            self.evidence.setdefault(site, []).append(premises.leaf(where))
            span = self.project.span(site.path, found.statement)
            yield requires_grad.instead(span, found.tensor, "True")

    def settle_premises(self, kept: set[Site]) -> None:
        """Say what each decision rests on; one that rests on nothing is a fault of this analysis, and stays."""
        known = Premises(self.project, self.outcome, self.callers)
        for site in list(self.open_sites(kept, *SiteKind)):
            found = self.evidence.setdefault(site, [])
            if not found:
                found += self.premises_of(site, known)
            if not found:
                self.refuse(site, "internal-error", messages.rests_on_nothing())
        for site in kept:
            self.evidence.setdefault(site, []).append(premises.works_on_both(self.where(site)))

    def premises_of(self, site: Site, known: Premises) -> Iterator[str]:
        """What the decision at a site without a block rests on."""
        node = self.node_of(site)
        if site.kind is SiteKind.WRAPPER:
            inner = [s for s in self.sites_inside(self.entered.get(id(node), set())) if s is not site]
            flags = [s for s in self.sites if s.kind is SiteKind.ARGUMENT]
            if not inner and not any(s in self.refusals for s in flags):
                inner = flags  # it is kept on an object, and any of them may take it from there
            yield from known.of_wrapper(inner, self.where)
        elif site.kind is SiteKind.READ:
            copied = next(iter(self.carrying(site)), None)
            answer = next((each for each in self.done.get(site, ()) if each.how != "mode"), None)
            if copied is not None:
                yield premises.copy_goes(self.where(copied))
            else:
                yield from known.of_read(site, node, answer.text if answer is not None else None)
        else:
            value = next(self.argument_nodes(site), None) if site.kind is SiteKind.ARGUMENT else None
            if site.kind is SiteKind.WRITE:
                statement = next((n for n in self.values(site) if isinstance(n, ast.Assign)), None)
                value = statement.value if statement is not None else None
            value = value.value if isinstance(value, ast.keyword) else value
            yield from known.of_flag(site, self.key(site), node, value)
            yield from known.of_run(self.key(site), self.rounds.setting.harmless)
            self.users[site] = known.users(self.key(site))

    def take_out_of_partials(self, kept: set[Site]) -> None:
        """``partial(to_var, volatile=True)``: the argument goes, also where the parameter has to stay, but unused."""
        dropped = list(self.open_sites(kept, SiteKind.ARGUMENT))
        gone = {id(n) for s in dropped for n in (*self.argument_nodes(s), *self.values(s))}
        for site in list(self.open_sites(kept, SiteKind.WRAPPER)):
            call = self.node_of(site)
            is_partial = isinstance(call, ast.Call) and self.passing.fills_arguments(site.path, call)
            functions = self.entered.get(id(call), set()) if is_partial and site not in self.gone else set()
            keyword = next((n for n in self.argument_nodes(site) if isinstance(n, ast.keyword)), None)
            carriers = [c for c in self.signatures.carriers if id(c.function.node) in functions]
            if keyword is not None and carriers and all(c.parameter.arg == keyword.arg for c in carriers) and all(
                    default_of(c.function.node, c.parameter) is not None
                    and self.signatures.unused_but_for(c, gone, self.header_names()) for c in carriers):
                inner = [s for s in self.sites_inside(functions) if s not in self.refusals and s not in kept]
                self.edits.append(([site, *inner], site.path, [drop.argument(site.node, site.span)]))
                self.gone[site] = None

    def take_out_options(self, site: Site) -> None:
        """The flag of ``**options`` comes out of the dictionary."""
        found = self.options_of.get(site, [])
        for splat in self.argument_nodes(site) if found else ():
            whole = isinstance(splat, ast.keyword) and mappings.inline(
                self.project, site.path, site.node, splat, found)
            if whole:
                self.edits.append(([site], site.path, [whole]))
                return
        for source in found:
            together = [s for s, theirs in self.options_of.items() if any(source.node is each.node for each in theirs)]
            self.edits.append((together, source.path, [source.edit]))

    def feeds_kept(self, wrapper: Site, kept: set[Site]) -> bool:
        """Does the flag go to code alone that works on both sides of 0.4?"""
        inner = self.sites_inside(self.entered.get(id(self.node_of(wrapper)), set()))
        return bool(inner) and all(site in kept for site in inner)

    def empty_catch_alls(self, kept: set[Site]) -> None:
        """``Variable(x, **kwargs)`` of a function's own catch-all: the callers' keywords go, the ``**`` may stay."""
        for site in list(self.open_sites(kept, SiteKind.ARGUMENT)):
            function = self.catch_all(site) if self.is_splat(site) else None
            if function is None:
                continue
            if id(function) not in self.inlined:
                self.refuse(site, "unseen-callers", messages.keywords_unseen())
                continue
            self.empty_keywords(site, function, kept)

    def empty_keywords(self, site: Site, function: ast.AST, kept: set[Site]) -> None:
        """The keywords of all calls that reach ``site`` through ``function``, and through those that hand them on."""
        waiting, seen = [function], {function}
        while waiting:
            entered = waiting.pop()
            for wrapper in self.open_sites(kept, SiteKind.WRAPPER):
                if id(entered) not in self.entered.get(id(self.node_of(wrapper)), ()):
                    continue
                around = self.catch_all(wrapper) if self.is_splat(wrapper) else None
                if around is not None and around not in seen:
                    seen.add(around)
                    waiting.append(around)
                if wrapper in self.gone:
                    self.edits.append(([site, wrapper], wrapper.path, []))
                    continue
                # a catch-all that is handed on as it is may hold other keywords: it stays
                edits: list[Edit] = [] if self.is_splat(wrapper) else [drop.argument(wrapper.node, wrapper.span)]
                self.edits.append(([site, wrapper], wrapper.path, edits))
                if edits:
                    self.gone[wrapper] = None

    def sites_inside(self, functions: set[int]) -> list[Site]:
        """The arguments that decide volatility inside some functions."""
        key = frozenset(functions)
        if key not in self.inside:
            known: dict[int, ProjectFunction] = self.project.computed(functions_by_node)
            around = [known[node] for node in functions if node in known]
            found = {item for f in around for item in self.places.within(f.path, self.project.span(f.path, f.node))}
            self.inside[key] = [s for _, s in sorted(found) if s.kind in (SiteKind.ARGUMENT, SiteKind.WRAPPER)]
        return self.inside[key]

    # --- assembling --------------------------------------------------------------------------------------------------

    def assemble(self, kept: set[Site]) -> Plan:
        """Changes from groups of sites, decisions for all."""
        joined: set[int] = set()  # a parameter and all of its arguments share one list
        for sites, _, _ in self.edits:
            if id(sites) not in joined:
                joined.add(id(sites))
                self.groups.join(sites)
        members: dict[Site, list[Site]] = {}
        for site in self.sites:
            if site not in self.refusals and site not in kept:
                members.setdefault(self.groups.find(site), []).append(site)
        by_group: dict[Site, list[tuple[str, list[Edit]]]] = {}
        for sites, path, some in self.edits:
            if sites:
                by_group.setdefault(self.groups.find(sites[0]), []).append((path, some))
        changes = []
        for number, (head, group) in enumerate(
            sorted(members.items(), key=lambda item: (item[0].path, item[0].span)), 1
        ):
            edits: dict[str, dict[Edit, None]] = {}
            for path, some in by_group.get(head, ()):
                edits.setdefault(path, {}).update(dict.fromkeys(some))
            decisions = tuple(self.decision(site) for site in group)
            touched = tuple(sorted(self.touched(edits)))
            changes.append(
                Change(f"c{number}", decisions, tuple((p, tuple(e)) for p, e in sorted(edits.items())), touched)
            )
        left = [
            Decision(s, None, r.message, tuple(self.evidence.get(s, ())), refusal=r) for s, r in self.refusals.items()
        ]
        left += [Decision(s, None, messages.works_on_both(), tuple(self.evidence.get(s, ())), kept=True) for s in kept]
        return Plan(tuple(changes), tuple(sorted(left, key=lambda d: (d.site.path, d.site.span))))

    def decision(self, site: Site) -> Decision:
        """What a report says of a migrated site, or of an argument that stays beside one."""
        if site.kind is SiteKind.WRAPPER and site not in self.gone:
            return Decision(site, None, self.said(site), tuple(self.evidence.get(site, ())), kept=True)
        strategy: Strategy = self.strategies.get(site, "drop")
        evidence = tuple(self.evidence.get(site, ()))
        known = (self.before_trust or {}).get(site) if self.trusted else None
        guess = known.message if known is not None else ""
        return Decision(site, strategy, self.said(site), evidence, open=self.opened.get(site, ""), guess=guess)

    def said(self, site: Site) -> str:
        """The sentence on what was done at a migrated site."""
        if site.kind is SiteKind.WRAPPER:
            if site not in self.gone:
                return messages.kept_argument(self.stays(site))
            together = self.gone[site] is not None
            return messages.removed_with_parameter() if together else messages.removed_handed_flag()
        done = self.done.get(site, ())
        if done:
            return messages.all_of(done)
        if site.kind is SiteKind.READ:
            return messages.removed_copy()
        text = self.project.modules[site.path].text
        flag = text[self.extent(site).start : self.extent(site).end]
        if "".join(flag.split()).endswith("=False"):
            return messages.removed_cure(flag) if site.kind is SiteKind.WRITE else messages.removed_default(flag)
        return messages.removed_idle(flag, *self.users.get(site, ((), False)))

    def stays(self, wrapper: Site) -> str:
        """Why the parameter stays that takes the argument of a wrapper."""
        if self.options.keep_signatures:
            return messages.signatures_stay()
        if self.is_splat(wrapper):
            return messages.is_catch_all()
        entered = self.entered.get(id(self.node_of(wrapper)), set())
        for carrier in (c for c in self.signatures.carriers if id(c.function.node) in entered):
            if self.signatures.feeds[id(carrier.parameter)] is None:
                return messages.has_other_callers()
            if self.signatures.overrides(carrier):
                return messages.is_overridden()
            if self.options.installable and not self.options.break_api and is_public(carrier.function.qualname):
                return messages.is_importable(file_of(carrier.path))
            if not self.signatures.may_go(carrier):
                return messages.is_outside()
        return messages.is_used()

    def where(self, site: Site) -> str:
        """``train.py:12``."""
        return place(self.project, site.path, self.node_of(site))

    def touched(self, edits: Mapping[str, Iterable[Edit]]) -> set[tuple[str, str]]:
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
                    out.add((path, self.function_at(path, span)))
        return out

    def function_at(self, path: str, span: Span) -> str:
        """The qualified name of the innermost function around a place; "" at module level."""
        if not self.functions:
            for function in self.project.functions():
                if not isinstance(function.node, ast.Lambda):
                    around = self.project.span(function.path, function.node)
                    self.functions.setdefault(function.path, []).append((around.start, around.end, function.qualname))
            for found in self.functions.values():
                found.sort()
        found = self.functions.get(path, [])
        for index in range(bisect_right(found, (span.start, sys.maxsize, "")) - 1, -1, -1):
            if span.end <= found[index][1]:
                return found[index][2]
        return ""


def functions_by_node(project: Project) -> dict[int, ProjectFunction]:
    """The functions of a project by node id."""
    return {id(function.node): function for function in project.functions()}


def is_fresh(project: Project, path: str, node: ast.AST, name: str) -> bool:
    """Is the name bound to the result of a call above a statement of the same suite, and not mentioned in between?"""
    above = next((n for n in project.parents(path, node) if isinstance(n, ast.stmt)), None)
    around = project.parent(path, above) if above is not None else None
    suites = [getattr(around, part, None) or [] for part in ("body", "orelse", "finalbody")]
    suite = next((s for s in suites if isinstance(s, list) and above in s), [])
    for statement in reversed(suite[: suite.index(above)] if above in suite else []):
        if makes(statement, name):
            return True
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(statement)):
            return False
    return False


def makes(statement: ast.AST, name: str) -> bool:
    """Is it ``NAME = f(...)``, or what an operator makes, and nothing else?"""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, (ast.Call, ast.BinOp)):
        return False
    return [ast.unparse(target) for target in statement.targets] == [name]


def binds(node: ast.AST, name: str) -> bool:
    """Does a node bind a name: assignment, parameter, import, definition?"""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    bound = getattr(node, "asname", None) or getattr(node, "arg", None) or getattr(node, "name", None)
    return isinstance(node, (ast.alias, ast.arg, ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and bound == name


def torch_alias(tree: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | None) -> str | None:
    """The name that a module's top level, or a function's, binds torch to; None if it binds none."""
    for statement in tree.body if tree is not None else ():
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "torch":
                    return alias.asname or "torch"
                if alias.name.startswith("torch.") and alias.asname is None:
                    return "torch"
    return None
