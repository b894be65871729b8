"""Lines of two texts are brought together as difflib does it, and never in hours."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from voltfix.sources import alignment
from voltfix.sources.alignment import opcodes

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
