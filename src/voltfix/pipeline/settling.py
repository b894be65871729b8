"""A plan that stands: solve, and hold what fails, until what is left passes every check.

A change that fell takes with it what relied on it, for the solver is asked again without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from voltfix import deadline
from voltfix.model import Module, Options, Plan, Verification
from voltfix.pipeline.carrying import carry_out
from voltfix.pipeline.following import with_what_follows
from voltfix.pipeline.guarding import SecondRun, find_faults, to_blame
from voltfix.pipeline.holds import (
    Hold,
    SiteKey,
    failed,
    hold,
    key,
    left_alone,
    refused_beside,
    refuted,
    torn,
    touches,
    unproved,
    without_held,
)
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.verifying import Verifier, verdicts
from voltfix.records import dataclass
from voltfix.rules import messages

Solver = Callable[[Sequence[Module], Options], Plan]

MAX_ROUNDS = 8


@dataclass(frozen=True)
class Standing:
    """A plan that passed, with the bytes it makes of the files and the verdicts on its changes."""

    plan: Plan
    outputs: dict[str, bytes]
    verdicts: Mapping[str, Verification]


def settle(
    project: Project, options: Options, verifier: Verifier | None, holds: dict[SiteKey, Hold], *, again: bool = False
) -> Standing:
    """Solve, and hold what fails, until nothing fails. Past the limit everything that is left is held.

    ``again``: this is a second run that the guard asked for, so the guard may ask for no further one.
    """
    def changed_again(made: Project, asked: Options, held: dict[SiteKey, Hold]) -> set[str]:
        return set(settle(made, asked, None, held, again=True).outputs)

    for _ in range(MAX_ROUNDS):
        plan = solve(project, options, holds)
        options = replace(options, apart=plan.apart)
        if hold(holds, left_alone(project, plan, options)) and touches(plan, holds):
            continue
        if hold(holds, torn(plan, holds)) and plan.changes:
            plan = without_held(plan, holds)
        if not options.unsafe_fixes and hold(holds, unproved(plan, {} if verifier is None else None)):
            continue  # before anything is carried out, and looked at once more
        deadline.check(options.until)
        carried = carry_out(project, plan.changes)
        if hold(holds, failed(plan, carried.failures)):
            continue
        outputs = project.render(carried.texts)
        second = SecondRun(solve, None if again else changed_again)
        faults = find_faults(project, options, plan, carried.texts, outputs, holds, second)
        if faults and (whole := _with_what_follows(project, options, plan, outputs, _lasting(holds))) is not None:
            written = carry_out(project, whole.changes)
            results = project.render(written.texts)
            done = {key(decision.site) for change in whole.changes for decision in change.decisions}
            rest = {site: each for site, each in holds.items() if site not in done}
            if not written.failures and not find_faults(project, options, whole, written.texts, results, rest, second):
                plan, carried, outputs, faults = whole, written, results, {}
                for site in done:
                    holds.pop(site, None)
        faults = to_blame(project, options, plan, faults, holds, second)
        if hold(holds, {**refused_beside(project, plan, faults), **failed(plan, faults)}):
            continue
        deadline.check(options.until)
        found = verdicts(project, plan, carried.texts, verifier)
        if hold(holds, failed(plan, refuted(plan, found))):
            continue
        if not options.unsafe_fixes and hold(holds, unproved(plan, found)):
            continue
        return Standing(plan, outputs, found)
    last = solve(project, options, holds)
    given_up = ("internal-error", messages.fault("no plan passes its own checks"))
    hold(holds, failed(last, {change.id: given_up for change in last.changes}))
    return Standing(without_held(last, holds), {}, {})


def _lasting(holds: Mapping[SiteKey, Hold]) -> dict[SiteKey, Hold]:
    """The holds that stand whatever is done beside them: not of what another run could do."""
    return {site: each for site, each in holds.items() if each.reason != "internal-error" and not each.beside}


def _with_what_follows(
    project: Project, options: Options, plan: Plan, outputs: Mapping[str, bytes], holds: Mapping[SiteKey, Hold]
) -> Plan | None:
    again = load_project({**project.files, **outputs}, options)
    if {error.path for error in again.errors} - {error.path for error in project.errors}:
        return None
    following = solve(again, options.after(plan), {})
    return with_what_follows(project, plan, again, following, (*holds, *options.held))


def solve(project: Project, options: Options, holds: Mapping[SiteKey, Hold]) -> Plan:
    """The solver's plan for the project with the held sites left as they are."""
    if not project.modules:
        return Plan()
    asked = replace(options, held=options.held | frozenset(holds))
    groups = [[m for m in project.modules if project.file_of(m.path) in group] for group in options.passing]
    plans = [solver()(modules, asked) for modules in groups or [project.modules] if modules]
    if len(plans) == 1:
        return plans[0]
    from voltfix.solver import together

    return together(plans)


def solver() -> Solver:
    """The analysis, imported when there is something to analyse."""
    from voltfix.solver import solve

    return solve
