from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options, Plan
from voltfix.solver.plan import PHASES, Decider


def plan(text: str, options: Options | None = None) -> Plan:
    code = project(main=START + text)
    return Decider(code, find(code), options or Options()).plan()


def test_a_flag_and_its_block_are_one_change():
    (change,) = plan("def f(net, x):\n    return net(Variable(x, volatile=True)).data").changes
    assert [decision.strategy for decision in change.decisions] == ["no_grad"]


def test_what_is_held_is_refused():
    text = "def f(net, x):\n    return net(Variable(x, volatile=True)).data"
    code = project(main=START + text)
    (site,) = find(code)
    found = Decider(code, [site], Options(held=frozenset({(site.path, site.span.start)}))).plan()
    assert [decision.refusal.reason for decision in found.left] == ["held"]


def test_each_phase_has_a_name_and_a_sentence():
    assert len({phase.__name__ for phase in PHASES}) == len(PHASES)
    assert all(phase.__doc__ for phase in PHASES)
