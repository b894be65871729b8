"""A condition tells of this round of a loop alone: what an earlier one made volatile stays so, whatever it says now."""

from __future__ import annotations

import pytest
from trying import SAME, Told, project, search

from voltfix import core
from voltfix.model import Options
from voltfix.verify.client import verify

DREAM = """
def dream(model, seen, length, lead):
    state = model.begin()
    shown = []
    for at in range(length):
        if at > lead:
            word, state = model.step(word, state)
        else:
            word, state = model.step(Variable(seen[at], volatile=True), state)
        shown.append(word.data)
    return shown
"""
APART = """
def dream(model, seen, length, lead):
    shown = []
    for at in range(length):
        if at > lead:
            model.rest(at)
        else:
            word = model.step(Variable(seen[at], volatile=True))
            shown.append(word.data)
    return shown
"""


def offered(text: str) -> set[str]:
    told = Told(lambda item: SAME)
    core.migrate(project(text), Options(), told, search())
    return {line.strip() for item in told.items for after in item.after.values() for line in after.splitlines()
            if "grad" in line}


@pytest.mark.parametrize("text", [
    DREAM, DREAM.replace("for at in range(length):", "at = 0\n    while at < length:\n        at += 1"),
    DREAM.replace("at > lead", "shown and at > lead"),
])
def test_no_block_hangs_on_a_condition_that_changes_while_the_value_goes_round(text):
    assert not any("set_grad_enabled(" in line for line in offered(text))


def test_the_loop_is_what_is_chosen_when_it_is_run():
    result = core.migrate(project(DREAM), Options(), verify, search())
    assert "set_grad_enabled" not in result.outputs.get("a.py", b"").decode()


@pytest.mark.parametrize("text", [DREAM.replace("at > lead", "lead"), APART])
def test_where_no_value_goes_from_one_answer_to_the_other_the_arm_has_its_block(text):
    out = core.migrate(project(text), Options(), verify, search()).outputs["a.py"].decode()
    assert "        else:\n            with torch.no_grad():\n" in out
