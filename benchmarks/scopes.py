"""Random programs of the volatile era, migrated, and run before (PyTorch 0.3 emulated) and after (today's torch).

    python benchmarks/scopes.py [--count 5000] [--seed 0] [--shrink] [--show LABEL]

Draws programs (``tests/scopes/programs.py``), and says how many agree, are refused, or are wrong. A program whose
result differs without a refusal, is changed for the worse beside a refusal, is unstable or broken is printed, with
--shrink cut down first; the exit code is 1 if there is one. What is refused beside ``right`` is the price of certainty.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

WRONG = frozenset({"DIFFERS", "WORSE", "UNSTABLE", "BROKEN"})


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow")
    parser.add_argument("--shrink", action="store_true", help="cut what is wrong down before it is printed")
    parser.add_argument("--show", action="append", default=[], help="print programs of this label, too")
    given = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    from scopes.programs import draw
    from scopes.running import judge
    from scopes.shrinking import shrunk

    labels: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        source = draw(seed)
        verdict = judge(source)
        kind = "" if verdict.label == "not run" else " (needs migration)" if verdict.needed else " (agrees as it is)"
        labels[verdict.label + kind] += 1
        reasons.update(verdict.reasons)
        if verdict.label in WRONG or verdict.label in given.show:
            if given.shrink:
                label = verdict.label
                source = shrunk(source, lambda text, label=label: judge(text).label == label)
                verdict = judge(source)
            report(seed, source, verdict)
    print(*(f"{count:6} {label}" for label, count in sorted(labels.items())), sep="\n")
    print(*(f"{count:6} refusal {word}" for word, count in sorted(reasons.items())), sep="\n")
    return 1 if any(label.split()[0] in WRONG for label in labels) else 0


def report(seed: int, source: str, verdict: object) -> None:
    """Print a program with what became of it."""
    print(f"##### seed {seed}: {verdict.label} {verdict.found[:3]} {verdict.reasons}")  # type: ignore[attr-defined]
    print(source)
    print("----- after")
    print(verdict.after, flush=True)  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
