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


@pytest.mark.parametrize("rest", ["", "\n\ndef f():\n    return spread(Variable(torch.zeros(3)))\n"])
def test_who_copies_a_flag_is_not_said_to_have_no_caller_where_one_hands_over_nothing_volatile(rest):
    code = project(main=COPY + rest)
    messages = {decision.message for decision in Decider(code, find(code), Options()).plan().left}
    assert messages == {"copies the flag of a parameter, and no caller is known to hand over a volatile tensor"}
