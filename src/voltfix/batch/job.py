"""One repository's job: from a task to an outcome. It writes into its scratch folder alone."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from voltfix.batch.commit import commit, verdict
from voltfix.batch.git import environment, git
from voltfix.batch.migration import Migration, migrate_here, read_request, write_here
from voltfix.batch.model import BatchError, Outcome, Task, failed
from voltfix.batch.review import normalised
from voltfix.batch.scratch import check_out
from voltfix.batch.source import Source, locate
from voltfix.cli.places import diff
from voltfix.report import render
from voltfix.report.data import Report
from voltfix.report.escape import decodable

_LOG_BYTES = 1 << 20


class Ran(NamedTuple):
    """The repository's own command, run once: how it ended, and the end of what it said."""

    exit: int
    log: bytes


def run(task: Task, folder: str) -> Outcome:
    """Migrate the repository of ``task`` in the empty folder ``folder``.

    Never raises for what a repository holds.
    """
    laps = Laps()
    try:
        folder = os.path.join(folder, called(task.repository.source))
        os.mkdir(folder)
        outcome = _run(task, folder, laps)
    except BatchError as error:
        outcome = failed(task, error.cause, error.detail.replace(folder, "."))
    except OSError as error:
        cause = "disk-full" if error.errno == errno.ENOSPC else "internal-error"
        outcome = failed(task, cause, f"{type(error).__name__}: {error}".replace(folder, "."))
    except MemoryError:
        outcome = failed(task, "memory-limit", "no more memory was to be had")
    except Exception as error:  # a mistake of voltfix in one repository stops no other
        outcome = failed(task, "internal-error", f"{type(error).__name__}: {error}".replace(folder, "."))
    return replace(outcome, seconds=laps.done())


def called(source: str) -> str:
    """The folder that a clone of ``source`` stands in, as git names it: a repository may import itself by that."""
    name = re.split("[/:]", source.rstrip("/").removesuffix(".git").rstrip("/"))[-1]
    return name if name not in ("", ".", "..") and len(os.fsencode(name)) < 200 else "repository"


class Laps:
    """Where the time of a job goes, by phase; ``whole`` is all of it."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._began = self._last = time.perf_counter()

    def lap(self, phase: str) -> None:
        """What was done since the last lap belongs to ``phase``."""
        now = time.perf_counter()
        self._seconds[phase] = self._seconds.get(phase, 0.0) + now - self._last
        self._last = now

    def done(self) -> dict[str, float]:
        """Seconds by phase."""
        return {**self._seconds, "whole": time.perf_counter() - self._began}


def _run(task: Task, folder: str, laps: Laps) -> Outcome:
    source = locate(task)
    laps.lap("source")
    if _is_known(task, source):
        return Outcome(task.repository.name, "nothing", wish=task.wish, unchanged=True)
    check_out(source, folder, whole=task.command is not None)
    os.chdir(folder)
    laps.lap("checkout")
    request = read_request(task.settings.arguments)
    before = None if task.settings.dry_run else _command(task, laps)
    if before is not None:
        git(folder, "checkout", "--quiet", "--force", ".")
    migration = migrate_here(request, task.settings.max_changes, task.settings.dry_run)
    laps.lap("analysis")
    if task.settings.dry_run or not migration.sources:
        return _uncommitted(task, source, migration, before, laps)
    write_here(migration.sources)
    made = commit(task, folder, source.folder, source.base, migration.report)
    laps.lap("commit")
    after = _command(task, laps)
    outcome = _outcome(task, source, migration, before, after, made.patch)
    laps.lap("reports")
    if before is not None and after is not None and after.exit and not before.exit:
        said = f"{task.command!r} ended with 0 before and {after.exit} after"
        return replace(outcome, state="failed", cause="command-broke", detail=said)
    bundled = {**outcome.artifacts, "branch.bundle": made.bundle}
    return replace(
        outcome,
        state="migrated",
        commit=made.id,
        branch=task.branch,
        git_dir=source.git_dir,
        artifacts=bundled,
    )


def _is_known(task: Task, source: Source) -> bool:
    known = task.known
    return (
        known is not None and not source.fresh and known.wish == task.wish and source.base in (known.base, known.commit)
    )


def _uncommitted(task: Task, source: Source, migration: Migration, before: Ran | None, laps: Laps) -> Outcome:
    """Nothing to commit: nothing was found to change, or nothing was to be written."""
    diffs = b"".join(diff(path, *pair) for path, pair in sorted(migration.sources.items()))
    outcome = _outcome(task, source, migration, before, None, diffs)
    laps.lap("reports")
    return replace(outcome, state="would-migrate" if migration.sources else "nothing")


def _outcome(
    task: Task, source: Source, migration: Migration, before: Ran | None, after: Ran | None, diff: bytes
) -> Outcome:
    ran = {name: run for name, run in (("before", before), ("after", after)) if run is not None}
    files = artifacts(migration.report, diff) | {f"{name}.log": run.log for name, run in ran.items()}
    return Outcome(
        task.repository.name,
        "nothing",
        wish=task.wish,
        base=source.base,
        summary=summary(migration.report, ran),
        artifacts=files,
        diffs=tuple(normalised(path, *pair) for path, pair in sorted(migration.sources.items())),
    )


def artifacts(report: Report, diff: bytes) -> dict[str, bytes]:
    """The files that a report makes."""
    made = {"report.json": render(report, "json").encode()}
    if diff:
        made["changes.patch"] = diff
    made["report.html"] = render(report, "html").encode()
    return made


def summary(report: Report, ran: Mapping[str, Ran]) -> dict[str, Any]:
    """What the journal keeps of a report: figures, tallies, and the places that need a person."""
    verdicts: dict[str, int] = {}
    for site in report.sites:
        if site.status in ("fixed", "would-fix"):
            verdicts[verdict(site)] = verdicts.get(verdict(site), 0) + 1
    needs = [
        [decodable(site.path), site.cell, site.line, site.code, site.reason]
        for site in report.sites
        if site.status == "refused"
    ]
    errors = [[decodable(error.path), error.line, error.kind] for error in report.errors]
    return {
        **report.summary(),
        **report.tallies(),
        "verdicts": verdicts,
        "needs": needs,
        "unread": errors,
        "command": {name: run.exit for name, run in ran.items()},
    }


def _command(task: Task, laps: Laps) -> Ran | None:
    """Run the repository's own command in the current folder; the job's limits are the command's too."""
    if task.command is None:
        return None
    with open(os.path.join(".git", "voltfix-command.log"), "w+b") as log:
        done = subprocess.run(
            task.command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment(),
        )
        laps.lap("command")
        log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_BYTES))
        return Ran(done.returncode, log.read())
