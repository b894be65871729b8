"""What the verifier is asked: for each change, its modules before and after, as self-contained items."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from voltfix.model import Change, Origin, Plan, Verification
from voltfix.pipeline.loading import Project
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
    return {item.id: verdict for item, verdict in zip(asked, verifier(asked), strict=True)}


def items(project: Project, plan: Plan, texts: Mapping[str, str]) -> list[Item]:
    """An item for each change. ``texts`` holds the new text of every module that changes."""
    behind = {d.site.path for d in plan.left if not d.kept}
    return [_item(project, change, texts, behind) for change in plan.changes]


def _item(project: Project, change: Change, texts: Mapping[str, str], behind: set[str]) -> Item:
    touched = change.touched or tuple(dict.fromkeys(_around(project, change)))
    paths = sorted({path for path, _ in change.edits} | {path for path, _ in touched})
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


def _around(project: Project, change: Change) -> Iterator[tuple[str, str]]:
    """The functions that the sites of a change stand in: it may carry no edit of its own.

    ``Variable(x, volatile=y.volatile)`` is two sites, and the edit of the one takes the other with it.
    """
    for decision in change.decisions:
        text = project.module(decision.site.path).text
        line = text.count("\n", 0, decision.site.span.start) + 1
        yield decision.site.path, _function_at(ast.parse(text), line)


def _function_at(tree: ast.Module, line: int) -> str:
    """The qualified name of the function or method around a line; "" outside of all."""
    names: list[str] = []
    body = tree.body
    while True:
        around = [node for node in body if node.lineno <= line <= (node.end_lineno or node.lineno)]
        inner = around[0] if around else None
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ".".join([*names, inner.name])
        if not isinstance(inner, ast.ClassDef):
            return ""
        names.append(inner.name)
        body = inner.body
