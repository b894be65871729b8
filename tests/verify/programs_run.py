"""Run recorded programs under the emulation and compare with what PyTorch 0.3.0 did.

    python tests/verify/programs_run.py FILE [--every N] [--strict]

Prints one JSON object: how many runs, and which differ. Compared: values (1e-4), volatile and requires_grad
of every variable, gradients, and whether an error is raised.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

HARNESS = Path(__file__).parents[1] / "fixtures" / "golden" / "harness"


def volatile_flags(shown):
    """The volatile column of a recorded value, nested as it is."""
    if isinstance(shown, list) and len(shown) == 3 and isinstance(shown[0], bool):
        return shown[0]
    return [volatile_flags(item) for item in shown] if isinstance(shown, list) else None


def differences(programs, want, got):
    found = programs.differences(want, got)
    if want["error"] is None and got["error"] is None:
        found += [
            f"{name}: volatile differs"
            for name, value in want["values"].items()
            if volatile_flags(value) != volatile_flags(got["values"].get(name))
        ]
    return found


def run(path, every=1, strict=False):
    from voltfix.verify.legacy import legacy

    runs, wrong = 0, []
    with legacy(strict=strict), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.path.insert(0, str(HARNESS))
        import programs  # inside: it takes Variable by name

        for row in programs.read(str(path))[::every]:
            for flag, want in sorted(row["results"].items()):
                got = programs.execute(row["source"], flag == "true", row.get("helpers"))
                found = differences(programs, want, got)
                runs += 1
                if found:
                    wrong.append([row["id"], flag, found[0][:150], want["error"] and want["error"][1][:60]])
    return {"runs": runs, "differ": wrong}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    print(json.dumps(run(options.file, options.every, options.strict)))


if __name__ == "__main__":
    main()
