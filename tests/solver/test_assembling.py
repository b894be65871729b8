from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
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
