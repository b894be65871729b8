"""No rule fires on a value that is not torch's: NumPy, chainer, and plain Python that looks the same."""

from __future__ import annotations

import pytest

from helpers import migrated
from voltfix.model import Options
from voltfix.modernize.registry import RULES

NUMPY = """\
import numpy as np
import torch

def loss_of(out, target):
    loss = np.mean((out - target) ** 2)
    return loss.data[0], loss.data.max(), np.array([1]).data[0]

def masks(x):
    rest = 1 - (np.asarray(x) == 0)
    y = np.ma.masked_array(x, mask=rest)
    z = np.array([1, 0], dtype=np.uint8)
    x = np.asarray(x)
    x[z] = 0
    return x.T.view(np.int8), np.add(x, 2, x), np.load("f")
"""

CHAINER = """\
import chainer
import chainer.functions as F
from chainer import Variable

def train(net, x, t):
    v = Variable(x, volatile='off')
    y = net(v)
    loss = F.softmax_cross_entropy(y, t)
    loss.backward()
    total = 0
    total += loss.data.sum()
    h = F.tanh(F.sigmoid(y))
    p = F.softmax(y)
    return loss.data[0], y.data.max(), 1 - (y.data == 0), isinstance(v, Variable), h, p
"""

PLAIN = """\
import torch

class Loss:
    data = [1.0]
    def backward(self):
        return self
    def masked_select(self, mask):
        return mask
    def view(self, *shape):
        return shape
    def add_(self, a, b):
        return a + b

class Variable:
    def __init__(self, x, requires_grad=False):
        self.data = [x]

def load(f):
    return f

def clip_grad_norm(p, n):
    return n

def sigmoid(x):
    return x

def train(queue):
    loss = Loss()
    loss.backward()
    v = Variable(3, requires_grad=True)
    net = load('f')
    net.eval()
    queue.next()
    clip_grad_norm(v, sigmoid(2))
    numbers = {1, 2}
    numbers.add(3)
    print(loss.data[0], loss.masked_select(v), loss.view(-1), loss.add_(1, v))
    return v.data[0], isinstance(v, Variable)
"""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
@pytest.mark.parametrize("source", [NUMPY, CHAINER, PLAIN], ids=["numpy", "chainer", "plain"])
def test_a_lookalike_stays(rule, source: str) -> None:
    result = migrated(source, options=Options(select=(rule.code,)))
    assert result.outputs == {}
    assert [row for row in result.modernized if row.status == "fixed"] == []


@pytest.mark.parametrize("source", [NUMPY, CHAINER, PLAIN], ids=["numpy", "chainer", "plain"])
def test_all_rules_together_leave_it_alone(source: str) -> None:
    assert migrated(source, options=Options(modernize=True)).outputs == {}


def test_a_file_with_both_chainer_and_torch_is_not_guessed_at() -> None:
    source = """\
        import chainer
        import torch
        def f(net, x):
            loss = net(x)
            loss.backward()
            return loss.data[0]
        """
    assert migrated(source, options=Options(modernize=True)).outputs == {}
