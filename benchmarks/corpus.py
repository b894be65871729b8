"""Run voltfix on a folder of checked-out repositories and print a Markdown table, a row for each.

    python benchmarks/corpus.py FOLDER              what voltfix would do (--check), refusals by reason
    python benchmarks/corpus.py FOLDER --sites      where the sites are (--list-sites), by rule
    python benchmarks/corpus.py FOLDER --rewrite    rewrite a copy, then again: the second run has to be
                                                    empty, and no file may cease to be readable

FOLDER holds one folder a repository; NAME... after it picks some. Nothing in FOLDER is written to.
--keep REPORTS also writes each report, with its diffs, to REPORTS/NAME.json, to be read.
"""

from __future__ import annotations

import argparse
import collections
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 600  # seconds for one run of voltfix


class Run(NamedTuple):
    """One run: the JSON report (empty after a crash), the exit code and the seconds."""

    report: dict[str, Any]
    code: int
    seconds: float


def voltfix(folder: Path, *options: str) -> Run:
    command = [sys.executable, "-m", "voltfix", "--output-format", "json", *options, "."]
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return Run({}, -1, LIMIT)
    seconds = time.monotonic() - start
    try:
        return Run(json.loads(done.stdout), done.returncode, seconds)
    except ValueError:
        sys.stderr.write(f"{folder.name}: no report\n{done.stderr.decode(errors='replace')[-2000:]}\n")
        return Run({}, done.returncode, seconds)


def counted(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{word} {times}" for word, times in counts.most_common())


def reasons(report: dict[str, Any]) -> collections.Counter[str]:
    refused = [site for site in report.get("sites", ()) if site["status"] == "refused"]
    return collections.Counter(str(site["reason"]) for site in refused)


# --- the three tables --------------------------------------------------------------------------------------


def checked(folder: Path) -> tuple[list[Any], collections.Counter[str]]:
    run = voltfix(folder, "--check", "--no-verify")
    return summary(run), reasons(run.report)


def kept(reports: Path) -> Any:
    """As ``checked``, with the reports written to a folder."""

    def measure(folder: Path) -> tuple[list[Any], collections.Counter[str]]:
        run = voltfix(folder, "--check", "--no-verify")
        (reports / f"{folder.name}.json").write_text(json.dumps(run.report))
        return summary(run), reasons(run.report)

    reports.mkdir(parents=True, exist_ok=True)
    HEADS[measure] = HEADS[checked]
    return measure


def rewritten(folder: Path) -> tuple[list[Any], collections.Counter[str]]:
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / folder.name
        shutil.copytree(folder, copy, symlinks=True)
        first = voltfix(copy, "--no-verify")
        second = voltfix(copy, "--no-verify")
    again = second.report.get("summary", {}).get("files_changed", "crash")
    broken = len(second.report.get("errors", ())) - len(first.report.get("errors", ()))
    return [*summary(first), again, broken], reasons(first.report)


def summary(run: Run) -> list[Any]:
    if not run.report:
        return ["crash", 0, 0, 0, 0, 0, f"{run.seconds:.1f}"]
    total = run.report["summary"]
    numbers = [total[word] for word in ("sites", "fixed", "refused", "suppressed", "kept", "errors")]
    return [*numbers, f"{run.seconds:.1f}"]


def listed(folder: Path) -> tuple[list[Any], collections.Counter[str]]:
    run = voltfix(folder, "--list-sites")
    codes = collections.Counter(site["code"] for site in run.report.get("sites", ()))
    by_code = [codes[code] for code in ("VF101", "VF102", "VF103", "VF104")]
    unreadable = len(run.report.get("errors", ()))
    return [sum(by_code), *by_code, unreadable, f"{run.seconds:.1f}"], collections.Counter()


HEADS = {
    checked: ["sites", "fixed", "refused", "suppressed", "kept", "unreadable files", "seconds"],
    listed: ["sites", "VF101", "VF102", "VF103", "VF104", "unreadable files", "seconds"],
}
HEADS[rewritten] = [*HEADS[checked], "files changed again", "files broken"]


def table(folders: list[Path], measure: Any) -> None:
    heads = HEADS[measure]
    print("| project | " + " | ".join([*heads, "refusals"]) + " |")
    print("|---|" + "---:|" * len(heads) + "---|")
    totals: list[float] = [0] * len(heads)
    all_reasons: collections.Counter[str] = collections.Counter()
    for folder in folders:
        row, why = measure(folder)
        name = folder.name.replace("+", "/", 1)
        print(f"| {name} | {' | '.join(map(str, row))} | {counted(why)} |", flush=True)
        totals = [total + number(cell) for total, cell in zip(totals, row, strict=True)]
        all_reasons += why
    print("| **all** | " + " | ".join(f"{total:g}" for total in totals) + f" | {counted(all_reasons)} |")


def number(cell: Any) -> float:
    try:
        return float(cell)
    except ValueError:
        return 0


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--sites", action="store_const", const=listed, dest="measure")
    which.add_argument("--rewrite", action="store_const", const=rewritten, dest="measure")
    parser.add_argument("--keep", type=Path, metavar="REPORTS")
    asked = parser.parse_args()
    folders = sorted((f for f in asked.folder.iterdir() if f.is_dir()), key=lambda f: f.name.lower())
    if asked.names:
        folders = [folder for folder in folders if folder.name in asked.names]
    table(folders, asked.measure or (kept(asked.keep) if asked.keep else checked))


if __name__ == "__main__":
    main()
