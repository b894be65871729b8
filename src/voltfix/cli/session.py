"""One run of the main command: find, migrate, report, write. Returns the exit code of the contract."""

from __future__ import annotations

from voltfix.cli.request import Request
from voltfix.discovery.hits import Scan, overlooked, scan
from voltfix.discovery.walk import Problem, unseen, walk


def run(request: Request) -> int:
    """Carry out what was asked for; 0, 1 or 2."""
    try:
        return _run(request)
    except KeyboardInterrupt:
        from voltfix.cli.show import say

        say("interrupted")
        return 2


def _run(request: Request) -> int:
    if "-" in request.paths:
        from voltfix.cli.stdin import run_stdin

        return run_stdin(request)
    if missing := [path for path in request.paths if not _exists(path)]:
        return _missing(request, missing)
    if request.mode != "write" or request.list_sites:
        return _look(request, [])
    from voltfix.cli.turns import StillTakenError, turn

    tops = _roots(request)
    try:
        with turn(tops):
            return _look(request, _recover(request, tops))
    except StillTakenError as error:
        return _nothing_done(request, [Problem(error.folder, "unreadable", error.message)])


def _look(request: Request, problems: list[Problem]) -> int:
    seconds = None if request.time_limit is None else max(1.0, request.time_limit)
    walked = walk(request.paths, request.exclude, request.exclude_base, seconds)
    found = scan(walked.files, modernize=request.modernizes)
    problems += [*walked.problems, *found.problems]
    left = overlooked(unseen(walked.left), modernize=request.modernizes) if walked.left else []
    if not found.hits and not problems and not left and request.output_format == "text" and request.report is None:
        return _nothing(request, found)
    from voltfix.cli.migration import migrate_hits

    return migrate_hits(request, walked.files, found, problems, left)


def _roots(request: Request) -> list[str]:
    from voltfix.discovery.roots import roots

    return roots(list(dict.fromkeys(map(_folder, request.paths))))


def _exists(path: str) -> bool:
    import os

    try:
        return os.path.exists(path)
    except ValueError:  # a name that no file can have
        return False


def _missing(request: Request, paths: list[str]) -> int:
    """A path that is not there may be a slip of the fingers for all of the line: say so, and do nothing."""
    return _nothing_done(request, [p._replace(message=f"{p.message}; nothing was done") for p in walk(paths).problems])


def _nothing_done(request: Request, problems: list[Problem]) -> int:
    """The report of a run that ended before it began."""
    from voltfix.cli.migration import Outcome, finish
    from voltfix.discovery.projects import display
    from voltfix.model import FileError

    errors = [FileError(display(p.path), None, p.kind, p.message) for p in problems]
    return finish(request._replace(report=None, save_plan=None, write_baseline=None), Outcome(errors=errors), 0)


def _recover(request: Request, tops: list[str]) -> list[Problem]:
    """Undo what a killed run left half done in the projects at hand, whatever its root was."""
    import os

    from voltfix import tokens

    if any(tokens.open_roots()):
        from voltfix.writes import left_behind

        tops = list(dict.fromkeys([*map(os.path.realpath, tops), *left_behind(request.paths)]))
    problems = []
    for root in tops:
        if not any(os.path.exists(os.path.join(root, f".voltfix-journal.{end}")) for end in ("json", "done")):
            continue
        from voltfix.cli.show import say
        from voltfix.writes import WriteError, recover

        try:
            for path in recover(root):
                say(f"put back {path}: an earlier run was killed before it was done")
        except WriteError as error:
            problems.append(Problem(error.path, error.kind, error.message))
    return problems


def _folder(path: str) -> str:
    import os

    return path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))


def _nothing(request: Request, found: Scan) -> int:
    """Nothing to look at more closely: say so in a line, and be gone."""
    import click

    if not request.quiet and not request.list_sites:
        files = f"{found.scanned:,} file{'' if found.scanned == 1 else 's'}"
        message = f"No volatile site in {files}." if found.scanned else "No Python file in the paths given."
        click.echo(message, err=request.diff)
    if request.save_plan or request.write_baseline:
        from voltfix.cli.migration import save_empty

        save_empty(request)
    return 0
