"""``voltfix explain FILE:LINE``: the decision, what it rests on, and its patch."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from voltfix.cli.migration import Outcome, choose_verifier, demand_a_run, options, searching
from voltfix.cli.places import patch, renamed
from voltfix.cli.request import Request
from voltfix.cli.show import fold, say
from voltfix.core import migrate
from voltfix.discovery.hits import WORD, is_hit, scan
from voltfix.discovery.projects import Job, jobs
from voltfix.discovery.roots import roots
from voltfix.discovery.walk import walk
from voltfix.model import FileError, Options, SiteResult
from voltfix.report.escape import printable
from voltfix.report.text import error_line, ran, site_line, unrun
from voltfix.rules.messages import planned

if TYPE_CHECKING:
    from voltfix.pipeline.suggesting import Look


@click.command()
@click.argument("place", metavar="FILE:LINE")
@click.argument("among", metavar="[PATH]...", nargs=-1)
@click.option("--verify/--no-verify", default=None, help="Run the change, before and after.  [default: with torch]")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda", "cpu,cuda"]), default="auto")
@click.option("--weak-sandbox", is_flag=True, help="As for the main command.")
@click.option("--break-api", is_flag=True, help="As for the main command.")
@click.option("--keep-signatures", is_flag=True, help="As for the main command.")
def command(
    place: str, among: tuple[str, ...], verify: bool | None, device: str, weak_sandbox: bool, break_api: bool,
    keep_signatures: bool,
) -> None:  # fmt: skip
    """Show the decision at FILE:LINE, what it rests on, and its patch.

    The whole project around the file is looked at, with its settings, as voltfix --check does. Nothing is written.
    Where no .git and no build file marks a project, that is what voltfix --check FILE reads, the folder of the file;
    PATHs name more, as they were given to --check.
    For a site that was refused the patch is a suggestion that voltfix could not prove.
    LINE may be left out: then every site of the file is explained. In a notebook, write FILE:CELL:LINE.
    """
    path, cell, line = parse(place)
    if among and line is None and among[0].isdecimal() and not os.path.exists(among[0]):
        raise click.UsageError(f"write the file and the line together: voltfix explain {place}:{among[0]}")
    given = [
        *(["--verify"] if verify else ["--no-verify"] if verify is False else []), "--device", device,
        *(["--weak-sandbox"] if weak_sandbox else []), *(["--break-api"] if break_api else []),
        *(["--keep-signatures"] if keep_signatures else []),
    ]  # fmt: skip
    from voltfix.pipeline.suggesting import Look

    volatile = holds_volatile(path, line)
    job, request, problems = project_of(path, given if volatile else [*given, "--modernize"], among)
    outcome = Outcome()
    asked = options(request, job)
    verifier = choose_verifier(request, outcome)
    result = migrate(job.files, asked, verifier, searching(request, verifier))
    name = os.path.relpath(os.path.abspath(path), job.root)
    rows = [as_planned(row) for row in (*result.sites, *result.modernized) if row.path == name]
    if line is not None and volatile and not any(fits(row, cell, line) for row in rows) and not result.errors:
        # no volatile site: what --modernize, which decides those as before, finds on this line
        more = migrate(job.files, replace(asked, modernize=True), verifier).modernized
        rows += [as_planned(row) for row in more if row.path == name and fits(row, cell, line)]
    demand_a_run(request, outcome)
    errors = [error for error in (*problems, *result.errors) if error.path in (name, path)]
    for error in errors:
        click.echo(error_line(error), err=True)
    if errors:
        raise SystemExit(2)
    chosen = [row for row in rows if fits(row, cell, line)]
    look = Look(job.files, asked, result)
    if not chosen and line is not None and cell is None and (changed := look.change_of_line(name, line)) is not None:
        chosen = [row for row in rows if row.change == changed.id]
        places = ", ".join(dict.fromkeys(str(row.line) for row in chosen[:5]))
        click.echo(f"{printable(place)}: changes for what stands on {places}")
        del chosen[1:]
    if not chosen and line is not None and (told := list(_of_doctor(job, name, cell, line))):
        click.echo("\n".join(told))
        return
    if not chosen and line is not None and not rows:
        click.echo(f"{printable(place)}: voltfix knows of nothing on this line")
        return
    if not chosen:
        raise click.UsageError(_nothing_there(path, line, rows))
    seen: dict[str, str] = {}  # a patch, and the site where it was shown
    click.echo("\n".join(line for row in chosen for line in explain(look, row, job, seen)))
    for note in outcome.notes:
        say(note)


def _of_doctor(job: Job, name: str, cell: int | None, line: int) -> Iterator[str]:
    """What ``voltfix doctor`` finds on a line and no rule rewrites, and what a person does about it."""
    from voltfix.cli.doctor import told
    from voltfix.pipeline.obstacles import examine
    from voltfix.rules.reasons import OBSTACLES, REASONS

    for found in examine(job.files, Options(editable=job.editable, modernize=True)):
        if found.path == name and found.line == line and cell in (None, found.cell):
            yield told(replace(found, path=job.shown.get(name, name)))
            if found.fix is not None:
                yield "    voltfix fix PATH --modernize does it, where what the other rules write leaves it to be done"
            elif (meaning := OBSTACLES.get(found.kind, REASONS.get(found.kind))) is not None:
                yield "\n" + fold(f"What it means, and what to do: {meaning}")


def as_planned(row: SiteResult) -> SiteResult:
    """The row of a run that writes nothing."""
    return replace(row, status="would-fix", message=planned(row.message)) if row.status == "fixed" else row


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


def holds_volatile(path: str, line: int | None) -> bool:
    """May the file hold a volatile site? False: only a place for the VF2xx rules, on a line that was named.

    Usage errors for what is no file, and for one with neither.
    """
    if not os.path.isfile(path):
        what = "is a folder" if os.path.isdir(path) else "there is no such file"
        raise click.UsageError(f"{path}: {what}; give a file and a line, as in train.py:12")
    with open(path, "rb") as file:
        data = file.read()
    if is_hit(data, path):
        return True
    if line is not None and is_hit(data, path, modernize=True):
        return False
    if WORD in data:
        raise click.UsageError(_nothing_there(path, None, ()))
    raise click.UsageError(f"{path}: holds no volatile site; voltfix --list-sites PATH shows where sites are")


def project_of(
    path: str, arguments: Sequence[str] = (), among: Sequence[str] = ()
) -> tuple[Job, Request, list[FileError]]:
    """The project around a file, and what the main command would be asked there."""
    if missing := [each for each in among if not os.path.exists(each)]:
        raise click.UsageError(f"{missing[0]}: there is no such file or folder")
    folders = list(among) or roots([path])
    request = _asked(folders, arguments)
    walked = walk([*folders, path], request.exclude, request.exclude_base)
    problems = [FileError(p.path, None, p.kind, p.message) for p in walked.problems]
    found = jobs([*folders, path], walked.files, scan(walked.files, modernize=request.modernizes).hits)
    absolute = os.path.abspath(path)
    return next(job for job in found if os.path.relpath(absolute, job.root) in job.shown), request, problems


def _asked(folders: Sequence[str], arguments: Sequence[str]) -> Request:
    """The request of the main command for some paths, with the settings that it has."""
    from voltfix.cli.configured import configured
    from voltfix.cli.main import joined, main

    ctx = main.make_context("voltfix", [*arguments, "--check", *folders])
    values = joined(ctx.params)
    paths, config = values.pop("paths"), values.pop("config")
    return Request(paths=paths, **configured(ctx, paths, config, values))


def fits(row: SiteResult, cell: int | None, line: int | None) -> bool:
    """Is the row at that place?"""
    return (line is None or row.line <= line <= row.end_line) and (cell is None or row.cell == cell)


def _nothing_there(path: str, line: int | None, rows: Sequence[SiteResult]) -> str:
    if not rows:
        return f"{path}: no volatile site; the word stands in a comment, a string or another library's code"
    places = sorted({(row.cell, row.line) for row in rows}, key=lambda place: (place[0] or 0, place[1]))
    lines = ", ".join((f"{cell}:" if cell is not None else "") + str(line) for cell, line in places[:12])
    more = f" and {len(places) - 12} more" if len(places) > 12 else ""
    return f"{path}:{line}: no site on this line; there are sites on {lines}{more}"


def explain(look: Look, row: SiteResult, job: Job, seen: dict[str, str] | None = None) -> Iterator[str]:
    """The explanation of one site, line by line. ``seen``: the patches that were shown, and where."""
    path = job.shown.get(row.path, row.path)
    yield site_line(replace(row, path=path, message=renamed(row.message, job)))
    yield from (f"    {printable(renamed(sentence, job))}" for sentence in row.evidence)
    if (cause := unrun(row)) is not None:
        yield f"    not verified: {printable(cause)}"
    if (told := ran(row)) is not None:
        touched = change.touched if (change := look.change(row)) is not None else ()
        names = [f"{name or 'the module body'} of {job.shown.get(each, each)}" for each, name in touched]
        yield f"    run: {told}{f': {printable(_listed(names))}' if names else ''}"
    yield f"    more about the rule: voltfix rule {row.code}"
    if row.status == "refused":
        yield from _meaning(row.reason or "", row.code)
        if row.code.startswith("VF2"):
            if row.suggested:
                yield from _alone(row, job)
            return
        yield from _candidates(row, job) if row.candidates else _suggestion(look, row, job)
    elif row.status == "would-fix" and row.code.startswith("VF2"):
        yield "    voltfix fix PATH --modernize writes it"
        yield from _once(_written(row, job), "", row, seen)
    elif (change := look.change(row)) is not None and (outputs := look.outputs([change])):
        others = len(change.decisions) - 1
        shared = f" (shared with {others} other site{'' if others == 1 else 's'})" if others else ""
        yield from _once(patch(outputs, job), f"\nThe change{shared}", row, seen)


def _once(text: str, head: str, row: SiteResult, seen: dict[str, str] | None) -> Iterator[str]:
    """A patch under its heading; where it was shown before, only at which line."""
    if not text:
        return
    if seen is not None and text in seen:
        yield f"{head or chr(10) + 'The change'}: the same as at {seen[text]}\n"
        return
    if seen is not None:
        seen[text] = f"line {row.line}, column {row.column}"
    yield f"{head}:" if head else ""
    yield text


def _written(row: SiteResult, job: Job) -> str:
    """What a VF2xx rule writes on the line of a row, by itself; empty where something else has to come first."""
    from voltfix.pipeline.modernizing import alone

    outputs = alone(job.files, Options(editable=job.editable), row)
    return patch(outputs, job) if outputs else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _candidates(row: SiteResult, job: Job) -> Iterator[str]:
    """The best of what was tried; another one that runs as well, if there is one."""
    from voltfix.search.telling import said_of

    ran = [each for each in row.candidates if "identical" in (each.verification.cpu, each.verification.cuda)]
    runs = [each for each in ran if each.suggested]
    written = next((each for each in row.candidates if each.suggested), None)
    for each in runs[:2] or row.candidates[:1]:
        head = "Another one that does the same" if each.suggested else "No patch that was tried is right. The likeliest"
        head = "A suggested patch, which --unsafe-fixes writes" if each is written else head
        yield "\n" + fold(f"{head}, NOT applied: {each.how}. {printable(_sentence(said_of(each), job))}.")
        yield patch(dict(each.outputs), job)
    more = len(row.candidates) - len(runs[:2] or row.candidates[:1])
    if more:
        where = shlex.quote(printable(job.shown.get(row.path, row.path)))
        yield (f"{more} more {'was' if more == 1 else 'were'} tried; voltfix check {where} --output-format json shows "
               f"{'it' if more == 1 else 'them'}.")


def _alone(row: SiteResult, job: Job) -> Iterator[str]:
    """The edit of a VF2xx rule that is only suggested."""
    from voltfix.pipeline.modernizing import alone

    outputs = alone(job.files, Options(editable=job.editable), row)
    yield "\n" + fold(f"What voltfix fix PATH --modernize --select {row.code} --unsafe-fixes would write, NOT applied"
                      f"{':' if outputs else ': it shows once the safe changes of this file are made.'}")
    if outputs:
        yield patch(outputs, job)


def _sentence(text: str, job: Job) -> str:
    said = renamed(text, job).rstrip(".")
    return said[:1].upper() + said[1:]


def _suggestion(look: Look, row: SiteResult, job: Job) -> Iterator[str]:
    """A patch that nobody ran."""
    suggestion = look.suggestion(row)
    if suggestion is None:
        yield "\nThere is no patch to suggest."
    else:
        yield "\n" + fold(f"A suggested patch, NOT applied: {suggestion.origin}.")
        yield patch(suggestion.outputs, job)


def _meaning(reason: str, code: str) -> Iterator[str]:
    """What a refusal of a rule means, and what a person does about it."""
    from voltfix.rules.reasons import OF_RULE, REASONS
    from voltfix.rules.refusals import REFUSALS

    if (text := REFUSALS.get(reason)) is not None:
        yield "\n" + fold(f"What it means: {text.means}\n\nWhat to do: {text.todo}")
    elif reason in REASONS:
        yield "\n" + fold(f"What it means, and what to do: {OF_RULE.get((code, reason), REASONS[reason])}")
