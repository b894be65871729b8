"""How fast voltfix is, each figure beside something else that ran in the same minute.

    python benchmarks/speed.py [SECTION...] [--corpus FOLDER] [--trees FOLDER] [--repeats N] [--json FILE]

Sections: start, clean, modern, hits, lines, files, memory, jobs, worst, verify; all by default. ``modern`` needs
--trees, a folder with one for each unpacked release; ``hits``, ``memory``, ``jobs``
and ``verify`` need --corpus, a folder of checked-out projects (see benchmarks/corpus.py). Nothing in it is written to.
``rg`` and ``ruff`` are compared with where they are installed. Figures are CPU seconds, those of ``jobs`` and
``verify`` clock seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import measuring
import trees
from measuring import compare

PYTHON = sys.executable
VOLTFIX = [str(Path(PYTHON).with_name("voltfix"))]
CHECK = [*VOLTFIX, "--check", "--no-verify", "-j", "1"]
PARSE = (
    "import sys, libcst\nfor p in sys.argv[1:]:\n"
    "  try: libcst.parse_module(open(p, 'rb').read())\n  except Exception: pass"
)
Rows = list[dict[str, Any]]


def start(scratch: Path, options: argparse.Namespace) -> Rows:
    """Starting up, beside ``import click``."""
    (scratch / "plain.py").write_text("print(1)\n")
    base = {"import click": [PYTHON, "-c", "import click"]}
    return [
        compare("voltfix --version", {"voltfix": [*VOLTFIX, "--version"], **base}, options.repeats * 3),
        compare(
            "a file without a hit", {"voltfix": [*VOLTFIX, str(scratch / "plain.py")], **base}, options.repeats * 3
        ),
    ]


def clean(scratch: Path, options: argparse.Namespace) -> Rows:
    """5,000 files without the word, beside ripgrep and ruff."""
    trees.clean(scratch / "clean", 5000)
    target = str(scratch / "clean")
    commands = {"voltfix": [*VOLTFIX, "--check", target]}
    if shutil.which("rg"):
        commands["rg -l volatile"] = ["rg", "-l", "volatile", target]
    ruff = Path(PYTHON).with_name("ruff")
    if ruff.exists():
        commands["ruff check --no-cache"] = [str(ruff), "check", "--no-cache", "--isolated", target]
    rows = [compare("clean tree of 5,000 files", commands, options.repeats)]
    return [*rows, compare("the same by the clock", commands, options.repeats, clock=True)]


def modern(scratch: Path, options: argparse.Namespace) -> Rows:
    """Each folder of --trees, a release of today without a site, beside ripgrep; by CPU and by the clock."""
    rows = []
    for folder in sorted(path for path in options.trees.iterdir() if path.is_dir()):
        commands = {"voltfix": [*CHECK, str(folder)]}
        if shutil.which("rg"):
            commands["rg -l volatile"] = ["rg", "-l", "--no-ignore", "-g", "*.py", "volatile", str(folder)]
        rows += [compare(folder.name, commands, options.repeats),
                 compare(f"{folder.name} by the clock", commands, options.repeats, clock=True)]
    return rows


def hits(scratch: Path, options: argparse.Namespace) -> Rows:
    """Each project of the corpus, beside a bare LibCST parse of its files with hits, and of all files that are read."""
    from voltfix.discovery.hits import scan
    from voltfix.discovery.projects import jobs
    from voltfix.discovery.walk import walk

    rows = []
    for folder in sorted(path for path in options.corpus.iterdir() if path.is_dir()):
        files = walk([str(folder)]).files
        found = scan(files).hits
        if not found:
            continue
        around = sorted({str(Path(job.root, path)) for job in jobs([str(folder)], files, found) for path in job.files})
        parse = {
            "libcst, files with hits": [PYTHON, "-c", PARSE, *(path for path, _ in found)],
            "libcst, all files read": [PYTHON, "-c", PARSE, *around],
        }
        rows.append(compare(folder.name, {"voltfix": [*CHECK, str(folder)], **parse}, options.repeats))
    return [*rows, *_summed_up(rows)]


def _summed_up(rows: Rows) -> Rows:
    """The median project, and all of them together."""
    if not rows:
        return []
    middle = {
        base: measuring.ratio([row["ratios"][base]["median"] for row in rows], [1.0] * len(rows))
        for base in rows[0]["ratios"]
    }
    together = {who: round(sum(row["seconds"][who] for row in rows), 2) for who in rows[0]["seconds"]}
    ours, *bases = together
    quotients = {base: measuring.ratio([together[ours]], [together[base]]) for base in bases}
    return [{"name": f"the median of {len(rows)} projects", "unit": "CPU s", "ratios": middle},
            {"name": "all together", "unit": "CPU s", "seconds": together, "ratios": quotients}]


def lines(scratch: Path, options: argparse.Namespace) -> Rows:
    """One file of 100 to 100,000 lines, ten bytes each: it may have a million."""
    sizes = [100, 1000, 3000, 10_000, 30_000, 100_000]
    rows = []
    for size in sizes:
        path = scratch / f"lines_{size}" / "module.py"
        path.parent.mkdir()
        path.write_text(trees.long_file(size))
        commands = {"voltfix": [*CHECK, str(path)], "libcst": [PYTHON, "-c", PARSE, str(path)]}
        rows.append(compare(f"{size:,} lines", commands, 1, limit=600))
    return [*rows, _growth("growth with lines", sizes, rows)]


def files(scratch: Path, options: argparse.Namespace) -> Rows:
    """Projects of 10 to 10,000 files with hits that call each other."""
    sizes = [10, 100, 1000, 3000, 10_000]
    rows = []
    for size in sizes:
        folder = scratch / f"files_{size}"
        trees.project(folder, size)
        parse = PARSE.replace("sys.argv[1:]", "__import__('glob').glob(sys.argv[1] + '/*.py')")
        commands = {"voltfix": [*CHECK, str(folder)], "libcst": [PYTHON, "-c", parse, str(folder)]}
        rows.append(compare(f"{size:,} files", commands, 1, limit=600))
    return [*rows, _growth("growth with files", sizes, rows)]


def _growth(name: str, sizes: list[int], rows: Rows) -> dict[str, Any]:
    """Exponents without the start: the cost of the smallest is taken off those above it."""

    def slope(who: str) -> float:
        least = rows[0]["seconds"][who]
        return measuring.exponent(sizes[1:], [max(row["seconds"][who] - least, 1e-3) for row in rows[1:]])

    return {"name": name, "unit": "exponent", "exponents": {who: slope(who) for who in ("voltfix", "libcst")}}


def memory(scratch: Path, options: argparse.Namespace) -> Rows:
    """The whole corpus in one process."""
    return [compare("peak memory on the corpus", {"voltfix": [*CHECK, str(options.corpus)]}, 1)]


def jobs_(scratch: Path, options: argparse.Namespace) -> Rows:
    """200 files with hits: the clock with one process, and with two; then what the processes spend.

    On a machine that others use, the clock says nothing. The second row is what it would say on idle cores at worst:
    the CPU of ``-j 1`` beside that of the first process and of the busiest of its workers together.
    """
    trees.hits(scratch / "hits", options.corpus, 200)
    command = [*VOLTFIX, "--check", "--no-verify", str(scratch / "hits"), "-j"]
    clock = compare("200 files: -j 1 beside -j 2", {"-j 1": [*command, "1"], "-j 2": [*command, "2"]}, options.repeats,
                    clock=True)
    spent: dict[str, list[float]] = {"-j 1": [], "-j 2": []}
    for _ in range(options.repeats):
        for workers in spent:
            first, *others = measuring.by_process([*command, workers[-1]])
            spent[workers].append(first + max(others, default=0.0))
    medians = {workers: round(statistics.median(found), 2) for workers, found in spent.items()}
    return [clock, {"name": "the same, first process and busiest worker", "unit": "CPU s", "seconds": medians,
                    "ratios": {"-j 2": measuring.ratio(spent["-j 1"], spent["-j 2"])}}]


def worst(scratch: Path, options: argparse.Namespace) -> Rows:
    """Hostile inputs; 120 seconds of CPU at most."""
    return [compare(name, {"voltfix": [*CHECK, str(path)]}, 1) for name, path in trees.worst(scratch / "worst").items()]


def verify(scratch: Path, options: argparse.Namespace) -> Rows:
    """The changes of each project through one runner that has loaded torch: one after the other, by the functions that
    each changes and by those that are run for it, callers included; then all of a project together, by one
    process and by one a core, as voltfix does."""
    from voltfix.verify.client import Client
    from voltfix.verify.plan import load

    client = Client()
    changed: list[float] = []
    run: list[float] = []
    together: dict[int, list[float]] = {jobs: [] for jobs in sorted({1, os.cpu_count() or 1})}
    for folder in sorted(path for path in options.corpus.iterdir() if path.is_dir()):
        plan = scratch / f"{folder.name}.json"
        subprocess.run([*CHECK, "--save-plan", str(plan), str(folder)], capture_output=True, check=False)
        items = load(plan.read_text()) if plan.exists() else []
        for item in items:
            if client.process is None:
                client.ask([item], "cpu", 1, 30.0)  # loads torch
            start = time.perf_counter()
            report = client.ask([item], "cpu", 1, 30.0)
            spent = time.perf_counter() - start
            changed.append(spent / max(1, len(item.touched)))
            run.append(spent / max(1, len(report["items"][0]["cpu"]["functions"])))
        for jobs, each_spent in together.items() if items else ():
            start = time.perf_counter()
            report = client.ask(items, "cpu", jobs, 30.0)
            spent = time.perf_counter() - start
            each_spent.append(spent / max(1, sum(len(each["cpu"]["functions"]) for each in report["items"])))
    client.close()
    return [
        _spread(f"a changed function, {len(changed)} changes", changed),
        _spread("a function that was run", run),
        *(
            _spread(f"the same, all changes of a project together, -j {jobs}, {len(spent)} projects", spent)
            for jobs, spent in together.items()
        ),
    ]


def _spread(name: str, spent: list[float]) -> dict[str, Any]:
    spent = sorted(spent)
    places = {"median": 0.5, "nine of ten below": 0.9, "longest": 1.0}
    found = {name: round(spent[min(int(part * len(spent)), len(spent) - 1)], 4) for name, part in places.items()}
    return {"name": name, "unit": "clock s", "seconds": found}


SECTIONS: Mapping[str, Callable[[Path, argparse.Namespace], Rows]] = {
    "start": start, "clean": clean, "modern": modern, "hits": hits, "lines": lines, "files": files, "memory": memory,
    "jobs": jobs_, "worst": worst, "verify": verify,
}  # fmt: skip


def shown(row: dict[str, Any]) -> str:
    """A row of the Markdown table."""
    seconds = ", ".join(f"{who} {value:g}" for who, value in row.get("seconds", {}).items())
    quotients = ", ".join(
        f"{r['median']:g} x {base} ({r['least']:g} to {r['greatest']:g})" for base, r in row.get("ratios", {}).items()
    )
    if "exponents" in row:
        quotients = ", ".join(f"{who} {value:g}" for who, value in row["exponents"].items())
    peak = next(iter(row.get("peak_mb", {"": ""}).values()))
    code = next(iter(row.get("codes", {"": ""}).values()))
    return f"| {row['name']} | {seconds} ({row['unit']}) | {quotients} | {peak} | {code} |"


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    needy = ("hits", "memory", "jobs", "verify")
    wanted = options.sections or [s for s in SECTIONS if options.corpus or s not in needy]
    wanted = [s for s in wanted if options.trees or s != "modern"]
    report: dict[str, Rows] = {}
    for section in wanted:
        print(f"\n## {section}\n\n| what | median | ratio (spread) | peak MB | exit |\n|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as scratch:
            report[section] = SECTIONS[section](Path(scratch), options)
        print("\n".join(map(shown, report[section])), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
