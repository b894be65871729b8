"""One folder migrated with the options and settings of the main command; what came of it, in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import click

from voltfix.batch.model import BatchError
from voltfix.cli.main import joined, main
from voltfix.cli.migration import Outcome, add, choose_verifier, left_out, make_report, options, searching
from voltfix.cli.request import Request
from voltfix.core import migrate
from voltfix.discovery.hits import overlooked, scan
from voltfix.discovery.projects import Job, display, jobs
from voltfix.discovery.walk import unseen, walk
from voltfix.model import FileError, Options, Plan, Result, SiteResult
from voltfix.pipeline.verifying import Verifier
from voltfix.records import dataclass
from voltfix.report.data import Report
from voltfix.rules import messages
from voltfix.search import Search


@dataclass(frozen=True)
class Migration:
    """A report with paths relative to the folder, and old and new bytes of what changes."""

    report: Report
    sources: Mapping[str, tuple[bytes, bytes]]


def read_request(arguments: Sequence[str]) -> Request:
    """The request of the main command for the current folder, with the settings of its own pyproject.toml.

    Settings of folders above are none of the repository's. BatchError for settings that cannot be used.
    """
    own = ["--config", "pyproject.toml"] if os.path.isfile("pyproject.toml") else []
    try:
        ctx = main.make_context("voltfix", [*arguments, *own, "--jobs", "1", "."])
        values = joined(ctx.params)
        paths, config = values.pop("paths"), values.pop("config")
        if config is not None:
            from voltfix.cli.configured import configured

            values = configured(ctx, paths, config, values)
    except click.ClickException as error:
        raise BatchError("settings", error.format_message()) from None
    # files that settings name would be written where nobody looks for them
    request = Request(paths=paths, **values)
    return request._replace(report=None, baseline=None, write_baseline=None, save_plan=None, list_sites=False)


def migrate_here(request: Request, max_changes: int | None, dry_run: bool) -> Migration:
    """Migrate the current folder; nothing is written."""
    walked = walk(["."], request.exclude, request.exclude_base)
    found = scan(walked.files, modernize=request.modernizes)
    problems = [*walked.problems, *found.problems]
    outcome = Outcome(errors=[FileError(display(p.path), None, p.kind, p.message) for p in problems])
    if kept := overlooked(unseen(walked.left), modernize=request.modernizes):
        outcome.notes.append(left_out(kept))
    todo = jobs(["."], walked.files, found.hits) if found.hits else []
    verifier = choose_verifier(request, outcome) if todo else None
    search = searching(request, verifier) if max_changes is None else None
    left = max_changes
    for job in todo:
        result = _limited(job, options(request, job), verifier, left, search)
        add(outcome, job, result)
        left = None if left is None else left - len(result.plan.changes)
    report = make_report(replace_mode(request, dry_run), outcome, found.scanned)
    return Migration(report, outcome.sources)


def replace_mode(request: Request, dry_run: bool) -> Request:
    """The request as one that writes, or that only shows."""
    return request._replace(diff=dry_run, check=False)


def _limited(
    job: Job, asked: Options, verifier: Verifier | None, limit: int | None, search: Search | None = None
) -> Result:
    """Migrate with at most ``limit`` changes: sites of the others are held, with what depends on them."""
    if limit is None:
        return migrate(job.files, asked, verifier, search)
    held: frozenset[tuple[str, int]] = frozenset()
    plan = migrate(job.files, asked).plan
    while len(plan.changes) > limit:
        more = held | _sites(plan, limit)
        if more == held:
            break
        held = more
        plan = migrate(job.files, replace(asked, held=held)).plan
    result = migrate(job.files, replace(asked, held=held), verifier)
    return _postponed(job, asked, result, limit) if held else result


def _sites(plan: Plan, beyond: int) -> frozenset[tuple[str, int]]:
    """The sites of the changes past the first ``beyond``, in the order of the text."""
    ordered = sorted(plan.changes, key=lambda c: min((d.site.path, d.site.span.start) for d in c.decisions))
    return frozenset((d.site.path, d.site.span.start) for c in ordered[beyond:] for d in c.decisions)


def _postponed(job: Job, asked: Options, result: Result, limit: int) -> Result:
    """The result with sites that only wait for a later round marked as left alone, not as refused."""
    whole = migrate(job.files, asked)
    fixable = {_place(site) for site in whole.sites if site.status == "fixed"}
    sites = tuple(
        replace(site, status="suppressed", reason=None, strategy=None, message=messages.postponed(limit))
        if site.status == "refused" and _place(site) in fixable and site.reason != "verification-failed"
        else site
        for site in result.sites
    )
    return replace(result, sites=sites)


def _place(site: SiteResult) -> tuple[str, int | None, int, int, str]:
    return site.path, site.cell, site.line, site.column, site.code


def write_here(sources: Mapping[str, tuple[bytes, bytes]]) -> None:
    """Write the new bytes into the current folder, a checkout that nobody else knows of."""
    for path, (_, after) in sources.items():
        with open(path, "r+b") as file:
            file.write(after)
            file.truncate()
