from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider

TEXT = START + """
def _to_var(x, volatile=False):
    return Variable(x, volatile=volatile)

def f(net, x):
    return net(_to_var(x, volatile=True)).data

def g(net, x):
    return net(_to_var(x))
"""


def test_a_parameter_that_only_carried_the_flag_goes_with_what_fed_it():
    code = project(main=TEXT)
    (change,) = Decider(code, find(code), Options()).plan().changes
    assert {decision.site.kind.value for decision in change.decisions} == {"VF101", "VF102"}


def test_with_signatures_kept_it_stays():
    code = project(main=TEXT)
    plan = Decider(code, find(code), Options(keep_signatures=True)).plan()
    edits = [edit for change in plan.changes for _, some in change.edits for edit in some]
    assert not any(type(edit).__name__ == "DropParameter" for edit in edits)
