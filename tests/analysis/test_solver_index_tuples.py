"""A volatile index alone makes what it takes volatile (1.06.indexing); one among several parts was not recorded."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

PAIRS = """\
import torch
from torch import nn
from torch.autograd import Variable


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)

    def forward(self, x):
        picked = Variable(torch.arange(0, 2).long(), volatile=True)
        features = self.base(x)
        other = features[{index}]
        return features[:2] - other


def train(net, optimizer, batches):
    for batch in batches:
        loss = net(Variable(batch)).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("index", ["picked, :", ":, picked", "(picked, 0)", "[picked, picked]", "..., picked",
                                   "picked, None", "tuple([picked, 0])"])
def test_no_block_comes_around_what_is_taken_out_by_several_parts_of_which_one_is_volatile(index):
    check_noop(PAIRS.format(index=index), reason="too-complex")


def test_where_the_tensor_is_volatile_itself_its_parts_are_whatever_they_are_taken_by():
    check_transformed("""\
import torch
from torch.autograd import Variable


def show(net, x):
    out = net(Variable(x, volatile=True))
    picked = Variable(torch.arange(0, 2).long(), volatile=True)
    print((out[picked, :] * 2).data)
""", """\
import torch
from torch.autograd import Variable


def show(net, x):
    with torch.no_grad():
        out = net(Variable(x))
    picked = Variable(torch.arange(0, 2).long())
    print((out[picked, :] * 2).data)
""")
