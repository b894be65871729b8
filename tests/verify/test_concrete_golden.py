"""The concrete tier over the golden cases: right migrations are identical, wrong ones different.

A quarter of the cases by default, all with VOLTFIX_ALL=1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from voltfix.verify.concrete import Runner, compare

if find_spec("torch") is None or not hasattr(os, "fork"):
    pytest.skip("the concrete tier runs code under torch", allow_module_level=True)

GOLDEN = Path(__file__).parents[1] / "fixtures" / "golden"
NAMES = sorted(path.name for path in (GOLDEN / "cases").iterdir())[
    :: 1 if os.environ.get("VOLTFIX_ALL") else 3
]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(GOLDEN / "harness"))  # drives import probe
    with Runner() as running:
        yield running
    patch.undo()


@pytest.mark.parametrize("name", NAMES)
def test_an_expert_migration_is_identical(name: str, runner: Runner) -> None:
    case = GOLDEN / "cases" / name
    verdict = compare(case / "legacy", case / "expert", case / "drive.py", runner=runner)
    assert (verdict.status, verdict.differences, verdict.detail) == ("identical", (), None)


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_migration_is_different(name: str, runner: Runner) -> None:
    case = GOLDEN / "cases" / name
    verdict = compare(case / "legacy", case / "wrong", case / "drive.py", runner=runner)
    assert verdict.status == "different"
    assert all(verdict.differences)
