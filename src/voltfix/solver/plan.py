"""From an outcome to a plan: what happens at each site, which edits carry it out, which sites share a change."""

from __future__ import annotations

import ast
from collections.abc import Callable

from voltfix.flags import options as mappings
from voltfix.flags.shims import is_shim
from voltfix.machine.values import SiteKey
from voltfix.model import (
    Plan,
    Refusal,
    Site,
    SiteKind,
    file_of,
)
from voltfix.rules import messages
from voltfix.solver import assembling, blocks, parting, reading, refusing, signing, writing
from voltfix.solver.case import Case
from voltfix.solver.claims import Callers
from voltfix.solver.fixpoint import Fixpoint, entered_functions
from voltfix.solver.places import Groups

# After the interpretation, in this order: each reads the case, and adds refusals, edits and evidence to it. What one of
# them refuses makes the pass begin again.
PHASES: tuple[Callable[[Case, set[Site]], None], ...] = (
    refusing.settle_visits,
    refusing.settle_escapes,
    refusing.note_guesses,
    writing.settle_writes,
    reading.settle_reads,
    refusing.settle_effects,
    refusing.settle_options,
    blocks.layouts,
    refusing.settle_halves,
    signing.settle_signatures,
    signing.own_edits,
    refusing.settle_unset,
)


class Decider(Case):
    """Makes the plan for one project."""

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
            elif site in self.parted.inside:
                self.refusals[site] = self.parted.inside[site][1]
        certain: Plan | None = None
        while True:
            before = self.taken()
            self.decide(kept)
            if self.taken() == before:
                assembling.settle_premises(self, kept)
                parting.name_what_stays(self)
            if self.taken() == before:
                plan = assembling.assemble(self, kept)
                certain = certain or plan
                if not self.trust():
                    return self.with_guesses(certain, plan)

    def taken(self) -> tuple[set[Site], set[SiteKey], set[SiteKey]]:
        """What the next pass begins with."""
        return set(self.refusals), set(self.switched), set(self.unset)

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

    def decide(self, kept: set[Site]) -> None:
        """One pass: interpret, then settle each kind of site; grows ``refusals``."""
        self.edits, self.strategies, self.evidence, self.users, self.groups = [], {}, {}, {}, Groups()
        self.done, self.opened, self.let_go = {}, {}, set()
        self.by_key = {self.key(s): s for s in self.sites if s.kind in (SiteKind.ARGUMENT, SiteKind.WRITE) or (
            s in self.parted.calls)}
        held = frozenset(k for k, s in self.by_key.items() if s in self.refusals or s in kept)
        start = [(s.path, self.node_of(s)) for s in self.sites if s not in kept]
        start += [(source.path, source.node) for found in self.options_of.values() for source in found]
        self.rounds = Fixpoint(self.project, start, held, self.breaks())
        self.rounds.setting.looked = {(look.path, look.name): look for look in self.options.looked if look.given_up}
        self.rounds.setting.most = self.most
        self.rounds.setting.trusted = dict.fromkeys(self.trusted, True)
        self.rounds.setting.switched = dict.fromkeys(self.switched, True)
        self.rounds.setting.parted = self.parted.flags
        self.rounds.setting.unset = dict.fromkeys(self.unset, True)
        self.rounds.setting.switches = {id(statement): True for statement in self.switches}
        self.outcome = self.rounds.settle()
        assembling.note_looks(self)
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
        for phase in PHASES:
            phase(self, kept)

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
