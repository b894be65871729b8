"""``solve``: modules in, plan out. Pure; a project that it cannot deal with comes back with every site refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from voltfix.deadline import TimeUp
from voltfix.model import Decision, Module, Options, Plan, Refusal, Site, file_of
from voltfix.rules import messages
from voltfix.solver.memo import Runs

if TYPE_CHECKING:
    from voltfix.program.resolve import Project
    from voltfix.solver.case import Parted
    from voltfix.solver.plan import Decider

# the modules of a project, and whether others may put classes of their own below its classes
Asked: TypeAlias = tuple[tuple[Module, ...], bool]
_KEPT = 2  # projects: what is there, and what the edits make of it, which the guard asks about in between
_latest: list[tuple[Asked, Project]] = []  # the one asked about last comes first


def _project(modules: Sequence[Module], for_others: bool = False) -> Project:
    """The project of the modules; one of the last ones, with all that was found out, where they are the same again.

    The pipeline asks once more whenever a check takes a site back: what is held is new, the modules are not.
    """
    from voltfix.program.resolve import Project

    key = tuple(modules), for_others
    known = next((kept for kept in _latest if kept[0] == key), None)
    if known is not None:
        _latest.remove(known)
    else:
        _drop(_latest[_KEPT - 1 :])
        known = key, Project(modules)
        known[1].for_others = for_others
    _latest.insert(0, known)
    del _latest[_KEPT:]
    known[1].computed(Runs).begin()
    return known[1]


def forget() -> None:
    """Let go of the last project."""
    from voltfix.program import resolve

    _drop(_latest)
    _latest.clear()
    resolve.forget()


def _drop(kept: Iterable[tuple[Asked, Project]]) -> None:
    for _, project in kept:
        project.computed(Runs).close()


def not_reached(modules: Sequence[Module]) -> Plan:
    """Every site of a project for which there was no time."""
    from voltfix.flags.sites import find

    refusal = Refusal("not-reached", messages.not_reached())
    project = _project(modules)
    project.until = None  # what is left are the sites, to be told of
    return Plan(left=tuple(Decision(site, None, refusal.message, refusal=refusal) for site in find(project)))


def solve(modules: Sequence[Module], options: Options) -> Plan:
    """Decide every site of a project. Never raises: what fails inside is a refusal of all sites of the project."""
    from voltfix.flags.sites import find
    from voltfix.solver.asleep import with_arms_asleep
    from voltfix.solver.parting import with_calls_apart
    from voltfix.solver.plan import Decider

    sites: list[Site] = []
    try:
        project = _project(modules, options.installable and not options.break_api)
        project.until = options.until
        sites = find(project)
        if not any(options.editable is None or file_of(site.path) in options.editable for site in sites):
            return Plan()  # nothing that is asked for, whatever the files around hold
        decider = Decider(project, sites, options)

        def with_parted(parted: Parted) -> tuple[Decider, Plan]:
            other = Decider(project, sites, options, parted=parted)
            return other, other.plan()

        return with_arms_asleep(decider, with_calls_apart(decider, decider.plan(), with_parted), lambda switches: (
            Decider(project, sites, options, switches).plan()))
    except TimeUp:
        raise
    except Exception as error:  # the promise of the core: no input makes it raise
        text = messages.fault(f"the analysis failed ({type(error).__name__}: {error})")
        return Plan(left=tuple(Decision(s, None, text, refusal=Refusal("internal-error", text)) for s in sites))
