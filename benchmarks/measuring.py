"""Run commands side by side and compare what they cost: CPU seconds (user and system, children included).

CPU time, not the clock: a busy machine stretches the clock, and hardly the work. The commands of one comparison take
turns, so that what the machine does meanwhile meets all of them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Cost(NamedTuple):
    """What one process cost: CPU and clock seconds, the largest resident set of one process in MB, its exit code."""

    cpu: float
    wall: float
    peak: float
    code: int


# as where voltfix is installed: its bytecode is kept
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: Sequence[str], limit: float = 120.0) -> Cost:
    """Run a command with its output thrown away; one that takes longer than ``limit`` seconds of CPU is ended."""
    limited = ["prlimit", f"--cpu={int(limit)}", *command]
    start = time.monotonic()
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(limited, stdout=nothing, stderr=nothing, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, process.returncode)


def by_process(command: Sequence[str]) -> list[float]:
    """CPU seconds of a command's process and of each below it, the first one's first (Linux: looks into /proc)."""
    spent: dict[int, float] = {}
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=nothing, env=ENVIRONMENT)
        while process.poll() is None:
            waiting = [process.pid]
            while waiting:
                pid = waiting.pop()
                try:
                    spent[pid] = _cpu(pid)
                    waiting += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
                except OSError:
                    continue  # it has just ended
            time.sleep(0.02)
    return [spent.pop(process.pid, 0.0), *spent.values()]


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compare(
    name: str, commands: Mapping[str, Sequence[str]], repeats: int, *, clock: bool = False, limit: float = 120.0
) -> dict[str, Any]:
    """Cost of the commands, in turns; the first is what the figures are about, each other one a base of a ratio."""
    costs: dict[str, list[Cost]] = {label: [] for label in commands}
    for _ in range(repeats):
        for label, command in commands.items():
            costs[label].append(run(command, limit))
    seconds = {label: [c.wall if clock else c.cpu for c in found] for label, found in costs.items()}
    subject, *bases = commands
    return {
        "name": name,
        "unit": "clock s" if clock else "CPU s",
        "seconds": {label: round(statistics.median(values), 4) for label, values in seconds.items()},
        "peak_mb": {label: round(max(c.peak for c in found)) for label, found in costs.items()},
        "codes": {label: sorted({c.code for c in found}) for label, found in costs.items()},
        "ratios": {base: ratio(seconds[subject], seconds[base]) for base in bases},
    }


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Median, least and greatest of the quotients of runs that stood side by side."""
    quotients = sorted(one / max(two, 1e-4) for one, two in zip(ours, theirs, strict=True))
    return {
        "median": round(statistics.median(quotients), 2),
        "least": round(quotients[0], 2),
        "greatest": round(quotients[-1], 2),
    }


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log(seconds) over log(size), by least squares: 1 is linear, 2 quadratic."""
    from math import log

    xs, ys = [log(size) for size in sizes], [log(max(value, 1e-4)) for value in seconds]
    mean_x, mean_y = statistics.fmean(xs), statistics.fmean(ys)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return round(covariance / sum((x - mean_x) ** 2 for x in xs), 2)
