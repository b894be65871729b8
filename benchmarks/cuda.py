"""The golden cases on a GPU: every right migration has to be identical there, every wrong one different.

    python benchmarks/cuda.py [--device cuda] [--jobs N] [--tier drive|symbolic] [NAME ...]

Needs a torch with CUDA and this checkout (tests/fixtures/golden), nothing else. For each case it asks
``voltfix verify legacy expert`` and ``voltfix verify legacy wrong``, with the case's own ``drive()`` and real data
(tier drive), and on stand-ins (tier symbolic). Prints one line for each answer that is not the expected one, the
totals last, and exits 1 where a right migration was called different or a wrong one identical.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "golden"
ANSWERS = {0: "identical", 1: "different", 2: "not-run"}


class Asked(NamedTuple):
    """One question to the verifier: does ``which`` of ``case`` do what its legacy code did?"""

    tier: str
    case: Path
    which: str
    device: str


def questions(tiers: list[str], names: list[str], device: str) -> list[Asked]:
    found = []
    for case in sorted((GOLDEN / "cases").iterdir()):
        if names and case.name not in names:
            continue
        about = tomllib.loads((case / "case.toml").read_text())
        if about.get("modern_needs") or about["expect"] in ("untouched", "report"):
            continue
        found += [Asked(tier, case, which, device) for tier in tiers for which in ("expert", "wrong")
                  if (case / which).is_dir()]
    return found


def answer(asked: Asked) -> tuple[Asked, str, str]:
    command = [sys.executable, "-m", "voltfix", "verify", "--device", asked.device,
               str(asked.case / "legacy"), str(asked.case / asked.which)]
    if asked.tier == "drive":
        command += ["--drive", str(asked.case / "drive.py")]
    environment = {**os.environ, "PYTHONPATH": f"{GOLDEN / 'harness'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return asked, "not-run", "no answer in 300 s"
    return asked, ANSWERS.get(done.returncode, "not-run"), (done.stdout + done.stderr).strip().replace("\n", " ")


def main() -> None:
    """Ask, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tier", choices=("drive", "symbolic"), action="append")
    options = parser.parse_args()
    asked = questions(options.tier or ["drive", "symbolic"], options.names, options.device)
    counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for question, word, text in pool.map(answer, asked):
            counts[question.tier, question.which, word] += 1
            if word != {"expert": "identical", "wrong": "different"}[question.which]:
                print(f"{question.tier} {question.which} {question.case.name}: {word}: {text[-300:]}")
    for tier in sorted({question.tier for question in asked}):
        for which in ("expert", "wrong"):
            print(f"{tier} {which}: " + ", ".join(f"{counts[tier, which, word]} {word}" for word in ANSWERS.values()))
    failed = sum(counts[tier, which, word] for tier, which, word in counts
                 if (which, word) in (("expert", "different"), ("wrong", "identical")))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
