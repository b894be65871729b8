"""The pure pipeline: bytes in, results out. It never prints, never writes, and never raises for bad input.

load → solve → edit → guard → verify. Whatever a check takes back is *held*: the solver is asked again, with
those sites left as they are, until a plan stands that passes everything. So a change that fell takes with
it what relied on it.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from voltfix import deadline
from voltfix.deadline import TimeUp
from voltfix.discovery.hits import is_hit
from voltfix.model import (
    Change,
    Decision,
    FileError,
    Module,
    Options,
    Plan,
    Result,
    Site,
    SiteResult,
    Status,
    Verification,
)
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.modernizing import modernize_verified
from voltfix.pipeline.suppression import Suppressed, ignored_in, selected
from voltfix.pipeline.verifying import Verifier, verdicts
from voltfix.records import dataclass
from voltfix.rules import messages

Solver = Callable[[Sequence[Module], Options], Plan]

MAX_ROUNDS = 8
SiteKey = tuple[str, int]


class Hold(NamedTuple):
    """Why a site is left as it is although the solver had a way for it."""

    status: Status
    reason: str | None
    message: str
    suggested: bool = False  # with --unsafe-fixes it is written


@dataclass(frozen=True)
class Standing:
    """A plan that passed, with the bytes it makes of the files and the verdicts on its changes."""

    plan: Plan
    outputs: dict[str, bytes]
    verdicts: Mapping[str, Verification]


def migrate(files: Mapping[str, bytes], options: Options | None = None, verifier: Verifier | None = None) -> Result:
    """Migrate a project: ``files`` maps paths relative to its root to bytes.

    The result holds a row for every site in a file that may be edited, the new bytes of the files that
    change, and an error for every such file that could not be processed. ``verifier`` judges the changes;
    those that it finds ``different`` are rolled back.
    """
    options = options or Options()
    try:
        return _migrate(files, options, verifier)
    except Exception as error:
        # whatever it was, it is a fault of voltfix in these files, and the others shall not suffer for it
        return Result(files_scanned=len(files), errors=tuple(_crash(files, options, error)))


def forget() -> None:
    """Let go of what is kept of the last project: it spares work where the same one comes again, as in an editor."""
    from voltfix import edit, solver
    from voltfix.pipeline import loading

    loading.forget()
    solver.forget()
    edit.forget()


def _migrate(files: Mapping[str, bytes], options: Options, verifier: Verifier | None) -> Result:
    project = load_project(files, options)
    holds: dict[SiteKey, Hold] = {}
    try:
        standing = settle(project, options, verifier, holds)
    except TimeUp:
        return _not_reached(project, files)
    with_sites = {row.path for row in _rows(project, standing, holds)}
    modernized, found = modernize_verified(
        project, standing.plan, standing.outputs, options, with_sites, standing.verdicts, verifier
    )
    standing = replace(standing, verdicts=found)
    return Result(
        files_scanned=len(files),
        sites=tuple(_rows(project, standing, holds)),
        modernized=tuple(modernized.rows),
        errors=tuple(project.errors),
        outputs=modernized.outputs,
        groups=_groups(project, standing.plan.changes),
        plan=standing.plan,
    )


def _not_reached(project: Project, files: Mapping[str, bytes]) -> Result:
    """There was no time for the project: its sites are left as they are."""
    from voltfix.solver import not_reached

    standing = Standing(not_reached(project.modules), {}, {})
    rows = tuple(_rows(project, standing, {}))
    return Result(files_scanned=len(files), sites=rows, errors=tuple(project.errors), plan=standing.plan)


def _crash(files: Mapping[str, bytes], options: Options, error: Exception) -> list[FileError]:
    """An error for each file that may have caused a crash: those that were to be looked at."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"
    message = f"voltfix crashed ({type(error).__name__}: {error}, {place}); nothing was changed, please report this"
    return [
        FileError(path, None, "internal", message)
        for path, data in files.items()
        if (options.editable is None or path in options.editable) and is_hit(data, path)
    ]


def settle(
    project: Project, options: Options, verifier: Verifier | None, holds: dict[SiteKey, Hold], *, first: bool = True
) -> Standing:
    """Solve, and hold what fails, until nothing fails. Past the limit everything that is left is held.

    ``first``: this is no second run inside the guard, so the guard may ask for one.
    """
    from voltfix.pipeline.carrying import carry_out
    from voltfix.pipeline.guarding import find_faults

    for _ in range(MAX_ROUNDS):
        plan = solve(project, options, holds)
        if _hold(holds, _left_alone(project, plan, options)) and _touches(plan, holds):
            continue
        if _hold(holds, _torn(plan, holds)) and plan.changes:
            plan = _without_held(plan, holds)
        deadline.check(options.until)
        carried = carry_out(project, plan.changes)
        if _hold(holds, _failures(plan, carried.failures)):
            continue
        outputs = project.render(carried.texts)
        faults = find_faults(project, options, plan, carried.texts, outputs, holds, first=first)
        if _hold(holds, {**_refused_beside(project, plan, faults), **_failures(plan, faults)}):
            continue
        deadline.check(options.until)
        found = verdicts(project, plan, carried.texts, verifier)
        if _hold(holds, _failures(plan, _refuted(plan, found))):
            continue
        if not options.unsafe_fixes and _hold(holds, _unproved(plan, found)):
            continue
        return Standing(plan, outputs, found)
    last = solve(project, options, holds)
    given_up = ("internal-error", messages.fault("no plan passes its own checks"))
    _hold(holds, _failures(last, {change.id: given_up for change in last.changes}))
    return Standing(_without_held(last, holds), {}, {})


def solve(project: Project, options: Options, holds: Mapping[SiteKey, Hold]) -> Plan:
    """The solver's plan for the project with the held sites left as they are."""
    if not project.modules:
        return Plan()
    asked = replace(options, held=options.held | frozenset(holds))
    groups = [[m for m in project.modules if project.file_of(m.path) in group] for group in options.passing]
    plans = [solver()(modules, asked) for modules in groups or [project.modules] if modules]
    return plans[0] if len(plans) == 1 else _together(plans)


def _together(plans: Iterable[Plan]) -> Plan:
    """The plans of groups that nothing volatile passes between; what two of them see is decided once."""
    changes: list[Change] = []
    left: list[Decision] = []
    seen: set[SiteKey] = set()
    for plan in plans:
        fresh = [c for c in plan.changes if seen.isdisjoint(key(d.site) for d in c.decisions)]
        changes += [replace(change, id=f"c{at}") for at, change in enumerate(fresh, len(changes) + 1)]
        left += [decision for decision in plan.left if key(decision.site) not in seen]
        seen |= {key(d.site) for c in fresh for d in c.decisions} | {key(d.site) for d in plan.left}
    return Plan(tuple(changes), tuple(left))


def solver() -> Solver:
    """The analysis, imported when there is something to analyse."""
    from voltfix.solver import solve

    return solve


def key(site: Site) -> SiteKey:
    """What names a site among the holds."""
    return (site.path, site.span.start)


def _hold(holds: dict[SiteKey, Hold], fresh: Mapping[SiteKey, Hold]) -> bool:
    """Add to the holds; whether any was new."""
    added = {site: hold for site, hold in fresh.items() if site not in holds}
    holds.update(added)
    return bool(added)


def _left_alone(project: Project, plan: Plan, options: Options) -> dict[SiteKey, Hold]:
    """The sites that the author or the command line wants left alone."""
    fresh: dict[SiteKey, Hold] = {}
    marks: dict[str, Suppressed] = {}
    for decision in decisions(plan):
        site = decision.site
        if site.path not in marks:
            marks[site.path] = project.suppressed(site.path)
        if site in marks[site.path]:
            fresh[key(site)] = Hold("suppressed", None, messages.skipped())
        elif not selected(site.kind.value, options.select, options.ignore):
            fresh[key(site)] = Hold("suppressed", None, messages.not_selected(site.kind.value))
        elif not selected(site.kind.value, (), ignored_in(options, project.file_of(site.path))):
            fresh[key(site)] = Hold("suppressed", None, messages.ignored_in_file(site.kind.value))
    return fresh


def decisions(plan: Plan) -> list[Decision]:
    """All decisions of a plan: those of its changes, then those that carry none."""
    return [*(decision for change in plan.changes for decision in change.decisions), *plan.left]


def _touches(plan: Plan, holds: Mapping[SiteKey, Hold]) -> bool:
    return any(key(decision.site) in holds for change in plan.changes for decision in change.decisions)


def _torn(plan: Plan, holds: Mapping[SiteKey, Hold]) -> dict[SiteKey, Hold]:
    """The other sites of changes that hold a held site: a change is carried out whole or not at all."""
    fresh: dict[SiteKey, Hold] = {}
    for change in plan.changes:
        if any(key(decision.site) in holds for decision in change.decisions):
            hold = Hold("refused", "held-together", messages.held_together())
            fresh.update({key(decision.site): hold for decision in change.decisions})
    return fresh


def _without_held(plan: Plan, holds: Mapping[SiteKey, Hold]) -> Plan:
    """The plan with changes of held sites turned into decisions that carry no edit."""
    kept = [change for change in plan.changes if not any(key(d.site) in holds for d in change.decisions)]
    gone = [d for change in plan.changes if change not in kept for d in change.decisions]
    return Plan(tuple(kept), (*plan.left, *gone))


def _failures(plan: Plan, failures: Mapping[str, tuple[str, str]]) -> dict[SiteKey, Hold]:
    """Holds for the sites of the changes named in ``failures`` (change id → reason and message)."""
    return {
        key(decision.site): Hold("refused", *failures[change.id])
        for change in plan.changes
        if change.id in failures
        for decision in change.decisions
    }


def _refused_beside(
    project: Project, plan: Plan, failures: Mapping[str, tuple[str, str]]
) -> dict[SiteKey, Hold]:
    """Holds for what was refused in the files of changes that failed.

    Those refusals took the changes for granted; without them the solver could find otherwise, and a second run again.
    """
    files = {
        project.file_of(path)
        for change in plan.changes
        if change.id in failures
        for path, edits in change.edits
        if edits
    }
    return {
        key(decision.site): Hold("refused", decision.refusal.reason, decision.refusal.message)
        for decision in plan.left
        if decision.refusal is not None and project.file_of(decision.site.path) in files
    }


def _unproved(plan: Plan, found: Mapping[str, Verification]) -> dict[SiteKey, Hold]:
    """Holds for changes that rest on what code outside could break, and that were not run and found the same; and for
    guesses.
    """
    holds: dict[SiteKey, Hold] = {}
    for change in plan.changes:
        verdict = found.get(change.id, Verification())
        guess = next((decision.guess for decision in change.decisions if decision.guess), "")
        if guess:  # a run says no more of code that is not there
            holds |= {key(d.site): Hold("refused", "unknown-callee", guess, True) for d in change.decisions}
            continue
        said = next((decision.open for decision in change.decisions if decision.open), "")
        if said and "identical" not in (verdict.cpu, verdict.cuda):
            holds |= {key(d.site): Hold("refused", "unseen-callers", said, True) for d in change.decisions}
    return holds


def _refuted(plan: Plan, found: Mapping[str, Verification]) -> dict[str, tuple[str, str]]:
    """Changes that the verifier found different, and those that touch the same functions."""
    failed = {name: verdict for name, verdict in found.items() if "different" in (verdict.cpu, verdict.cuda)}
    if not failed:
        return {}
    refuted = {
        name: ("verification-failed", messages.differs(verdict.detail))
        for name, verdict in failed.items()
    }
    spoiled = {place for change in plan.changes if change.id in failed for place in change.touched}
    for change in plan.changes:
        if change.id not in refuted and not spoiled.isdisjoint(change.touched):
            refuted[change.id] = ("verification-failed", messages.differs_beside())
    for change in plan.changes:  # what edits nothing itself cannot have failed: it stays with what it belongs to
        if change.id in refuted and not any(edits for _, edits in change.edits):
            refuted[change.id] = ("held-together", messages.held_together())
    return refuted


def _groups(project: Project, changes: Sequence[Change]) -> tuple[tuple[str, ...], ...]:
    """Files that have to be written together: those that a change spans, joined where changes overlap."""
    groups: list[set[str]] = []
    for change in changes:
        group = {project.file_of(path) for path, edits in change.edits if edits}
        if len(group) < 2:
            continue
        for other in [other for other in groups if not other.isdisjoint(group)]:
            group |= other
            groups.remove(other)
        groups.append(group)
    return tuple(tuple(sorted(group)) for group in sorted(groups, key=min))


def _rows(project: Project, standing: Standing, holds: Mapping[SiteKey, Hold]) -> list[SiteResult]:
    """One row for every site in a file that may be edited, in the order of the text."""
    rows = []
    for change in standing.plan.changes:
        verdict = standing.verdicts.get(change.id, Verification())
        rows += [_row(project, d, holds, change.id, verdict) for d in change.decisions]
    rows += [_row(project, decision, holds, None, Verification()) for decision in standing.plan.left]
    seen = {(row.path, row.cell or 0, row.line, row.column, row.code): row for row in reversed(rows)}
    return [seen[place] for place in sorted(seen) if project.editable(seen[place].path)]


def _row(
    project: Project,
    decision: Decision,
    holds: Mapping[SiteKey, Hold],
    change: str | None,
    verdict: Verification,
) -> SiteResult:
    site = decision.site
    status: Status = "fixed"
    reason, message = None, decision.message
    if (hold := holds.get(key(site))) is not None:
        status, reason, message = hold[:3]
    elif decision.refusal is not None:
        status, reason, message = "refused", decision.refusal.reason, decision.refusal.message
    elif decision.kept:
        status = "kept"
    elif change is None:
        status, reason, message = (
            "refused",
            "internal-error",
            messages.fault("decided without an edit"),
        )
    path, (line, column, cell), (end_line, end_column, _) = project.locate(site.path, site.span)
    return SiteResult(
        path=path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        cell=cell,
        change=change if status == "fixed" else None,
        code=site.kind.value,
        strategy=decision.strategy if status == "fixed" else None,
        status=status,
        reason=reason,
        message=messages.near(message, path),
        evidence=decision.evidence,
        verification=verdict,
        suggested=hold.suggested if hold is not None else bool(decision.guess),
        open=bool(decision.open) and status == "fixed",
    )
