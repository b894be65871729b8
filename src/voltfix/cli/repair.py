"""``voltfix repair [PATH...] -- COMMAND...``: migrate, modernise, and mend until the command runs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import click

from voltfix.cli.request import Request
from voltfix.cli.show import say, show, show_diff
from voltfix.discovery.walk import walk
from voltfix.report.escape import printable


class _Split(click.Command):
    """Everything behind ``--`` is the command, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the command off before click looks at the options."""
        at = args.index("--") if "--" in args else len(args)
        ctx.obj = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


@click.command(cls=_Split, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[PATH...] -- COMMAND...")
@click.option("--diff", is_flag=True, help="Work on a copy, and print one unified diff to stdout.")
@click.option("--check", is_flag=True, help="Work on a copy, and say what would be done.")
@click.option(
    "--max-runs", type=click.IntRange(min=1), default=20, show_default=True, help="How often COMMAND is run at most."
)
@click.option("--timeout", type=click.FloatRange(min=1), help="Seconds for each run.  [default: none]")
@click.option("--allow-dirty", is_flag=True, help="Start although git does not know the files as clean.")
@click.option(
    "--verify/--no-verify",
    default=None,
    help="Run what the migration rewrote, before and after, too.  [default: with torch]",
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Files to leave alone (as in .gitignore).")
@click.option("--report", type=click.Path(dir_okay=False), metavar="FILE.html", help="Write what was done as a page.")
@click.option("--unsafe-fixes", is_flag=True, help="Once it runs, write suggested places of the same shape, too.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Migrate and modernise PATH (the working directory), run COMMAND, mend what it stops at, run it again.

    COMMAND runs as you, without a sandbox. What already runs is run once and not touched. Its input is the
    terminal that voltfix has, else empty; what it prints is not shown, but for the last lines where it fails
    without an exception.

    Exit code: 0 it runs, 1 it stops at something unknown, 2 it could not be started.
    """
    words: tuple[str, ...] = ctx.obj
    if not words:
        raise click.UsageError("what is to be run? voltfix repair PATH -- python train.py --epochs 1")
    if words[0].endswith(".ipynb"):  # its own kernel runs it, cell by cell; nothing is written
        words = ("jupyter", "nbconvert", "--to", "notebook", "--execute", "--stdout", *words)
    paths = paths or (".",)
    copying = options["diff"] or options["check"]
    if not (options["allow_dirty"] or copying):
        _demand_clean(paths)
    if not copying:
        ctx.exit(_Repair(paths, words, os.getcwd(), options).carry_out())
    with tempfile.TemporaryDirectory(prefix="voltfix-copy-") as folder:
        ctx.exit(_on_a_copy(paths, words, options, os.path.realpath(folder)))


def _demand_clean(paths: Sequence[str]) -> None:
    from voltfix.batch.model import BatchError

    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
        try:
            _demand_clean_at(folder, path)
        except BatchError:
            raise click.UsageError(
                "git is not here to say that the files are clean; --allow-dirty starts anyway"
            ) from None


def _demand_clean_at(folder: str, path: str) -> None:
    """Git itself would look into submodules with the settings that those have."""
    from voltfix.batch.git import attempt

    there = os.path.abspath(path)
    told = attempt(folder, "status", "--porcelain", "--ignore-submodules=dirty", "--", there)
    if told.returncode:
        raise click.UsageError(
            f"{path} is in no git repository, so nothing could be put back; --allow-dirty starts anyway"
        )
    if told.stdout.strip():
        raise click.UsageError(
            f"{path} has changes that git does not know; commit them, or --allow-dirty starts anyway"
        )
    for entry in attempt(folder, "ls-files", "-z", "--stage", "--", there).stdout.split(b"\0"):
        about, _, name = entry.partition(b"\t")
        inside = os.path.join(folder, os.fsdecode(name))
        if about.startswith(b"160000 ") and os.path.exists(os.path.join(inside, ".git")):
            _demand_clean_at(inside, inside)


def common(paths: Sequence[str]) -> str:
    """The folder that all paths lie in."""
    full = [os.path.realpath(path) for path in paths]
    return os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in full])


def _on_a_copy(paths: Sequence[str], words: Sequence[str], options: Mapping[str, Any], folder: str) -> int:
    """The same on a copy of the paths' folder; words of the command that lie in it mean the copy."""
    root, here = common(paths), os.path.realpath(os.getcwd())
    copied = os.path.join(folder, "copy")
    shutil.copytree(root, copied, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", "venv", "__pycache__"))

    def there(path: str) -> str:
        full = os.path.realpath(path)
        inside = full == root or full.startswith(root.rstrip("/") + "/")
        return os.path.join(copied, os.path.relpath(full, root)) if inside else path

    mapped = [there(word) if os.path.isabs(word) and os.path.exists(word) else word for word in words]
    work = _Repair([there(path) for path in paths], mapped, there(here), options)
    code = work.carry_out()
    after = work.read()
    diffs = []
    for path, data in sorted(work.original.items()):
        if after.get(path, data) != data:
            from voltfix.sources.diffs import unified

            diffs.append(unified(os.path.relpath(os.path.join(root, path), here).replace("../", ""), data, after[path]))
    if options["diff"]:
        show_diff(b"".join(diffs))
    return code


class _Repair:
    """One repair of the files below some paths."""

    def __init__(self, paths: Sequence[str], words: Sequence[str], here: str, options: Mapping[str, Any]) -> None:
        self.paths, self.words, self.here, self.options = tuple(paths), tuple(words), here, options
        self.root = common(paths)
        self.original = self.read()

    def read(self) -> dict[str, bytes]:
        """The Python files, by their paths below the root."""
        found = {}
        for path in walk(self.paths, tuple(self.options["exclude"])).files:
            if path.endswith((".py", ".ipynb")):
                with open(path, "rb") as file:
                    found[os.path.relpath(os.path.realpath(path), self.root).replace(os.sep, "/")] = file.read()
        return found

    def carry_out(self) -> int:
        """Run, migrate, run and mend; the exit code."""
        from voltfix.repair.running import StartError

        if not self.original:
            raise click.UsageError("found no Python file in the paths given")
        try:
            return self._loop()
        except StartError as error:
            raise click.UsageError(str(error)) from None
        except KeyboardInterrupt:
            say("interrupted: every file is whole, with the repairs so far; git diff shows them")
            return 1

    def _loop(self) -> int:
        from voltfix.repair.loop import Loop
        from voltfix.repair.running import Command
        from voltfix.repair.telling import Whole, lines, page

        self._note(f"running {' '.join(self.words)} as you, without a sandbox; what it prints is not shown")
        ran = Command(
            self.words, self.here, tuple({os.path.realpath(path) for path in self.paths}), self.options["timeout"]
        )

        def run(anomaly: bool) -> Any:
            return ran.run(anomaly=anomaly)

        loop = Loop(self.root, self.original, run, self.write, self.options["max_runs"], self._note)
        first = loop.once()
        changed: list[str] = []
        if not loop.is_content(first):
            changed = self._migrate()
            if changed:
                loop.renew(self.read())
        story = loop.go(None if changed else first)
        if self.options["unsafe_fixes"] and story.ending == "runs":
            loop.widen()
        whole = Whole(self.words, tuple(changed), story)
        if self.options["report"]:
            with open(self.options["report"], "w", encoding="utf-8") as file:
                file.write(page(whole))
        if not self.options["quiet"]:
            text = "".join(f"{printable(line)}\n" for line in lines(whole))
            show(text, to_stderr=bool(self.options["diff"]))
        done = bool(changed) or any(step.kept for step in story.steps)
        if story.ending != "runs" and done and not (self.options["diff"] or self.options["check"]):
            self._note("commit what was done so far before you start it again; git diff shows it")
        return 0 if story.ending == "runs" else 1

    def _migrate(self) -> list[str]:
        """Migrate and modernise; the files that changed."""
        from contextlib import redirect_stdout
        from io import StringIO

        from voltfix.cli.session import run

        before = self.read()
        told = StringIO()
        exclude = tuple(self.options["exclude"])
        with redirect_stdout(told):
            run(Request(self.paths, modernize=True, verify=self.options["verify"], exclude=exclude,
                        output_format="json"))  # fmt: skip
        after = self.read()
        self._left(told.getvalue())
        return [path for path in after if after[path] != before.get(path)]

    def _left(self, report: str) -> None:
        """Say which flags the migration left as they were."""
        found = json.loads(report)["sites"] if report.strip() else []  # an interrupt leaves none
        refused = [row for row in found if row["status"] == "refused"]
        if refused:
            path = os.path.relpath(os.path.realpath(refused[0]["path"]), self.root)
            sites = f"{len(refused):,} volatile site{'' if len(refused) == 1 else 's'}"
            self._note(f"refused {sites}, which are as they were; the first is {path}:{refused[0]['line']}")

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write some files, all or none."""
        from voltfix.writes import Write, write_together

        writes = []
        for path, data in files.items():
            full = os.path.join(self.root, path)
            with open(full, "rb") as file:
                old = file.read()
            if old != data:
                writes.append(Write(full, old, data))
        write_together(writes, self.root)

    def _note(self, line: str) -> None:
        if not self.options["quiet"]:
            say(line)
