from __future__ import annotations

from voltfix.program.closure import closure


def test_all_that_is_reached_step_by_step_and_the_starts_themselves():
    edges = {"a": {"b"}, "b": {"c", "a"}, "d": {"e"}}
    assert closure(["a"], edges) == {"a", "b", "c"}
    assert closure([], edges) == set()
