"""Every case of tests/fixtures/edit, in several layouts; see cases.py for how they are written."""

from __future__ import annotations

import pytest

from voltfix.edit import apply, guard
from voltfix.model import Module

from .cases import Case, cases

ALL = list(cases())


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    edits = case.edits(case.before)
    result = apply(Module("a.py", case.before), edits)
    assert result == case.after
    assert guard.check(case.before, result, edits) == []


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_same_with_windows_newlines(case: Case) -> None:
    before, after = (text.replace("\n", "\r\n") for text in (case.before, case.after))
    assert apply(Module("a.py", before), case.edits(before)) == after


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_order_of_the_edits_does_not_matter_to_the_guard_and_no_edit_changes_nothing(case: Case) -> None:
    assert apply(Module("a.py", case.before), []) == case.before
    edits = case.edits(case.before)
    assert guard.check(case.before, apply(Module("a.py", case.before), edits[::-1]), edits) == []
