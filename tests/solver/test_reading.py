from __future__ import annotations

import pytest

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider


def test_a_read_becomes_a_question_for_grad_mode_where_all_that_is_volatile_runs_in_blocks():
    code = project(main=START + "def f(v):\n    if v.volatile:\n        return 1\n    return v.sum()")
    (change,) = Decider(code, find(code), Options()).plan().changes
    ((_, edits),) = change.edits
    assert [edit.text for edit in edits] == ["not torch.is_grad_enabled()"]


COPY = START + "def spread(x):\n    return Variable(x.data.exp(), volatile=x.volatile)\n"


def left(rest: str) -> set[str]:
    code = project(main=COPY + rest)
    return {decision.message for decision in Decider(code, find(code), Options()).plan().left}


def test_who_copies_a_flag_and_is_called_by_nobody_is_told_that_no_caller_hands_over_something_volatile():
    assert left("") == {"copies the flag of a parameter, and no caller is known to hand over a volatile tensor"}


@pytest.mark.parametrize("rest", [
    "def f():\n    return spread(Variable(torch.zeros(3)))\n",
    "def f(x):\n    return spread(x)\n\n\nf(Variable(torch.zeros(3)))\n",
    "class Loss(torch.nn.Module):\n    def forward(self, x, y):\n        return (x - spread(y)).sum()\n\n\n"
    "def train(x, y):\n    Loss()(Variable(x), Variable(y)).backward()\n",
])
def test_a_copied_flag_goes_where_all_callers_are_seen_to_hand_over_what_is_made_without_one(rest):
    assert not left("\n\n" + rest)


@pytest.mark.parametrize("rest", [
    "def f(x):\n    return spread(x)\n",
    "def f(net, x):\n    return spread(net(x))\n",
    "def f(batches):\n    return [spread(each) for each in batches]\n",
    "class Keeper:\n    def show(self):\n        return spread(self.x)\n",
    "def f(run):\n    return run(spread)\n\n\nspread(Variable(torch.zeros(3)))\n",
    "spread(Variable(torch.zeros(3)))\n\n\ndef f(x):\n    return spread(x)\n",
])
def test_a_copied_flag_stays_where_something_may_be_handed_over_that_was_not_seen_to_be_made(rest):
    assert left("\n\n" + rest) == {"copies the flag of a parameter, and not every caller is known"}


def test_a_copied_flag_that_a_caller_hands_over_goes_with_the_block_of_that_caller():
    made = "    x = Variable(torch.zeros(3), volatile=True)\n"
    assert not left("\n\ndef f(net):\n" + made + "    return net(spread(x)).data\n")
