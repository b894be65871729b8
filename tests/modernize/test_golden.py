"""Golden cases that need more than volatile: after --modernize they do what PyTorch 0.3.0 did."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from voltfix import core
from voltfix.model import Options

pytest.importorskip("torch")
GOLDEN = Path(__file__).parents[1] / "fixtures" / "golden"


def _needing() -> list[str]:
    cases = sorted(GOLDEN.glob("cases/*/case.toml"))
    return [case.parent.name for case in cases if 'modern_needs = ""' not in case.read_text()]


@pytest.mark.parametrize("name", _needing())
def test_agrees_with_what_torch_0_3_did(name: str, tmp_path: Path) -> None:
    legacy = GOLDEN / "cases" / name / "legacy"
    target = tmp_path / "code"
    shutil.copytree(legacy, target)
    files = {str(p.relative_to(legacy)): p.read_bytes() for p in sorted(legacy.rglob("*.py"))}
    result = core.migrate(files, Options(modernize=True))
    for path, data in result.outputs.items():
        (target / path).write_bytes(data)
    done = subprocess.run(
        [sys.executable, "harness/check.py", f"cases/{name}", str(target)],
        cwd=GOLDEN,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert core.migrate({**files, **result.outputs}, Options(modernize=True)).outputs == {}


def test_there_are_such_cases() -> None:
    assert len(_needing()) >= 4
