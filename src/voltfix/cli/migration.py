"""The part of a run that has something to look at: migrate each project, gather the rows, report, write."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING

import click

from voltfix.cli.baseline import accepted, dump
from voltfix.cli.given import of_explain
from voltfix.cli.places import diff, renamed
from voltfix.cli.progress import progress, wanted
from voltfix.cli.request import Request
from voltfix.cli.settings import SettingsError
from voltfix.cli.show import columns, say, show, show_diff
from voltfix.cli.workers import Work, results
from voltfix.discovery.hits import Scan
from voltfix.discovery.projects import Job, display, jobs
from voltfix.discovery.walk import Problem
from voltfix.model import Candidate, FileError, Look, Options, Result, SiteResult
from voltfix.pipeline.joining import agreeing
from voltfix.pipeline.verifying import Verifier
from voltfix.records import dataclass
from voltfix.report import PAGE, render
from voltfix.report.data import Mode, Report
from voltfix.report.escape import printable
from voltfix.report.moved import Landing
from voltfix.rules import messages
from voltfix.verify.plan import Item
from voltfix.writes import Write, WriteError, sweep, write_together

if TYPE_CHECKING:
    from voltfix.search import Search

TRIAL = 60.0  # seconds that one candidate may take


@dataclass
class Outcome:
    """What has come together so far, under the names that are shown. ``writes`` are groups.

    All or nothing each.
    """

    sites: list[SiteResult] = field(default_factory=list)
    modernized: list[SiteResult] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    sources: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    originals: dict[str, bytes] = field(default_factory=dict)
    writes: list[tuple[str, list[Write]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    changes: int = 0
    looked: list[Look] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    def number(self, result: Result) -> dict[str, str]:
        """Names for the changes of a project that no other project of the run has."""
        ids = [change.id for change in result.plan.changes]
        names = {old: f"c{self.changes + n}" for n, old in enumerate(ids, 1)}
        self.changes += len(ids)
        return names


def migrate_hits(
    request: Request, files: Sequence[str], found: Scan, problems: Sequence[Problem], left: Sequence[str] = ()
) -> int:
    """Migrate the hits, show what came of it, write it if asked to. ``left``: hits that .gitignore keeps from us."""
    outcome = Outcome(errors=[FileError(display(p.path), None, p.kind, p.message) for p in problems])
    todo = jobs(request.paths, files, found.hits) if found.hits else []
    if request.list_sites:
        from voltfix.cli.listing import list_sites

        if left and not request.quiet:
            say(printable(left_out(left)))
        return list_sites(request, todo, outcome.errors)
    work = [(job, options(request, job)) for job in todo]
    verifier = choose_verifier(request, outcome)
    try:
        shown = wanted(request.quiet) and not request.interactive
        with progress(len(work), shown, in_process=verifier is not None) as advance:
            made = answers(request, work, verifier, searching(request, verifier))
            for job, result in zip(todo, made, strict=True):
                add(outcome, job, result, verifier)
                advance(printable(next(iter(job.shown.values()), "")))
    except KeyboardInterrupt:
        say("interrupted; nothing was changed")
        return 2
    demand_a_run(request, outcome)
    note_comments(outcome)
    if left:
        outcome.notes.append(left_out(left))
    if request.mode == "write":
        if not request.quiet:
            say_uncommitted(outcome)
        if not write(outcome):
            return 2
    return finish(request, outcome, found.scanned)


def left_out(hits: Sequence[str]) -> str:
    """What is said of hits that .gitignore names, in a folder of which git does not say what it tracks."""
    listed = ", ".join(map(display, hits[:3])) + (f" and {len(hits) - 3} more" if len(hits) > 3 else "")
    them, paths = ("it", "its path") if len(hits) == 1 else ("them", "their paths")
    return f"not looked at, since .gitignore names {them}: {listed}; give {paths}, too, to have {them} looked at"


def note_comments(outcome: Outcome) -> None:
    """Note the comments to voltfix that it does not know: whoever wrote one takes the line for skipped."""
    from voltfix.pipeline.suppression import unknown

    found = [
        f"{path}:{line} ({comment})"
        for path, data in sorted(outcome.originals.items())
        if b"voltfix" in data and not path.endswith(".ipynb")
        for line, comment in unknown(data.decode("utf-8", "replace"))
    ]
    if found:
        listed = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
        outcome.notes.append(f"left no line alone for {listed}: write # voltfix: skip, or # voltfix: skip[VF101]")


def say_uncommitted(outcome: Outcome) -> None:
    """Note which files hold changes of the person's own, which git diff will show mixed with voltfix's."""
    if not outcome.writes:
        return
    from voltfix.cli.uncommitted import note

    names = [display(path) for root, group in outcome.writes for path in note(root, group)]
    if names:
        listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        outcome.notes.append(f"git has no commit of {listed} as it was; git diff shows your changes and voltfix's")


def answers(
    request: Request, work: Sequence[Work], verifier: Verifier | None, search: Search | None
) -> Iterator[Result]:
    """The result of every job, as the person or the options want it."""
    if request.interactive:
        from voltfix.cli.interactive import ask_about

        return ask_about(work, verifier, search)
    if request.todo:
        from voltfix.cli.todo import migrate_with_todos

        return (migrate_with_todos(job.files, chosen, verifier, search) for job, chosen in work)
    return results(work, verifier, request.workers, search)


def searching(request: Request, verifier: Verifier | None) -> Search | None:
    """What the run has for trying candidates; None where nothing is run, or none are wanted."""
    if verifier is None or not request.search:
        return None
    from voltfix.search import Budget, Memory, Search
    from voltfix.search.memory import folder_of_user

    sooner = None
    if isinstance(verifier, functools.partial):  # what nothing proves has to be told from its near misses
        sooner = functools.partial(verifier, timeout=TRIAL, quick=False)
    return Search(Budget(request.search), Memory(folder_of_user(), request.device), sooner)


def options(request: Request, job: Job) -> Options:
    """The core's options for a project."""
    return Options(
        select=request.select,
        ignore=request.ignore,
        keep_signatures=request.keep_signatures,
        break_api=request.break_api,
        ignored=ignored_in(request, job),
        modernize=request.modernize,
        unsafe_fixes=request.unsafe_fixes,
        torch_version=request.torch_version,
        editable=job.editable,
        installable=job.installable,
        importable=job.importable,
        passing=job.passing,
        until=None if request.time_limit is None else request.started + request.time_limit,
    )


def ignored_in(request: Request, job: Job) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """For each file that --per-file-ignores speaks of, the codes that it leaves alone there."""
    if not request.per_file_ignores:
        return ()
    from voltfix.discovery.ignore import compile_rules

    base = os.path.abspath(request.per_file_ignores_base)
    compiled = [(compile_rules(base, [pattern]), codes) for pattern, codes in request.per_file_ignores]
    found: dict[str, list[str]] = {}
    for path in job.shown:
        absolute = os.path.abspath(os.path.join(job.root, path))
        for rules, codes in compiled:
            if rules is not None and absolute.startswith(rules.base) and rules.verdict(absolute, folder=False):
                found.setdefault(path, []).extend(codes)
    return tuple((path, tuple(codes)) for path, codes in found.items())


def choose_verifier(request: Request, outcome: Outcome) -> Verifier | None:
    """The verifier that was asked for.

    By default that of the torch installed here, and a note where there is none.
    """
    verifier = _installed(request, outcome)
    if request.save_plan is not None:
        from voltfix.cli.planning import Recorder

        return Recorder(verifier)
    return verifier


def _installed(request: Request, outcome: Outcome) -> Verifier | None:
    if request.verify is False:
        return None
    from importlib.util import find_spec

    if find_spec("torch") is None:
        if request.verify:
            raise click.UsageError("--verify needs torch: pip install torch, or say --no-verify")
        outcome.notes.append("nothing was verified: torch is not installed (pip install torch)")
        return None
    from voltfix.verify.client import verify

    if request.verify_quick:
        outcome.notes.append("left out some runs of each change (--verify=quick)")
    return functools.partial(
        verify,
        device=request.device,
        jobs=request.workers,
        weak=request.weak_sandbox,
        quick=request.verify_quick,
    )


def demand_a_run(request: Request, outcome: Outcome) -> None:
    """A usage error where --verify was said and the sandbox kept everything from running; where it was not, a note.

    A note too where a GPU was asked for and nothing could be run on one.
    """
    client = sys.modules.get("voltfix.verify.client")
    done = any(row.status in ("fixed", "would-fix") for row in outcome.sites)
    if client is not None and "cuda" in request.device and request.verify is not False and done:
        state = client.devices(request.device).get("cuda", "run")
        if state != "run":
            outcome.notes.append(f"nothing was run on CUDA: {state}")
    if client is None or request.verify is False or (cause := client.kept_from_running(request.weak_sandbox)) is None:
        return
    less = "" if request.weak_sandbox else "; --weak-sandbox runs it with less around it"
    if request.verify:
        raise click.UsageError(f"--verify could run nothing: {cause}; nothing was written{less}")
    outcome.notes.append(f"nothing was verified: {cause}{less}")


def add(outcome: Outcome, job: Job, result: Result, verifier: Verifier | None = None) -> None:
    """Take in the result of a project, under the names that are shown."""
    shown = job.shown
    taken = {path: outcome.sources[name][1] for path, name in shown.items() if name in outcome.sources}
    result = agreeing(result, taken)
    names = outcome.number(result)
    if take := getattr(verifier, "take", None):
        outcome.items += take(names)
    outcome.sites += [
        replace(
            site, path=shown[site.path], change=names.get(site.change or ""),
            message=renamed(site.message, job), evidence=tuple(renamed(text, job) for text in site.evidence),
            candidates=tuple(told(job, each) for each in site.candidates),
        )
        for site in result.sites
    ]  # fmt: skip
    outcome.looked += result.plan.looked
    outcome.modernized += [replace(site, path=shown[site.path]) for site in result.modernized]
    outcome.errors += [replace(error, path=shown.get(error.path, error.path)) for error in result.errors]
    for path, name in shown.items():
        outcome.originals[name] = job.files[path]
    for path, data in result.outputs.items():
        outcome.sources[shown[path]] = (job.files[path], data)
    together = [set(group) for group in result.groups]
    alone = [{path} for path in result.outputs if not any(path in group for group in together)]
    for group in (*together, *alone):
        writes = [
            Write(os.path.join(job.root, path), job.files[path], result.outputs[path])
            for path in sorted(group)
            if path in result.outputs
        ]
        if not taken.keys().isdisjoint(group):
            writes = beside(outcome, job.top, writes)
        outcome.writes.append((job.top, writes))


def told(job: Job, candidate: Candidate) -> Candidate:
    """A candidate with its diff, and its places under the names that are shown."""
    verdict = candidate.verification
    if verdict.detail:
        verdict = replace(verdict, detail=renamed(verdict.detail, job))
    diffs = [diff(job.shown.get(path, path), job.files[path], data) for path, data in candidate.outputs]
    return replace(candidate, diff=b"".join(diffs).decode("utf-8", "replace"), verification=verdict)


def beside(outcome: Outcome, root: str, group: list[Write]) -> list[Write]:
    """A group with those of other jobs that hold one of its files: they are written together."""
    for known in [known for known in outcome.writes if known[0] == root and any(item in group for item in known[1])]:
        group = [*known[1], *(item for item in group if item not in known[1])]
        outcome.writes.remove(known)
    return group


def write(outcome: Outcome) -> bool:
    """Write the groups. Where that fails, the sites are refused, and the cause is an error.

    False if somebody interrupted it: every file is wholly old or wholly new then, and stderr says how many.
    """
    done = 0
    try:
        with terminable():
            sweep(os.path.dirname(os.path.realpath(item.path)) for _, group in outcome.writes for item in group)
            for root, group in outcome.writes:
                done += _write_group(outcome, root, group)
    except KeyboardInterrupt:
        total = sum(len(group) for _, group in outcome.writes)
        say(f"interrupted: {done} of {total} files are rewritten, the others are as they were; run it again")
        return False
    return True


def _write_group(outcome: Outcome, root: str, group: Sequence[Write]) -> int:
    """How many files were written: all of the group, or none."""
    try:
        write_together(group, root)
    except WriteError as error:
        outcome.errors.append(FileError(display(error.path), None, error.kind, error.message))
        unwritten = {display(item.path) for item in group}
        for name in unwritten:
            outcome.sources.pop(name, None)
        outcome.sites = [_unwritten(site) if site.path in unwritten else site for site in outcome.sites]
        return 0
    return len(group)


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end a block as ^C does, so that what is half done is rolled back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _unwritten(site: SiteResult) -> SiteResult:
    if site.status != "fixed":
        return site
    return replace(site, status="refused", reason="not-written", message=messages.not_written())


def finish(request: Request, outcome: Outcome, scanned: int, report_to_stderr: bool = False) -> int:
    """Show the report and say how the process ends."""
    report = replace(make_report(request, outcome, scanned), root=os.getcwd())
    try:
        if request.baseline is not None:
            originals = outcome.originals
            known = accepted(request.baseline, report.sites, originals)
            report = replace(report, accepted=len(known), known=known)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    if request.write_baseline is not None:
        written = outcome.sources if request.mode == "write" else {}
        save(request.write_baseline, dump(report.sites, outcome.originals, written))
    if request.save_plan is not None:
        from voltfix.verify.plan import dump as dump_plan

        save(request.save_plan, dump_plan(outcome.items))
    if request.report is not None:
        form = os.path.splitext(request.report)[1].removeprefix(".")
        save(request.report, render(report, form if form in ("json", "sarif") else PAGE))
    if request.diff and request.output_format == "text":
        show_diff(b"".join(diff(name, *pair) for name, pair in sorted(report.sources.items())))
    beside = report_to_stderr or (request.diff and request.output_format == "text")
    show(render(report, request.output_format), to_stderr=beside)
    code = exit_code(report)
    return 0 if request.exit_zero and code == 1 else code


def make_report(request: Request, outcome: Outcome, scanned: int) -> Report:
    """The report of a run; where nothing is written, what was fixed would be fixed."""
    mode: Mode = "diff" if request.diff else "check" if request.check else "write"
    landing = Landing(outcome.sources if mode == "write" else {})
    sites = [landing.landed(site) for site in sorted(outcome.sites, key=_place)]
    modernized = [landing.landed(site) for site in sorted(outcome.modernized, key=_place)]
    if mode != "write":
        sites, modernized = [_would(site) for site in sites], [_would(site) for site in modernized]
    diffs = {}
    if mode != "write":
        diffs = {name: diff(name, *pair).decode("utf-8", "replace") for name, pair in sorted(outcome.sources.items())}
    return Report(
        mode=mode,
        files_scanned=scanned,
        sites=tuple(sites),
        modernized=tuple(modernized),
        errors=tuple(sorted(outcome.errors, key=lambda error: (error.path, error.line or 0))),
        changed=tuple(sorted(outcome.sources)),
        diffs=diffs,
        sources=outcome.sources,
        notes=tuple(outcome.notes),
        originals=outcome.originals,
        paths=request.paths,
        given=request.given,
        given_explain=of_explain(request.given),
        width=columns(),
        verbose=request.verbose,
        quiet=request.quiet,
        statistics=request.statistics,
        looked=tuple(outcome.looked),
        sandbox=_sandbox(),
    )


def _sandbox() -> dict[str, str]:
    """The layers behind which something was run, without loading what runs it."""
    client = sys.modules.get("voltfix.verify.client")
    return client.sandbox() if client is not None else {}


def _would(site: SiteResult) -> SiteResult:
    if site.status != "fixed":
        return site
    return replace(site, status="would-fix", message=messages.planned(site.message))


def _place(site: SiteResult) -> tuple[str, int, int, int]:
    return site.path, site.cell or 0, site.line, site.column


def exit_code(report: Report) -> int:
    """0: nothing is left to do. 1: something would change or needs a person. 2: something failed."""
    if report.errors:
        return 2
    left = report.count("refused") - report.accepted
    would = report.count("would-fix") or any(row.status == "would-fix" for row in report.modernized)
    return 1 if left > 0 or would else 0


def save(path: str, text: str) -> None:
    """Write one of voltfix's own files; a usage error where that fails."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be written ({(error.strerror or 'error').lower()})") from None


def save_empty(request: Request) -> None:
    """The files that were asked for, for a run without a hit."""
    if request.write_baseline is not None:
        save(request.write_baseline, dump([], {}, {}))
    if request.save_plan is not None:
        say("there is nothing to verify, so no plan was saved")
