"""The hooks, run by the real pre-commit in a throw-away repository.

The hooks come from a copy of our own file that takes the voltfix installed here instead of building an
environment, so that no test needs the network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PRE_COMMIT = shutil.which("pre-commit") or shutil.which("pre-commit", path=str(Path(sys.executable).parent))
pytestmark = pytest.mark.skipif(PRE_COMMIT is None, reason="pre-commit is not installed")
ROOT = Path(__file__).parent.parent.parent
HOOKS = ROOT / ".pre-commit-hooks.yaml"
WRAPPER = """from torch.autograd import Variable


def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)
"""
CALLER = """from utils import to_var


def run(net, x):
    y = net(to_var(x, volatile=True))
    print(y.data)
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    text = re.sub(r"(?m)^  additional_dependencies:.*\n", "", HOOKS.read_text())
    (hooks / ".pre-commit-hooks.yaml").write_text(text.replace("language: python", "language: system"))
    git(hooks, "init", "-q")
    git(hooks, "add", "-A")
    git(hooks, "commit", "-qm", "hooks")
    repository = tmp_path / "project"
    repository.mkdir()
    git(repository, "init", "-q")
    commit = git(hooks, "rev-parse", "HEAD")
    config = f"repos:\n  - repo: {hooks}\n    rev: {commit}\n    hooks: [{{id: voltfix}}]\n"
    (repository / ".pre-commit-config.yaml").write_text(config)
    return repository


def hook(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PRE_COMMIT_HOME": str(repository.parent / "cache"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    git(repository, "add", "-A")
    command = [PRE_COMMIT, "run", "--color=never", *arguments]
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)


def configurations() -> list[tuple[str, str]]:
    """The pre-commit configurations that the pages show, by page."""
    pages = [ROOT / "README.md", ROOT / "docs/tools.md"]
    fence = re.compile(r"(?s)```yaml[^\n]*\n(repos:.*?)```")
    return [(page.name, body) for page in pages for body in fence.findall(page.read_text())]


@pytest.mark.parametrize(("page", "text"), configurations(), ids=lambda value: value.split(":")[0])
def test_the_configurations_of_the_pages_work_as_written(page, text, repository):
    config = repository / ".pre-commit-config.yaml"
    own = dict(re.findall(r"(?m)(repo|rev): (.*)$", config.read_text()))
    text = re.sub(r"repo: /path/to/voltfix\b", f"repo: {own['repo']}", text)
    config.write_text(re.sub(r"rev: \w+", f"rev: {own['rev']}", text))
    (repository / "utils.py").write_text(WRAPPER)
    (repository / "main.py").write_text(CALLER)
    first = hook(repository)
    assert "files were modified by this hook" in first.stdout, first.stdout
    assert "no_grad" in (repository / "main.py").read_text()
    assert hook(repository).returncode == 0


def test_the_pages_show_a_hook_of_the_path_and_one_that_is_installed():
    assert [page for page, _ in configurations()] == ["README.md", "tools.md", "tools.md"]
    assert sum("repo: local" in text for _, text in configurations()) == 2


def test_our_file_is_a_valid_manifest():
    assert subprocess.run([PRE_COMMIT, "validate-manifest", str(HOOKS)]).returncode == 0


def test_the_hook_rewrites_over_several_files_and_is_content_afterwards(repository):
    (repository / "utils.py").write_text(WRAPPER)
    (repository / "main.py").write_text(CALLER)
    first = hook(repository)
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout
    assert "volatile" not in (repository / "utils.py").read_text()
    assert "no_grad" in (repository / "main.py").read_text()
    second = hook(repository)
    assert second.returncode == 0, second.stdout


def test_the_other_half_of_a_rewrite_need_not_be_staged(repository):
    (repository / "utils.py").write_text(WRAPPER)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "old", "--no-verify")
    (repository / "main.py").write_text(CALLER)
    hook(repository)
    assert "volatile" not in (repository / "utils.py").read_text()


def test_it_works_when_no_python_file_is_staged(repository):
    (repository / "notes.txt").write_text("nothing\n")
    done = hook(repository)
    assert done.returncode == 0
    assert "(no files to check)" in done.stdout


def test_it_works_in_a_repository_without_a_hit(repository):
    (repository / "a.py").write_text("x = 1\n")
    assert hook(repository).returncode == 0


def test_a_refusal_fails_the_hook_until_a_baseline_accepts_it(repository):
    source = "from torch.autograd import Variable\n\n\ndef f(net, x, o):\n    return net(Variable(x, **o))\n"
    (repository / "a.py").write_text(source)
    done = hook(repository)
    assert done.returncode == 1
    assert "refused (kwargs-dictionary)" in done.stdout
    command = [sys.executable, "-m", "voltfix", "--no-verify", "--write-baseline", "baseline.json", "."]
    subprocess.run(command, cwd=repository, capture_output=True)
    (repository / "pyproject.toml").write_text('[tool.voltfix]\nbaseline = "baseline.json"\n')
    again = hook(repository)
    assert again.returncode == 0, again.stdout


def test_the_verifying_hook_runs_what_it_rewrote(repository):
    pytest.importorskip("torch")
    config = repository / ".pre-commit-config.yaml"
    config.write_text(config.read_text().replace("id: voltfix", "id: voltfix-verify"))
    (repository / "a.py").write_text(
        "from torch.autograd import Variable\n\n\ndef f(net, x):\n    print(net(Variable(x, volatile=True)).data)\n"
    )
    done = hook(repository)
    assert done.returncode == 1
    assert "1 fixed (run and identical)" in done.stdout
    assert "[cpu identical]" in done.stdout
