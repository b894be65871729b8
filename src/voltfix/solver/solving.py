"""``solve``: modules in, plan out. Pure; a project that it cannot deal with comes back with every site refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from voltfix.deadline import TimeUp
from voltfix.model import Decision, Module, Options, Plan, Refusal, Site, SiteKind, file_of
from voltfix.rules import messages
from voltfix.solver.apart import Decide, Paths, decide_apart
from voltfix.solver.memo import Runs

if TYPE_CHECKING:
    import ast

    from voltfix.program.resolve import Project
    from voltfix.solver.case import Parted
    from voltfix.solver.plan import Decider

# the modules of a project, and whether others may put classes of their own below its classes
Asked: TypeAlias = tuple[tuple[Module, ...], bool]
_KEPT = 2  # projects: what is there, and what the edits make of it, which the guard asks about in between
_latest: list[tuple[Asked, Project]] = []  # the one asked about last comes first
_parts: list[tuple[Asked, Project]] = []  # the same of programs that are decided one by one
_TOGETHER = 150_000  # evaluations of all runs together, past which programs that never meet are decided one by one


def _project(modules: Sequence[Module], for_others: bool = False) -> Project:
    """The project of the modules; one of the last ones, with all that was found out, where they are the same again.

    The pipeline asks once more whenever a check takes a site back: what is held is new, the modules are not.
    """
    from voltfix.program.resolve import Project

    project = _kept_or_made(_latest, (tuple(modules), for_others), lambda: Project(modules))
    _keep(_latest, _KEPT)
    project.computed(Runs).begin()
    return project


def _kept_or_made(kept: list[tuple[Asked, Project]], asked: Asked, make: Callable[[], Project]) -> Project:
    """The project that was asked for, which comes first from now on."""
    known = next((each for each in kept if each[0] == asked), None)
    if known is None:
        known = asked, make()
        known[1].for_others = asked[1]
    else:
        kept.remove(known)
    kept.insert(0, known)
    return known[1]


def _keep(kept: list[tuple[Asked, Project]], most: int) -> None:
    """Let go of all but the latest projects."""
    _drop(kept[most:])
    del kept[most:]


def forget() -> None:
    """Let go of the last project."""
    from voltfix.program import resolve

    _drop(_latest)
    _drop(_parts)
    _latest.clear()
    _parts.clear()
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
    from voltfix.solver.roots import TooLarge

    sites: list[Site] = []
    try:
        project = _project(modules, options.installable and not options.break_api)
        project.until = options.until
        sites = find(project)
        if not any(options.editable is None or file_of(site.path) in options.editable for site in sites):
            return Plan()  # nothing that is asked for, whatever the files around hold
        if not options.apart:
            with suppress(TooLarge):
                return _plan(project, sites, options, _TOGETHER)
        plan = _apart(project, sites, options)
        if plan is None:
            project.computed(Runs).begin()
            plan = _plan(project, sites, options)
        return plan
    except TimeUp:
        raise
    except Exception as error:  # the promise of the core: no input makes it raise
        text = messages.fault(f"the analysis failed ({type(error).__name__}: {error})")
        return Plan(left=tuple(Decision(s, None, text, refusal=Refusal("internal-error", text)) for s in sites))


def _plan(project: Project, sites: Sequence[Site], options: Options, most: int | None = None) -> Plan:
    """The plan of one project. Raises TooLarge where more than ``most`` is spent on it."""
    from voltfix.solver.asleep import with_arms_asleep
    from voltfix.solver.case import NOTHING
    from voltfix.solver.parting import with_calls_apart
    from voltfix.solver.plan import Decider

    def decide(switches: frozenset[ast.AST] = frozenset(), parted: Parted = NOTHING) -> Decider:
        decider = Decider(project, sites, options, switches, parted)
        decider.most = most
        return decider

    def with_parted(parted: Parted) -> tuple[Decider, Plan]:
        other = decide(parted=parted)
        return other, other.plan()

    decider = decide()
    plan = with_calls_apart(decider, decider.plan(), with_parted)
    return with_arms_asleep(decider, plan, lambda switches: decide(switches).plan())


def _apart(project: Project, sites: Sequence[Site], options: Options) -> Plan | None:
    """The plan of a project whose programs never meet, each decided by itself; None where it is one."""
    from voltfix.flags.sites import find
    from voltfix.program.meeting import programs

    def open_part(paths: Paths) -> Decide | None:
        part = _part(project, paths)
        part.until = options.until
        own = find(part)
        if {_place(site) for site in own} != {_place(site) for site in sites if site.path in paths}:
            return None
        used.append(part)
        return partial(_plan_of_part, part, own, options)

    used: list[Project] = []
    plan = decide_apart(project.computed(programs), sites, open_part)
    _keep(_parts, _KEPT * len(used))
    return plan


def _plan_of_part(part: Project, sites: Sequence[Site], options: Options) -> Plan:
    if not any(options.editable is None or file_of(site.path) in options.editable for site in sites):
        return Plan()
    part.computed(Runs).begin()
    return _plan(part, sites, options)


def _part(whole: Project, paths: Paths) -> Project:
    """The project of some of the modules of another; what does not parse is in all of them."""
    from voltfix.program.resolve import Project

    modules = tuple(module for path, module in whole.modules.items() if path in paths or whole.tree(path) is None)
    return _kept_or_made(_parts, (modules, whole.for_others), lambda: Project(modules, whole))


def _place(site: Site) -> tuple[str, int, SiteKind]:
    return site.path, site.span.start, site.kind
