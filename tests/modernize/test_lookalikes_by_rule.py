"""For each rule: a line that it rewrites where the value is torch's, and the same line where it is NumPy's,
chainer's, or one of the project's own, of which it leaves every byte alone."""

from __future__ import annotations

import pytest

from helpers import migrated
from voltfix.model import Options
from voltfix.modernize.registry import RULES

TORCH = """\
import collections
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
net = nn.Linear(2, 2)
x = torch.zeros(2, 2)
y = torch.zeros(2, 2)
loss = F.mse_loss(x, y)
"""
# the same names, of other libraries or of the project itself
NUMPY = """\
import numpy as np
net = np.tanh
x = np.zeros((2, 2))
y = np.zeros((2, 2))
F = nn = torch = Variable = np
loss = np.mean(x)
"""
CHAINER = """\
import collections
import numpy as np
import chainer
import chainer.functions as F
import chainer.links as nn
import chainer as torch
from chainer import Variable
net = nn.Linear(2, 2)
x = Variable(np.zeros((2, 2)))
y = Variable(np.zeros((2, 2)))
loss = F.mean_squared_error(x, y)
loss.backward()
"""
PLAIN = """\
import torch as _torch
class Thing:
    def __init__(self, *a, **k): pass
    def __getattr__(self, name): return Thing()
    def __call__(self, *a, **k): return Thing()
    def __getitem__(self, i): return Thing()
    def __setitem__(self, i, v): pass
    def __lt__(self, other): return Thing()
    def __rsub__(self, other): return Thing()
net, x, y, loss, F, nn, torch, np, collections = (Thing() for _ in range(9))
Variable = Thing
"""
LINES = {
    "VF201": "z = Variable(x)\nz.requires_grad = True\nif isinstance(z, Variable): pass",
    "VF202": "z = loss.data[0]",
    "VF203": "z = x.cuda(asynC=True)",
    "VF204": "z = 1 - (x < 0)\nw = x[x.byte()]",
    "VF205": "z = F.mse_loss(x, y, size_average=False)\nc = nn.MSELoss()\nc.size_average = False",
    "VF206": "z = F.tanh(x)\nnn.init.xavier_uniform(x)\ny.addmm_(2, x, x)\nx.add_(2, y)\nz = torch.potrf(x)",
    "VF207": "z = x.data.max(1)",
    "VF208": "z = x.t().eq(y).view(-1)",
    "VF209": "z = collections.Iterable\nw = np.float(3)",
    "VF210": "z = torch.load('f')\nz.eval()",
    "VF211": "x[0] = y.view(2, 2)",
    "VF212": "def f():\n    total = 0\n    for i in range(3):\n        total += F.mse_loss(x, y)\n    print(total)",
    "VF213": "z = np.array([['<s>'] + row.split() for row in open('f')])",
    "VF214": "z = torch.from_numpy(np.sort(np.zeros(3))[::-1])",
    "VF215": "setattr(net, 'w', F.dropout(x, training=False))",
}
# these are about NumPy and Python: of NumPy's own they act rightly
ABOUT_NUMPY = {"VF209", "VF213"}
CASES = [
    (rule.code, name, head)
    for rule in RULES
    for name, head in (("numpy", NUMPY), ("chainer", CHAINER), ("plain", PLAIN))
    if not (rule.code in ABOUT_NUMPY and name != "plain")
]


def written(code: str) -> str:
    """The line as a file has it: ``async`` cannot stand in a source that Python reads."""
    return LINES[code].replace("asynC", "async") + "\n"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_acts_where_the_value_is_torchs(rule) -> None:
    result = migrated(TORCH + written(rule.code), options=Options(select=(rule.code,)))
    assert {row.code for row in result.modernized if row.status == "fixed"} == {rule.code}
    compile(result.outputs["a.py"], "a.py", "exec")


@pytest.mark.parametrize(("code", "name", "head"), CASES, ids=[f"{code}-{name}" for code, name, _ in CASES])
def test_leaves_a_lookalike_alone(code: str, name: str, head: str) -> None:
    result = migrated(head + written(code), options=Options(select=(code,)))
    assert result.outputs == {}
    assert [row for row in result.modernized if row.status == "fixed"] == []


@pytest.mark.parametrize("head", [CHAINER, PLAIN], ids=["chainer", "plain"])
def test_all_rules_together_leave_lookalikes_alone(head: str) -> None:
    lines = "".join(written(code) for code in LINES if code not in ABOUT_NUMPY)
    assert migrated(head + lines, options=Options(modernize=True)).outputs == {}
