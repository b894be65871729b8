"""``solve``: modules in, plan out. Pure; a project that it cannot deal with comes back with every site refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

    sites: list[Site] = []
    try:
        project = _project(modules, options.installable and not options.break_api)
        project.until = options.until
        sites = find(project)
        if not any(options.editable is None or file_of(site.path) in options.editable for site in sites):
            return Plan()  # nothing that is asked for, whatever the files around hold
        plan = None if options.apart else _plan(project, sites, options, _TOGETHER)
        plan = plan or _apart(project, sites, options)
        if plan is None:
            project.computed(Runs).begin()
            plan = _plan(project, sites, options)
        assert plan is not None
        return plan
    except TimeUp:
        raise
    except Exception as error:  # the promise of the core: no input makes it raise
        text = messages.fault(f"the analysis failed ({type(error).__name__}: {error})")
        return Plan(left=tuple(Decision(s, None, text, refusal=Refusal("internal-error", text)) for s in sites))


def _plan(project: Project, sites: Sequence[Site], options: Options, most: int | None = None) -> Plan | None:
    """The plan of one project; None where more than ``most`` is spent on it."""
    from voltfix.solver.asleep import with_arms_asleep
    from voltfix.solver.case import NOTHING
    from voltfix.solver.parting import with_calls_apart
    from voltfix.solver.plan import Decider
    from voltfix.solver.roots import TooLarge

    def decide(switches: frozenset[ast.AST] = frozenset(), parted: Parted = NOTHING) -> Decider:
        decider = Decider(project, sites, options, switches, parted)
        decider.most = most
        return decider

    def with_parted(parted: Parted) -> tuple[Decider, Plan]:
        other = decide(parted=parted)
        return other, other.plan()

    try:
        decider = decide()
        plan = with_calls_apart(decider, decider.plan(), with_parted)
        return with_arms_asleep(decider, plan, lambda switches: decide(switches).plan())
    except TooLarge:
        return None


def _apart(project: Project, sites: Sequence[Site], options: Options) -> Plan | None:
    """The plan of a project whose programs never meet, each decided by itself; None where it is one."""
    from voltfix.flags.sites import find
    from voltfix.program.imports import Index
    from voltfix.program.meeting import Meeting

    def open_part(paths: Paths) -> Decide | None:
        part = _part(project, paths)
        part.until = options.until
        own = find(part)
        if {_place(site) for site in own} != {_place(site) for site in sites if site.path in paths}:
            return None
        used.append(part)
        return partial(_plan_of_part, part, own, options)

    used: list[Project] = []
    plan = decide_apart(Meeting(project, Index(project.paths)).programs(), sites, open_part)
    kept = 2 * len(used)
    _drop(_parts[kept:])
    del _parts[kept:]
    return plan


def _plan_of_part(part: Project, sites: Sequence[Site], options: Options) -> Plan:
    if not any(options.editable is None or file_of(site.path) in options.editable for site in sites):
        return Plan()
    part.computed(Runs).begin()
    plan = _plan(part, sites, options)
    assert plan is not None
    return plan


def _part(whole: Project, paths: Paths) -> Project:
    """The project of some of the modules of another; what does not parse is in all of them."""
    from voltfix.program.resolve import Project

    modules = tuple(module for path, module in whole.modules.items() if path in paths or whole.tree(path) is None)
    key = modules, whole.for_others
    known = next((kept for kept in _parts if kept[0] == key), None)
    if known is not None:
        _parts.remove(known)
    else:
        known = key, Project(modules, whole)
        known[1].for_others = whole.for_others
    _parts.insert(0, known)
    return known[1]


def _place(site: Site) -> tuple[str, int, SiteKind]:
    return site.path, site.span.start, site.kind
