"""Running batches as a person does, killing them, and reading what they leave."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

EPOCH = "1700000000"


def environment(**more: str) -> dict[str, str]:
    """An environment in which git knows nobody, and all commits have one date."""
    return {
        **os.environ, "SOURCE_DATE_EPOCH": EPOCH, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "EMAIL": "batch@example.org", "OMP_NUM_THREADS": "1", **more,
    }  # fmt: skip


def start(state: Path, *arguments: str | Path, **more: Any) -> subprocess.Popen[bytes]:
    """Start ``voltfix batch``, as the leader of a process group of its own."""
    command = [sys.executable, "-m", "voltfix", "batch", "--state", str(state), *map(str, arguments)]
    return subprocess.Popen(
        command,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **more,
    )


def run(state: Path, *arguments: str | Path, **more: Any) -> tuple[int, str]:
    """Run ``voltfix batch`` to its end: exit code and what it said."""
    process = start(state, *arguments, **more)
    said, _ = process.communicate(timeout=7200)
    return process.returncode, said.decode()


def run_with_kills(
    state: Path, arguments: Sequence[str | Path], kills: int, within: tuple[float, float], seed: int
) -> list[float]:
    """Run a batch to its end through ``kills`` kills at random moments, of the coordinator or of its group.

    The seconds after which each kill came; a batch that was over before its kill has none.
    """
    rng = random.Random(seed)
    moments = []
    for number in range(kills):
        process = start(state, *arguments)
        moment = rng.uniform(*within)
        time.sleep(moment)
        if process.poll() is not None:  # a quiet machine was faster: what is finished must stay as it is, too
            continue
        if number % 2:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        moments.append(moment)
    code, said = run(state, *arguments)
    assert code in (0, 1, 2), said
    return moments


def rows(state: Path) -> list[dict[str, Any]]:
    """The results in the journal, all columns."""
    with sqlite3.connect(state / "journal.sqlite3") as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute("SELECT * FROM repository ORDER BY position")]


def files(state: Path) -> dict[str, str]:
    """Digests of all files that the repositories of a batch have."""
    found = (state / "repositories").rglob("*")
    return {
        str(path.relative_to(state)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(found)
        if path.is_file()
    }


def attempts(state: Path) -> dict[str, int]:
    """How often each repository was handed out."""
    with sqlite3.connect(state / "journal.sqlite3") as db:
        return dict(db.execute("SELECT repository, count(*) FROM attempt GROUP BY repository"))


def redone(state: Path) -> int:
    """How many attempts came after one that had ended: work that was repeated although it was finished."""
    query = (
        "SELECT count(*) FROM attempt b JOIN attempt a USING (repository, round)"
        " WHERE a.ended IS NOT NULL AND a.id < b.id"
    )
    with sqlite3.connect(state / "journal.sqlite3") as db:
        return int(db.execute(query).fetchone()[0])
