"""``solve``: modules in, plan out. Pure; a project that it cannot deal with comes back with every site refused."""

from __future__ import annotations

from collections.abc import Sequence

from voltfix.model import Decision, Module, Options, Plan, Refusal, Site


def solve(modules: Sequence[Module], options: Options) -> Plan:
    """Decide every site of a project. Never raises: what fails inside is a refusal of all sites of the project."""
    from voltfix.analysis.decide import Decider
    from voltfix.analysis.names import Project
    from voltfix.analysis.sites import find

    sites: list[Site] = []
    try:
        project = Project(modules)
        sites = find(project)
        return Decider(project, sites, options).plan() if sites else Plan()
    except Exception as error:  # the promise of the core: no input makes it raise
        text = f"the analysis failed ({type(error).__name__}: {error}); please report this"
        return Plan(left=tuple(Decision(s, None, text, refusal=Refusal("internal-error", text)) for s in sites))
