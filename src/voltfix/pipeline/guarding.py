"""The last line of defence: what was made compiles, is stable under a second pass, and changed nothing unplanned.

Each check answers with the changes to take back (id → reason and message). A fault found here is a fault of voltfix,
so the reason is always ``internal-error``; the original stays.
"""

from __future__ import annotations

import bisect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from voltfix.model import Change, Edit, EnsureImport, Module, Options, Plan, Span
from voltfix.pipeline.carrying import blame, edits_by_module
from voltfix.pipeline.loading import Project, load_project

if TYPE_CHECKING:
    from voltfix.core import Hold, SiteKey

Faults = dict[str, tuple[str, str]]
_MAX_TRIALS = 64  # past so many changes in one file, all are taken back rather than tried one by one


def find_faults(
    project: Project,
    options: Options,
    plan: Plan,
    texts: Mapping[str, str],
    outputs: Mapping[str, bytes],
    holds: Mapping[SiteKey, Hold],
) -> Faults:
    """Run the three checks, cheapest first; a later one only where those before it found nothing."""
    if not texts:
        return {}
    faults: Faults = {}
    by_module = edits_by_module(plan.changes)
    for path, text in texts.items():
        module = project.module(path)
        if (trouble := does_not_compile(text, path)) is not None:
            faults.update(_blamed(module, by_module[path], f"its result does not compile ({trouble})"))
        elif not only_where_planned(
            module.text, text, [e for edits in by_module[path].values() for e in edits]
        ):
            faults.update(_all(by_module[path], "its result differs outside the planned lines"))
    return faults or _second_pass(project, options, plan, outputs, holds)


def does_not_compile(text: str, path: str) -> str | None:
    """Why ``text`` is no Python for this interpreter (which stops at 20 nested blocks); None if it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        return getattr(error, "msg", None) or str(error) or type(error).__name__
    return None


def _blamed(module: Module, by_change: Mapping[str, tuple[Edit, ...]], message: str) -> Faults:
    from voltfix.edit import EditError, apply

    def works(names: Sequence[str]) -> bool:
        try:
            text = apply(module, [edit for name in names for edit in by_change[name]])
        except EditError:
            return False
        return does_not_compile(text, module.path) is None

    return _all(by_change if len(by_change) > _MAX_TRIALS else blame(works, list(by_change)), message)


def _all(names: Iterable[str], message: str) -> Faults:
    return dict.fromkeys(names, ("internal-error", f"{message}; please report this"))


def only_where_planned(before: str, after: str, edits: Sequence[Edit]) -> bool:
    """Whether every line that no edit covers stands in ``after``, in order, and so do the runs between the edits.

    An import may be added in any place; it is the only thing that may.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    planned = _planned_lines(before, edits)
    imports = any(isinstance(edit, EnsureImport) for edit in edits)
    position = 0
    run_fixed = True  # the first run has to stand at the very start
    for run in _runs(len(old), planned):
        lines = [old[index] for index in run]
        found = _find(new, lines, position, run_fixed, imports)
        if found is None:
            return False
        position, run_fixed = found, False
    tail_fixed = not planned or max(planned) < len(old) - 1
    return not tail_fixed or position == len(new) or _blank_or_import(new[position:], imports)


def _planned_lines(text: str, edits: Sequence[Edit]) -> set[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    planned: set[int] = set()
    for edit in edits:
        for span in _spans(edit):
            first = bisect.bisect_right(starts, span.start) - 1
            last = bisect.bisect_left(starts, span.end) - 1
            planned.update(range(first, max(first, last) + 1))
    return planned


def _spans(edit: Edit) -> list[Span]:
    """The text that an edit may change."""
    spans = [value for value in vars(edit).values() if isinstance(value, Span)]
    return [Span(min(span.start for span in spans), max(span.end for span in spans))] if spans else []


def _runs(count: int, planned: set[int]) -> list[range]:
    runs, start = [], 0
    for index in [*sorted(planned), count]:
        if index > start:
            runs.append(range(start, index))
        start = index + 1
    return runs


def _find(new: list[str], lines: list[str], position: int, fixed: bool, imports: bool) -> int | None:
    """Where ``lines`` end in ``new``, at ``position`` (fixed) or later; added imports between them are stepped over."""
    last = position if fixed else len(new)
    for start in range(position, last + 1):
        end = _match(new, lines, start, imports)
        if end is not None:
            return end
    return None


def _match(new: list[str], lines: list[str], start: int, imports: bool) -> int | None:
    at = start
    for line in lines:
        while at < len(new) and new[at].rstrip("\r\n") != line.rstrip("\r\n"):
            if not (imports and _is_import(new[at])):
                return None
            at += 1
        if at == len(new):
            return None
        at += 1
    return at


def _is_import(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith(("import ", "from "))


def _blank_or_import(lines: list[str], imports: bool) -> bool:
    return imports and all(map(_is_import, lines))


def _second_pass(
    project: Project,
    options: Options,
    plan: Plan,
    outputs: Mapping[str, bytes],
    holds: Mapping[SiteKey, Hold],
) -> Faults:
    """Migrate what was made once more: nothing may be left to do but what is held."""
    if not outputs:
        return {}
    from voltfix.core import Hold, solve

    mark = Hold("refused", None, "")
    again = load_project({**project.files, **outputs}, options)
    broken = {error.path for error in again.errors} - {error.path for error in project.errors}
    if broken:
        return _touching(project, plan, broken, "its result cannot be read again")
    second = solve(again, options, {})
    held = {(path, _line(project, path, start)) for path, start in (*holds, *options.held)}
    excused = {
        (d.site.path, d.site.span.start): mark
        for change in second.changes
        for d in change.decisions
        if (d.site.path, _line(again, d.site.path, d.site.span.start)) in held
    }
    if excused:
        second = solve(again, options, excused)
    restless = [change for change in second.changes if not _excused(change, excused)]
    paths = {again.file_of(d.site.path) for change in restless for d in change.decisions}
    return (
        _touching(project, plan, paths, "its result would be changed again by a second run") if paths else {}
    )


def _excused(change: Change, excused: Mapping[SiteKey, Hold]) -> bool:
    return any((d.site.path, d.site.span.start) in excused for d in change.decisions)


def _line(project: Project, path: str, offset: int) -> str:
    """The line around an offset, without its indentation: what a held site is known by after the edits around it."""
    text = project.module(path).text
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : len(text) if end < 0 else end].strip()


def _touching(project: Project, plan: Plan, files: set[str], message: str) -> Faults:
    """The changes that edit one of the files; all of them if none does."""
    names = [
        c.id for c in plan.changes if any(project.file_of(path) in files for path, edits in c.edits if edits)
    ]
    return _all(names or [change.id for change in plan.changes], message)
