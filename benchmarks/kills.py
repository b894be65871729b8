"""Kill voltfix at random moments, and look at what is left: nothing torn, nothing twice.

    python benchmarks/kills.py inplace [--kills 200] [--slow 0.004] [--seed 0]
    python benchmarks/kills.py batch [--kills 40] [--repositories 30]
    python benchmarks/kills.py dask [--kills 20] [--repositories 80]

inplace: `voltfix .` over a project in which one change takes 31 files. Every other run renames as on a slow disk
(--slow seconds each), so that kills come between the first and the last rename; the moment is drawn from the whole time
that a run takes, or, where renames are slow, from the time in which it renames. After each kill every file is wholly
old or wholly new; after ``recover`` all are the one or the other; after the next run the tree is what a run that nobody
killed makes.

batch, dask: a batch of generated repositories that is killed again and again (its coordinator, or all of its
processes; with dask a worker that has a job in flight) ends with the journal, the files and the branches of one that
was not, and no finished job was done again.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "batch"))

from batch_repositories import generate, git
from batch_state import attempts, environment, files, redone, rows, run, run_with_kills, start

HELPER = """import torch
from torch.autograd import Variable


def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)
"""
CALLER = """from helper import to_var


def score_{n}(net, images):
    images = to_var(images, volatile=True)
    return net(images).data.max(1)[1]
"""
CALLERS = 30
RUN = """
import os, sys, time
slow, rename = float(sys.argv.pop(1)), os.rename
def slowly(source, target):
    time.sleep(slow)
    rename(source, target)
if slow:
    os.rename = slowly
from voltfix.cli.main import entry
entry()
"""


def lay_out(folder: Path) -> dict[Path, bytes]:
    """The project, and what lies in it."""
    (folder / ".git").mkdir(parents=True)
    (folder / "helper.py").write_text(HELPER)
    for n in range(CALLERS):
        (folder / f"m{n:02}.py").write_text(CALLER.format(n=n))
    return contents(folder)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.glob("*.py"))}


def voltfix(folder: Path, slow: float) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", RUN, str(slow), "--no-verify", "-q", "."]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def in_place(kills: int, slow: float, seed: int) -> int:
    chance, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        calm = Path(name) / "calm"
        old = lay_out(calm)
        began = time.monotonic()
        voltfix(calm, 0).wait()
        whole = time.monotonic() - began
        new = contents(calm)
        assert all(old[path] != new[path] for path in old), "every file belongs to the change"
        done = 0
        while done < kills:
            # two in three, until a third of all kills came between the renames
            folder = Path(name) / "tree"
            lay_out(folder)
            slowly = slow if done % 2 or counts["between the renames"] * 3 < done else 0.0
            process = voltfix(folder, slowly)
            if slowly:
                while process.poll() is None and len(list(folder.glob(".voltfix-*.old"))) <= CALLERS:
                    time.sleep(0.001)
                time.sleep(chance.uniform(0, slowly * (CALLERS + 2)))
            else:
                time.sleep(chance.uniform(0, whole * 1.1))
            process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                counts["was over before"] += 1
                shutil.rmtree(folder)
                continue
            done += 1
            counts[moment(folder, old, new)] += 1
            recovered(folder, old, new)
            shutil.rmtree(folder)
            if done % 20 == 0:
                print(f"{done} kills: {dict(counts)}", flush=True)
    print(f"in place: {done} kills, {dict(counts)}; none torn, none lost, every next run did the rest")
    return 0


def moment(folder: Path, old: dict[Path, bytes], new: dict[Path, bytes]) -> str:
    """When the kill came, as the files tell it; none is torn."""
    now = contents(folder)
    assert now.keys() == old.keys(), "a file is gone"
    assert all(data in (old[path], new[path]) for path, data in now.items()), "a torn file"
    written = sum(data == new[path] for path, data in now.items())
    if 0 < written < len(now):
        return "between the renames"
    if written:
        return "after the last rename"
    return "while drafts were written" if (folder / ".voltfix-journal.json").exists() else "before it wrote"


def recovered(folder: Path, old: dict[Path, bytes], new: dict[Path, bytes]) -> None:
    from voltfix.writes import recover

    recover(str(folder))
    now = contents(folder)
    assert now in (old, new), "files of one change differ"
    assert sorted(path.name for path in folder.iterdir()) == sorted([".git", *map(str, old)]), "something is left"
    assert voltfix(folder, 0).wait() == 0
    assert contents(folder) == new, "the next run did not do the rest"


def tips(folder: Path) -> dict[str, str]:
    return {
        path.name: git(path, "for-each-ref", "--format=%(objectname) %(refname)")
        for path in sorted(folder.iterdir())
        if (path / ".git").exists()
    }


def calm_and_stormy(work: Path, count: int, more: list[str], storm) -> None:  # type: ignore[no-untyped-def]
    repositories = work / "repositories"
    arguments = ["--no-verify", "-j", "2", *more, str(repositories)]
    generate(repositories, count, seed=7)
    began = time.monotonic()
    run(work / "calm", *arguments)
    took = time.monotonic() - began
    before = tips(repositories)
    shutil.rmtree(repositories)
    generate(repositories, count, seed=7)
    kills = storm(work / "stormy", arguments, took)
    for one, other in zip(rows(work / "calm"), rows(work / "stormy"), strict=True):
        differing = {key: (one[key], other[key]) for key in one if one[key] != other[key]}
        assert not differing, f"another row for {one['name']}: {differing}"
    assert files(work / "stormy") == files(work / "calm"), "other files"
    assert tips(repositories) == before, "other branches"
    again = redone(work / "stormy")
    assert again == 0, f"{again} finished jobs were done again"
    states = Counter(row["state"] for row in rows(work / "calm"))
    print(f"{kills} kills, {count} repositories ({dict(states)}), {took:.1f} s undisturbed:")
    tries = sum(attempts(work / "stormy").values())
    print(f"the same journal, files and branches; finished jobs done again: 0; attempts: {tries}")


def batch(kills: int, count: int) -> int:
    def storm(state: Path, arguments: list[str], took: float) -> int:
        came = 0
        while came < kills:  # a batch that is over before its kill begins a new round
            within = (0.1, max(1.0, took / 3))
            came += len(run_with_kills(state, arguments, kills - came, within, seed=came))
        return came

    with tempfile.TemporaryDirectory() as name:
        calm_and_stormy(Path(name), count, [], storm)
    return 0


def dask(kills: int, count: int) -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    common = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment(), "cwd": "/"}
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    scheduler = subprocess.Popen([*program, "--no-dashboard"], **common)  # type: ignore[call-overload]
    workers: list[subprocess.Popen[bytes]] = []

    def worker() -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
        workers.append(subprocess.Popen([*command, "--no-dashboard", "--host", "127.0.0.1"], **common))  # type: ignore[call-overload]

    def jobs_of(process: subprocess.Popen[bytes]) -> list[int]:
        """The jobs that a worker's slot has in flight: its grandchildren."""
        from voltfix.processes import descent

        slots = descent.children(process.pid)
        return [job for slot in slots for job in descent.children(slot)]

    def storm(state: Path, arguments: list[str], took: float) -> int:
        came, chance, due = 0, random.Random(3), 0
        process = start(state, *arguments, "--engine", "dask", "--scheduler", address)
        while process.poll() is None:
            busy = [each for each in workers if each.poll() is None and jobs_of(each)]
            # not the same jobs again and again: those are given up, as they ought to be (worker-lost)
            if came < kills and busy and finished(state) >= due:
                time.sleep(chance.uniform(0, 0.3))
                victim = chance.choice(busy)
                if not jobs_of(victim):
                    continue
                jobs = jobs_of(victim)
                victim.kill()
                victim.wait()
                came, due = came + 1, finished(state) + 3
                worker()
                time.sleep(0.5)
                left = [job for job in jobs if Path(f"/proc/{job}").exists() and not zombie(job)]
                assert not left, "a job outlived its worker"
            time.sleep(0.02)
        said, _ = process.communicate()
        assert came >= kills, f"{came} kills only: more repositories are needed; {said.decode()[-300:]}"
        return came

    try:
        worker(), worker()
        with tempfile.TemporaryDirectory() as name:
            calm_and_stormy(Path(name), count, ["--command", "sleep 0.3"], storm)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
    return 0


def finished(state: Path) -> int:
    folder = state / "repositories"
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def zombie(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("inplace", "batch", "dask"))
    parser.add_argument("--kills", type=int)
    parser.add_argument("--slow", type=float, default=0.004)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repositories", type=int)
    chosen = parser.parse_args()
    if chosen.what == "inplace":
        return in_place(chosen.kills or 200, chosen.slow, chosen.seed)
    if chosen.what == "batch":
        return batch(chosen.kills or 40, chosen.repositories or 30)
    return dask(chosen.kills or 20, chosen.repositories or 80)


if __name__ == "__main__":
    sys.exit(main())
