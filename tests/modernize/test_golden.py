"""Golden cases that need more than volatile: after --modernize they do what PyTorch 0.3.0 did."""

from __future__ import annotations

import json
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from loaded import ran
from voltfix import core
from voltfix.model import Options

pytest.importorskip("torch")
GOLDEN = Path(__file__).parents[1] / "fixtures" / "golden"
SPEC = spec_from_file_location("check", GOLDEN / "harness" / "check.py")
assert SPEC is not None
assert SPEC.loader is not None
CHECK = module_from_spec(SPEC)
SPEC.loader.exec_module(CHECK)


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
    case = GOLDEN / "cases" / name
    done = ran(GOLDEN / "harness" / "probe.py", str(case), str(target))
    reports = [line for line in done.stdout.splitlines() if line.startswith(b'{"calls"')]
    assert reports, done.stderr.decode()
    assert CHECK.differences(json.loads((case / "golden.json").read_text()), json.loads(reports[-1])) == []
    assert core.migrate({**files, **result.outputs}, Options(modernize=True)).outputs == {}


def test_there_are_such_cases() -> None:
    assert len(_needing()) >= 4
