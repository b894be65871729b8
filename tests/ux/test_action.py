"""The GitHub action: its steps, run by the shell that they name, with the voltfix installed here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent.parent
ACTION = ROOT / "action.yml"


@pytest.fixture
def step(tmp_path):
    """Runs a step of the action in a checkout, with these inputs."""
    programs = tmp_path / "runner/voltfix/bin"
    programs.mkdir(parents=True)
    program = programs / "voltfix"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m voltfix "$@"\n')
    program.chmod(0o755)
    shutil.copytree(ROOT / "examples/legacy_project", tmp_path / "src")
    described = yaml.safe_load(ACTION.read_text())

    def run(number: int, **inputs: str) -> subprocess.CompletedProcess[str]:
        given = {name: str(each["default"]) for name, each in described["inputs"].items()} | inputs
        chosen = described["runs"]["steps"][number]
        variables = {
            name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], text)
            for name, text in chosen["env"].items()
        }
        environment = {**os.environ, "RUNNER_TEMP": str(tmp_path / "runner"), **variables}
        command = [chosen["shell"], "-eo", "pipefail", "-c", chosen["run"]]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_findings_are_annotated_and_fail_the_step(step):
    done = step(2, paths="src")
    assert done.returncode == 1
    assert done.stdout.count("::warning file=src/") == 6


def test_options_are_passed_on(step):
    assert step(2, paths="src", options="--ignore VF1").returncode == 0


def test_the_log_for_code_scanning_is_written_and_does_not_fail_its_step(step, tmp_path):
    assert step(1, paths="src", sarif="v.sarif").returncode == 0
    assert len(json.loads((tmp_path / "v.sarif").read_text())["runs"][0]["results"]) == 6


def test_the_first_step_installs_the_repository_that_the_action_lies_in():
    first = yaml.safe_load(ACTION.read_text())["runs"]["steps"][0]["run"]
    assert first.endswith('pip" install --quiet "$GITHUB_ACTION_PATH"')
