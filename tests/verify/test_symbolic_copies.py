"""A deep copy is nobody else's: what is frozen in it, or trained, is frozen or trained nowhere else."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged  # noqa: E402

NETS = """
import copy
from copy import deepcopy
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.layer = nn.Linear(2, 2)
        self.parts = [nn.Linear(2, 2)]

    def forward(self, x):
        return self.layer(self.parts[0](x))

class Handed(Net):
    def __deepcopy__(self, memo):
        made = Handed()
        made.layer = copy.deepcopy(self.layer, memo)
        made.parts = copy.deepcopy(self.parts, memo)
        return made

"""
FROZEN = """
def f(given, x):
    {net}
    ghost = {copy}
    for each in ghost.parameters():
        {freeze}
    a = ghost(Variable(x, volatile=True))
    b = net(Variable(x))
    b.sum().backward()
    return b
"""
MADE = ["net = given", "net = Net()", "net = Handed()", "net = nn.Linear(2, 2)", "net = given.parts['net']"]
FREEZE = ["each.detach_()", "each.requires_grad = False", "each.volatile = True", "each.requires_grad_(False)"]


def around(text: str, line: str) -> str:
    return unflagged(text).replace(line, f"with torch.no_grad(): {line}")


@pytest.mark.parametrize("freeze", FREEZE)
@pytest.mark.parametrize("net", MADE)
def test_a_block_over_what_is_trained_is_seen_though_a_copy_of_it_is_frozen(net: str, freeze: str):
    before = NETS + FROZEN.format(net=net, copy="deepcopy(net)", freeze=freeze)
    assert judge(before, around(before, "a = ghost")) == ("identical", None)
    assert judge(before, around(around(before, "a = ghost"), "b = net"))[0] == "different"


@pytest.mark.parametrize("copy", ["copy.deepcopy([net, net])[1]", "copy.deepcopy({'a': (net,)})['a'][0]"])
def test_what_lies_in_a_container_is_copied_with_it(copy: str):
    before = NETS + FROZEN.format(net="net = Net()", copy=copy, freeze=FREEZE[0])
    assert judge(before, around(before, "a = ghost")) == ("identical", None)
    assert judge(before, around(around(before, "a = ghost"), "b = net"))[0] == "different"


AGAIN = """
def f(given, x):
    net = {net}
    for each in net.parameters():
        {freeze}
    {ghost}
    a = net(Variable(x, volatile=True))
    for each in net.parameters():
        each.requires_grad = True
    b = net(Variable(x))
    c = ghost(Variable(x))
    (b + c).sum().backward()
    return b
"""


@pytest.mark.parametrize("ghost", ["ghost = net", "ghost = copy.deepcopy(net)", "ghost = copy.copy(net)"])
@pytest.mark.parametrize("net", ["given", "Net()", "nn.Linear(2, 2)"])
def test_parameters_that_are_detached_in_place_are_the_same_leaves_when_they_are_trained_again(net: str, ghost: str):
    before = NETS + AGAIN.format(net=net, freeze="each.detach_()", ghost=ghost)
    assert judge(before, around(before, "a = net")) == ("identical", None)
    assert judge(before, around(around(before, "a = net"), "b = net"))[0] == "different"


TRAINED = """
def f(given, x):
    net = {net}
    ghost = copy.deepcopy(net)
    for each in net.parameters():
        each.requires_grad = False
    a = net(Variable(x, volatile=True))
    b = ghost(Variable(x))
    b.sum().backward()
    return b
"""


@pytest.mark.parametrize("net", ["given", "Net()", "nn.Linear(2, 2)"])
def test_a_copy_is_trained_though_what_it_was_made_of_is_frozen(net: str):
    before = NETS + TRAINED.format(net=net)
    assert judge(before, around(before, "a = net")) == ("identical", None)
    assert judge(before, around(around(before, "a = net"), "b = ghost"))[0] == "different"


LEAF = """
def f(x):
    weight = nn.Parameter(torch.zeros(2))
    other = copy.deepcopy(weight)
    other.requires_grad = False
    a = (weight * Variable(x, volatile=True)).sum()
    b = (weight * Variable(x)).sum()
    b.backward()
    return b
"""


def test_a_copy_of_one_parameter_is_another_parameter():
    before = NETS + LEAF
    assert judge(before, around(before, "a = (")) == ("identical", None)
    assert judge(before, around(around(before, "a = ("), "b = ("))[0] == "different"


KEPT = """
def f(net, x):
    v = Variable(x, volatile=True)
    w = copy.deepcopy([v])[0]
    return net(w)
"""


def test_a_copy_of_what_is_volatile_is_volatile():
    before = NETS + KEPT
    assert judge(before, around(before, "return net(w)")) == ("identical", None)
    assert judge(before, unflagged(before))[0] == "different"


CIRCLE = """
class Tree(object):
    def __init__(self, net):
        self.net, self.top, self.all = net, self, {{}}
        self.all['me'] = [self]

def f(net, x):
    tree = copy.deepcopy(Tree(net))
    again = tree.all['me'][0].top
    for each in {which}.net.parameters():
        each.requires_grad = False
    a = net(Variable(x, volatile=True))
    b = tree.net(Variable(x))
    c = net(Variable(x))
    (b + c).sum().backward()
    return b
"""


def test_what_holds_itself_is_copied_once():
    before = NETS + CIRCLE.format(which="again")
    assert judge(before, around(before, "a = net")) == ("identical", None)
    assert judge(before, around(around(before, "a = net"), "b = tree")) == ("identical", None)  # that is frozen
    assert judge(before, around(around(before, "a = net"), "c = net"))[0] == "different"
