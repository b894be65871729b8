"""The Python API: what the command line does, for scripts. Nothing here prints or writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from voltfix import core
from voltfix.discovery.hits import scan
from voltfix.discovery.projects import jobs
from voltfix.discovery.walk import walk
from voltfix.model import FileError, Options, Result


def rewrite(source: str, *, path: str = "source.py", options: Options | None = None) -> str:
    """Migrate one piece of source code; sites that need a person stay as they are.

    ``path`` says what kind of source it is (``.py``, ``.ipynb``, ``.md``). Raises ValueError for source
    that does not parse.
    """
    result = core.migrate({path: source.encode("utf-8", "surrogateescape")}, options)
    if result.errors:
        error = result.errors[0]
        raise ValueError(f"{error.path}:{error.line}: {error.message}")
    return result.outputs[path].decode("utf-8", "surrogateescape") if path in result.outputs else source


def migrate(paths: Iterable[str | os.PathLike[str]], options: Options | None = None) -> Result:
    """Migrate files and folders in memory: ``Result.outputs`` maps absolute paths to new bytes.

    Write them if you like.
    """
    asked = [os.fspath(path) for path in paths]
    walked = walk(asked)
    found = scan(walked.files)
    problems = tuple(FileError(p.path, None, p.kind, p.message) for p in (*walked.problems, *found.problems))
    total = Result(files_scanned=found.scanned, errors=problems)
    for job in jobs(asked, walked.files, found.hits):
        own = replace(options or Options(), editable=job.editable, installable=job.installable)
        total = _joined(total, _absolute(core.migrate(job.files, own), job.root))
    return total


def _absolute(result: Result, root: str) -> Result:
    def full(path: str) -> str:
        return os.path.join(root, path)

    return replace(
        result,
        sites=tuple(replace(site, path=full(site.path)) for site in result.sites),
        modernized=tuple(replace(site, path=full(site.path)) for site in result.modernized),
        errors=tuple(replace(error, path=full(error.path)) for error in result.errors),
        outputs={full(path): data for path, data in result.outputs.items()},
        groups=tuple(tuple(map(full, group)) for group in result.groups),
    )


def _joined(one: Result, other: Result) -> Result:
    return Result(
        files_scanned=one.files_scanned,
        sites=one.sites + other.sites,
        modernized=one.modernized + other.modernized,
        errors=one.errors + other.errors,
        outputs={**one.outputs, **other.outputs},
        groups=one.groups + other.groups,
        plan=replace(
            one.plan, changes=one.plan.changes + other.plan.changes, left=one.plan.left + other.plan.left
        ),
    )


def compare(before: Any, after: Any, **options: Any) -> Any:
    """Run two versions of some code and say whether they do the same.

    See ``voltfix.verify.client.compare``. Needs torch.
    """
    from voltfix.verify.client import compare as run

    return run(before, after, **options)
