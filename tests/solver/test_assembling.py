from __future__ import annotations

import pytest

from alone import START, project
from voltfix.domains.conditions import OutOfBudget
from voltfix.flags.sites import find
from voltfix.machine.execute import Interpreter
from voltfix.model import Look, Options
from voltfix.solver.plan import Decider

TWO = """
def f(net, x):
    return net(Variable(x, volatile=True)).data

def g(net, x):
    return net(Variable(x, volatile=True)).data
"""


def test_sites_that_share_no_edit_are_changes_of_their_own_in_the_order_of_the_text():
    code = project(main=START + TWO)
    plan = Decider(code, find(code), Options()).plan()
    assert [change.id for change in plan.changes] == ["c1", "c2"]
    assert [name for change in plan.changes for _, name in change.touched] == ["f", "g"]


def test_every_decision_has_a_message_and_evidence():
    code = project(main=START + TWO)
    for change in Decider(code, find(code), Options()).plan().changes:
        assert all(decision.message and decision.evidence for decision in change.decisions)


def test_a_plan_says_how_closely_each_function_was_looked_at():
    code = project(main=START + TWO)
    assert Decider(code, find(code), Options()).plan().looked == (
        Look(path="main.py", name="f"), Look(path="main.py", name="g"))


def test_a_plan_says_what_was_given_up_where_a_budget_ran_out(monkeypatch):
    run_body = Interpreter.run_body

    def run(machine, function, frame):
        if not machine.precision.given_up and function.node.name == "g":
            raise OutOfBudget("too many paths")
        return run_body(machine, function, frame)

    monkeypatch.setattr(Interpreter, "run_body", run)
    code = project(main=START + TWO)
    looked = Decider(code, find(code), Options()).plan().looked
    assert sorted(looked, key=lambda look: look.grown) == [
        Look(path="main.py", name="f"), Look("conditions", "too many paths", path="main.py", name="g")]


def test_a_function_that_is_too_complex_at_any_precision_is_said_not_to_be_followed(monkeypatch):
    def run(machine, function, frame):
        raise OutOfBudget("too many steps")

    monkeypatch.setattr(Interpreter, "run_body", run)
    code = project(main=START + TWO)
    looked = Decider(code, find(code), Options()).plan().looked
    assert {(look.grown, look.followed) for look in looked} == {("too many steps", False)}


@pytest.mark.parametrize(("given", "said"), [
    ("Variable(x, False, True).data", "removed the third argument, True: nothing computes with the tensor"),
    ("Variable(x, False, False).data", "removed the third argument, False: it is the default"),
    ("Variable(x, volatile=False).data", "removed volatile=False: it is the default"),
])
def test_a_flag_that_stands_without_its_name_is_called_by_its_place(given: str, said: str):
    code = project(main=START + f"def f(x):\n    return {given}")
    (change,) = Decider(code, find(code), Options()).plan().changes
    assert [decision.message for decision in change.decisions] == [said]
