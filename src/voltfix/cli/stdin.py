"""``voltfix -``: source comes from stdin and, rewritten, owns stdout; the report goes to stderr."""

from __future__ import annotations

import os
import sys

import click

from voltfix.cli.migration import Outcome, add, answers, choose_verifier, demand_a_run, finish, options, searching
from voltfix.cli.request import Request
from voltfix.discovery.hits import is_hit
from voltfix.discovery.projects import Job, split
from voltfix.discovery.roots import root_of

NAME = "-"


def run_stdin(request: Request) -> int:
    """Migrate what stdin holds; with --stdin-filename it is read as that file of its project."""
    if len(request.paths) > 1:
        raise click.UsageError("- (stdin) cannot be mixed with other paths")
    if request.interactive:
        raise click.UsageError(
            "--interactive asks on stdin, so the source cannot come from there; name the file"
        )
    data = sys.stdin.buffer.read()
    outcome = Outcome()
    if is_hit(data, request.stdin_filename or NAME, modernize=request.modernizes):
        job = _job(request.stdin_filename, data)
        if request.list_sites:
            from voltfix.cli.listing import list_sites

            return list_sites(request, [job], [])
        verifier = choose_verifier(request, outcome)
        made = answers(request, [(job, options(request, job))], verifier, searching(request, verifier))
        add(outcome, job, next(made), verifier)
        demand_a_run(request, outcome)
    owns_stdout = request.mode == "write"
    if owns_stdout and not outcome.errors:
        pairs = list(outcome.sources.values())
        sys.stdout.buffer.write(pairs[0][1] if pairs else data)
        sys.stdout.buffer.flush()
    return finish(request, outcome, 1, report_to_stderr=owns_stdout)


def _job(name: str | None, data: bytes) -> Job:
    """The project of one file; without a name it stands alone."""
    if name is None:
        return Job(os.getcwd(), {"stdin.py": data}, {"stdin.py": NAME}, False)
    path = os.path.abspath(name)
    (job,) = split(root_of(path), {path: data}, {path: name})
    return job
