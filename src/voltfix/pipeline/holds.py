"""Sites that are left as they are although the solver had a way for them, and on what grounds.

What the author, a check or the verifier objects to is *held*: the solver is asked again with it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from voltfix.model import Decision, Options, Plan, Site, Status, Verification, file_of
from voltfix.pipeline.loading import Project
from voltfix.pipeline.suppression import Suppressed
from voltfix.rules import messages
from voltfix.rules.selecting import ignored_in, selected

SiteKey = tuple[str, int]


class Hold(NamedTuple):
    """Why a site is left as it is although the solver had a way for it."""

    status: Status
    reason: str | None
    message: str
    suggested: bool = False  # with --unsafe-fixes it is written
    beside: bool = False  # refused by the solver, beside what voltfix failed at itself


def key(site: Site) -> SiteKey:
    """What names a site among the holds."""
    return (site.path, site.span.start)


def decisions(plan: Plan) -> list[Decision]:
    """All decisions of a plan: those of its changes, then those that carry none."""
    return [*(decision for change in plan.changes for decision in change.decisions), *plan.left]


def hold(holds: dict[SiteKey, Hold], fresh: Mapping[SiteKey, Hold]) -> bool:
    """Add to the holds; whether any was new."""
    added = {site: hold for site, hold in fresh.items() if site not in holds}
    holds.update(added)
    return bool(added)


def left_alone(project: Project, plan: Plan, options: Options) -> dict[SiteKey, Hold]:
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


def touches(plan: Plan, holds: Mapping[SiteKey, Hold]) -> bool:
    """Would the plan change a held site?"""
    return any(key(decision.site) in holds for change in plan.changes for decision in change.decisions)


def torn(plan: Plan, holds: Mapping[SiteKey, Hold]) -> dict[SiteKey, Hold]:
    """The other sites of changes that hold a held site: a change is carried out whole or not at all."""
    fresh: dict[SiteKey, Hold] = {}
    for change in plan.changes:
        if any(key(decision.site) in holds for decision in change.decisions):
            hold = Hold("refused", "held-together", messages.held_together())
            fresh.update({key(decision.site): hold for decision in change.decisions})
    return fresh


def without_held(plan: Plan, holds: Mapping[SiteKey, Hold]) -> Plan:
    """The plan with changes of held sites turned into decisions that carry no edit."""
    kept = [change for change in plan.changes if not any(key(d.site) in holds for d in change.decisions)]
    gone = [d for change in plan.changes if change not in kept for d in change.decisions]
    return Plan(tuple(kept), (*plan.left, *gone), plan.looked)


def failed(plan: Plan, failures: Mapping[str, tuple[str, str]]) -> dict[SiteKey, Hold]:
    """Holds for the sites of the changes named in ``failures`` (change id → reason and message)."""
    return {
        key(decision.site): Hold("refused", *failures[change.id])
        for change in plan.changes
        if change.id in failures
        for decision in change.decisions
    }


def refused_beside(
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
    own = all(reason == "internal-error" for reason, _ in failures.values())
    return {
        key(decision.site): Hold("refused", decision.refusal.reason, decision.refusal.message, beside=own)
        for decision in plan.left
        if decision.refusal is not None and project.file_of(decision.site.path) in files
    }


def unproved(plan: Plan, found: Mapping[str, Verification] | None) -> dict[SiteKey, Hold]:
    """Holds for changes that rest on what code outside could break, and that were not run and found the same; and for
    guesses. ``found`` is None before anything was run: guesses alone.
    """
    fresh: dict[SiteKey, Hold] = {}
    for change in plan.changes:
        guess = next((decision.guess for decision in change.decisions if decision.guess), "")
        if guess:  # a run says no more of code that is not there
            fresh |= {key(d.site): Hold("refused", "unknown-callee", guess, True) for d in change.decisions}
            continue
        if found is None:
            continue
        verdict = found.get(change.id, Verification())
        said = next((decision.open for decision in change.decisions if decision.open), "")
        if said and "identical" not in (verdict.cpu, verdict.cuda):
            fresh |= {key(d.site): Hold("refused", "unseen-callers", said, True) for d in change.decisions}
    return fresh


def refuted(plan: Plan, found: Mapping[str, Verification]) -> dict[str, tuple[str, str]]:
    """Changes that the verifier found different, and those that touch the same functions."""
    failed = {name: verdict for name, verdict in found.items() if "different" in (verdict.cpu, verdict.cuda)}
    if not failed:
        return {}
    files = {change.id: {file_of(path) for path, edits in change.edits if edits} for change in plan.changes}
    taken_back = {
        name: ("verification-failed", messages.differs(verdict.detail, sorted(files.get(name, ()))))
        for name, verdict in failed.items()
    }
    spoiled = {place for change in plan.changes if change.id in failed for place in change.touched}
    for change in plan.changes:
        if change.id not in taken_back and not spoiled.isdisjoint(change.touched):
            taken_back[change.id] = ("verification-failed", messages.differs_beside())
    for change in plan.changes:  # what edits nothing itself cannot have failed: it stays with what it belongs to
        if change.id in taken_back and not any(edits for _, edits in change.edits):
            taken_back[change.id] = ("held-together", messages.held_together())
    return taken_back
