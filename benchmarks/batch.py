"""Figures for docs/batch.md: throughput and overhead, ten kills, a cluster.

    python benchmarks/batch.py make FOLDER COUNT [--corpus FOLDER]
        repositories: generated ones, and each folder of a corpus as a throw-away one
    python benchmarks/batch.py throughput FOLDER [--options ...] [--engines ...]
        local with 1 and 2 processes, Dask with 2 workers
    python benchmarks/batch.py kills FOLDER [--kills 10]
        killed and undisturbed: the same journal, the same patches, the same branches
    python benchmarks/batch.py overhead STATE
        seconds by phase of a batch that has run
    python benchmarks/batch.py cost FOLDER
        CPU seconds by phase of one job after another without verification, git's included: no load stretches these

What ``make`` wrote is copied for each run, since a run leaves its branch in each repository.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/batch"))

from batch_repositories import commit_all, generate, git
from batch_state import attempts, environment, files, redone, rows, run, run_with_kills


def make(folder: Path, count: int, corpus: Path | None) -> None:
    generate(folder, count)
    for source in sorted(corpus.iterdir()) if corpus else ():
        if source.is_dir():
            shutil.copytree(source, folder / source.name, symlinks=True)
            commit_all(folder / source.name)
    print(f"{len(list(folder.iterdir()))} repositories in {folder}")


def fresh(folder: Path) -> Path:
    """The repositories as they were made, always at one path: it is part of what the journal holds."""
    copy = folder.with_name(folder.name + "-run")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True)
    return copy


def throughput(folder: Path, options: list[str], engines: list[str]) -> None:
    print("engine        repositories  seconds  a minute  in jobs  beside    load")
    with tempfile.TemporaryDirectory() as temporary:
        states = {}
        for engine in engines:
            state = Path(temporary) / engine
            kind, number = engine.split("-")
            arguments = [*options, fresh(folder)]
            began = time.perf_counter()
            if kind == "local":
                run(state, "-j", number, *arguments)
            else:
                with_cluster(int(number), state, arguments)
            seconds = time.perf_counter() - began
            found = rows(state)
            states[engine] = (found, files(state))
            inside, beside = overhead_of(state, seconds, int(number))
            print(
                f"{engine:12}  {len(found):12}  {seconds:7.1f}  {60 * len(found) / seconds:8.1f}  {inside:7.1%}"
                f"  {beside:6.1%}  {os.getloadavg()[0]:6.1f}"
            )
        first = next(iter(states.values()))
        print("same results with every engine:", all(other == first for other in states.values()))


def with_cluster(workers: int, state: Path, arguments: list[str | Path]) -> None:
    """Run on a scheduler and workers that are started for this."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment()}
    commands = [["dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]]
    worker = [
        "dask_worker",
        address,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
        "--host",
        "127.0.0.1",
    ]
    commands += [worker] * workers
    processes = [subprocess.Popen([sys.executable, "-m", f"distributed.cli.{c[0]}", *c[1:]], **quiet) for c in commands]
    try:
        run(state, "--engine", "dask", "--scheduler", address, *arguments)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def phases(state: Path) -> Counter[str]:
    """Seconds by phase over all finished jobs."""
    total: Counter[str] = Counter()
    with sqlite3.connect(state / "journal.sqlite3") as db:
        for (text,) in db.execute("SELECT seconds FROM attempt WHERE seconds IS NOT NULL"):
            total.update(json.loads(text))
    return total


def overhead_of(state: Path, seconds: float, processes: int) -> tuple[float, float]:
    """Time that is not analysis, by analysis: in the jobs (git, reports), and beside them.

    Beside them is what starts once (a slot, torch), the journal, and a process with nothing left to do.
    """
    total = phases(state)
    analysis = total["analysis"]
    return (total["whole"] - analysis) / analysis, (seconds * processes - total["whole"]) / analysis


def overhead(state: Path) -> None:
    total = phases(state)
    finished = sum(1 for row in rows(state) if row["state"] != "failed")
    for phase, seconds in total.most_common():
        print(f"{phase:10} {seconds:9.1f} s  {1000 * seconds / max(1, finished):8.1f} ms a repository")
    print(f"jobs beside analysis: {(total['whole'] - total['analysis']) / total['analysis']:.1%} of analysis")


def cost(folder: Path) -> None:
    """Run the jobs in this process; the CPU seconds of ended children are git's."""
    from voltfix.batch import job, slot
    from voltfix.batch.model import Repository, Settings, Task

    def spent() -> float:
        now = os.times()
        return now.user + now.system + now.children_user + now.children_system

    class Spent(job.Laps):
        def __init__(self) -> None:
            self._seconds = {}
            self._began = self._last = spent()

        def lap(self, phase: str) -> None:
            now = spent()
            self._seconds[phase] = self._seconds.get(phase, 0.0) + now - self._last
            self._last = now

        def done(self) -> dict[str, float]:
            return {**self._seconds, "whole": spent() - self._began}

    slot._warm_up()
    job.Laps = Spent
    total: Counter[str] = Counter()
    jobs, home = 0, os.getcwd()
    for source in sorted(folder.resolve().iterdir()):
        with tempfile.TemporaryDirectory() as scratch:
            settings = Settings(arguments=("--no-verify",))
            task = Task(Repository(source.name, str(source)), settings, scratch, scratch, 0, ("a", "a@b"))
            (Path(scratch) / "job").mkdir()
            outcome = job.run(task, f"{scratch}/job")
            os.chdir(home)
        if outcome.state == "migrated":
            jobs += 1
            total.update(outcome.seconds)
    for phase, seconds in total.most_common():
        print(f"{phase:10} {1000 * seconds / max(1, jobs):8.1f} ms a repository")
    beside = (total["whole"] - total["analysis"]) / total["analysis"]
    print(f"{jobs} migrated; beside analysis: {beside:.1%} of analysis")


def tips(folder: Path) -> dict[str, str]:
    return {
        path.name: git(path, "for-each-ref", "--format=%(objectname) %(refname)")
        for path in sorted(folder.iterdir())
        if (path / ".git").exists()
    }


def kills(folder: Path, options: list[str], count: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        calm, stormy = Path(temporary) / "calm", Path(temporary) / "stormy"
        repositories = fresh(folder)
        arguments = [*options, repositories]
        began = time.perf_counter()
        run(calm, *arguments)
        seconds = time.perf_counter() - began
        expected = tips(repositories)
        fresh(folder)
        moments = run_with_kills(stormy, arguments, count, (0.5, max(2.0, 1.5 * seconds / count)), seed)
        print(f"undisturbed: {seconds:.1f} s; killed after", ", ".join(f"{m:.1f}" for m in moments), "s")
        states = Counter(f"{row['state']} {row['cause'] or ''}".strip() for row in rows(stormy))
        print("states:", dict(states))
        print("the same journal: ", rows(calm) == rows(stormy))
        print("the same files:   ", files(calm) == files(stormy))
        print("the same branches:", expected == tips(repositories))
        print("finished work repeated:", redone(stormy))
        print("attempts:", dict(Counter(attempts(stormy).values())))
        for before, after in zip(rows(calm), rows(stormy), strict=True):
            if before != after:
                print("differs:", before["name"], [key for key in before if before[key] != after[key]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "throughput", "kills", "overhead", "cost"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", default="local-1,local-2,dask-2")
    parser.add_argument("--options", default="", help="options of voltfix batch, with blanks between them")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.count, given.corpus)
    elif given.what == "throughput":
        throughput(given.folder, given.options.split(), given.engines.split(","))
    elif given.what == "kills":
        kills(given.folder, given.options.split(), given.kills, given.seed)
    elif given.what == "cost":
        cost(given.folder)
    else:
        overhead(given.folder)


if __name__ == "__main__":
    main()
