from __future__ import annotations

from voltfix.solver.memo import Run, View, remembering


def test_a_run_is_taken_again_while_all_that_it_asked_is_answered_as_before():
    setting = {"refused": View({"a": True})}

    def run(asked):
        return (None, asked["refused"].get("b")) and (None, 1)

    found: Run = remembering(setting, run)
    assert found.cost == 1
    assert found.agrees({"refused": View({"a": True})})
    assert found.agrees({"refused": View({"a": True, "c": True})})
    assert not found.agrees({"refused": View({"a": True, "b": True})})
