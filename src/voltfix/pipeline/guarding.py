"""The last line of defence: what was made compiles, changed only what was planned, and is stable.

Each check answers with the changes to take back (id → reason and message). A fault found here is a fault of
voltfix, so the reason is always ``internal-error``; the original stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from voltfix.discovery.hits import is_hit
from voltfix.model import Change, Edit, Module, Options, Plan
from voltfix.pipeline.carrying import blame, carry_out, edits_by_module
from voltfix.pipeline.holds import Hold, SiteKey, key, unproved
from voltfix.pipeline.loading import Project, load_project
from voltfix.rules import messages

Faults = dict[str, tuple[str, str]]
_HELD = Hold("refused", None, "")
_RESTLESS = "its result would be changed again by a second run"
_MAX_SOLVES = 12  # changes of which each is tried without the others, where no file says which is to blame
_MAX_TRIALS = 64  # past so many changes in one file, all are taken back rather than tried one by one


class SecondRun(NamedTuple):
    """How the guard runs a result once more: it is handed the solver, and the loop around it where it may ask that."""

    solve: Callable[[Project, Options, Mapping[SiteKey, Hold]], Plan]
    # the files that all of a run would change
    changed: Callable[[Project, Options, dict[SiteKey, Hold]], set[str]] | None


def find_faults(
    project: Project,
    options: Options,
    plan: Plan,
    texts: Mapping[str, str],
    outputs: Mapping[str, bytes],
    holds: Mapping[SiteKey, Hold],
    second: SecondRun,
) -> Faults:
    """Run the checks, cheapest first; the second pass only where those before it found nothing."""
    from voltfix.edit.guard import check

    faults: Faults = {}
    by_module = edits_by_module(plan.changes)
    for path, text in texts.items():
        module = project.module(path)
        by_change = by_module[path]
        if troubles := check(module.text, text, [edit for edits in by_change.values() for edit in edits]):
            faults.update(_blamed(module, by_change, f"its result {troubles[0]}"))
    if faults or not outputs:
        return faults
    options = options.after(plan)
    again = load_project({**project.files, **outputs}, options)
    faults = _second_pass(project, options, plan, again, holds, second)
    if not faults and second.changed and any(hold.reason == "internal-error" for hold in holds.values()):
        return _second_run(project, options, plan, again, holds, second)
    return faults


def _blamed(module: Module, by_change: Mapping[str, tuple[Edit, ...]], message: str) -> Faults:
    """Take back as few changes as make the check pass."""
    from voltfix.edit import EditError, apply
    from voltfix.edit.guard import check

    def works(names: Sequence[str]) -> bool:
        edits = [edit for name in names for edit in by_change[name]]
        try:
            return not check(module.text, apply(module, edits), edits)
        except EditError:
            return False

    return _all(by_change if len(by_change) > _MAX_TRIALS else blame(works, list(by_change)), message)


def _all(names: Iterable[str], message: str) -> Faults:
    return dict.fromkeys(names, ("internal-error", messages.fault(message)))


def _second_pass(
    project: Project, options: Options, plan: Plan, again: Project, holds: Mapping[SiteKey, Hold], second: SecondRun
) -> Faults:
    """Migrate what was made once more: nothing may be left to do but what is held."""
    broken = {error.path for error in again.errors} - {error.path for error in project.errors}
    if broken:
        return _touching(project, plan, broken, "its result cannot be read again")
    paths = _restless(project, options, again, holds, second)
    if not paths:
        return {}
    return _touching(project, plan, paths, _RESTLESS)


def to_blame(
    project: Project,
    options: Options,
    plan: Plan,
    faults: Faults,
    holds: Mapping[SiteKey, Hold],
    second: SecondRun,
) -> Faults:
    """Of faults that all changes of a plan have together: of those without which a second run leaves the rest alone.

    That takes two runs for each change, so it is asked where nothing else helped.
    """
    if faults != _all([change.id for change in plan.changes], _RESTLESS) or not 1 < len(faults) <= _MAX_SOLVES:
        return faults
    options = options.after(plan)
    return _all(blame(lambda names: _rests(project, options, plan, names, holds, second), list(faults)), _RESTLESS)


def _rests(
    project: Project,
    options: Options,
    plan: Plan,
    names: Sequence[str],
    holds: Mapping[SiteKey, Hold],
    second: SecondRun,
) -> bool:
    """Would a second run leave alone what these changes make, with the others left out?"""
    carried = carry_out(project, [change for change in plan.changes if change.id in names])
    if carried.failures:
        return False
    again = load_project({**project.files, **project.render(carried.texts)}, options)
    left_out = {
        key(d.site): _HELD
        for change in plan.changes
        if change.id not in names
        for d in change.decisions
    }
    return not _restless(project, options, again, {**holds, **left_out}, second)


def _restless(
    project: Project, options: Options, again: Project, holds: Mapping[SiteKey, Hold], second: SecondRun
) -> set[str]:
    """The files that a second run would change, but for what is held."""
    if not any(is_hit(data, path) for path, data in again.files.items()):
        return set()  # nothing is left that could hold a flag
    planned = second.solve(again, options, {})
    held = (*holds, *options.held)
    excused = dict.fromkeys(_found_again(project, held, again, planned), _HELD)
    if not options.unsafe_fixes:  # a guess is suggested, and not written
        excused |= dict.fromkeys(unproved(planned, None), _HELD)
    if excused:
        planned = second.solve(again, options, excused)
    restless = [change for change in planned.changes if not _excused(change, excused)]
    return {again.file_of(d.site.path) for change in restless for d in change.decisions}


def _second_run(
    project: Project, options: Options, plan: Plan, again: Project, holds: Mapping[SiteKey, Hold], second: SecondRun
) -> Faults:
    """Where edits were taken back as faults, carry a second run out: beside other edits it may fare better.

    What the verifier refuted is taken to be refuted again; it is not asked here.
    """
    refuted = [site for site, hold in holds.items() if hold.reason == "verification-failed"]
    lasting = _found_again(project, (*refuted, *options.held), again, second.solve(again, options, {}))
    changed = second.changed(again, options, dict.fromkeys(lasting, _HELD)) if second.changed else set()
    if not changed:
        return {}
    return _touching(project, plan, changed, "a second run would do what this one could not")


def _found_again(project: Project, held: Iterable[SiteKey], again: Project, second: Plan) -> list[SiteKey]:
    """The sites of a second pass that stand on lines of held ones."""
    lines = {(path, project.line(path, start)) for path, start in held}
    sites = [key(d.site) for change in second.changes for d in change.decisions]
    return [(path, start) for path, start in sites if (path, again.line(path, start)) in lines]


def _excused(change: Change, excused: Mapping[SiteKey, Hold]) -> bool:
    return any(key(d.site) in excused for d in change.decisions)


def _touching(project: Project, plan: Plan, files: set[str], message: str) -> Faults:
    """The changes that edit one of the files; all of them if none does."""
    names = [
        change.id
        for change in plan.changes
        if any(project.file_of(path) in files for path, edits in change.edits if edits)
    ]
    return _all(names or [change.id for change in plan.changes], message)
