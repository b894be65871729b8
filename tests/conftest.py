"""Fixtures for all tests. This file also makes pytest put ``tests/`` on the path (``helpers``)."""

from __future__ import annotations

import compileall
import gc
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

# the same examples in every run; more, and others each time, with VOLTFIX_EXAMPLES
settings.register_profile("repeatable", derandomize=True)
os.environ.setdefault("VOLTFIX_CACHE", "")  # what was tried in one test is no other's business

if "VOLTFIX_EXAMPLES" not in os.environ:
    settings.load_profile("repeatable")

# what helpers assert is shown as what tests assert is
pytest.register_assert_rewrite("helpers", "solving", "support")

if TYPE_CHECKING:
    from helpers import Run, Tree

# one module at a time, and what the rest stands on: ``pytest -m quick``
QUICK = frozenset({"domains", "flags", "machine", "program", "rules", "solver", "sources", "torchmodel"})


def pytest_configure(config: pytest.Config) -> None:
    """Look for garbage seldom, as voltfix itself does: what is collected and loaded are many objects that stay.

    And compile voltfix once, for all the processes that tests start: where Python keeps no bytecode, each would.
    """
    gc.set_threshold(100_000, 10, 10)
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        import voltfix

        compileall.compile_dir(os.path.dirname(voltfix.__file__), quiet=2, workers=0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each process of ``-n`` a piece of the list, and half of another's rest when it is done: a file's tests stay
    together, so that what its fixtures start is started once, and nobody waits at the end.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the folders that are quick."""
    for item in items:
        if item.path.parent.name in QUICK:
            item.add_marker("quick")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files below the test's own folder, which is returned."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


@pytest.fixture
def voltfix(tmp_path: Path) -> Run:
    """Run the command line in a process of its own, in the test's own folder."""
    from forked import forked

    def run(
        *arguments: str, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return forked(*arguments, stdin=stdin, cwd=cwd or tmp_path)

    return run
