"""What the verifier is asked: for each change, its modules before and after, as self-contained items.

The modules that its own import go with a change. An alarm has to be shown again before the change is taken back: with
more of those and those that import its own at hand, and with the other changes of its modules left out. What could not
be told without them is asked again, too: who imports a module says what its functions are given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from voltfix.model import Change, Origin, Plan, Verification
from voltfix.pipeline.loading import Project
from voltfix.pipeline.surroundings import LARGEST, LARGEST_AGAIN, Surroundings
from voltfix.verify.causes import word_of
from voltfix.verify.plan import Item, as_rows

# The verifier is handed items and answers in their order.
Verifier = Callable[[Sequence[Item]], Sequence[Verification]]


def verdicts(
    project: Project, plan: Plan, texts: Mapping[str, str], verifier: Verifier | None
) -> dict[str, Verification]:
    """The verdict on every change, by its id; empty where nothing is verified."""
    if verifier is None or not plan.changes:
        return {}
    asked = items(project, plan, texts)
    found = {item.id: verdict for item, verdict in zip(asked, verifier(asked), strict=True)}
    alarms = [item for item in asked if _alarms(found[item.id])]
    again = _shown_again(project, plan, texts, alarms, verifier) if alarms else {}
    return {**found, **again, **told_again(project, plan, texts, asked, found, verifier)}


def _alarms(verdict: Verification) -> bool:
    return "different" in (verdict.cpu, verdict.cuda)


def _may_tell(verdict: Verification) -> bool:
    """May who calls it say more of what could not be told?"""
    return word_of(verdict.detail) in _TOLD_BY_CALLERS


_TOLD_BY_CALLERS = frozenset(["never-on", "guess", "near-miss", "not-reached", "not-followed"])


def told_again(
    project: Project, plan: Plan, texts: Mapping[str, str], asked: Sequence[Item],
    answers: Mapping[str, Verification], verifier: Verifier,
) -> dict[str, Verification]:
    """The verdicts on changes that could not be told, by id, where those who import their modules show that they are
    the same. (A difference that is seen once is no alarm.)"""
    items = [item for item in asked if answers[item.id].cpu == "not-run" and _may_tell(answers[item.id])]
    if not items:
        return {}
    around, behind = Surroundings(project), _behind(plan)
    wide = [_widened(project, item, texts, behind, around) for item in items]
    wider = [each for each, item in zip(wide, items, strict=True) if len(each.before) > len(item.before)]
    found = zip(wider, verifier(wider), strict=True) if wider else ()
    return {item.id: verdict for item, verdict in found if verdict.cpu == "identical"}


def _shown_again(
    project: Project, plan: Plan, texts: Mapping[str, str], alarms: Sequence[Item], verifier: Verifier
) -> dict[str, Verification]:
    """The verdicts on changes that were blamed, by id, where a second look does not blame them."""
    around, behind = Surroundings(project), _behind(plan)
    wide = [_widened(project, item, texts, behind, around) for item in alarms]
    found = {item.id: verdict for item, verdict in zip(wide, verifier(wide), strict=True)}
    still = [item for item in wide if _alarms(found[item.id])]
    changes = {change.id: change for change in plan.changes}
    alone = {item.id: made for item in still if (made := _alone(project, item, changes)) is not None}
    judged = dict(zip(alone, verifier(list(alone.values())), strict=True)) if alone else {}
    guilty = {item.id for item in still if item.id not in judged or _alarms(judged[item.id])}
    blamed = {path for name in guilty for path, _ in changes[name].edits}
    for item in still:
        if item.id not in guilty and blamed.intersection(path for path, _ in changes[item.id].edits):
            found[item.id] = judged[item.id]  # what is different is the other change's doing
    return {name: verdict for name, verdict in found.items() if not _alarms(verdict)}


def _alone(project: Project, item: Item, changes: Mapping[str, Change]) -> Item | None:
    """A change by itself: the others of its modules are held as they were on both sides; None where it is alone."""
    from voltfix.edit import EditError, apply

    change = changes[item.id]
    mine = {path for path, edits in change.edits if edits}
    others = [other for other in changes.values() if other is not change and mine & {path for path, _ in other.edits}]
    if not others:
        return None
    after = dict(item.before)
    try:
        for path, edits in change.edits:
            after[path] = apply(project.module(path), edits)
    except EditError:
        return None
    return replace(item, after=after, rest="legacy", origins={})


def _widened(
    project: Project, item: Item, texts: Mapping[str, str], behind: set[str], around: Surroundings
) -> Item:
    """An item with the modules that import its own, as they become, and more of those that are imported."""
    mine = {path for path, _ in item.touched} & item.before.keys()
    callers = around.importers(sorted(mine), LARGEST)
    paths = [path for path in around.of([*item.before, *callers], LARGEST_AGAIN) if path not in item.before]
    before = {**item.before, **{path: project.module(path).text for path in paths}}
    after = {**item.after, **{path: texts.get(path, before[path]) for path in paths}}
    rest = "legacy" if behind.intersection(before) else item.rest
    return replace(item, before=before, after=after, rest=rest)


def _behind(plan: Plan) -> set[str]:
    """The modules in which refused flags stay."""
    return {d.site.path for d in plan.left if not d.kept}


def items(project: Project, plan: Plan, texts: Mapping[str, str]) -> list[Item]:
    """An item for each change. ``texts`` holds the new text of every module that changes."""
    behind = _behind(plan)
    around = Surroundings(project)
    return [item_of(project, change, texts, behind, around) for change in plan.changes]


def item_of(
    project: Project, change: Change, texts: Mapping[str, str], behind: set[str], around: Surroundings
) -> Item:
    """A change as the verifier is asked about it. ``behind``: the modules in which refused flags stay."""
    touched = touched_by(project, change)
    paths = sorted(around.of(sorted({path for path, _ in change.edits} | {path for path, _ in touched})))
    before = {path: project.module(path).text for path in paths}
    after = {path: texts.get(path, text) for path, text in before.items()}
    # flags that stay behind in refused sites of these modules still mean what they meant
    rest = "legacy" if behind.intersection(paths) else "today"
    old = {path: project.module(path).origins for path in paths if project.module(path).origins}
    new = {path: _moved(found, before[path], after[path]) for path, found in old.items()}
    sides = (("before", old), ("after", new))
    origins = {side: {path: as_rows(rows) for path, rows in found.items()} for side, found in sides if found}
    return Item(change.id, before, after, touched, rest, origins)


def _moved(origins: Sequence[Origin], before: str, after: str) -> tuple[Origin, ...]:
    """Where the pieces of a text begin after its edits: each stands under a line that marks it, which stays."""
    old, new = before.split("\n"), after.split("\n")
    found: list[Origin] = []
    for origin in origins:
        mark = old[origin.line - 2]
        if mark not in new:
            return ()
        line = new.index(mark) + 2
        at = origin.at if origin.cell is not None else origin.at + line - origin.line
        found.append(Origin(line, at, origin.cell))
    return tuple(found)


def touched_by(project: Project, change: Change) -> tuple[tuple[str, str], ...]:
    """The functions whose behaviour a change touches, as path and qualified name."""
    return change.touched or tuple(dict.fromkeys(_around(project, change)))


def _around(project: Project, change: Change) -> Iterator[tuple[str, str]]:
    """The functions that the sites of a change stand in: it may carry no edit of its own.

    ``Variable(x, volatile=y.volatile)`` is two sites, and the edit of the one takes the other with it.
    """
    for decision in change.decisions:
        text = project.module(decision.site.path).text
        line = text.count("\n", 0, decision.site.span.start) + 1
        yield decision.site.path, function_at(text, line)


def function_at(text: str, line: int) -> str:
    """The qualified name of the function or method around a line; "" outside of all."""
    names: list[str] = []
    body = ast.parse(text).body
    while True:
        around = [node for node in body if node.lineno <= line <= (node.end_lineno or node.lineno)]
        inner = around[0] if around else None
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ".".join([*names, inner.name])
        if not isinstance(inner, ast.ClassDef):
            return ""
        names.append(inner.name)
        body = inner.body
