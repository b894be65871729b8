"""``--interactive``: each change with its sites, evidence and diff; y, n, a, q, e, like ``git add -p``.

A change is asked about as a whole, since it is carried out as a whole. What is declined is held, and the core
is asked again: a change that then looks different from what was accepted is asked about once more. Behind all changes
come the files that the VF2xx rules change, one by one, then the refusals: what was tried for them, patch by patch, with
what running it said. What was not shown is not written.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import click

from voltfix.cli.places import patch, renamed
from voltfix.cli.show import fold, say
from voltfix.core import migrate
from voltfix.discovery.projects import Job
from voltfix.model import Candidate, Change, Options, Result, SiteResult
from voltfix.pipeline.holds import decisions, key
from voltfix.pipeline.suggesting import Look
from voltfix.pipeline.verifying import Verifier
from voltfix.records import dataclass
from voltfix.report.escape import printable
from voltfix.report.text import counted, place, site_line
from voltfix.rules import messages
from voltfix.rules.selecting import ignored_in
from voltfix.sources.diffs import unified

if TYPE_CHECKING:
    from voltfix.search import Search

Ask = Callable[[str], str]
HELP = """y - make this change
n - leave it
a - make this change and all that follow
q - quit; leave this change and all that follow
e - make this change, and edit the file before it is written
"""
HELP_UNPROVED = """y - make this change
n - leave it, and show the next patch that was tried
q - quit; leave this and all that follow
"""
_OF_VS_CODE = frozenset({"code", "code-insiders", "codium", "vscodium", "code-oss", "cursor", "windsurf"})
_BY_COLON = frozenset({"subl", "zed", "hx", "helix"})


@dataclass
class Answers:
    """What has been said so far; ``seen`` are changes by what they look like, ``edited`` paths to open."""

    accepted: set[str] = field(default_factory=set)
    held: set[tuple[str, int]] = field(default_factory=set)
    planned: set[tuple[str, int]] = field(default_factory=set)  # sites that were not refused before anything was held
    as_it_is: set[str] = field(default_factory=set)  # paths in which the VF2xx rules are off
    edited: dict[str, int] = field(default_factory=dict)
    chosen: set[str] = field(default_factory=set)  # candidates, by their names
    offered: set[str] = field(default_factory=set)  # candidates that were shown
    rest: str = ""  # "a" or "q" once one of them was said
    asked: int = 0  # changes of this project that were shown
    of: int = 0  # those that will be, as far as is known


def ask_about(
    work: Sequence[tuple[Job, Options]],
    verifier: Verifier | None,
    search: Search | None = None,
    ask: Ask | None = None,
) -> Iterator[Result]:
    """The result of each job; an ``a`` or a ``q`` holds for the jobs that follow too."""
    rest = ""
    for job, options in work:
        answers = Answers(rest=rest)
        yield migrate_asking(job, options, verifier, answers, ask or read_answer, search)
        rest = answers.rest


def migrate_asking(
    job: Job, options: Options, verifier: Verifier | None, answers: Answers, ask: Ask, search: Search | None = None
) -> Result:
    """As ``core.migrate``, with those changes alone that the person accepts."""
    while True:
        held, accepted = options.held | frozenset(answers.held), options.accepted | frozenset(answers.chosen)
        off = tuple((path, (*ignored_in(options, path), "VF2")) for path in sorted(answers.as_it_is))
        rest = tuple(each for each in options.ignored if each[0] not in answers.as_it_is)
        now = replace(options, held=held, accepted=accepted, ignored=(*rest, *off))
        result = migrate(job.files, now, verifier, search)
        look = Look(job.files, now, result)
        if not answers.held:
            answers.planned |= {key(d.site) for d in decisions(result.plan) if d.refusal is None}
        known = answers.accepted
        fresh = [c for c in _edited_by(result) if _looks(look, c) not in known and repr(c.edits) not in answers.chosen]
        modern = {p: texts for p, texts in _modernized(look, job).items() if _looks_modern(p, texts) not in known}
        answers.of = max(answers.of, answers.asked + len(fresh) + len(modern))
        declined = [c for c in fresh if not _accepts(look, c, job, answers, ask)]
        if declined:
            answers.held |= {key(d.site) for c in declined for d in c.decisions}
            continue
        left = {path for path, texts in modern.items() if not _accepts_modern(look, path, texts, job, answers, ask)}
        answers.as_it_is |= left
        if not left and not _offer(look, job, answers, ask):
            break
    result = replace(result, sites=tuple(_declined(look, row, answers) for row in result.sites))
    return _edited(result, job, answers)


def _edited_by(result: Result) -> list[Change]:
    """The changes that edit something: what is kept belongs to one that may be empty."""
    return [change for change in result.plan.changes if any(edits for _, edits in change.edits)]


def _modernized(look: Look, job: Job) -> dict[str, tuple[bytes, bytes]]:
    """The files in which more is to be written than the changes: what these make of them, and what is to be written."""
    made = look.outputs(look.result.plan.changes)
    before = {path: made.get(path, job.files[path]) for path in look.result.outputs}
    return {p: (before[p], data) for p, data in sorted(look.result.outputs.items()) if data != before[p]}


def _looks_modern(path: str, texts: tuple[bytes, bytes]) -> str:
    """The VF2xx edits of a file as the person saw them."""
    return path + unified(path, *texts).decode("utf-8", "replace")


def _accepts_modern(
    look: Look, path: str, texts: tuple[bytes, bytes], job: Job, answers: Answers, ask: Ask
) -> bool:
    def show() -> None:
        rows = [row for row in look.result.modernized if row.path == path and row.status == "fixed"]
        codes = Counter(row.code for row in rows)
        told = [f"{code} in {counted(number, 'place')}" for code, number in sorted(codes.items())]
        click.echo(f"{place(job.shown.get(path, path), None)}: {', '.join(told)}", err=True)
        text = unified(job.shown.get(path, path), *texts).decode("utf-8", "replace")
        click.echo(_coloured(printable(text, keep="\n\t").rstrip("\n") + "\n"), err=True, nl=False)

    answer = _answered(show, ask, answers)
    if answer in "yae":
        answers.accepted.add(_looks_modern(path, texts))
    if answer == "e":
        rows = [row.line for row in look.result.modernized if row.path == path]
        answers.edited.setdefault(path, min(rows, default=1))
    return answer in "yae"


def _offer(look: Look, job: Job, answers: Answers, ask: Ask) -> bool:
    """Show what was tried for the refusals, patch by patch; True when the person wants one."""
    for row in look.result.sites:
        for candidate in row.candidates if row.status == "refused" and answers.rest != "q" else ():
            if candidate.name in answers.offered or not candidate.suggested:
                continue
            answers.offered.add(candidate.name)
            answer = _asked_unproved(row, candidate, job, ask)
            if answer == "q":
                answers.rest = "q"
                return False
            if answer == "y":
                answers.chosen.add(candidate.name)
                return True
    return False


def _asked_unproved(row: SiteResult, candidate: Candidate, job: Job, ask: Ask) -> str:
    from voltfix.search.telling import said_of

    click.echo(site_line(replace(row, path=job.shown.get(row.path, row.path), message=row.message)), err=True)
    click.echo(fold(f"Not proved: {candidate.how}. {printable(renamed(said_of(candidate), job))}."), err=True)
    click.echo(_coloured(patch(dict(candidate.outputs), job)), err=True, nl=False)
    while True:
        answer = ask("Nothing shows that this is right. Make this change all the same [y,n,q,?]? ")[:1].lower()
        if answer and answer in "ynq":
            return answer
        click.echo(HELP_UNPROVED, err=True, nl=False)


def _looks(look: Look, change: Change) -> str:
    """A change as the person saw it."""
    return repr([(d.site, d.strategy) for d in change.decisions]) + repr(change.edits)


def _accepts(look: Look, change: Change, job: Job, answers: Answers, ask: Ask) -> bool:
    answer = _answered(lambda: _show(look, change, job), ask, answers)
    if answer in "yae":
        answers.accepted.add(_looks(look, change))
    if answer == "e":
        for path, line in _first_lines(look, change).items():
            answers.edited.setdefault(path, line)
    return answer in "yae"


def _answered(show: Callable[[], None], ask: Ask, answers: Answers) -> str:
    """What the person says to what is shown; an ``a`` or a ``q`` before holds here, too."""
    answers.asked += 1
    answers.of = max(answers.of, answers.asked)
    if answers.rest:
        return answers.rest
    show()
    while True:
        answer = ask(f"({answers.asked} of {answers.of}) Make this change [y,n,a,q,e,?]? ")[:1].lower()
        if answer and answer in "ynaqe":
            answers.rest = answer if answer in "aq" else ""
            return answer
        click.echo(HELP, err=True, nl=False)


def _show(look: Look, change: Change, job: Job) -> None:
    rows = [row for row in look.result.sites if row.change == change.id]
    for row in rows:
        message = messages.planned(renamed(row.message, job))
        shown = replace(row, path=job.shown.get(row.path, row.path), status="would-fix", message=message)
        click.echo(site_line(shown), err=True)
        for sentence in row.evidence:
            click.echo(f"    {printable(renamed(sentence, job))}", err=True)
    click.echo(_coloured(patch(look.outputs([change]), job)), err=True, nl=False)


def read_answer(question: str) -> str:
    """A line from the person; the end of the input is a q."""
    click.echo(question, err=True, nl=False)
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    if not line:
        click.echo("q", err=True)
        return "q"
    return line.strip()


def _coloured(diff: str) -> str:
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return diff
    tones = {"+": "green", "-": "red", "@": "cyan"}
    return "".join(click.style(line, fg=tones.get(line[:1])) for line in diff.splitlines(keepends=True))


def _first_lines(look: Look, change: Change) -> dict[str, int]:
    """The files of a change and the line of its first site in each."""
    rows = [row for row in look.result.sites if row.change == change.id]
    return {path: min([r.line for r in rows if r.path == path], default=1) for path in look.outputs([change])}


def _declined(look: Look, row: SiteResult, answers: Answers) -> SiteResult:
    if row.status != "refused" or row.reason != "held":
        return row
    decision = look.decision(row)
    if decision is None or not answers.held or key(decision.site) not in answers.planned | answers.held:
        return row
    said = messages.declined() if key(decision.site) in answers.held else messages.declined_beside()
    return replace(row, status="suppressed", reason=None, message=said)


def _edited(result: Result, job: Job, answers: Answers) -> Result:
    """The result with the files that the person wanted to edit as they left them."""
    outputs = dict(result.outputs)
    for path, line in answers.edited.items():
        if path in outputs:
            outputs[path] = edit(outputs[path], job.shown.get(path, path), line)
    return replace(result, outputs=outputs)


def edit(data: bytes, name: str, line: int) -> bytes:
    """Open a copy in the editor; what was saved counts if it parses, else the file stays as proposed."""
    suffix = os.path.splitext(name)[1] or ".py"
    with tempfile.TemporaryDirectory(prefix="voltfix-") as folder:
        copy = os.path.join(folder, "proposed" + suffix)
        with open(copy, "wb") as file:
            file.write(data)
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        try:
            subprocess.run(opening(editor, line), shell=True, check=True,
                           env={**os.environ, "VOLTFIX_COPY": copy})  # fmt: skip
        except subprocess.CalledProcessError as error:
            say(f"{name}: the editor ended with {error.returncode}; the file is written as it was proposed")
            return data
        with open(copy, "rb") as file:
            saved = file.read()
    return saved if _parses(saved, name) else data


def opening(editor: str, line: int) -> str:
    """The command that opens ``$VOLTFIX_COPY`` at a line and comes back when it is closed.

    Editors of VS Code's family know neither ``+LINE`` nor, by themselves, to wait.
    """
    words = editor.split()
    name = os.path.basename(words[0]).removesuffix(".exe") if words else ""
    if name in _OF_VS_CODE:
        wait = "" if {"-w", "--wait"} & set(words) else " --wait"
        return f'{editor}{wait} --goto "$VOLTFIX_COPY":{line}'
    if name in _BY_COLON:
        return f'{editor} "$VOLTFIX_COPY":{line}'
    return f'{editor} +{line} "$VOLTFIX_COPY"'


def _parses(data: bytes, name: str) -> bool:
    from voltfix.model import FileError
    from voltfix.sources import load

    loaded = load(name, data)
    if isinstance(loaded, FileError):
        say(f"{name}:{loaded.line}: what was saved does not parse ({loaded.message}); written as proposed")
        return False
    return True
