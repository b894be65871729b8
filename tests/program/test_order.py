from __future__ import annotations

import pytest

from voltfix.program.order import linearized


def test_a_class_comes_before_its_bases_and_bases_in_their_order():
    assert linearized([["B", "A"], ["C", "A"], ["B", "C"]]) == ["B", "C", "A"]


@pytest.mark.parametrize("lines", [[], [[]], [["A"], []]])
def test_what_is_empty_adds_nothing(lines):
    assert linearized(lines) == [name for line in lines for name in line]


def test_an_order_that_python_refuses_still_names_everybody():
    assert set(linearized([["A", "B"], ["B", "A"]])) == {"A", "B"}
