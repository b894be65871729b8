"""``voltfix explain FILE:LINE``: the decision, what it rests on, and its patch."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voltfix.cli.show import fold
from voltfix.core import migrate
from voltfix.discovery.hits import is_hit
from voltfix.discovery.projects import Job, display, jobs
from voltfix.discovery.walk import walk
from voltfix.model import FileError, Options, SiteResult
from voltfix.report.escape import printable
from voltfix.report.text import error_line, site_line
from voltfix.rules.messages import planned

if TYPE_CHECKING:
    from voltfix.suggest import Look


@click.command()
@click.argument("place", metavar="FILE:LINE")
@click.option("--verify/--no-verify", default=False, help="Run the change too, before and after.")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda", "cpu,cuda"]), default="auto")
@click.option("--break-api", is_flag=True, help="As for the main command.")
@click.option("--keep-signatures", is_flag=True, help="As for the main command.")
def command(place: str, verify: bool, device: str, break_api: bool, keep_signatures: bool) -> None:
    """Show the decision at FILE:LINE, what it rests on, and its patch.

    Nothing is written. For a site that was refused the patch is a suggestion that voltfix could not prove.
    LINE may be left out: then every site of the file is explained. In a notebook, write FILE:CELL:LINE.
    """
    path, cell, line = parse(place)
    job, problems = project_of(path)
    options = Options(
        editable=job.editable, installable=job.installable, importable=job.importable, break_api=break_api,
        keep_signatures=keep_signatures,
    )  # fmt: skip
    verifier = None
    if verify:
        from voltfix.verify.client import verify as run

        verifier = functools.partial(run, device=device)
    result = migrate(job.files, options, verifier)
    name = os.path.relpath(os.path.abspath(path), job.root)
    rows = [
        replace(row, status="would-fix", message=planned(row.message)) if row.status == "fixed" else row
        for row in result.sites
        if row.path == name
    ]
    errors = [error for error in (*problems, *result.errors) if error.path in (name, path)]
    for error in errors:
        click.echo(error_line(error), err=True)
    if errors:
        raise SystemExit(2)
    chosen = [row for row in rows if fits(row, cell, line)]
    if not chosen:
        raise click.UsageError(_nothing_there(path, line, rows))
    from voltfix.suggest import Look

    look = Look(job.files, options, result)
    click.echo("\n".join(line for row in chosen for line in explain(look, row, job)))


def parse(place: str) -> tuple[str, int | None, int | None]:
    """``FILE``, ``FILE:LINE`` or ``FILE:CELL:LINE``; a file of that very name wins, a column is ignored."""
    if os.path.exists(place):
        return place, None, None
    parts = place.split(":")
    numbers: list[int] = []
    while len(parts) > 1 and parts[-1].removeprefix("cell ").isdecimal():
        numbers.insert(0, int(parts.pop().removeprefix("cell ")))
    path = ":".join(parts)
    if path.endswith(".ipynb") and len(numbers) > 1:
        return path, numbers[0], numbers[1]
    return path, None, numbers[0] if numbers else None


def project_of(path: str) -> tuple[Job, list[FileError]]:
    """The project around a file; usage errors for what is no file, and for one without a hit."""
    if not os.path.isfile(path):
        what = "is a folder" if os.path.isdir(path) else "there is no such file"
        raise click.UsageError(f"{path}: {what}; give a file and a line, as in train.py:12")
    with open(path, "rb") as file:
        data = file.read()
    if not is_hit(data):
        raise click.UsageError(
            f"{path}: holds no volatile site; voltfix --list-sites PATH shows where sites are"
        )
    walked = walk([path])
    problems = [FileError(p.path, None, p.kind, p.message) for p in walked.problems]
    return jobs([path], [path], [(path, data)])[0], problems


def fits(row: SiteResult, cell: int | None, line: int | None) -> bool:
    """Is the row at that place?"""
    return (line is None or row.line <= line <= row.end_line) and (cell is None or row.cell == cell)


def _nothing_there(path: str, line: int | None, rows: Sequence[SiteResult]) -> str:
    if not rows:
        return f"{path}: no volatile site; the word stands in a comment, a string or another library's code"
    lines = ", ".join((f"{row.cell}:" if row.cell is not None else "") + str(row.line) for row in rows[:12])
    return f"{path}:{line}: no site on this line; there are sites on {lines}"


def explain(look: Look, row: SiteResult, job: Job) -> Iterator[str]:
    """The explanation of one site, line by line."""
    yield site_line(row)
    yield from (f"    {printable(sentence)}" for sentence in row.evidence)
    if row.verification.detail:
        yield f"    not verified: {printable(row.verification.detail)}"
    yield f"    more about the rule: voltfix rule {row.code}"
    if row.status == "refused":
        yield from _meaning(row.reason or "")
        suggestion = look.suggestion(row)
        if suggestion is None:
            yield "\nThere is no patch to suggest."
        else:
            yield "\n" + fold(f"A suggested patch, NOT applied: {suggestion.origin}.")
            yield patch(suggestion.outputs, job)
    elif (change := look.change(row)) is not None:
        others = len(change.decisions) - 1
        shared = f" (shared with {others} other site{'' if others == 1 else 's'})" if others else ""
        yield f"\nThe change{shared}:"
        yield patch(look.outputs([change]), job)


def _meaning(reason: str) -> Iterator[str]:
    """What a refusal means, and what a person does about it."""
    from voltfix.rules.reasons import REASONS
    from voltfix.rules.refusals import REFUSALS

    if (text := REFUSALS.get(reason)) is not None:
        yield "\n" + fold(f"What it means: {text.means}\n\nWhat to do: {text.todo}")
    elif reason in REASONS:
        yield "\n" + fold(REASONS[reason])


def patch(outputs: dict[str, bytes], job: Job) -> str:
    """The diffs of some files of a project, made harmless for a terminal."""
    from voltfix.cli.migration import patch as unified

    text = "".join(
        unified(display(os.path.join(job.root, path)), job.files[path], data).decode("utf-8", "replace")
        for path, data in sorted(outputs.items())
    )
    return printable(text, keep="\n\t").rstrip("\n") + "\n"
