"""Rewrites run under today's torch, held against recordings of PyTorch 0.3.0 (``benchmarks/golden.py``).

All golden cases, and samples of the generated programs; all programs with VOLTFIX_ALL=1. A floor is what was
measured, less a few: a lower figure is a step back.
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from loaded import ran

if find_spec("torch") is None or not hasattr(os, "fork"):
    pytest.skip("rewrites are run under torch", allow_module_level=True)

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "fixtures" / "golden"
ALL = bool(os.environ.get("VOLTFIX_ALL"))
WRONG = {"DIFFERS", "graph kept", "not run", "UNTOUCHED CHANGED"}
Rows = list[dict[str, Any]]


def rows(*arguments: str) -> Rows:
    """What the benchmark says, one row for each case or program."""
    done = ran(ROOT / "benchmarks" / "golden.py", *arguments, "--json")
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def cases() -> Rows:
    return rows("cases", str(GOLDEN / "cases"))


@pytest.fixture(scope="module", params=[("programs", 6), ("programs-across", 7)], ids=["one-scope", "across"])
def programs(request: pytest.FixtureRequest) -> Rows:
    name, every = request.param
    found = rows("programs", str(GOLDEN / f"{name}.jsonl.gz"), "--every", "1" if ALL else str(every))
    return [row for row in found if row["kind"] != "not compared"]


@pytest.fixture(scope="module")
def projects() -> Rows:
    """Projects in which not every caller, value and class can be seen."""
    found = rows("programs", str(GOLDEN / "projects.jsonl.gz"), "--every", "1" if ALL else "8")
    return [row for row in found if row["kind"] != "not compared"]


def share(found: Rows) -> float:
    return sum(row["label"] == "right" for row in found) / len(found)


def test_no_case_is_changed_for_the_worse_without_a_refusal(cases):
    """But those that something besides volatile keeps from running today."""
    assert [row for row in cases if row["label"] in WRONG and "needs-modern" not in row["kind"]] == []


def test_what_is_to_stay_untouched_stays_so_to_the_byte(cases):
    untouched = [row for row in cases if "untouched" in row["kind"]]
    assert len(untouched) >= 5
    assert {row["label"] for row in untouched} == {"right"}


def test_nearly_all_cases_of_one_file_agree(cases):
    assert share([row for row in cases if row["kind"] == "one file"]) >= 0.95


def test_most_cases_of_several_files_agree(cases):
    assert share([row for row in cases if row["kind"] == "several"]) >= 0.8


def test_every_case_can_be_read(cases):
    assert len(cases) > 100
    assert [row["errors"] for row in cases if row["errors"]] == []


def test_no_program_is_changed_for_the_worse_without_a_refusal(programs):
    assert [row for row in programs if row["label"] in WRONG] == []


def test_nearly_all_programs_that_need_a_migration_agree(programs):
    needing = [row for row in programs if row["kind"] == "needs migration"]
    assert len(needing) >= 100
    assert share(needing) >= 0.93


def test_programs_that_agree_as_they_are_still_do(programs):
    fine = [row for row in programs if row["kind"] == "agrees unmigrated"]
    assert fine
    assert {row["label"] for row in fine} <= {"right", "refused-right"}


def test_no_project_is_changed_for_the_worse_without_a_refusal(projects):
    assert [row for row in projects if row["label"] in WRONG] == []


def test_most_projects_where_not_everything_can_be_seen_agree(projects):
    assert len(projects) >= 90
    assert share(projects) >= 0.65
