"""After ``for i in range(len(xs)): xs[i] = Variable(...)`` no element of a list is what it was before."""

from __future__ import annotations

import pytest

from alone import forbids, needs, ran

MADE = """
def keep(xs, x):
    xs.append(x)
    return Variable(x)

def f(net, x, y, flags, zs):
    xs = [Variable(x, volatile=True), Variable(y, volatile=True)]
    {loop}
    return net(xs[{at}])
"""
GIVEN = """
def f(net, x, flags):
    xs = net(Variable(x, volatile=True))
    {asked}
    for i in range(len(xs)):
        xs[i] = {made}
    return net(xs)
"""


@pytest.mark.parametrize("loop", [
    "for i in range(len(xs) - 1): xs[i] = Variable(xs[i].data)",
    "for i in range(1, len(xs)): xs[i] = Variable(xs[i].data)",
    "for i in range(len(zs)): xs[i] = Variable(xs[i].data)",
    "for i in range(len(xs)): xs[0] = Variable(xs[i].data)",
    "for i in range(len(xs)): xs[i - 1] = Variable(xs[i].data)",
    "for i in range(len(xs)): xs[i] = Variable(xs[i].data, volatile=True)",
    "for i in range(len(xs)): xs[i] = Variable(xs[i].data, volatile=flags[i])",
    "for i in range(len(xs)): xs[i] = keep(xs, xs[i].data)",
    "for i in range(len(xs)): xs[i] = Variable(keep(xs, xs[i]).data)",
    "for i in range(len(xs)):\n        if flags: xs[i] = Variable(xs[i].data)",
    "for i in range(len(xs)):\n        if flags: break\n        xs[i] = Variable(xs[i].data)",
    "def range(n): return []\n    for i in range(len(xs)): xs[i] = Variable(xs[i].data)",
])
def test_where_one_may_be_left_it_is_volatile(loop):
    assert needs(ran(MADE.format(loop=loop, at=1)))


@pytest.mark.parametrize("at", ["0", "1", "-1", "flags"])
@pytest.mark.parametrize("made", ["Variable(xs[i].data)", "Variable(xs[i].data.clone().cpu(), volatile=False)"])
def test_all_are_replaced(made, at):
    assert not needs(ran(MADE.format(loop=f"for i in range(len(xs)): xs[i] = {made}", at=at)))


@pytest.mark.parametrize(("asked", "made"), [
    ("pass", "Variable(xs[i].data)"),  # written into, a tensor stays what it is
    ("if isinstance(xs, (list, Variable)): pass", "Variable(xs[i].data)"),
    ("if not isinstance(xs, list): return", "Variable(xs[i].data, volatile=True)"),
    ("if not isinstance(xs, dict): return", "Variable(xs[i].data)"),
])
def test_what_may_be_no_list_stays_volatile(asked, made):
    assert 7 in needs(ran(GIVEN.format(asked=asked, made=made)))


def test_a_list_that_a_network_gave_is_replaced_as_well():
    assert needs(ran(GIVEN.format(asked="if not isinstance(xs, (list, tuple)): return",
                                  made="Variable(xs[i].data)"))) == [3]


def test_nothing_gets_volatile_by_a_loop_that_may_run_no_round():
    made = ran("""
def f(net, x, xs):
    if isinstance(xs, list):
        for i in range(len(xs)):
            xs[i] = Variable(xs[i].data, volatile=True)
        return net(xs)
""")
    assert needs(made) == [6]
    assert 6 in forbids(made)  # where it is empty
