"""The symbolic tier over the golden cases, text only: ``python tests/verify/symbolic_run.py``.

Prints how the right migration (``expert``) and the wrong one (``wrong``) of every case are judged against its
``legacy`` code, with whatever is not judged as it should be. Exit code 1 if a bar is missed.
"""

from __future__ import annotations

import collections
import sys
import time

from golden import CASES, item, names, texts

from voltfix.verify import client

WANTED = {"expert": "identical", "wrong": "different"}


def verdicts(kind: str, every: int = 1) -> dict[str, tuple[str, str | None]]:
    """(verdict, detail) for every case whose ``kind`` differs from its legacy code in more than layout.

    ``every``: 3 takes a third of the cases.
    """
    made = {case: item(case, texts(CASES / case / kind)) for case in names()[::every]}
    wanted = {case: each for case, each in made.items() if each is not None}
    found = client.verify(list(wanted.values()), device="cpu", jobs=2)
    return {case: (each.cpu, each.detail) for case, each in zip(wanted, found, strict=True)}


def main() -> int:
    """Measure and print; the exit code says whether the bars are met."""
    judged: list[str] = []
    counts = {}
    for kind, wanted in WANTED.items():
        started = time.perf_counter()
        found = verdicts(kind)
        seconds = time.perf_counter() - started
        counts[kind] = collections.Counter(verdict for verdict, _ in found.values())
        judged += [verdict for verdict, _ in found.values()]
        for case, (verdict, detail) in found.items():
            if verdict != wanted:
                print(f"  {kind} {case}: {verdict}: {detail}")
        print(f"{kind}: {len(found)} cases, {dict(counts[kind])}, {seconds:.1f} s")
    without = judged.count("not-run")
    caught = counts["wrong"]["different"] / counts["wrong"].total()
    print(f"wrong caught: {caught:.1%}; with a verdict: {1 - without / len(judged):.1%}")
    met = not counts["expert"]["different"] and caught >= 0.95 and without <= 0.05 * len(judged)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
