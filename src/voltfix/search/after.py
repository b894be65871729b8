"""What the analysis can do once a candidate was taken: it is asked again with that in place.

A flag was refused for the block that it needs; the block then came for another flag, by running it. With it in place
the flag does nothing more, and a second run of voltfix would take it out. So this one does, in the same change.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from voltfix.model import Change, DropArgument, Options, Plan
from voltfix.pipeline.carrying import carry_out
from voltfix.pipeline.following import same_site, with_what_follows
from voltfix.pipeline.guarding import SecondRun, find_faults
from voltfix.pipeline.holds import Hold, SiteKey, key
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.settling import Standing, solve
from voltfix.pipeline.verifying import items
from voltfix.search.oracle import Oracle, fails, same
from voltfix.search.telling import not_proved

_HELD = Hold("refused", None, "")


def with_what_goes(
    project: Project, before: Standing, standing: Standing, holds: dict[SiteKey, Hold], options: Options,
    oracle: Oracle,
) -> Standing:
    """What stands, and without the flags that do nothing more beside the candidates that were taken since ``before``.

    It is run with the candidates, and has to do the same: they were chosen by no more than that.
    """
    taken = [change for change in standing.plan.changes if change not in before.plan.changes]
    if not taken or not any(d.refusal is not None and key(d.site) not in holds for d in standing.plan.left):
        return standing
    plan = _planned(project, standing, taken, (*holds, *options.held), options)
    if plan is None:
        return standing
    carried = carry_out(project, plan.changes)
    if carried.failures:
        return standing
    outputs = project.render(carried.texts)
    left = {key(d.site): _HELD for d in plan.left if d.refusal is not None}
    if find_faults(project, options, plan, carried.texts, outputs, {**left, **holds}, SecondRun(solve, None)):
        return standing
    known = {change.id for change in standing.plan.changes if change in plan.changes}
    asked = [item for item in items(project, plan, carried.texts) if item.id not in known]
    answers = oracle.judge(asked)
    verdicts = {item.id: answer for item, answer in zip(asked, answers, strict=True)
                if answer is not None and same(answer) and not fails(answer)}
    if len(verdicts) < len(asked):
        return standing
    return replace(standing, plan=plan, outputs=outputs, verdicts={**standing.verdicts, **verdicts})


def _planned(
    project: Project, standing: Standing, taken: list[Change], held: Collection[SiteKey], options: Options
) -> Plan | None:
    """What stands with the flags that a second run would only drop, each in one change with what was taken there."""
    plan = standing.plan
    again = load_project({**project.files, **standing.outputs}, options)
    if {error.path for error in again.errors} - {error.path for error in project.errors}:
        return None
    asked = options.after(plan)
    second = solve(again, asked, {})
    others = _others(project, plan, taken, again, second, held)
    if others:  # what goes may have relied on those, so it is asked for without them
        second = solve(again, asked, others)
        if _others(project, plan, taken, again, second, held):
            return None
    whole = with_what_follows(project, replace(plan, changes=tuple(taken)), again, second, held)
    if whole is None:
        return None
    fixed = {d.site for d in plan.left} - {d.site for d in whole.left}
    # no more is shown of these than of the candidates
    changes = tuple(replace(change, decisions=tuple(
        replace(d, open=d.open or not_proved()) if d.site in fixed else d for d in change.decisions))
        for change in whole.changes)
    return replace(whole, changes=(*(change for change in plan.changes if change not in taken), *changes))


def _others(
    project: Project, plan: Plan, taken: list[Change], again: Project, second: Plan, held: Collection[SiteKey]
) -> dict[SiteKey, Hold]:
    """The sites of what a second run would do, and that is not to drop a refused flag beside what was taken."""
    beside = {path for change in taken for path, edits in change.edits if edits}

    def goes(change: Change) -> bool:
        only = all(isinstance(edit, DropArgument) for _, edits in change.edits for edit in edits)
        return only and all(
            not d.guess and d.site.path in beside and project.editable(project.file_of(d.site.path))
            and same_site(project, plan, again, d, held) is not None for d in change.decisions)

    return {key(d.site): _HELD for change in second.changes if not goes(change) for d in change.decisions}
