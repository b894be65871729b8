"""A function that takes what it is given apart by calling itself comes to an end, whatever it is given."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from judging import check, judge

DATA = """
import torch.nn as nn
from others import convolution


class Layer(nn.Module):
    def __init__(self):
        super(Layer, self).__init__()
        self.out = convolution(3, 4)
        self.fill(self.out.bias.data)

    def fill(self, x):
        if isinstance(x, Variable):
            self.fill(x.data)
        return x.fill_(0.1)

    def forward(self, x):
        return self.out(x)


def f(t):
    net = Layer()
    y = net(Variable(t, volatile=True))
    return y.data
"""
APART = """
def wrapped(x, volatile=False):
    if isinstance(x, (list, tuple)):
        return [wrapped(y, volatile=volatile) for y in x]
    return Variable(x, volatile=volatile)


def f(net, loader):
    for x in loader:
        x = wrapped(x, volatile=True)
        assert False
        y = net(x)
        print(y.data)
"""


def test_what_asks_for_the_data_of_data_is_run_to_its_end():
    check(DATA)


def test_lists_that_are_taken_apart_on_a_way_that_cannot_go_on_are_no_recursion_without_end():
    after = APART.replace(", volatile=False", "").replace(", volatile=volatile", "").replace(", volatile=True", "")
    assert "recursion" not in (judge(APART, after)[1] or "")
    assert judge(APART, after.replace("y = net", "with torch.no_grad(): y = net"))[0] == "identical"


def test_a_function_that_calls_itself_for_ever_is_none_that_takes_something_apart():
    before = "def g(x):\n    return g(x)\n\ndef f(net, t):\n    g(t)\n"
    before += "    y = net(Variable(t, volatile=True))\n    return y\n"
    after = before.replace(", volatile=True", "").replace("    y = net", "    with torch.no_grad():\n        y = net")
    assert judge(before, after) == ("not-run", "a.py: f: recursion without end")
