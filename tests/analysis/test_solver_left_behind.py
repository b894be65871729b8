"""What a forward leaves on its module from parameters alone has a graph on 0.3, and none in a block."""

from __future__ import annotations

import pytest
from solving import covers, source

from helpers import migrated


def refused(body: str) -> None:
    """The one site is refused, for whatever reason, and the file stays."""
    result = migrated(source(body))
    assert result.outputs == {}
    assert [site.status for site in result.sites] == ["refused"]


NET = """
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(3, 3)
        self.losses = {{}}

    def forward(self, x):
        h = self.fc(x)
        {leaves}
        return h


def main(data):
    {make}
    out = net(Variable(data, volatile=True))
    print(out.data.sum())
    {use}
"""


@pytest.mark.parametrize(
    ("leaves", "make", "use"),
    [
        ("self.losses['l2'] = (self.fc.weight ** 2).sum()", "net = Net()", "sum(net.losses.values()).backward()"),
        ("self.l2 = (self.fc.weight ** 2).sum()", "net = Net()", "net.l2.backward()"),
        ("self.l2 = (self.fc.weight ** 2).sum()", "net = nn.Sequential(Net(), nn.ReLU())", "net[0].l2.backward()"),
        ("self.l2 = (self.fc.weight ** 2).sum()", "net = nn.DataParallel(Net())", "net.module.l2.backward()"),
    ],
)
def test_a_regulariser_that_forward_leaves_behind_is_not_cut_off_by_a_block(leaves, make, use):
    refused(NET.format(leaves=leaves, make=make, use=use))


@pytest.mark.parametrize("base", ["object", "nn.Module"])
@pytest.mark.parametrize("make", ["Net()", "make_net()"])
@pytest.mark.parametrize(
    "use", ["self.net.l2.backward()", "(self.net(Variable(data)).sum() + self.net.l2).backward()", "return self.net.l2"]
)
def test_what_a_network_on_self_leaves_behind_is_not_cut_off_by_a_block(base, make, use):
    leaves = "self.l2 = (self.fc.weight ** 2).sum()"
    net = NET.format(leaves=leaves, make="net = Net()", use="").partition("def main")[0]
    refused(f"""{net}
class Trainer({base}):
    def __init__(self):
        super(Trainer, self).__init__()
        self.net = {make}

    def look(self, data):
        out = self.net(Variable(data, volatile=True))
        print(out.data.sum())
        {use}
""")


def test_what_a_replaced_forward_leaves_behind_is_not_cut_off_by_a_block():
    refused(
        """
def spy(net):
    old = net.forward
    def forward(x):
        net.last = (net.fc.weight ** 2).sum()
        return old(x)
    net.forward = forward


def main(net, data):
    spy(net)
    out = net(Variable(data, volatile=True))
    print(out.data.sum())
    net.last.backward()
""",
    )


def test_the_weights_of_what_ran_are_no_such_thing():
    covers(
        NET.format(leaves="pass", make="net = Net()", use="(net.fc.weight ** 2).sum().backward()"),
        inside=["out = net("],
        outside=["backward()"],
    )


TOLD = """
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, size):
        super(Net, self).__init__()
        self.fc = nn.Linear(size, 3)
        self.size = size
        self.seen = 0
        self.extra = None

    def forward(self, x):
        self.seen += 1
        {leaves}
        return self.fc(x)


def validate(net, data):
    total = 0
    for t in data:
        out = net(Variable(t, volatile=True))
        total += {told}
    return total


def main(data):
    net = Net(4)
    return validate(net, data)
"""


@pytest.mark.parametrize("told", ["out.data[0] * net.size", "out.data.sum() / net.seen", "(net.seen - 1)"])
def test_a_number_that_is_kept_on_a_network_is_nothing_that_its_run_left_behind(told):
    covers(TOLD.format(told=told, leaves="pass"), inside=["out = net("], outside=["total += ", "return total"])


@pytest.mark.parametrize(("leaves", "told"), [
    ("self.extra = self.fc.weight.norm()", "out.data.sum() + net.extra"),
    ("self.size = self.fc.weight.norm()", "out.data[0] * net.size"),
    ("self.seen += self.fc.weight.norm()", "out.data.sum() / net.seen"),
    ("self.seen = self.fc.weight.norm() * self.size", "(net.seen - 1)"),
    ("setattr(self, 'size', self.fc.weight.norm())", "out.data[0] * net.size"),
    ("net = self\n        net.size = self.fc.weight.norm()", "out.data[0] * net.size"),
])
def test_what_is_not_always_a_number_is_what_a_run_left_behind(leaves, told):
    refused(TOLD.format(told=told, leaves=leaves))


def test_of_a_network_that_comes_from_elsewhere_nothing_is_known():
    refused(TOLD.format(told="out.data[0] * net.size", leaves="pass").replace("net = Net(4)", "net = make_net()"))


SAVED = """
def shown(net, data):
    out = net(Variable(data, volatile=True))
    print(out.data.sum())
    return {{'weights': {weights}}}
"""


@pytest.mark.parametrize("weights", [
    "net.module.state_dict()", "net.module.state_dict() if data.is_cuda else net.state_dict()",
    "net.encoder.state_dict()['weight'] * 2", "net.optimizer.state_dict()",
])
def test_the_state_of_what_ran_is_data_and_no_graph(weights):
    covers(SAVED.format(weights=weights), ["net(Var"], ["return {"])


@pytest.mark.parametrize("weights", [
    "net.module.state_dict(keep_vars=True)",
    "net.module.state_dict(found)",  # may be a dictionary that holds anything
    "net.module.state_dict",
    "net.module.weights",
])
def test_what_is_more_than_the_state_of_what_ran_may_have_a_graph(weights):
    refused(SAVED.format(weights=weights))


def test_of_what_has_a_state_of_its_own_kind_nobody_knows_that_it_is_data():
    refused(SAVED.format(weights="net.module.state_dict()") + """

class Own(torch.nn.Module):
    def state_dict(self):
        return {'scale': self.scale}
""")
