"""``voltfix doctor PATH...``: what keeps a project from today's torch, with lines; writes nothing."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from voltfix.discovery.hits import overlooked, scan
from voltfix.discovery.projects import display, jobs
from voltfix.discovery.walk import unseen, walk
from voltfix.model import Options
from voltfix.report.escape import printable
from voltfix.report.text import counted, place

if TYPE_CHECKING:
    from voltfix.pipeline.obstacles import Obstacle


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--exclude", multiple=True, help="Patterns (as in .gitignore) of files to leave out.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", help="The form of the list.")
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], exclude: tuple[str, ...], output_format: str) -> None:
    """List what keeps the project at PATH from today's torch, fixable or not.

    Files that do not name torch are left out.

    Exit code 0: nothing was found; 1: something was; 2: a file could not be read.
    """
    found, unread, left = _examined(paths, exclude)
    if output_format == "json":
        click.echo(json.dumps({"schema": 1, "obstacles": [asdict(o) for o in found], "unreadable": unread}, indent=1))
    else:
        for line in (*_lines(found), _next(found, paths)):
            click.echo(printable(line))
        for name in unread:
            click.echo(f"{printable(name)}: error (unreadable)", err=True)
    if left:
        from voltfix.cli.migration import left_out

        click.echo(printable(left_out(left)), err=True)
    ctx.exit(2 if unread else 1 if found else 0)


def _examined(paths: tuple[str, ...], exclude: tuple[str, ...]) -> tuple[list[Obstacle], list[str], list[str]]:
    """What there is, the files that could not be read, and those that .gitignore keeps from being looked at."""
    from voltfix.pipeline.obstacles import examine

    walked = walk(list(paths), exclude)
    hits = scan(walked.files, modernize=True)
    found: list[Obstacle] = []
    for job in jobs(paths, walked.files, hits.hits):
        options = Options(editable=job.editable, modernize=True)
        found += [replace(o, path=job.shown[o.path]) for o in examine(job.files, options)]
    problems = [*walked.problems, *hits.problems]
    unread = [display(problem.path) for problem in problems]
    return sorted(found, key=lambda o: o.order), unread, overlooked(unseen(walked.left), modernize=True)


def told(obstacle: Obstacle) -> str:
    """The line on one place."""
    how = f"{obstacle.fix} " if obstacle.fix else f"by hand ({obstacle.kind}): "
    how += "suggested: " if obstacle.suggested else ""
    return f"{place(obstacle.path, obstacle.line, obstacle.column, obstacle.cell)}: {how}{obstacle.message}"


def _lines(found: list[Obstacle]) -> list[str]:
    lines = list(map(told, found))
    if not found:
        return ["Nothing here keeps it from today's torch, as far as can be seen."]
    sites = sum(obstacle.kind == "volatile" for obstacle in found)
    suggested = sum(obstacle.suggested for obstacle in found)
    fixable = sum(obstacle.fix is not None for obstacle in found) - sites - suggested
    return [*lines, *ending(len(found), sites, fixable, suggested)]


def _next(found: list[Obstacle], paths: tuple[str, ...]) -> str:
    """What to do now."""
    among = " ".join(map(shlex.quote, paths))
    sites = any(obstacle.kind == "volatile" for obstacle in found)
    if any(each.fix and not each.suggested and each.kind != "volatile" for each in found):
        return f"Next: voltfix fix {among} --modernize{'  (moves what it can of volatile, too)' if sites else ''}"
    if sites:
        return f"Next: voltfix check {among}"
    if found:
        first = found[0]
        where = shlex.quote(place(first.path, first.line, None, first.cell))
        return f"Next: voltfix explain {where}  (what it means, and what to do)"
    return f"Next: voltfix repair {among} -- COMMAND  (COMMAND starts your program: what only a run shows)"


def ending(found: int, sites: int, fixable: int, suggested: int = 0) -> list[str]:
    """How many there are, and which command is for which."""
    rest = found - sites - fixable - suggested
    rows = [
        (sites, "volatile: voltfix check says of each what voltfix fix does, or why it is left to a person"),
        (fixable, "voltfix fix --modernize rewrites"),
        (suggested, "only suggested: voltfix fix --modernize --unsafe-fixes rewrites; explain says what it rests on"),
        (rest, "for a person: voltfix rule WORD says what to do; voltfix repair PATH -- COMMAND mends many in a run"),
    ]
    return [f"Found {counted(found, 'place')}:", *(f"  {number:>4}  {said}" for number, said in rows if number)]
