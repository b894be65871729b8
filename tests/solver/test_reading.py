from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider


def test_a_read_becomes_a_question_for_grad_mode_where_all_that_is_volatile_runs_in_blocks():
    code = project(main=START + "def f(v):\n    if v.volatile:\n        return 1\n    return v.sum()")
    (change,) = Decider(code, find(code), Options()).plan().changes
    ((_, edits),) = change.edits
    assert [edit.text for edit in edits] == ["not torch.is_grad_enabled()"]
