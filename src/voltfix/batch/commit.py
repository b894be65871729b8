"""The commit of a repository: its message, the patch, and the bundle that carries it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from voltfix import __version__
from voltfix.batch.git import attempt, git
from voltfix.batch.model import Task
from voltfix.batch.scratch import head
from voltfix.model import SiteResult
from voltfix.report.data import Report
from voltfix.report.escape import printable
from voltfix.report.text import modernized_line

MAX_ROWS = 200


class Commit(NamedTuple):
    """A commit: its id, the patch (``git am`` and ``git apply`` take it), and a bundle with the branch."""

    id: str
    patch: bytes
    bundle: bytes


def commit(task: Task, folder: str, source: str, base: str, report: Report) -> Commit:
    """Commit the changed files that lie in ``folder``; the same input gives the same commit id."""
    person = _identity(task, source)
    options = ["--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=-"]
    if task.settings.author:
        options.append(f"--author={task.settings.author}")
    if task.settings.sign_off:
        options.append("--signoff")
    paths = [f":(literal){path}" for path in report.changed]
    git(folder, "commit", "--quiet", *options, "--", *paths, stdin=message(report).encode(), extra=person)
    made = head(folder)
    return Commit(made, _patch(folder), _bundle(folder, task.branch, base, made))


def _identity(task: Task, source: str) -> Mapping[str, str]:
    """Who commits, and when: git's own answer for the source, or the identity that the task brings."""
    name, address = task.identity
    known = attempt(source, "var", "GIT_COMMITTER_IDENT")
    if known.returncode == 0 and b" <" in known.stdout:
        text = known.stdout.decode("utf-8", "replace").rsplit(">", 1)[0]
        name, address = text.split(" <", 1)
    who = {"NAME": name, "EMAIL": address, "DATE": f"@{task.date} +0000"}
    return {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}


def _patch(folder: str) -> bytes:
    return git(
        folder,
        "format-patch",
        "-1",
        "--stdout",
        "--no-signature",
        "--full-index",
        "--binary",
        "--zero-commit",
        "--no-ext-diff",
        "--no-textconv",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--no-color",
        "--no-attach",
        "--no-thread",
        "--no-cover-letter",
        "--diff-algorithm=myers",
        "HEAD",
    )


def _bundle(folder: str, branch: str, base: str, made: str) -> bytes:
    """A git bundle with the one commit: what ``git fetch FILE BRANCH`` takes."""
    pack = git(
        folder,
        "pack-objects",
        "--revs",
        "--stdout",
        "--thin",
        "-q",
        "--threads=1",
        stdin=f"{made}\n^{base}\n".encode(),
    )
    head_lines = "# v2 git bundle\n" if len(base) == 40 else "# v3 git bundle\n@object-format=sha256\n"
    return f"{head_lines}-{base} \n{made} refs/heads/{branch}\n\n".encode() + pack


def message(report: Report) -> str:
    """The commit message: what was done where, by which strategy, with which verdict, and what is left."""
    fixed = [site for site in report.sites if site.status == "fixed"]
    refused = [site for site in report.sites if site.status == "refused"]
    lines = ["Replace volatile by today's torch", ""]
    files = {site.path for site in fixed}
    lines.append(f"{_count(len(fixed), 'site')} in {_count(len(files), 'file')}, by voltfix {__version__}:")
    lines += ["", *_rows([_fixed(site) for site in fixed])]
    if report.modernized:
        lines += ["", modernized_line(report)]
    if kept := report.count("kept"):
        lines += ["", f"Kept, as right before and after: {_count(kept, 'site')}."]
    if refused:
        lines += ["", "Left for a person:", "", *_rows([_refused(site) for site in refused])]
    return "\n".join(lines) + "\n"


def _rows(rows: Sequence[str]) -> list[str]:
    left = len(rows) - MAX_ROWS
    return [*rows[:MAX_ROWS], *([f"  and {left} more"] if left > 0 else [])]


def _fixed(site: SiteResult) -> str:
    return f"  {_place(site)}: {site.code} {site.strategy}, {verdict(site)}"


def _refused(site: SiteResult) -> str:
    return f"  {_place(site)}: {site.code} {site.reason}"


def _place(site: SiteResult) -> str:
    cell = "" if site.cell is None else f":cell {site.cell}"
    return f"{printable(site.path)}{cell}:{site.line}"


def verdict(site: SiteResult) -> str:
    """The verdicts of a site in words."""
    answers = [
        f"{device} {answer}"
        for device, answer in (("cpu", site.verification.cpu), ("cuda", site.verification.cuda))
        if answer != "not-run"
    ]
    return ", ".join(answers) or "not verified"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
