"""``voltfix``: the main command, and the way to the subcommands.

A subcommand is one only as the first word. Everything else on the line belongs to the main command, so that
``voltfix path/ --diff`` is what it looks like, and a folder that is called ``verify`` can be given as
``./verify``.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from voltfix import __version__
from voltfix.cli.request import Request
from voltfix.report import FORMATS

# name -> (module, one line for the help); a module is imported when its command is called, and has `command`
COMMANDS = {
    "verify": ("voltfix.cli.verify", "say whether two versions of some code do the same"),
    "rule": ("voltfix.cli.rule", "explain a rule, or list them all"),
    "explain": ("voltfix.cli.explain", "show the decision at FILE:LINE and what it rests on"),
    "repair": ("voltfix.cli.repair", "migrate, run a command, mend what it stops at, until it runs"),
    "doctor": ("voltfix.cli.doctor", "list what else keeps a project from today's torch"),
    "batch": ("voltfix.cli.batch", "migrate many repositories"),
    "lsp": ("voltfix.cli.lsp", "serve an editor"),
}
# name -> (what it says on the main command's line, one line for the help)
ALIASES = {
    "check": (("--check",), "say what would be done, as voltfix --check"),
    "fix": ((), "rewrite files in place, as voltfix without a command"),
}
# of ``voltfix check --help`` and ``voltfix fix --help``: what they do, and options that say nothing there
_TOLD = {
    "voltfix check": "Say what would be done to the files at PATH, a file or a folder, and write nothing.",
    "voltfix fix": "Rewrite the files at PATH in place: a file, a folder, or - for stdin to stdout.",
}
_NEEDLESS = {
    "voltfix check": ("check", "diff", "interactive", "todo", "stdin_filename"),
    "voltfix fix": ("check", "list_sites"),
}
DEVICES = ("auto", "cpu", "cuda", "cpu,cuda")
_PATH = click.Path(allow_dash=True)


class Words(click.ParamType[tuple[str, ...]]):
    """Words with commas between them; given more than once, they add up."""

    name = "words"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split a string; a list (from pyproject.toml) is taken as it is."""
        if isinstance(value, (list, tuple)):
            return tuple(str(item) for item in value)
        return tuple(word.strip() for word in str(value).split(",") if word.strip())


class Codes(Words):
    """Rule codes or prefixes; a shell completes them."""

    name = "codes"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The codes that may be meant; what stands before the last comma stays."""
        from voltfix.rulebook import all_rules

        before, comma, word = incomplete.rpartition(",")
        return [
            CompletionItem(f"{before}{comma}{rule.code}", help=rule.name)
            for rule in all_rules()
            if rule.code.startswith(word.upper())
        ]


class PerFile(click.ParamType[tuple[tuple[str, tuple[str, ...]], ...]]):
    """``PATTERN:CODE``, with commas between more; in pyproject.toml a table from patterns to lists of codes."""

    name = "pattern:code"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Pairs of a pattern and its codes."""
        if isinstance(value, tuple):
            return value
        if isinstance(value, dict):
            lists = all(isinstance(codes, list) and all(isinstance(c, str) for c in codes) for codes in value.values())
            if not lists:
                self.fail("write it as a table: 'tests/*' = ['VF101']", param, ctx)
            return tuple((str(pattern), tuple(codes)) for pattern, codes in value.items())
        pairs = []
        for word in filter(None, (word.strip() for word in str(value).split(","))):
            pattern, colon, code = word.rpartition(":")
            if not colon or not pattern or not code:
                self.fail(f"{word!r} has no code; write it as 'tests/*:VF101'", param, ctx)
            pairs.append((pattern, (code,)))
        return tuple(pairs)


class Version(click.ParamType[tuple[int, int]]):
    """``X.Y``."""

    name = "X.Y"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The two numbers."""
        if isinstance(value, tuple):
            return value
        try:
            major, minor = str(value).split(".")[:2]
            version = int(major), int(minor)
        except ValueError:
            self.fail(f"{value!r} is no version; write it as 2.1", param, ctx)
        if version < (0, 4):
            self.fail(f"{value!r} has no torch.no_grad(): what voltfix writes runs on 0.4 and later", param, ctx)
        return version


class Main(click.Command):
    """The main command; its help names the subcommands too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """``--verify=quick`` is ``--verify`` with less of it; the word behind a bare ``--verify`` is a path."""
        known = {"--verify=quick": ["--verify", "--verify-quick"], "--verify=full": ["--verify"]}
        ends = args.index("--") if "--" in args else len(args)
        for each in args[:ends]:
            if each.startswith("--verify=") and each not in known:
                raise click.UsageError(f"{each}: write --verify, --verify=quick or --verify=full", ctx)
            if each == "--fix":
                hint = "--fix is a command here: voltfix fix PATH writes, voltfix check PATH does not"
                raise click.UsageError(hint, ctx)
        words = [word for each in args[:ends] for word in known.get(each, [each])]
        return super().parse_args(ctx, [*words, *args[ends:]])

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command does, by the word that it was called by."""
        if (told := _TOLD.get(ctx.info_name or "")) is None:
            super().format_help_text(ctx, formatter)
            return
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(told)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Those that make sense for the word that the command was called by."""
        needless = _NEEDLESS.get(ctx.info_name or "", ())
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        records = [each.get_help_record(ctx) for each in options if each.name not in needless]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record is not None])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands below the options."""
        if ctx.info_name not in _TOLD:
            with formatter.section("Commands (as the first word)"):
                formatter.write_dl([(name, text) for name, (_, text) in {**ALIASES, **COMMANDS}.items()])
        with formatter.section("Exit codes"):
            formatter.write_dl(
                [
                    ("0", "nothing is left to do"),
                    ("1", "something would change (--diff, --check), or needs a person"),
                    ("2", "something could not be processed"),
                ]
            )


def complete_word(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a shell offers for a word: files, and commands where it is the first."""
    known = {name: text for name, (_, text) in {**ALIASES, **COMMANDS}.items() if name.startswith(incomplete)}
    return [
        *(CompletionItem(name, help=text) for name, text in known.items() if not ctx.params.get("paths")),
        CompletionItem(incomplete, "file"),
    ]


@click.command(cls=Main, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", nargs=-1, type=_PATH, metavar="PATH...", shell_complete=complete_word)
@click.option("--diff", is_flag=True, help="Print one unified diff to stdout and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing, say what would be done.")
@click.option("--interactive", is_flag=True, help="Ask about each change: y, n, a, q, e.")
@click.option("--todo", is_flag=True, help="Leave a TODO(voltfix) comment where a person is needed.")
@click.option(
    "--verify/--no-verify",
    default=None,
    help="Run what was rewritten, before and after; --verify=quick: fewer runs of each.  [default: with torch]",
)
@click.option("--verify-quick", is_flag=True, hidden=True)
@click.option("--device", type=click.Choice(DEVICES), default="auto", help="Where to verify.")
@click.option("--weak-sandbox", is_flag=True, help="Verify even where a layer of the sandbox is missing.")
@click.option("--select", type=Codes(), multiple=True, help="Rule codes or prefixes to act on.")
@click.option("--ignore", type=Codes(), multiple=True, help="Rule codes or prefixes to leave alone.")
@click.option(
    "--exclude", type=Words(), multiple=True, help="Patterns (as in .gitignore) of files to leave out."
)
@click.option(
    "--per-file-ignores", type=PerFile(), multiple=True, help="Rules to leave alone in files: PATTERN:CODE,..."
)
@click.option("--keep-signatures", is_flag=True, help="Leave every parameter where it is.")
@click.option("--break-api", is_flag=True, help="Change public functions of an installable package too.")
@click.option("--modernize", is_flag=True, help="Finish the migration: apply the VF2xx rules too.")
@click.option("--torch-version", type=Version(), help="The oldest torch that the result has to run on.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Refuse what is not decided by then, and write the rest.",
)
@click.option("--output-format", type=click.Choice(FORMATS), default="text", help="The form of the report.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False),
    help="Write the report as an HTML page too (FILE.sarif, FILE.json: in that form).",
    metavar="FILE.html",
)
@click.option("--statistics", is_flag=True, help="Count sites by rule, strategy and reason.")
@click.option("--list-sites", is_flag=True, help="Only list where the sites are, without any analysis.")
@click.option(
    "--save-plan",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Save what was to be run, for another machine.",
)
@click.option(
    "--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Refusals that are accepted already."
)
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Accept today's refusals; with --check nothing else is written.",
)
@click.option("--stdin-filename", metavar="NAME", help="The name of what comes from stdin (PATH is -).")
@click.option(
    "-j", "--jobs", type=click.IntRange(min=0), default=0, help="Processes to use.  [default: one a core]"
)
@click.option("--unsafe-fixes", is_flag=True, help="Write what is only suggested, too.")
@click.option(
    "--search",
    type=click.FloatRange(min=0),
    default=300.0,
    metavar="SECONDS",
    help="Try edits by running them where none can be proved; 0: do not.  [default: 300]",
)
@click.option("--exit-zero", is_flag=True, help="End with 0 instead of 1; errors still end with 2.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Say what each decision rests on.")
@click.option(
    "--config", type=click.Path(), metavar="FILE", help="Settings to use instead of pyproject.toml."
)
@click.version_option(__version__, prog_name="voltfix", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context, /, paths: tuple[str, ...], config: str | None, **options: Any) -> None:
    """Move code of PyTorch's volatile era onto today's torch: rewrite the files at PATH in place.

    PATH is a file, a folder, or - for stdin to stdout.
    """
    if not paths:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
    options = joined(options)
    from voltfix.cli.checks import check
    from voltfix.cli.configured import configured
    from voltfix.cli.given import given

    request = check(Request(paths=paths, **configured(ctx, paths, config, options)), [*COMMANDS, *ALIASES])
    request = request._replace(started=time.monotonic(), given=given(ctx, {**options, "config": config}))
    from voltfix.cli.session import run

    ctx.exit(run(request))


def joined(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with those that can be given more than once added up."""
    several = ("select", "ignore", "exclude", "per_file_ignores")
    return {**options, **{name: tuple(word for words in options[name] for word in words) for name in several}}


def entry() -> None:
    """Where the console script starts; ends the process with the exit code of the contract."""
    arguments = sys.argv[1:]
    # modules, trees and tables are many objects that nearly all stay: look for garbage seldom, and not at the end;
    # but a server lives long, and what it made of a document is garbage with the next letter that is typed
    if arguments[:1] != ["lsp"]:
        gc.set_threshold(100_000, 10, 10)
    try:
        if "_VOLTFIX_COMPLETE" in os.environ:
            complete()
        if arguments and arguments[0] in ALIASES:
            words, _ = ALIASES[arguments[0]]
            ended = main.main(
                args=[*words, *arguments[1:]], prog_name=f"voltfix {arguments[0]}", standalone_mode=False
            )
        elif arguments and arguments[0] in COMMANDS:
            command = subcommand(arguments[0])
            ended = command.main(args=arguments[1:], prog_name=f"voltfix {arguments[0]}", standalone_mode=False)
        else:
            ended = main.main(args=arguments, prog_name="voltfix", standalone_mode=False)
        sys.exit(ended if isinstance(ended, int) else 0)
    except click.ClickException as error:
        from voltfix.report.escape import printable

        vars(error)["message"] = printable(error.message, keep="\n")  # it may hold the name of somebody's file
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("Aborted!", err=True)
        sys.exit(1)
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("voltfix: this is a fault of voltfix; please report it with the lines above", err=True)
        sys.exit(2)
    finally:
        gc.freeze()


def complete() -> None:
    """Answer a shell that asks what may come next; the words of a subcommand are those behind it."""
    words = os.environ.get("COMP_WORDS", "").split()
    if len(words) < 2 or words[1] not in {*COMMANDS, *ALIASES} or os.environ.get("COMP_CWORD") == "1":
        return  # the main command answers
    name = words.pop(1)
    os.environ["COMP_WORDS"] = " ".join(words)
    if os.environ.get("COMP_CWORD", "").isdigit():  # fish says the word itself
        os.environ["COMP_CWORD"] = str(int(os.environ["COMP_CWORD"]) - 1)
    command = main if name in ALIASES else subcommand(name)
    command.main(args=[], prog_name="voltfix", complete_var="_VOLTFIX_COMPLETE")


def subcommand(name: str) -> click.Command:
    """The click command of a subcommand, imported now.

    One whose module is missing says so and exits with 2.
    """
    module = COMMANDS[name][0]
    try:
        command: click.Command = import_module(module).command
    except ModuleNotFoundError as error:
        if error.name != module:
            missing = (error.name or "").split(".")[0]
            package = {"lsprotocol": "pygls"}.get(missing, missing)
            click.echo(f"voltfix {name} needs {missing}: pip install {package}", err=True)
        else:
            click.echo(f"voltfix {name} is not part of this installation", err=True)
        sys.exit(2)
    return command
