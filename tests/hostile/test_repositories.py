"""A repository that wants something of whoever looks at it: nothing of it runs, nothing is written unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

GOOD = "import torch\nfrom torch.autograd import Variable\nx = Variable(t, volatile=True)\nprint(net(x))\n"


def voltfix(folder: Path, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    """One run of the command as it is installed."""
    command = [str(Path(sys.executable).parent / "voltfix"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, **more)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with ``.git`` and one file to rewrite."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.py").write_text(GOOD)
    return folder


# -- settings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["report", "save-plan", "write-baseline", "write_baseline"])
@pytest.mark.parametrize("arguments", [["--check"], []], ids=["check", "write"])
def test_a_setting_overwrites_no_file(repository: Path, name: str, arguments: list[str]) -> None:
    victim = repository.parent / "victim"
    victim.write_text("mine\n")
    (repository / "pyproject.toml").write_text(f"[tool.voltfix]\n{name} = '{victim}'\n")
    done = voltfix(repository, "--no-verify", *arguments, ".")
    assert victim.read_text() == "mine\n"
    assert (done.returncode, (repository / "a.py").read_text()) == (2, GOOD)
    assert f"'{name.replace('_', '-')}' is for the command line alone" in done.stderr


@pytest.mark.parametrize("setting", ["weak-sandbox = true", 'device = "cuda"', 'device = "cpu,cuda"'])
def test_a_repository_cannot_loosen_its_sandbox(repository: Path, setting: str) -> None:
    (repository / "pyproject.toml").write_text(f"[tool.voltfix]\n{setting}\n")
    done = voltfix(repository, "--check", ".")
    assert done.returncode == 2
    assert "is for the command line alone" in done.stderr


def test_the_search_for_settings_ends_at_the_root_of_the_repository(repository: Path) -> None:
    (repository.parent / "pyproject.toml").write_text("[tool.voltfix]\nexclude = ['a.py']\n")
    (repository / "sub").mkdir()
    (repository / "sub" / "b.py").write_text(GOOD)
    assert "a.py:3" in voltfix(repository, "--no-verify", "--check", ".").stdout
    assert "b.py:3" in voltfix(repository / "sub", "--no-verify", "--check", ".").stdout
    (repository / "pyproject.toml").write_text("[tool.voltfix]\nexclude = ['b.py']\n")
    assert "No Python file" in voltfix(repository / "sub", "--no-verify", "--check", ".").stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_outside_of_a_repository_settings_that_another_user_put_above_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.voltfix]\nexclude = ['a.py']\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.py").write_text(GOOD)
    assert "No Python file" in voltfix(tmp_path / "mine", "--no-verify", "--check", ".").stdout
    os.chown(tmp_path / "pyproject.toml", 12345, 12345)
    assert "a.py:3" in voltfix(tmp_path / "mine", "--no-verify", "--check", ".").stdout


# -- names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.py", "setup.cfg"])
def test_a_pipe_in_the_place_of_a_build_file_is_not_waited_for(repository: Path, name: str) -> None:
    os.mkfifo(repository / name)
    began = time.monotonic()
    done = voltfix(repository, "--no-verify", "--check", "a.py")
    assert (done.returncode, "a.py:3" in done.stdout) == (1, True), done.stderr
    assert time.monotonic() - began < 30


def test_settings_from_a_pipe_that_the_user_named_are_read(repository: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"ignore = ['VF1']\n")
    os.close(writing)
    done = voltfix(repository, "--no-verify", "--config", f"/dev/fd/{reading}", "--check", ".", pass_fds=[reading])
    assert "0 would be fixed" in done.stdout
    os.close(reading)


@pytest.mark.parametrize("name", ["::error file=a.py::x.py", " ::warning ::x.py", "##[error]x.py", "a##[group]x.py"])
@pytest.mark.parametrize("arguments", [["--check"], ["--list-sites"], ["doctor"]], ids=lambda each: each[0])
def test_the_name_of_a_file_is_no_command_to_github(repository: Path, name: str, arguments: list[str]) -> None:
    (repository / name).write_text(GOOD)
    (repository / ("broken " + name)).write_text("volatile = (\n")
    (repository / (name + "i")).write_text("volatile = (\n")
    done = voltfix(repository, *arguments, ".")
    said = (done.stdout + done.stderr).splitlines()
    assert any("x.py" in line for line in said)
    assert not [line for line in said if line.lstrip().startswith("::") or "##[" in line]


# -- paths -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["chek", "chekc.py", "no/such/folder", "gone"])
@pytest.mark.parametrize("mode", [[], ["--check"], ["--diff"], ["--output-format", "json"]], ids=str)
def test_a_path_that_is_not_there_ends_the_run_before_anything_is_written(
    repository: Path, word: str, mode: list[str]
) -> None:
    (repository / "gone").symlink_to("nowhere")
    done = voltfix(repository, "--no-verify", *mode, word, ".", "--write-baseline", "b.json", "--report", "r.html")
    assert done.returncode == 2
    assert word in done.stdout + done.stderr
    assert (repository / "a.py").read_text() == GOOD
    assert sorted(os.listdir(repository)) == [".git", "a.py", "gone"]
    if "json" in mode:
        assert [row["path"] for row in json.loads(done.stdout)["errors"]] == [word]
