"""Migrate real repositories with voltfix and run their own entry points against recordings of PyTorch 0.3.0.

    python benchmarks/real.py TREES REAL             rewrite a copy of each tree, run it, compare; a Markdown table
    python benchmarks/real.py TREES REAL --unchanged the same without the rewrite: what a kept graph looks like
    python benchmarks/real.py TREES REAL --modernize rewrite with --modernize, run without the compatibility layer
    python benchmarks/real.py TREES REAL --lines     also prints each comparison that is not plain agreement

TREES holds one checked-out repository a folder, REAL what drives them: REAL/NAME/drive.py TREE --out FILE --compat runs
one and writes a trace, REAL/NAME/golden.json is the trace of PyTorch 0.3.0, REAL/compare.py sets the two side by side.
NAME... after the two folders picks some. Nothing in TREES or REAL is written to. Needs what the repositories import:
torch, numpy, pillow, scipy, scikit-learn, matplotlib, nltk, h5py, tqdm, six, pyyaml, requests.

Exit 0 when no repository differs from its recording, else 1.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MODERN = ("--modernize",)
LIMIT = 900  # seconds for one run of voltfix, or of one entry point
STILL = {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


class Outcome(NamedTuple):
    """One repository: what voltfix did, how its run compares, and the seconds of both."""

    sites: int
    fixed: int
    refused: str
    verdict: str
    details: list[str]
    migrating: float
    running: float


def called(command: list[str], folder: Path) -> tuple[int, str, float]:
    """Exit code, output and seconds of a command; exit code -1 where it ran out of time."""
    start = time.monotonic()
    environment = {**os.environ, **STILL}
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return -1, f"no end after {LIMIT} s", time.monotonic() - start
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace"), time.monotonic() - start


@dataclass(frozen=True)
class How:
    """What is done to each repository: rewritten or not, with which options, and run with ``--compat`` or not."""

    rewrite: bool = True
    options: tuple[str, ...] = ()
    compat: bool = True


def migrated(tree: Path, report: Path, options: tuple[str, ...]) -> tuple[int, int, str, float]:
    """Sites, fixed ones, refusals by reason and the seconds, after a rewrite of ``tree`` in place."""
    line = f"{sys.executable} -m voltfix --no-verify {' '.join(options)} --output-format json . > {report}"
    _, _, seconds = called(["sh", "-c", line], tree)
    try:
        found = json.loads(report.read_text())
    except ValueError:
        return 0, 0, "crash", seconds
    refused = collections.Counter(str(site["reason"]) for site in found["sites"] if site["status"] == "refused")
    reasons = ", ".join(f"{word} {times}" for word, times in refused.most_common())
    return found["summary"]["sites"], found["summary"]["fixed"], reasons, seconds


def compared(real: Path, name: str, tree: Path, trace: Path, compat: bool) -> tuple[str, list[str], float]:
    """The comparison's last word, its lines, and the seconds of the run."""
    drive = [sys.executable, str(real / name / "drive.py"), str(tree), "--out", str(trace)]
    drive += ["--compat"] if compat else []
    _, said, seconds = called(drive, trace.parent)
    if not trace.exists():
        return "NO TRACE", said.splitlines()[-5:], seconds
    golden = real / name / "golden.json"
    _, lines, _ = called([sys.executable, str(real / "compare.py"), str(golden), str(trace)], trace.parent)
    details = lines.splitlines()
    verdict = details[-1].partition(":")[0] if details else "NO VERDICT"
    if verdict == "LESSER" and not any(line.startswith("graph kept") for line in details):
        verdict = "AGREE"  # but for gradients that are zero by chance
    return verdict, details, seconds


def outcome(tree: Path, real: Path, scratch: Path, how: How) -> Outcome:
    """One repository, in a copy below ``scratch``."""
    copy = scratch / tree.name / "tree"
    shutil.copytree(tree, copy, symlinks=True)
    sites, fixed, refused, migrating = 0, 0, "", 0.0
    if how.rewrite:
        sites, fixed, refused, migrating = migrated(copy, scratch / tree.name / "report.json", how.options)
    verdict, details, running = compared(real, tree.name, copy, scratch / tree.name / "trace.json", how.compat)
    return Outcome(sites, fixed, refused, verdict, details, migrating, running)


def table(trees: list[Path], real: Path, scratch: Path, how: How, lines: bool) -> bool:
    """Print the table (and the comparisons that are not plain agreement); whether none differs."""
    print("| repository | sites | fixed | refused | run against 0.3.0 | voltfix s | run s |")
    print("|---|---:|---:|---|---|---:|---:|")
    verdicts: collections.Counter[str] = collections.Counter()
    notes = []
    for tree in trees:
        got = outcome(tree, real, scratch, how)
        verdicts[got.verdict] += 1
        times = [f"{got.migrating:.1f}", f"{got.running:.1f}"]
        cells = [tree.name, got.sites, got.fixed, got.refused, got.verdict, *times]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        if got.verdict != "AGREE":
            notes.append(f"\n{tree.name}:\n" + "\n".join(f"    {line}" for line in got.details))
    print("\n" + ", ".join(f"{word} {times}" for word, times in verdicts.most_common()))
    if lines:
        print("\n".join(notes))
    return not set(verdicts) - {"AGREE", "LESSER"}


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("trees", type=Path)
    parser.add_argument("real", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--unchanged", action="store_true", help="do not migrate")
    parser.add_argument("--modernize", action="store_true", help="rewrite with --modernize, run without --compat")
    parser.add_argument("--compat", action="store_true", help="with --modernize: run with --compat all the same")
    parser.add_argument("--lines", action="store_true", help="print the comparisons that are not plain agreement")
    parser.add_argument("--keep", type=Path, help="do the work below this folder, and leave it there")
    asked = parser.parse_args()
    driven = [tree for tree in asked.trees.iterdir() if (asked.real / tree.name / "drive.py").exists()]
    trees = sorted(driven, key=lambda tree: tree.name)
    if asked.names:
        trees = [tree for tree in trees if tree.name in asked.names]
    with tempfile.TemporaryDirectory() as temporary:
        scratch = asked.keep or Path(temporary)
        for tree in trees:
            shutil.rmtree(scratch / tree.name, ignore_errors=True)
        options = MODERN if asked.modernize else ()
        how = How(not asked.unchanged, options, asked.compat or not asked.modernize)
        fine = table(trees, asked.real.resolve(), scratch.resolve(), how, asked.lines)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
