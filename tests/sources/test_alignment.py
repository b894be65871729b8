"""Lines of two texts are brought together as difflib does it, and never in hours."""

from __future__ import annotations

import time
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voltfix.model import Span
from voltfix.pipeline.modernizing import _traced
from voltfix.report.html.sidebyside import side_by_side
from voltfix.report.hunks import hunks
from voltfix.sources import alignment
from voltfix.sources.alignment import grouped, opcodes
from voltfix.sources.diffs import unified

lines = st.lists(st.sampled_from("aabc"), max_size=12)


def check(old: list[str], new: list[str]) -> None:
    at_old = at_new = 0
    for tag, i1, i2, j1, j2 in opcodes(old, new):
        assert (i1, j1) == (at_old, at_new)
        assert (tag == "equal") <= (old[i1:i2] == new[j1:j2])
        at_old, at_new = i2, j2
    assert (at_old, at_new) == (len(old), len(new))


@given(lines, lines)
def test_every_line_is_accounted_for(old: list[str], new: list[str]) -> None:
    check(old, new)


@given(lines, lines)
def test_the_coarse_way_is_right_too(old: list[str], new: list[str]) -> None:
    before = alignment.MAX_PRODUCT
    alignment.MAX_PRODUCT = 0
    try:
        check(old, new)
    finally:
        alignment.MAX_PRODUCT = before


def test_a_hundred_thousand_equal_lines_take_no_hour() -> None:
    old = ["x = 1"] * 100_000
    start = time.process_time()
    kept = [o for o in opcodes(["a", *old, "b"], ["c", *old, "d"]) if o[0] == "equal"]
    assert sum(o[2] - o[1] for o in kept) == 100_000
    assert time.process_time() - start < 10


@given(lines, lines, st.integers(1, 3))
def test_groups_are_those_of_difflib_and_hold_every_change(old: list[str], new: list[str], context: int) -> None:
    matcher = SequenceMatcher(None, old, new, False)
    matcher.opcodes = list(opcodes(old, new))
    assert list(grouped(old, new, context)) == list(matcher.get_grouped_opcodes(context))
    groups = [operation for group in grouped(old, new, context) for operation in group]
    assert [o for o in groups if o[0] != "equal"] == [o for o in opcodes(old, new) if o[0] != "equal"]
    assert all(o[2] - o[1] <= 2 * context for o in groups if o[0] == "equal")


@pytest.mark.parametrize("lines", [["x = 1\n"] * 30_000, [f"x = {n % 120}\n" for n in range(30_000)]])
def test_everything_that_shows_what_changed_is_quick_in_long_files(lines: list[str]) -> None:
    text = "".join(lines)
    before, after = f"a\n{text}b\n", f"c\nnew\n{text}d\n"
    start = time.process_time()
    assert [(first, last) for first, last, _ in hunks(before, after)] == [(0, 1), (30_001, 30_002)]
    assert unified("a.py", before.encode(), after.encode()).count(b"\n@@") == 2
    shown = "".join(side_by_side(text[: len(text) // 2], "new\n" + text[: len(text) // 2], "a", str))
    assert shown.count("changed") == 1
    assert _traced(before, after, Span(after.index("d\n"), len(after))) == Span(before.index("b\n"), len(before))
    assert time.process_time() - start < 10
