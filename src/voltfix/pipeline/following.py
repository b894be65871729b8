"""What a second run would only drop goes with what the first one writes: a flag whose block stands there by then.

Two flags may need one block, and the one for which it was made is found first: the other one was refused for what the
block takes in. Once it stands there, that flag does nothing more. A second run would see that, and take it out; so this
one does, and all of it is one change.

So is what waits for it in other files: a flag was refused for a graph that another one was taken to keep away, and that
one goes. What a second run would write there stands in texts that the first one leaves alone, so it can be written now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from voltfix.model import Change, Decision, DropArgument, Edit, Plan, SiteKind
from voltfix.pipeline.holds import SiteKey, key
from voltfix.pipeline.loading import Project


def with_what_follows(
    project: Project, plan: Plan, again: Project, second: Plan, held: Collection[SiteKey]
) -> Plan | None:
    """The plan with what ``second``, the plan for its result, would drop, or do in other files; None where that does
    anything else."""
    if any(not isinstance(e, DropArgument) for change in second.changes for _, edits in change.edits for e in edits):
        return _with_what_waits(project, plan, again, second, held)
    found: list[Decision] = []
    for change in second.changes:
        for decision in change.decisions:
            site = same_site(project, plan, again, decision, held)
            if site is None:
                return None
            found.append(replace(decision, site=site.site))
    files = {decision.site.path for decision in found}
    together = [change for change in plan.changes if any(path in files for path, edits in change.edits if edits)]
    if not found or not together:
        return None
    joined = _joined(together, found)
    rest = [change for change in plan.changes if change not in together]
    gone = {key(decision.site) for decision in found}
    left = tuple(decision for decision in plan.left if key(decision.site) not in gone)
    return Plan((joined, *rest), left, plan.looked)


def _with_what_waits(
    project: Project, plan: Plan, again: Project, second: Plan, held: Collection[SiteKey]
) -> Plan | None:
    """All of both plans as one change, where the second one edits nothing but texts that the first one leaves alone.

    Nobody knows for which of the first plan's changes it waits, so it stands or falls with all of them.
    """
    refused = {key(d.site) for d in plan.left if d.refusal is not None} - {*held}
    decided = [decision for change in second.changes for decision in change.decisions]
    paths = {path for change in second.changes for path, edits in change.edits if edits}
    paths |= {decision.site.path for decision in decided}
    touched = {path for change in plan.changes for path, edits in change.edits if edits}
    same = all(path not in touched and again.module(path).text == project.module(path).text for path in paths)
    waiting = same and all(key(decision.site) in refused for decision in decided)
    if not waiting or not plan.changes:
        return None
    gone = {key(decision.site) for decision in decided}
    left = tuple(decision for decision in plan.left if key(decision.site) not in gone)
    return Plan((_joined((*plan.changes, *second.changes), ()),), left, plan.looked)


def same_site(
    project: Project, plan: Plan, again: Project, decision: Decision, held: Collection[SiteKey]
) -> Decision | None:
    """The site as it was before, among those that were refused: the only one of its line and its text."""
    path, site = decision.site.path, decision.site
    if site.kind is not SiteKind.ARGUMENT:
        return None
    said = again.module(path).text[site.span.start : site.span.end]
    line = again.line(path, site.span.start)

    def alike(one: Project, each: Decision) -> bool:
        span = each.site.span
        return each.site.kind is site.kind and each.site.path == path and (
            one.line(path, span.start) == line and one.module(path).text[span.start : span.end] == said)

    there = [each for each in plan.left if alike(project, each)]
    if len(there) != 1 or there[0].refusal is None or key(there[0].site) in held:
        return None
    return there[0]


def _joined(changes: Sequence[Change], found: Iterable[Decision]) -> Change:
    """These changes as one, with those flags dropped."""
    edits: dict[str, dict[Edit, None]] = {}
    touched: dict[tuple[str, str], None] = {}
    decisions: list[Decision] = []
    for change in changes:
        decisions += change.decisions
        touched.update(dict.fromkeys(change.touched))
        for path, each in change.edits:
            edits.setdefault(path, {}).update(dict.fromkeys(each))
    for decision in found:
        decisions.append(decision)
        edits.setdefault(decision.site.path, {})[DropArgument(decision.site.node, decision.site.span)] = None
    by_path = tuple((path, tuple(each)) for path, each in edits.items())
    return Change(changes[0].id, tuple(decisions), by_path, tuple(touched))
