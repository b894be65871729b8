from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider


def test_a_flag_that_goes_without_a_block_says_why():
    code = project(main=START + "def f(x):\n    v = Variable(x, volatile=True)\n    return v.data")
    (change,) = Decider(code, find(code), Options()).plan().changes
    (decision,) = change.decisions
    assert decision.strategy == "drop"
    assert decision.evidence
