"""What is told of a plan that stands: a row for every site, and the files that belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from voltfix.model import Candidate, Change, Decision, SiteResult, Status, Verification
from voltfix.pipeline.holds import Hold, SiteKey, key
from voltfix.pipeline.loading import Project
from voltfix.pipeline.settling import Standing
from voltfix.rules import messages


def rows(
    project: Project,
    standing: Standing,
    holds: Mapping[SiteKey, Hold],
    tried: Mapping[SiteKey, tuple[Candidate, ...]] | None = None,
) -> list[SiteResult]:
    """One row for every site in a file that may be edited, in the order of the text; with what was tried for it."""
    found = []
    for change in standing.plan.changes:
        verdict = standing.verdicts.get(change.id, Verification())
        found += [_row(project, d, holds, change.id, verdict) for d in change.decisions]
    for decision in standing.plan.left:
        row = _row(project, decision, holds, None, Verification())
        candidates = (tried or {}).get(key(decision.site), ())
        suggested = row.suggested or (bool(candidates) and candidates[0].suggested)
        found.append(replace(row, candidates=candidates, suggested=suggested))
    seen = {(row.path, row.cell or 0, row.line, row.column, row.code): row for row in reversed(found)}
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


def groups(project: Project, changes: Sequence[Change]) -> tuple[tuple[str, ...], ...]:
    """Files that have to be written together: those that a change spans, joined where changes overlap."""
    joined: list[set[str]] = []
    for change in changes:
        group = {project.file_of(path) for path, edits in change.edits if edits}
        if len(group) < 2:
            continue
        for other in [other for other in joined if not other.isdisjoint(group)]:
            group |= other
            joined.remove(other)
        joined.append(group)
    return tuple(tuple(sorted(group)) for group in sorted(joined, key=min))
