"""Fixtures for the batch: a git that knows nobody, small repositories, tasks for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batch_repositories import commit_all

from voltfix.batch import git
from voltfix.batch.model import Known, Outcome, Repository, Settings, Task

EVALUATE = """import torch
from torch.autograd import Variable


def evaluate(net, x):
    x = Variable(x, volatile=True)
    return net(x).data


def predict(net, x):
    x = Variable(x, volatile=True)
    return net(x).max(1)[1].data
"""
REFUSED = """from torch.autograd import Variable


def train(net, x):
    loss = net(Variable(x, volatile=True)).sum()
    loss.backward()
"""

Make = Callable[..., Path]
Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _bare_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No settings of the machine reach git here, and no notes of ours the user's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("notes")))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("EMAIL", "batch@example.org")
    git.environment.cache_clear()
    yield
    git.environment.cache_clear()


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a repository with these files."""

    def repository(name: str = "repo", files: Mapping[str, str | bytes] | None = None) -> Path:
        folder = tmp_path / "sources" / name
        for path, content in (files or {"a.py": EVALUATE}).items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        commit_all(folder)
        return folder

    return repository


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., Task]:
    """A task for a repository; settings by name."""

    def build(source: Path | str, known: Known | None = None, **settings: Any) -> Task:
        asked = replace(Settings(arguments=("--no-verify",), seconds=60), **settings)
        return Task(
            repository=Repository(Path(source).name, str(source)), settings=asked,
            clones=str(tmp_path / "clones"), scratch=str(tmp_path / "scratch"), date=1_600_000_000,
            identity=("voltfix", "voltfix@localhost"), known=known,
        )  # fmt: skip

    return build


@pytest.fixture
def run_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: Callable[..., Task]) -> Run:
    """Run the job of a task in this process."""
    from voltfix.batch import job

    def run(source: Path | str, known: Known | None = None, **settings: Any) -> Outcome:
        folder = tmp_path / f"job-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            return job.run(task(source, known, **settings), str(folder))

    return run
