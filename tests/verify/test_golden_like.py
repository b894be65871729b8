"""Cases of our own, across files: what voltfix makes of them, held against 0.3 by driving both with real torch.

``legacy/`` becomes ``expert/``, which does the same; ``wrong/`` is a migration that one might think right.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from voltfix import core
from voltfix.verify.concrete import Runner, compare

if find_spec("torch") is None or not hasattr(os, "fork"):
    pytest.skip("the concrete tier runs code under torch", allow_module_level=True)

FIXTURES = Path(__file__).parents[1] / "fixtures"
CASES = sorted((FIXTURES / "golden-like").iterdir())


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(FIXTURES / "golden" / "harness"))  # drives import probe
    with Runner() as running:
        yield running
    patch.undo()


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.py")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_becomes_what_an_expert_would_write(case: Path) -> None:
    before = {name: text.encode() for name, text in texts(case / "legacy").items()}
    result = core.migrate(before)
    assert [site.message for site in result.sites if site.status == "refused"] == []
    after = {name: data.decode() for name, data in {**before, **result.outputs}.items()}
    assert after == texts(case / "expert")
    assert all(site.evidence for site in result.sites if site.code != "VF102")
    assert core.migrate({name: text.encode() for name, text in after.items()}).outputs == {}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_does_what_0_3_did(case: Path, runner: Runner) -> None:
    verdict = compare(case / "legacy", case / "expert", case / "drive.py", runner=runner)
    assert (verdict.status, verdict.differences, verdict.detail) == ("identical", (), None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_one_might_think_right_does_not(case: Path, runner: Runner) -> None:
    assert compare(case / "legacy", case / "wrong", case / "drive.py", runner=runner).status == "different"
