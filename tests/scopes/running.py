"""Runs a program before its migration as on PyTorch 0.3 (emulated), after it on today's torch, and compares.

Compared are the values and flags of the variables that it returns, the gradients of parameters, whether it raises, and
which leaves a gradient still reaches from each variable: a view made inside ``no_grad`` says that it requires grad and
lets nothing through.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from voltfix.core import migrate
from voltfix.model import Options
from voltfix.verify.legacy import legacy

HARNESS = Path(__file__).parents[1] / "fixtures" / "golden" / "harness" / "programs.py"
# of today's torch alone, about graphs that were freed, or written to; 0.3 did not look
STOPPED_TODAY = re.compile("second time|modified by an inplace|is a view and is being modified inplace")


def load_harness() -> ModuleType:
    """The recording harness of the generated programs: how values are shown and compared."""
    spec = importlib.util.spec_from_file_location("programs_harness", HARNESS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with legacy():
        spec.loader.exec_module(module)
    module.Variable = torch.Tensor
    return module


harness = load_harness()


@dataclass
class Ran:
    """What one run did."""

    values: dict[str, Any] = field(default_factory=dict)
    grads: dict[str, Any] = field(default_factory=dict)
    reached: dict[str, Any] = field(default_factory=dict)
    error: list[str] | None = None

    def shown(self) -> dict[str, Any]:
        return {"values": self.values, "grads": self.grads, "error": self.error}


def run(source: str, flag: bool, semantics: str) -> Ran:
    """Run ``program`` of a module; ``semantics``: "legacy" or "today"."""
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {"net": harness.linear(0), "tgt": harness.linear(2)}
        error, out = None, {}
        try:
            with legacy() if semantics == "legacy" else contextlib.nullcontext():
                scope: dict[str, Any] = {"__name__": "program"}
                exec(compile(source, "<program>", "exec"), scope)
                out = scope["program"](models["net"], models["tgt"], harness.tensors(), flag)
        except Exception as problem:
            error = [type(problem).__name__, str(problem)[:200]]
        assert torch.is_grad_enabled()
        if not isinstance(out, dict):
            error, out = ["TypeError", "program() returns no dictionary"], {}
        return seen(out, models, error)


def seen(out: dict[str, Any], models: dict[str, torch.nn.Module], error: list[str] | None) -> Ran:
    """What a run that returned ``out`` did to the models, its own included."""
    models = {**models, **{name: value for name, value in out.items() if isinstance(value, torch.nn.Module)}}
    parameters = [(f"{m}.{k}", p) for m, model in models.items() for k, p in model.named_parameters()]
    ran = Ran(error=error)
    ran.values = {name: harness.show(value) for name, value in out.items() if name not in models}
    ran.grads = {name: gradient(parameter.grad) for name, parameter in parameters}
    tensors = {name: value for name, value in out.items() if isinstance(value, torch.Tensor)}
    ran.reached = {name: reached(value, parameters) for name, value in tensors.items()}
    return ran


def gradient(value: torch.Tensor | None) -> Any:
    """``zero_grad`` left zeros on 0.3 and leaves None today: nothing but zeros is no gradient."""
    return None if value is None or not value.detach().any() else harness.floats(value.detach())


def reached(value: torch.Tensor, parameters: list[tuple[str, torch.Tensor]]) -> Any:
    """The parameters that a gradient from ``value`` reaches; None where its graph is gone."""
    if not value.requires_grad:
        return []
    if value.grad_fn is None:
        return [name for name, parameter in parameters if parameter is value]
    try:
        found = torch.autograd.grad(value.sum(), [p for _, p in parameters], retain_graph=True, allow_unused=True)
    except RuntimeError:
        return None
    return [name for (name, _), g in zip(parameters, found, strict=True) if g is not None]


def differences(want: Ran, got: Ran) -> list[str]:
    """One line a difference; "graph kept: " marks those where only a graph is built that 0.3 did not build."""
    found: list[str] = harness.differences(want.shown(), got.shown())
    if want.error is not None or got.error is not None:
        return found
    for name, leaves in want.reached.items():
        other = got.reached.get(name)
        if leaves and other is not None and not set(leaves) <= set(other):
            found.append(f"{name}: gradients reach {other}, was {leaves}")
        elif leaves and other and not set(other) <= set(leaves):
            found.append(f"graph kept: {name}: gradients reach {other}, was {leaves}")
    return found


@dataclass
class Verdict:
    """What became of a program.

    ``label``: not run (0.3 raised for both flags), right, kept (a graph that 0.3 did not build), DIFFERS, refused,
    WORSE (refused, and what was written changes more than leaving the program as it is), UNSTABLE (a second run would
    change it again), BROKEN (does not parse, or an error of voltfix), internal (refused as an internal error).
    """

    label: str
    found: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    after: str = ""
    needed: bool = False


def rewritten(source: str) -> tuple[str, list[str], str]:
    """(the text after, the reasons of refusals, what is wrong with the result or "")."""
    result = migrate({"program.py": source.encode()}, Options())
    after = result.outputs.get("program.py", source.encode()).decode()
    reasons = sorted({f"{s.reason}" for s in result.sites if s.status == "refused"})
    if result.errors:
        return after, reasons, f"BROKEN {result.errors[0].message}"
    try:
        compile(after, "<after>", "exec")
    except (SyntaxError, ValueError) as error:
        return after, reasons, f"BROKEN {error}"
    again = migrate({"program.py": after.encode()}, Options())
    if again.outputs:
        return after, reasons, "UNSTABLE " + again.outputs["program.py"].decode()
    return after, reasons, ""


def ran_on_03(source: str) -> dict[bool, Ran]:
    """The runs before, for the values of the flag under which 0.3 would not have raised."""
    runs = {flag: run(source, flag, "legacy") for flag in (False, True)}
    return {flag: ran for flag, ran in runs.items() if ran.error is None}


def judge(source: str) -> Verdict:
    """Migrate a program, run it before and after, compare."""
    before = ran_on_03(source)
    if not before:
        return Verdict("not run")
    after, reasons, wrong = rewritten(source)
    found: list[str] = []
    left: list[str] = []
    for flag, want in before.items():
        unmigrated = run(source, flag, "today")
        got = run(after, flag, "today")
        if unmigrated.error is not None and STOPPED_TODAY.search(unmigrated.error[1]) and got.error == unmigrated.error:
            continue
        left += [f"{flag}: {line}" for line in differences(want, unmigrated)]
        found += [f"{flag}: {line}" for line in differences(want, got)]
    return Verdict(label_of(found, left, reasons, wrong), found or [wrong], reasons, after, bool(left))


def label_of(found: list[str], left: list[str], reasons: list[str], wrong: str) -> str:
    """What differences, refusals and checks of the text come to."""
    hard = [line for line in found if "graph kept: " not in line]
    if wrong:
        return wrong.split()[0]
    if reasons:
        names = {line.split(": ")[1] for line in left if "graph kept: " not in line}
        if any(line.split(": ")[1] not in names for line in hard):
            return "WORSE"
        return "internal" if "internal-error" in reasons else "refused"
    return "DIFFERS" if hard else "kept" if found else "right"


def diff_applies(source: str, after: str) -> bool:
    """Does ``git apply`` make ``after`` of the program, given voltfix's own diff?"""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from helpers import assert_diff_applies

    with tempfile.TemporaryDirectory():
        assert_diff_applies("program.py", source.encode(), after.encode())
    return True
