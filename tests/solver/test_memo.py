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


def asks_for_a_block(machine):
    def run(asked):
        return (machine, 1) if asked["blocks"].get(7) is None else (None, 1)

    return run


def test_what_was_too_complex_is_so_whichever_blocks_are_planned():
    found = remembering({"blocks": View({})}, asks_for_a_block(None))
    assert found.agrees({"blocks": View({7: "a block"})})


def test_what_came_to_its_end_is_asked_for_again_under_other_blocks():
    found = remembering({"blocks": View({})}, asks_for_a_block(None))._replace(machine=object())
    assert not found.agrees({"blocks": View({7: "a block"})})


def test_what_was_too_complex_is_tried_again_where_something_else_is_refused():
    found = remembering({"refused": View({})}, lambda asked: (None, 1 + ("a" in asked["refused"])))
    assert not found.agrees({"refused": View({"a": True})})
