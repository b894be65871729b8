"""The sites of all golden cases, as checked by hand: ``golden_sites.txt`` holds a line for each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_projects import listed

from voltfix.model import Module
from voltfix.program.resolve import Project
from voltfix.sources import Document, load

CASES = Path(__file__).parents[1] / "fixtures" / "golden" / "cases"
NAMES = sorted(case.name for case in CASES.iterdir())
EXPECTED = (Path(__file__).parent / "golden_sites.txt").read_text(encoding="utf-8").splitlines()


def modules(case: str) -> list[Module]:
    legacy = CASES / case / "legacy"
    found: list[Module] = []
    for file in sorted(legacy.rglob("*.py")):
        document = load(file.relative_to(legacy).as_posix(), file.read_bytes())
        assert isinstance(document, Document)
        found += document.modules
    return found


@pytest.mark.parametrize("case", NAMES)
def test_the_sites_of_a_golden_case(case):
    wanted = [row.split(" ", 1)[1] for row in EXPECTED if row.startswith(f"{case} ")]
    assert listed(Project(modules(case))) == wanted


@pytest.mark.parametrize("case", [name for name in NAMES if not name.startswith("untouched_")])
def test_no_flag_that_a_search_finds_is_missing(case):
    """A search knows nothing of names: each ``volatile=`` in a call and each ``.volatile`` but self's has its site."""
    for module in modules(case):
        found = {row.split(" ")[0] for row in listed(Project(modules(case)))}
        for number, line in enumerate(module.text.splitlines(), 1):
            code = line.split("#")[0]
            mentions = re.search(r"volatile=", code) and not re.match(r"\s*def ", code)
            if mentions or re.search(r"(?<!self)\.volatile", code):
                assert f"{module.path}:{number}" in found, line
