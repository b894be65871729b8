"""The Python API: what the command line does, for scripts. Nothing here prints or writes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from voltfix import core
from voltfix.discovery.hits import scan
from voltfix.discovery.projects import jobs
from voltfix.discovery.walk import walk
from voltfix.model import DeviceVerdict, FileError, Options, Result, Verification
from voltfix.pipeline.joining import agreeing


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
    found = scan(walked.files, modernize=options is not None and options.modernize)
    problems = tuple(FileError(p.path, None, p.kind, p.message) for p in (*walked.problems, *found.problems))
    total = Result(files_scanned=found.scanned, errors=problems)
    for job in jobs(asked, walked.files, found.hits):
        own = replace(options or Options(), editable=job.editable, installable=job.installable, passing=job.passing,
                      importable=job.importable)
        result = _absolute(core.migrate(job.files, own), job.root)
        total = _joined(total, agreeing(result, total.outputs))
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
        plan=replace(one.plan, changes=one.plan.changes + other.plan.changes, left=one.plan.left + other.plan.left),
    )


def compare(
    before: str | os.PathLike[str],
    after: str | os.PathLike[str],
    *,
    drive: str | os.PathLike[str] | None = None,
    device: str = "auto",
    semantics: Literal["legacy", "today"] = "legacy",
    seconds: float = 300.0,
    weak_sandbox: bool = False,
) -> Verification:
    """Run two versions of some code and say whether they do the same. Needs torch.

    ``before`` and ``after`` are two files, two folders of one shape, or source code (a string of more than
    one line). Without ``drive`` the functions that differ run on stand-ins, in a sandbox; with it, its
    ``drive()`` runs against each, with your rights. ``semantics`` says what ``before`` means: what PyTorch
    0.3 did with it, or what today's torch does. ``weak_sandbox``: run on stand-ins where a layer of the sandbox
    is missing, too. Raises FileNotFoundError for a path that is none.
    """
    with tempfile.TemporaryDirectory(prefix="voltfix-") as folder:
        one, two = (_as_path(given, folder, name) for given, name in ((before, "before"), (after, "after")))
        if drive is None:
            from voltfix.verify.pairs import compare as on_stand_ins

            return on_stand_ins(one, two, device=device, timeout=seconds, weak=weak_sandbox)
        from voltfix.verify.concrete import compare as on_drive

        found = {
            name: on_drive(one, two, Path(drive), semantics, name, seconds=seconds)
            for name in (("cpu", "cuda") if device == "auto" else device.split(","))
        }
    told = [f"{v.device}: {text}" for v in found.values() for text in (*v.differences, v.detail) if text]
    verdicts: dict[str, DeviceVerdict] = {name: verdict.status for name, verdict in found.items()}
    return Verification(
        "concrete", verdicts.get("cpu", "not-run"), verdicts.get("cuda", "not-run"), "; ".join(told) or None
    )


def _as_path(given: str | os.PathLike[str], folder: str, name: str) -> Path:
    """A path as it is; source code as a file in a folder of its own."""
    if not isinstance(given, str) or "\n" not in given:
        path = Path(given)
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such file or folder")
        return path
    path = Path(folder, name, "source.py")
    path.parent.mkdir()
    path.write_text(given, encoding="utf-8")
    return path
