"""What the verifier is asked: for each change, its modules before and after, as self-contained items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from voltfix.model import Change, Plan, Verification
from voltfix.pipeline.loading import Project
from voltfix.verify.plan import Item

# The verifier is handed items and answers in their order.
Verifier = Callable[[Sequence[Item]], Sequence[Verification]]


def verdicts(
    project: Project, plan: Plan, texts: Mapping[str, str], verifier: Verifier | None
) -> dict[str, Verification]:
    """The verdict on every change, by its id; empty where nothing is verified."""
    if verifier is None or not plan.changes:
        return {}
    asked = items(project, plan, texts)
    return {item.id: verdict for item, verdict in zip(asked, verifier(asked), strict=True)}


def items(project: Project, plan: Plan, texts: Mapping[str, str]) -> list[Item]:
    """An item for each change. ``texts`` holds the new text of every module that changes."""
    behind = {d.site.path for d in plan.left if not d.kept}
    return [_item(project, change, texts, behind) for change in plan.changes]


def _item(project: Project, change: Change, texts: Mapping[str, str], behind: set[str]) -> Item:
    paths = sorted({path for path, _ in change.edits} | {path for path, _ in change.touched})
    before = {path: project.module(path).text for path in paths}
    after = {path: texts.get(path, text) for path, text in before.items()}
    # flags that stay behind in refused sites of these modules still mean what they meant
    rest = "legacy" if behind.intersection(paths) else "today"
    return Item(change.id, before, after, change.touched, rest)
