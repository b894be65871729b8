"""Loops that may have no round: what 0.3 raised at then, and lists that they fill."""

from __future__ import annotations

import pytest

from alone import forbids, needs, ran

SUM = """
from torch import nn
import torch.nn.functional as F

def f(n):
    layer, x = nn.Linear(2, 2), Variable(torch.ones(2), volatile=True)
    total = {start}
    for _ in range(n):
        total = total + x
    {use}
    return y
"""


@pytest.mark.parametrize("use", ["y = layer(total)", "y = layer(F.relu(total))", "y = layer(nn.Tanh()(total))"])
def test_a_layer_that_is_given_the_number_a_sum_began_with_raised(use):
    made = ran(SUM.format(start="0", use=use))
    assert (needs(made), forbids(made)) == ([10], [])


@pytest.mark.parametrize(("start", "use"), [
    ("Variable(torch.zeros(2))", "y = layer(total)"),
    ("None", "y = layer(total)"),
    ("0", "y = layer(total + Variable(torch.zeros(2)))"),
    ("0", "y = layer(torch.ones(2) if total is 0 else total)"),
])
def test_what_may_be_a_tensor_did_not(start, use):
    assert forbids(ran(SUM.format(start=start, use=use))) == [10]


def test_what_is_caught_is_not_raised():
    text = "try:\n        y = layer(total)\n    except TypeError:\n        y = layer(Variable(torch.zeros(2)))"
    assert 13 in forbids(ran(SUM.format(start="0", use=text)))


FILLED = """
from torch import nn

def f(given, on):
    net, found = nn.GRU(2, 2), []
    {before}
    for x in given:
        {fill}
    y = net(torch.cat({joined}))
    return y
"""
ONE = "found.append(Variable(x, volatile=True))"


@pytest.mark.parametrize(("before", "fill"), [
    ("pass", ONE),
    ("found = []", f"{ONE}\n        if on: break"),
    ("pass", f"if on: {ONE}"),
    ("pass", f"if on: continue\n        {ONE}"),
    ("pass", f"{ONE}\n        if on: found.pop()"),
    ("pass", f"{ONE}\n        if on: found = []"),
    ("found = on", ONE),
    ("on.kept = found", f"{ONE}; on.clear()"),
])
def test_a_list_that_a_loop_fills_may_stay_empty_or_hold_something_else(before, fill):
    text = FILLED.format(before=before, fill=fill, joined="[Variable(given.first)] + found")
    assert text[: text.index("y = net")].count("\n") + 1 in forbids(ran(text))


@pytest.mark.parametrize(("before", "fill", "empty"), [
    ("pass", ONE, False),
    ("pass", f"if on: continue\n        {ONE}", False),
    ("pass", f"{ONE}\n        if on: found.pop()", False),
    ("found = on", ONE, True),
    ("on.kept = found", f"{ONE}; on.fill()", True),
    ("on(found)", ONE, True),
    ("found = [Variable(given.first)]", ONE, True),
])
def test_what_was_joined_out_of_a_list_that_a_loop_fills_was_in_it(before, fill, empty):
    text = FILLED.format(before=before, fill=fill, joined="found")
    assert (text[: text.index("y = net")].count("\n") + 1 in forbids(ran(text))) == empty


def test_the_base_class_of_a_module_computes_nothing_when_it_is_made():
    text = """
from torch import nn

class Pad(torch.autograd.Function):
    def __init__(self, n):
        super(Pad, self).__init__()
        self.n = n

def f(x):
    return Pad(1)(x)
"""
    assert forbids(ran(text)) == forbids(ran(text.replace("super(Pad, self).__init__()", "pass")))
