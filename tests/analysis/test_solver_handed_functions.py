"""Functions that callers hand over to be called, several or with arguments filled in: only those that learn ask."""

from __future__ import annotations

import pytest
from solving import becomes, stays

RATE = """
import functools
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 4)

    def forward(self, x):
        return self.last(x)


def squared(guess, truth, scale=1):
    return F.mse_loss(guess, truth) * scale


def absolute(guess, truth, scale=1):
    return F.l1_loss(guess, truth) * scale


def weighed(guess, truth, net):
    return F.mse_loss(net(guess), truth)


def rate(net, rows, measure):
    total = 0.0
    for x, y in rows:
        x = Variable(x{flag})
        guess = net(x)
        audit.note("rated", total, list(map(str, rows)))
        {measured}total += measure(guess, Variable(y)).data[0]
    return total


def main(args, rows):
    net = Net()
    {use}


main(options(), read())
"""
GUESS, BLOCK = "guess = net(x)", "with torch.no_grad():\n            guess = net(x)"
MEASURE = "with torch.no_grad():\n            "


def program(use: str, flag: str = "", measured: str = "") -> str:
    text = RATE.format(use=use, flag=flag, measured=measured)
    return text if flag else text.replace(GUESS, BLOCK)


@pytest.mark.parametrize("use", [
    "rate(net, rows, functools.partial(squared, scale=2))",
    "rate(net, rows, functools.partial(squared, scale=2) if args.far else functools.partial(absolute, scale=3))",
    "rate(net, rows, squared)\n    rate(net, rows, absolute)",
    "measure = squared if args.far else absolute\n    rate(net, rows, measure)",
    "rate(net, rows, squared)\n    rate(net, rows, nn.MSELoss())",
])
def test_what_only_measures_has_no_block(use: str):
    becomes(program(use, ", volatile=True"), program(use))


@pytest.mark.parametrize("use", [
    "rate(net, rows, functools.partial(weighed, net=net))",
    "rate(net, rows, functools.partial(squared, scale=net.last.weight.sum()))",
    "rate(net, rows, functools.partial(elsewhere.measure, scale=2))",
    "rate(net, rows, squared)\n    rate(net, rows, functools.partial(weighed, net=net))",
    "rate(net, rows, squared if args.far else functools.partial(weighed, net=net))",
    "rate(net, rows, squared)\n    rate(net, rows, elsewhere.measure)",
])
def test_what_may_compute_with_weights_keeps_its_block(use: str):
    becomes(program(use, ", volatile=True"), program(use, measured=MEASURE))


RUN = """
import functools
import torch.nn as nn


def learn(net, x, step=1):
    loss = net(Variable(x)).sum()
    return loss


def look(net, x, step=1):
    {first}return net(Variable(x{flag})).sum()


def run(net, rows, go, optimizer=None):
    for x in rows:
        found = go(net, x)
        if optimizer is not None:
            optimizer.zero_grad()
            found.backward()
            optimizer.step()


def main(args, rows):
    net = nn.Linear(4, 4)
    {use}


main(options(), read())
"""


@pytest.mark.parametrize("use", [
    "run(net, rows, learn, torch.optim.SGD(net.parameters(), 0.1))\n    run(net, rows, look)",
    "run(net, rows, functools.partial(learn, step=2), torch.optim.SGD(net.parameters(), 0.1))\n"
    "    run(net, rows, functools.partial(look, step=3))",
])
def test_of_several_the_one_that_learns_keeps_its_graph(use: str):
    becomes(RUN.format(use=use, flag=", volatile=True", first=""),
            RUN.format(use=use, flag="", first="with torch.no_grad():\n        "))


BOTH = """
import torch.nn as nn


def learn(net, x):
    loss = net(x).sum()
    loss.backward()
    return loss


def look(net, x):
    return net(x).sum()


def run(net, rows, go):
    for x in rows:
        go(net, Variable(x, volatile=True))


def main(args, rows):
    net = nn.Linear(4, 4)
    run(net, rows, {first})
    run(net, rows, {second})


main(options(), read())
"""


@pytest.mark.parametrize(("first", "second"), [("learn", "look"), ("look", "learn")])
def test_what_one_of_several_goes_back_through_has_no_block(first: str, second: str):
    stays(BOTH.format(first=first, second=second), reason="gradient-demanded")
