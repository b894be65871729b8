from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider


def strategies(text: str) -> list[str | None]:
    code = project(main=START + text)
    changes = Decider(code, find(code), Options()).plan().changes
    return [decision.strategy for change in changes for decision in change.decisions]


def test_a_result_whose_flag_is_taken_away_is_detached_or_its_maker_covered():
    found = strategies("def f(net, x):\n    y = net(Variable(x, volatile=True))\n    y.volatile = False\n    return y")
    assert found
    assert set(found) <= {"no_grad", "drop", "detach"}
