"""How much of what voltfix rewrites is verified: run it on a folder of repositories, print a Markdown table.

    python benchmarks/verification.py FOLDER [NAME ...] [--limit SECONDS]

Runs ``voltfix --check --device cpu --output-format json`` with and without verification in every repository (nothing
is written). Counts rewritten sites by verdict; a site whose change was taken back because of its verdict counts as
different. Prints how much was not run for each of the causes that there are (``voltfix/verify/causes.py``), the
sentences, and the seconds that verification added beside those of importing torch.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from voltfix.verify import causes

VERDICTS = ("identical", "different", "not-run")


def seconds_of(command: list[str], folder: Path, limit: float) -> tuple[float, str]:
    """Seconds that a command took, and its output ("" where it ran over the limit)."""
    started = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return limit, ""
    return time.perf_counter() - started, done.stdout


def checked(folder: Path, limit: float, *options: str) -> tuple[float, dict[str, Any]]:
    """Seconds and report of one ``voltfix --check``."""
    command = [sys.executable, "-m", "voltfix", "--check", "--output-format", "json", *options, "."]
    seconds, text = seconds_of(command, folder, limit)
    return seconds, json.loads(text) if text else {"sites": []}


def counted(report: dict[str, Any]) -> tuple[collections.Counter[str], list[str]]:
    """Sites by verdict, and by the cause of what was not run; a line for each that is not identical."""
    counts: collections.Counter[str] = collections.Counter()
    lines = []
    for site in report["sites"]:
        verdict = site["verification"]["cpu"]
        if site["reason"] == "verification-failed":
            verdict = "different"
        elif site["status"] != "would-fix":
            continue
        counts[verdict] += 1
        if verdict != "identical":
            detail = site["message"] if verdict == "different" else site["verification"]["detail"]
            lines.append(f"{site['path']}:{site['line']}: {verdict}: {detail}")
        if verdict == "not-run":
            counts[causes.word_of(site["verification"]["detail"])] += 1
    return counts, lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=float, default=300.0)
    asked = parser.parse_args()
    folders = sorted(each for each in asked.folder.iterdir() if each.is_dir())
    torch_seconds = min(seconds_of([sys.executable, "-c", "import torch"], asked.folder, 300)[0] for _ in range(3))
    total: collections.Counter[str] = collections.Counter()
    lines = []
    print(f"import torch: {torch_seconds:.1f} s\n")
    print("| project | identical | different | not run | seconds | of them verification | in imports of torch |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for folder in folders:
        if asked.names and folder.name not in asked.names:
            continue
        plain, _ = checked(folder, asked.limit, "--no-verify")
        seconds, report = checked(folder, asked.limit, "--verify", "--device", "cpu")
        counts, more = counted(report)
        total += counts
        lines += [f"{folder.name}/{line}" for line in more]
        cells = [counts[verdict] for verdict in VERDICTS]
        added = seconds - plain
        row = [*cells, f"{seconds:.1f}", f"{added:.1f}", f"{added / torch_seconds:.1f}"]
        late = " (over the limit)" if seconds >= asked.limit else ""
        print(f"| {folder.name.replace('+', '/', 1)}{late} | {' | '.join(map(str, row))} |", flush=True)
    print(f"| **all** | {' | '.join(str(total[verdict]) for verdict in VERDICTS)} | | | |\n")
    print("| not run, for | sites | |")
    print("|---|---:|---|")
    for word, (meaning, _) in causes.CAUSES.items():
        print(f"| {word} | {total[word]} | {meaning} |")
    print()
    print("\n".join(lines))


if __name__ == "__main__":
    main()
