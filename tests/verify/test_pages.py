"""A process whose memory was put on huge pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from voltfix.verify import pages

PROGRAM = """
import os, sys
from voltfix.verify import pages
held = [str(number) * 50 for number in range(200_000)]
before = hash(tuple(held))
count = pages.collapse()
child = os.fork()
if not child:
    held[0] = "of the child"
    os._exit(0)
_, status = os.waitpid(child, 0)
print(count >= 0, status, hash(tuple(held)) == before)
"""


def test_what_a_process_holds_is_the_same_on_huge_pages_and_a_fork_leaves_it_alone() -> None:
    places = str(Path(pages.__file__).parents[2])
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={"PYTHONPATH": places}, check=True
    )
    assert found.stdout.split() == ["True", "0", "True"]


def test_where_there_are_no_such_pages_nothing_is_done(monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert pages.collapse() == 0
