"""``voltfix verify``: run two versions of some code and say whether they do the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from voltfix.report.escape import printable
from voltfix.verify.concrete import Runner, Semantics, Verdict, compare

_SHOWN = 20  # differences a device; --output-format json has all
_EXISTING = click.Path(exists=True, path_type=Path)
_DEVICES = ("auto", "cpu", "cuda", "cpu,cuda")


@click.command("verify", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("before", type=_EXISTING)
@click.argument("after", type=_EXISTING)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.option("--drive", type=_EXISTING, metavar="FILE", help="Run the drive() of this file against each.")
@click.option(
    "--semantics",
    type=click.Choice(("legacy", "today")),
    default="legacy",
    show_default=True,
    help="What BEFORE means: what PyTorch 0.3 did with it, or what today's torch does.",
)
@click.option("--device", type=click.Choice(_DEVICES), default="auto", help="Where to run.")
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=300.0, show_default=True, help="Seconds for each run."
)
@click.option(
    "--output-format", type=click.Choice(("text", "json")), default="text", help="The form of the report."
)
@click.option(
    "--witness",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.py",
    help="Write a script that shows a difference with torch alone (not with COMMAND).",
)
@click.option("--weak-sandbox", is_flag=True, help="Run even where a layer of the sandbox is missing.")
@click.option("--quick", is_flag=True, help="Fewer runs of each function (not with COMMAND).")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing; the exit code tells.")
@click.pass_context
def command(
    ctx: click.Context,
    before: Path,
    after: Path,
    command: tuple[str, ...],
    drive: Path | None,
    semantics: Semantics,
    device: str,
    timeout: float,
    output_format: str,
    witness: Path | None,
    weak_sandbox: bool,
    quick: bool,
    quiet: bool,
) -> None:
    """Say whether the code at BEFORE and at AFTER (two files, or two folders of one shape) does the same.

    With --drive or a COMMAND the code runs, with your rights. Without either, the functions that differ are
    run on small random tensors, whatever they are given by others.

    Exit code: 0 the same, 1 different, 2 could not be run.
    """
    if drive is not None and command:
        raise click.UsageError("--drive and a command exclude each other")
    if before.is_dir() != after.is_dir():
        raise click.UsageError("BEFORE and AFTER have to be two files or two folders")
    if command and not before.is_dir():
        raise click.UsageError("a command needs two folders to run in")
    if (witness is not None or quick or weak_sandbox) and (command or drive is not None):
        raise click.UsageError(
            "--witness, --quick and --weak-sandbox do not go with --drive or with a command"
        )
    ran = 0
    if command or drive is not None:
        verdicts = _verdicts(before, after, command, drive, semantics, device, timeout)
    else:
        verdicts, ran = _symbolic(before, after, device, timeout, quick, weak_sandbox, witness)
    if output_format == "json":
        click.echo(json.dumps({"schema": 1, "verdicts": [asdict(verdict) for verdict in verdicts]}))
    elif not quiet:
        for line in _lines(verdicts):
            click.echo(printable(line, keep="\n\t"))
        if ran and _exit_code(verdicts) == 2:
            click.echo(f"  {'one way' if ran == 1 else f'{ran:,} ways'} could be run, {_shown(verdicts, before)}")
        elif ran:
            click.echo(f"  compared on {'one way' if ran == 1 else f'{ran:,} ways'} through the functions that differ")
        if not (command or drive or weak_sandbox) and _is_kept_from_running():
            click.echo("  --weak-sandbox runs it with less around it")
    ctx.exit(_exit_code(verdicts))


def _verdicts(
    before: Path,
    after: Path,
    command: Sequence[str],
    drive: Path | None,
    semantics: Semantics,
    device: str,
    seconds: float,
) -> list[Verdict]:
    if command:
        from voltfix.verify.command import compare_command

        # what a command uses is its own business
        return [compare_command(before, after, command, semantics, seconds=seconds)]
    assert drive is not None
    with Runner() as runner:
        return [
            compare(before, after, drive, semantics, each, runner, seconds)
            if runner.has(each)
            else Verdict("not-run", each, detail="torch sees no CUDA device")
            for each in _devices(device)
        ]


def _devices(device: str) -> list[str]:
    return ["cpu", "cuda"] if device == "auto" else device.split(",")


def _symbolic(
    before: Path, after: Path, device: str, seconds: float, quick: bool, weak: bool, witness: Path | None
) -> tuple[list[Verdict], int]:
    """The symbolic tier, whose answer is a ``model.Verification``; on how many ways it ran what differs."""
    from voltfix.verify.pairs import compare as compare_on_stand_ins

    def write(text: str) -> None:
        if witness is not None:
            witness.write_text(text, encoding="utf-8")

    more: dict[str, Any] = {"witness": write} if witness is not None else {}
    if quick:
        more["quick"] = True
    if weak:
        more["weak"] = True
    found = compare_on_stand_ins(before, after, device=device, timeout=seconds, **more)
    # one detail tells of both devices: "...; cuda: ..."
    on_cpu, _, on_cuda = (f"; {found.detail or ''}").partition("; cuda: ")
    rows = (("cpu", found.cpu, on_cpu.removeprefix("; ")), ("cuda", found.cuda, on_cuda))
    verdicts = [
        Verdict(status, name, (told,) if status == "different" else (), detail=told or None)
        for name, status, told in rows
    ]
    return verdicts, found.runs


def _is_kept_from_running() -> bool:
    from voltfix.verify.client import kept_from_running

    return kept_from_running(weak=False) is not None


def _lines(verdicts: list[Verdict]) -> Iterator[str]:
    from voltfix.verify.plan import NOT_ASKED

    for verdict in verdicts:
        if verdict.detail == NOT_ASKED:
            continue
        cause = f": {verdict.detail}" if verdict.status == "not-run" and verdict.detail else ""
        yield f"{verdict.device}: {verdict.status}{cause}"
        yield from (f"  {sentence}" for sentence in verdict.differences[:_SHOWN])
        if len(verdict.differences) > _SHOWN:
            yield f"  and {len(verdict.differences) - _SHOWN} more differences"
        yield from (f"  tolerance: {name}" for name in verdict.tolerances)


def _shown(verdicts: list[Verdict], before: Path) -> str:
    """What came of ways that settle nothing; what to do where they differ, but only under a guess."""
    from voltfix.verify.causes import word_of

    if not any(verdict.status == "not-run" and word_of(verdict.detail) == "guess" for verdict in verdicts):
        return "and no difference was shown"
    own = "-- COMMAND" if before.is_dir() else "--drive FILE"
    return (
        "and differ only under a guess about what is in neither version (told above, in brackets): that is no proof "
        "that they differ, nor that they do the same. Look at that line; to be sure, compare a run of your own: "
        f"voltfix verify BEFORE AFTER {own}"
    )


def _exit_code(verdicts: list[Verdict]) -> int:
    statuses = {verdict.status for verdict in verdicts}
    return 1 if "different" in statuses else 0 if "identical" in statuses else 2
