"""A buffer is a plain tensor on 0.3, whatever is reckoned into it: who keeps a running mean in one keeps no graph."""

from __future__ import annotations

import pytest
from solving import becomes, refusals, source

from helpers import migrated

PROGRAM = """
import torch.nn as nn


class Balance(nn.Module):
    def __init__(self, keeps=False, rate=0.9):
        super(Balance, self).__init__()
        self.keeps, self.rate = keeps, rate
        {made}

    def forward(self, shown, wanted, marks):
        near = ((shown - wanted) ** 2).mean()
        far = (marks ** 2).sum()
        if self.keeps:
            {kept}
            share = float(self.near_mean)
        else:
            share = 2.0
        return share * near + far, near, far


def judge(net, balance, rows):
    seen = 0
    for x, y in rows:
        shown, wanted = Variable(x{flag}), Variable(y{flag})
        {block}marks = net(shown)
        {more}whole, near, far = balance(shown, wanted, marks)
        seen += whole.data[0]
    return seen


def learn(net, optimizer, rows):
    balance = Balance(keeps=True)
    for x, y in rows:
        whole, near, far = balance(Variable(x), Variable(y), net(Variable(x)))
        optimizer.zero_grad()
        whole.backward()
        optimizer.step()
    return judge(net, balance, rows)
"""
MADE = "if keeps:\n            self.register_buffer('near_mean', torch.zeros(1))"
KEPT = "self.near_mean = self.near_mean * self.rate + near.data * (1 - self.rate)"
BLOCK = {"flag": "", "block": "with torch.no_grad():\n            ", "more": "    "}
FLAG = {"flag": ", volatile=True", "block": "", "more": ""}


@pytest.mark.parametrize("kept", [
    KEPT, "self.near_mean *= self.rate\n            self.near_mean += near.data * (1 - self.rate)",
    "self.near_mean = torch.max(self.near_mean, near.data)",
])
def test_a_running_mean_in_a_buffer_has_no_graph(kept: str):
    becomes(PROGRAM.format(made=MADE, kept=kept, **FLAG), PROGRAM.format(made=MADE, kept=kept, **BLOCK))


@pytest.mark.parametrize(("made", "kept"), [
    ("self.near_mean = Variable(torch.zeros(1))", "self.near_mean = self.near_mean * self.scale"),
    (MADE, "self.near_mean = nn.Parameter(self.near_mean * 2)\n"
           "            self.near_mean = self.near_mean * self.scale"),
    (MADE.replace("torch.zeros(1)", "rate"), "self.near_mean = self.near_mean * self.scale"),
])
def test_what_is_kept_where_no_buffer_is_may_have_one(made: str, kept: str):
    made = "self.scale = nn.Parameter(torch.ones(1))\n        " + made
    result = migrated(source(PROGRAM.format(made=made, kept=kept, **FLAG)).encode())
    assert refusals(result)
