"""Pose the recorded probes of PyTorch 0.3.0 to the emulation, and compare observable by observable.

python tests/verify/probes.py [--own] [ID...]     prints what differs, and the counts (--own: of the later recordings)
"""

from __future__ import annotations

import json
import math
import os
import sys
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from loading import prepare
from probe_causes import NOT_POSABLE, cause_of

OBSERVATIONS = Path(__file__).parents[1] / "fixtures" / "observations-0.3.0.json"
OWN = OBSERVATIONS.with_name("observations-own-0.3.0.json")

# names that the probes use and the prelude does not define
HELPERS = """
def SM(*args):
    return F.softmax(*args)
def LSM(*args):
    return F.log_softmax(*args)
def RB(y):
    y.backward(retain_graph=True)
"""


def load(file=OBSERVATIONS):
    return json.loads(file.read_text())


def describe(value, torch):
    from voltfix.verify.legacy import is_variable, is_volatile

    if isinstance(value, torch.Tensor):
        dtype = value.type().rsplit(".", 1)[-1]
        if not is_variable(value):
            return {
                "kind": "tensor",
                "dtype": dtype,
                "size": list(value.shape),
                "data": value.double().sum().item(),
            }
        kind = type(value).__name__
        gradient = value.grad if value.is_leaf or value.retains_grad else None
        return {
            "kind": "Variable" if kind == "Tensor" else kind,
            "dtype": dtype,
            "volatile": is_volatile(value),
            "requires_grad": value.requires_grad,
            "grad": None
            if gradient is None
            else {
                "requires_grad": gradient.requires_grad,
                "volatile": is_volatile(gradient),
                "sum": gradient.double().sum().item(),
                "size": gradient.numel(),
            },
        }
    if isinstance(value, (list, tuple)):
        return [describe(item, torch) for item in value]
    if isinstance(value, dict):
        return {str(key): describe(item, torch) for key, item in value.items()}
    return value


def pose(probe, prelude):
    """Run one probe in this process; the observables, in order."""
    import torch

    from voltfix.verify.legacy import legacy
    from voltfix.verify.legacy_source import compile_legacy

    seen = []

    def show(label, value):
        seen.append([label, describe(value, torch)])

    def tryit(label, function):
        try:
            value = function()
        except Exception as error:
            seen.append([label, {"raises": type(error).__name__, "text": str(error)[:200]}])
            return None
        seen.append([label, describe(value, torch)])
        return value

    error = None
    with legacy(strict=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scope = {"show": show, "tryit": tryit, "__name__": "__main__"}
        try:
            exec(compile_legacy(prelude + HELPERS, "<prelude>"), scope)
            exec(compile_legacy(probe["code"], "<probe>"), scope)
        except Exception as exc:
            error = type(exc).__name__ + ": " + str(exc)[:200] + traceback.format_exc(limit=-1)[-200:]
    return {"obs": seen, "exc": error}


def in_child(function, *args):
    """Run a function in a forked child and take its JSON result, or None where the child died."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(read)
            with os.fdopen(write, "w") as handle:
                json.dump(function(*args), handle, default=lambda value: repr(value)[:60])
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as handle:
        text = handle.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def _same_gradient(want, got):
    """The last group recorded the numbers of a gradient, which hang on how weights were drawn."""
    if isinstance(want, list):
        return isinstance(got, dict) and got["size"] == len(want)
    return agree(want, got)


def agree(want, got):
    """Do two described values agree in what today's torch can express?"""
    if isinstance(want, dict) and "raises" in want:
        return isinstance(got, dict) and got.get("raises") == want["raises"]
    if isinstance(want, dict) and "volatile" in want and "kind" in want:
        keys = ("dtype", "volatile", "requires_grad")
        return (
            isinstance(got, dict)
            and got.get("kind") in (want["kind"], *(["Parameter"] if "is_leaf" in want else []))
            and all(want[key] == got.get(key) for key in keys)
            and _same_gradient(want["grad"], got.get("grad"))
        )
    if isinstance(want, dict) and set(want) == {"requires_grad", "sum", "volatile"}:
        return isinstance(got, dict) and all(
            want[key] == got.get(key) for key in ("requires_grad", "volatile")
        )
    if isinstance(want, dict) and want.get("kind") == "tensor":
        return isinstance(got, dict) and all(want[key] == got.get(key) for key in ("kind", "dtype", "size"))
    if isinstance(want, dict):
        return isinstance(got, dict) and set(want) == set(got) and all(agree(want[k], got[k]) for k in want)
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(agree, want, got))
    if isinstance(want, (int, float)) and not isinstance(want, bool):
        if isinstance(got, dict) and got.get("kind") == "tensor" and got["size"] in ([], [1]):
            got = got["data"]
        return (
            isinstance(got, (int, float))
            and not isinstance(got, bool)
            and math.isclose(want, got, rel_tol=1e-4)
        )
    return want == got


def _sweep(recorded, emulated):
    """Rows ``dev ...`` list what deviates in a sweep: compared as sets, for functions that run on both."""

    def rows(observed):
        return [row for label, row in observed if label.startswith("dev ")]

    def raised(row):
        return any(isinstance(item, str) and item.startswith("EXC") for item in row)

    out = {row[0] for row in [*rows(recorded), *rows(emulated)] if raised(row)}
    one, two = (
        {json.dumps(row[:-1]) for row in rows(each) if row[0] not in out} for each in (recorded, emulated)
    )
    return [("dev", row, "missing") for row in sorted(one - two)] + [
        ("dev", "none", row) for row in sorted(two - one)
    ]


def differences(probe, got):
    """The observables of a probe that differ: (label, recorded, emulated)."""
    if got is None:
        return [("process", probe["exc"], "died")]
    found = list(_sweep(probe["obs"], got["obs"]))
    for at, (label, want) in enumerate(probe["obs"]):
        if label.startswith("dev "):
            continue
        have = got["obs"][at] if at < len(got["obs"]) else [label, "missing: " + str(got["exc"])]
        if have[0] != label and len(got["obs"]) != len(probe["obs"]):
            found.append((label, want, f"missing, {have[0]} in its place"))
            break
        if not agree(want, have[1]):
            found.append((label, want, have[1]))
    return found


def survey(names=(), file=OBSERVATIONS):
    """Pose all probes, each in a fork: (probe, [(label, recorded, emulated, cause)]) in order."""
    data = load(file)
    rows = []
    for probe in data["probes"]:
        if not names or probe["id"] in names:
            found = differences(probe, in_child(pose, probe, data["meta"]["prelude"]))
            rows.append((probe, [(*row, cause_of(probe["id"], row[0], row[1])) for row in found]))
    return rows


def counts(rows):
    """How many probes, and observables, can be posed, and how many of them agree."""
    posed = agreed = observables = same = 0
    for probe, found in rows:
        out = [row for row in found if row[3] in NOT_POSABLE]
        wrong = len(found) - len(out)
        posable = len(probe["obs"]) - len(out)
        posed += bool(posable) or not probe["obs"]
        agreed += (bool(posable) or not probe["obs"]) and not wrong
        observables += posable
        same += posable - wrong
    return {"probes": posed, "probes that agree": agreed, "observables": observables, "that agree": same}


def main(names):
    prepare()
    rows = survey([name for name in names if name != "--own"], OWN if "--own" in names else OBSERVATIONS)
    unknown = []
    for probe, found in rows:
        for label, want, have, cause in found:
            if cause is None:
                unknown.append([probe["id"], label])
            if cause not in NOT_POSABLE:
                print(
                    f"{probe['id']} {label}: {json.dumps(want)[:90]} | {json.dumps(have)[:90]} ({cause})",
                    file=sys.stderr,
                )
    print(json.dumps({**counts(rows), "of": len(rows), "without a cause": unknown}))


if __name__ == "__main__":
    main(sys.argv[1:])
