from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver import refusing
from voltfix.solver.plan import Decider


def refused(text: str) -> list[str]:
    code = project(main=START + text)
    plan = Decider(code, find(code), Options()).plan()
    return [decision.refusal.reason for decision in plan.left if decision.refusal]


def test_gradients_of_something_volatile():
    assert refused("def f(net, x):\n    net(Variable(x, volatile=True)).backward()") == ["gradient-demanded"]


def test_code_that_is_never_reached():
    assert refused("def f(net, x):\n    return x\n    return net(Variable(x, volatile=True))") != []


def test_a_site_in_view_is_not_dead():
    code = project(main=START + "def f(net, x):\n    return net(Variable(x, volatile=True)).data")
    case = Decider(code, find(code), Options())
    case.plan()
    assert not refusing.is_dead(case, case.sites[0])
