from __future__ import annotations

from alone import HELPER, START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.parting import parts_of
from voltfix.solver.plan import Decider

SHOW = """
def show(net, x):
    print(net(put(x, True)).data)
"""


def test_the_parts_are_the_helper_and_the_calls_that_hand_it_a_flag():
    code = project(main=START + HELPER + SHOW)
    decider = Decider(code, find(code), Options())
    parted = parts_of(decider, decider.plan(), set())
    assert len(parted.calls) == 2
    assert len(parted.inside) == 1
    assert set(parted.flags.values()) == {("off", "")}


def test_nothing_stands_apart_where_all_goes_together():
    code = project(main=START + HELPER.replace("return put(x, off=True)", "print(put(x, off=True).data)"))
    decider = Decider(code, find(code), Options())
    assert not parts_of(decider, decider.plan(), set()).calls
