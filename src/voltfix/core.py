"""The pure pipeline: bytes in, results out. It never prints, never writes, and never raises for bad input.

load → settle (solve → edit → guard → verify, until a plan stands) → modernize → rows.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from voltfix.deadline import TimeUp
from voltfix.discovery.hits import is_hit
from voltfix.model import Candidate, FileError, Options, Result
from voltfix.pipeline.holds import Hold, SiteKey
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.modernizing import modernize_verified
from voltfix.pipeline.rows import groups, rows
from voltfix.pipeline.settling import Standing, settle
from voltfix.pipeline.verifying import Verifier

if TYPE_CHECKING:
    from voltfix.search import Search


def migrate(
    files: Mapping[str, bytes],
    options: Options | None = None,
    verifier: Verifier | None = None,
    search: Search | None = None,
) -> Result:
    """Migrate a project: ``files`` maps paths relative to its root to bytes.

    Where the root itself is a package its name stands in front, as imports of it have it (``mine/tools.py``).
    The result holds a row for every site in a file that may be edited, the new bytes of the files that change,
    and an error for every such file that could not be processed. ``verifier`` judges the changes;
    those that it finds ``different`` are rolled back. With ``search``, candidates for what was refused are tried by it.
    """
    options = options or Options()
    try:
        return _migrate(files, options, verifier, search)
    except Exception as error:
        # whatever it was, it is a fault of voltfix in these files, and the others shall not suffer for it
        return Result(files_scanned=len(files), errors=tuple(_crash(files, options, error)))


def forget() -> None:
    """Let go of what is kept of the last project: it spares work where the same one comes again, as in an editor."""
    from voltfix import edit, solver
    from voltfix.pipeline import loading

    loading.forget()
    solver.forget()
    edit.forget()


def _migrate(
    files: Mapping[str, bytes], options: Options, verifier: Verifier | None, search: Search | None
) -> Result:
    project = load_project(files, options)
    holds: dict[SiteKey, Hold] = {}
    try:
        standing = settle(project, options, verifier, holds)
    except TimeUp:
        return _not_reached(project, files)
    tried: Mapping[SiteKey, tuple[Candidate, ...]] = {}
    if verifier is not None and search is not None and any(not d.kept for d in standing.plan.left):
        from voltfix.search.choosing import choose

        standing, tried = choose(project, standing, holds, options, verifier, search)
    with_sites = {row.path for row in rows(project, standing, holds)}
    modernized, found = modernize_verified(
        project, standing.plan, standing.outputs, options, with_sites, standing.verdicts, verifier
    )
    standing = replace(standing, verdicts=found)
    return Result(
        files_scanned=len(files),
        sites=tuple(rows(project, standing, holds, tried)),
        modernized=tuple(modernized.rows),
        errors=tuple(project.errors),
        outputs=modernized.outputs,
        groups=groups(project, standing.plan.changes),
        plan=standing.plan,
    )


def _not_reached(project: Project, files: Mapping[str, bytes]) -> Result:
    """There was no time for the project: its sites are left as they are."""
    from voltfix.solver import not_reached

    standing = Standing(not_reached(project.modules), {}, {})
    left = tuple(rows(project, standing, {}))
    return Result(files_scanned=len(files), sites=left, errors=tuple(project.errors), plan=standing.plan)


def _crash(files: Mapping[str, bytes], options: Options, error: Exception) -> list[FileError]:
    """An error for each file that may have caused a crash: those that were to be looked at."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"
    message = f"voltfix crashed ({type(error).__name__}: {error}, {place}); nothing was changed, please report this"
    return [
        FileError(path, None, "internal", message)
        for path, data in files.items()
        if (options.editable is None or path in options.editable) and is_hit(data, path)
    ]
