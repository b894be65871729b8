"""``voltfix batch``: many repositories, each on a branch of its own."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import click

from voltfix.batch.model import Settings, counted_states, fixed_word

_HANDED_ON = ("select", "ignore", "exclude", "device", "torch_version")
_FLAGS = ("keep_signatures", "break_api", "modernize", "weak_sandbox")


@click.command("batch", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.option("--state", default="voltfix-batch", show_default=True, help="The folder of journal, patches and reports.")
@click.option("--dry-run", is_flag=True, help="Commit nothing; patches and reports alone.")
@click.option("--max-changes", type=click.IntRange(min=1), metavar="N", help="At most N changes a repository.")
@click.option("--branch", default="voltfix", show_default=True, help="The branch to make.")
@click.option("--base", metavar="REF", help="Where to start.  [default: where the repository stands]")
@click.option("--command", "own_command", metavar="CMD", help="The repository's own tests, run before and after.")
@click.option("--author", metavar="'NAME <ADDRESS>'", help="The author of the commits.")
@click.option("--sign-off", is_flag=True, help="Add a Signed-off-by line.")
@click.option("--in-place", is_flag=True, help="Switch clean checkouts to the branch.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Clone URLs with that much history.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Repositories at a time.  [default: one a core]")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=1),
    default=1800.0,
    show_default=True,
    help="Seconds a repository.",
)
@click.option("--memory-limit", type=click.IntRange(min=64), default=4096, show_default=True, help="MiB a repository.")
@click.option(
    "--engine", type=click.Choice(("local", "dask")), default="local", show_default=True, help="Where to run."
)
@click.option("--scheduler", metavar="ADDRESS", help="The Dask scheduler, as tcp://host:8786.")
@click.option("--select", multiple=True, metavar="WORDS", help="As for the main command; so are those below.")
@click.option("--ignore", multiple=True, metavar="WORDS")
@click.option("--exclude", multiple=True, metavar="WORDS")
@click.option("--verify/--no-verify", default=None)
@click.option("--device", metavar="DEVICE")
@click.option("--weak-sandbox", is_flag=True)
@click.option("--torch-version", metavar="X.Y")
@click.option("--keep-signatures", is_flag=True)
@click.option("--break-api", is_flag=True)
@click.option("--modernize", is_flag=True)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def command(sources: tuple[str, ...], state: str, quiet: bool, **options: Any) -> None:
    """Migrate many repositories, each on a branch of its own.

    SOURCE is a manifest (TOML, or a line for each repository), a repository, a folder of checkouts, or a git
    URL. Started again after whatever ended it, a batch goes on where it was; without SOURCE the list is that
    of the journal. Once all is done, a new run looks for what has moved upstream.

    Exit code: 0 nothing is left to do, 1 something needs a person, 2 a repository failed.
    """
    from voltfix.batch.engines import EngineError
    from voltfix.batch.journal import JournalError
    from voltfix.batch.manifest import ManifestError
    from voltfix.batch.state import StateError

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = _run(sources, state, quiet, options)
    except (ManifestError, StateError, JournalError) as error:
        raise click.UsageError(str(error)) from None
    except EngineError as error:
        _say(f"{error}; the same command goes on from here")
        code = 2
    except KeyboardInterrupt:
        _say("stopped; the same command goes on from here")
        code = 130
    except OSError as error:
        _say(f"stopped: {error}; the same command goes on from here")
        code = 2
    sys.exit(code)


def _run(sources: tuple[str, ...], state: str, quiet: bool, options: dict[str, Any]) -> int:
    from voltfix.batch import final
    from voltfix.batch.live import view
    from voltfix.batch.manifest import collect
    from voltfix.batch.runner import Batch

    engine = _engine(options)
    batch = Batch(state)
    try:
        repositories = collect(sources)
        _check_branches({options["branch"], *(r.branch for r in repositories if r.branch)})
        batch.take_in(repositories, _settings(options))
        with view(quiet) as watched:
            batch.run(engine, watched, local=options["engine"] == "local")
        report = final.gather(batch.journal)
        paths = final.save(report, batch.folder)
    finally:
        batch.close()
    if not quiet:
        _show(report, paths)
    return final.exit_code(report)


def _engine(options: dict[str, Any]) -> Any:
    if options["engine"] == "local":
        from voltfix.batch.engines import local

        return partial(local.outcomes, processes=options["jobs"] or _cores())
    if not options["scheduler"]:
        raise click.UsageError("--engine dask needs --scheduler ADDRESS")
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise click.UsageError("--engine dask needs Dask: pip install dask distributed")
    from voltfix.batch.engines import dask

    return partial(dask.outcomes, address=options["scheduler"])


def _settings(options: dict[str, Any]) -> Settings:
    if options["author"] is not None and not re.fullmatch(r"[^<>\n]+ <[^<>\n]+>", options["author"]):
        raise click.UsageError("--author has to read 'NAME <ADDRESS>'")
    arguments = tuple(_arguments(options))
    _check(arguments)
    return Settings(
        arguments=arguments,
        branch=options["branch"],
        base=options["base"],
        dry_run=options["dry_run"],
        max_changes=options["max_changes"],
        command=options["own_command"],
        author=options["author"],
        sign_off=options["sign_off"],
        in_place=options["in_place"],
        depth=options["depth"],
        seconds=options["time_limit"],
        memory=options["memory_limit"],
    )


def _arguments(options: dict[str, Any]) -> Iterator[str]:
    """The options of the main command that are handed on to it."""
    for name in _HANDED_ON:
        given = options[name]
        for value in given if isinstance(given, tuple) else [given] if given is not None else []:
            yield from (f"--{name.replace('_', '-')}", value)
    yield from (f"--{name.replace('_', '-')}" for name in _FLAGS if options[name])
    if options["verify"] is not None:
        yield "--verify" if options["verify"] else "--no-verify"


def _check(arguments: Iterable[str]) -> None:
    """A wrong value is a usage error here, not a failure of every repository."""
    from voltfix.cli.main import main

    main.make_context("voltfix batch", [*arguments, "."])


def _check_branches(branches: Iterable[str]) -> None:
    from voltfix.batch.git import attempt

    for branch in sorted(branches):
        if attempt("/", "check-ref-format", f"refs/heads/{branch}").returncode:
            raise click.UsageError(f"{branch!r} is no name for a branch")


def _cores() -> int:
    """The cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _say(message: str) -> None:
    from voltfix.cli.show import say

    say(message)


def _show(report: dict[str, Any], paths: tuple[str, str]) -> None:
    """The summary in a few lines."""
    from voltfix.report.text import counted

    summary = report["summary"]
    states = counted_states(summary["states"])
    click.echo(f"{counted(summary['repositories'], 'repository').replace('repositorys', 'repositories')}: {states}.")
    click.echo(
        f"{counted(summary['sites'], 'site')}: {summary['fixed']} {fixed_word(summary['states'])}, "
        f"{summary['refused']} refused, {summary['suppressed']} suppressed, {summary['kept']} kept."
    )
    for path in paths:
        click.echo(path)
