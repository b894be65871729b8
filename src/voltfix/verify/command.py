"""``voltfix verify BEFORE AFTER -- COMMAND``: run a user's command in both folders and compare.

The command runs with the user's rights and environment. A ``sitecustomize`` on PYTHONPATH traces every
Python process of it that imports torch; what the command prints goes to stderr.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import voltfix
from voltfix.verify.concrete import SECONDS, Semantics, Verdict, verdict_of

Traces = list[dict[str, Any]]


def compare_command(
    before: Path,
    after: Path,
    command: Sequence[str],
    semantics: Semantics = "legacy",
    device: str = "cpu",
    seconds: float = SECONDS,
) -> Verdict:
    """Run ``command`` in each of two folders and compare what the code there does.

    ``device`` is a label alone: the command chooses its device itself.
    """
    first, code = _run(before, command, semantics, seconds)
    second, other = _run(after, command, "today", seconds)
    if isinstance(code, str) or isinstance(other, str):
        which, why = ("before", code) if isinstance(code, str) else ("after", other)
        return Verdict("not-run", device, detail=f"{which}: {why}")
    if not first:
        return Verdict("not-run", device, detail=f"the command imported no torch before (exit code {code})")
    return _joined(first, second, (code, other), semantics, device)


def _joined(first: Traces, second: Traces, codes: tuple[int, int], semantics: str, device: str) -> Verdict:
    verdicts = [verdict_of(*pair, semantics, device) for pair in zip(first, second, strict=False)]
    differences = [sentence for verdict in verdicts for sentence in verdict.differences]
    if codes[0] != codes[1]:
        differences.insert(0, f"exit code {codes[0]} before, {codes[1]} after")
    if len(first) != len(second):
        processes = "process" if len(first) == 1 else "processes"
        differences.append(f"{len(first)} {processes} with torch before, {len(second)} after")
    tolerances = tuple(sorted({name for verdict in verdicts for name in verdict.tolerances}))
    if differences:
        return Verdict("different", device, tuple(differences), tolerances)
    if all(verdict.status == "not-run" for verdict in verdicts):
        return verdicts[0]
    return replace(Verdict("identical", device), tolerances=tolerances)


def _run(folder: Path, command: Sequence[str], semantics: str, seconds: float) -> tuple[Traces, int | str]:
    """The traces of all processes in order of their start, and the exit code, or why there is none."""
    with tempfile.TemporaryDirectory(prefix="voltfix-") as scratch:
        hook, out = Path(scratch) / "hook", Path(scratch) / "traces"
        hook.mkdir()
        out.mkdir()
        package = Path(voltfix.__file__).parent
        (hook / "voltfix").symlink_to(package)
        (hook / "sitecustomize.py").write_bytes((package / "verify/hook/sitecustomize.py").read_bytes())
        try:
            done = subprocess.run(
                list(command),
                cwd=folder,
                env=_environment(hook, out, folder, semantics),
                stdin=subprocess.DEVNULL,
                stdout=2,  # what it prints is no verdict
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [], f"took longer than {seconds:g} seconds"
        except OSError as error:
            return [], str(error)
        return [_load(path) for path in sorted(out.iterdir())], done.returncode


def _environment(hook: Path, out: Path, folder: Path, semantics: str) -> dict[str, str]:
    old = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(hook), old] if old else [str(hook)]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "VOLTFIX_TRACE": str(out),
        "VOLTFIX_FOLDER": str(folder.resolve()),
        "VOLTFIX_SEMANTICS": semantics,
    }


def _load(path: Path) -> dict[str, Any]:
    with contextlib.suppress(json.JSONDecodeError):
        trace: dict[str, Any] = json.loads(path.read_text())
        return trace
    return {"crash": "a process was stopped before it could write its trace"}
