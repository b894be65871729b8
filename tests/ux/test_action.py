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
            name: re.sub(r"\$\{\{ [\w.]*?(\w+) \}\}", lambda found: given[found[1]], text)
            for name, text in chosen["env"].items()
        }
        environment = {**os.environ, "RUNNER_TEMP": str(tmp_path / "runner"), **variables}
        environment["GITHUB_OUTPUT"] = str(tmp_path / "output")
        command = [chosen["shell"], "-eo", "pipefail", "-c", chosen["run"]]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture
def look(step, tmp_path):
    """The step that looks, and then the one that ends the action as it found."""

    def both(**inputs: str) -> tuple[int, str]:
        (tmp_path / "output").unlink(missing_ok=True)
        done = step(1, **inputs)
        assert done.returncode == 0, done.stderr
        said = (tmp_path / "output").read_text()
        return step(3, code=said.strip().removeprefix("code=")).returncode, done.stdout

    return both


def test_findings_are_annotated_and_fail_the_action(look):
    code, said = look(paths="src")
    assert code == 1
    assert said.count("::warning file=src/") == 6


def test_options_are_passed_on(look):
    assert look(paths="src", options="--ignore VF1")[0] == 0


def test_the_log_for_code_scanning_comes_from_the_same_look(look, tmp_path):
    code, said = look(paths="src", sarif="v.sarif")
    assert code == 1
    assert said.count("::warning file=src/") == 6
    assert len(json.loads((tmp_path / "v.sarif").read_text())["runs"][0]["results"]) == 6


def test_the_action_fails_as_voltfix_does(look, tmp_path):
    (tmp_path / "src/broken.py").write_text("volatile = (\n")
    assert look(paths="src", sarif="v.sarif")[0] == 2
    assert look(paths="no/such/folder")[0] == 2


def test_the_log_is_uploaded_where_that_is_asked_for():
    upload = yaml.safe_load(ACTION.read_text())["runs"]["steps"][2]
    assert upload["uses"].startswith("github/codeql-action/upload-sarif@")
    assert "inputs.upload == 'true'" in upload["if"]


def test_the_first_step_installs_the_repository_that_the_action_lies_in():
    first = yaml.safe_load(ACTION.read_text())["runs"]["steps"][0]["run"]
    assert first.endswith('pip" install --quiet "$GITHUB_ACTION_PATH"')
