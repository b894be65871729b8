"""Objects that a function of the project gives in a tuple, beside one that trains: each name has its own class."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

HEAD = """\
import torch
from torch import nn
from torch.autograd import Variable


class Plain(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.fc = nn.Linear(size, size)

    def forward(self, x):
        return self.fc(x)


class Tuned(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)

    def forward(self, x):
        y = self.fc(x)
        y.sum().backward()
        return y


def build(size):
    plain = Plain(size).cuda()
    tuned = Tuned(size).cuda()
    return plain, tuned


"""
SHOW = """\
def show(xs):
    plain, tuned = build(4)
    for x in xs:
        out = plain(Variable(x, volatile=True))
        print(out.data)
    tuned(Variable(x))


show(torch.ones(3, 4))
"""
AFTER = SHOW.replace("        out = plain(Variable(x, volatile=True))", """\
        with torch.no_grad():
            out = plain(Variable(x))""")
RUN = "\n    def forward(self, x):\n        return self.fc(x)\n"
ASKED = "        self.fc = nn.Linear(size, size)\n" + RUN
assert HEAD.count(ASKED) == 1
UNDER_A_NAME = "        fc = nn.Linear(size, size)\n        self.fc = fc\n" + RUN


def test_a_network_out_of_a_tuple_is_no_other_that_trains() -> None:
    check_transformed(HEAD + SHOW, HEAD + AFTER)


def test_a_layer_that_has_a_name_first_is_a_layer() -> None:
    head = HEAD.replace(ASKED, UNDER_A_NAME)
    check_transformed(head + SHOW, head + AFTER)


@pytest.mark.parametrize("show", [
    SHOW.replace("plain, tuned =", "tuned, plain ="),
    SHOW.replace("    for x", "    if len(xs):\n        plain = tuned\n    for x"),
    SHOW.replace("    for x in xs:", "    for x, plain in zip(xs, [tuned]):"),
    SHOW.replace("def show(xs):", "def show(xs, plain=Tuned(4), tuned=Tuned(4)):").replace(
        "    plain, tuned =", "    if len(xs):\n        plain, tuned ="),
    SHOW.replace("    for x", "    with open('x') as plain:\n        plain = tuned\n    for x"),
    SHOW.replace("    for x", "    def swap():\n        nonlocal plain\n        plain = tuned\n    swap()\n    for x"),
    SHOW.replace("plain, tuned = build(4)", "plain, *more = build(4)\n    tuned = more[0]"),
    "def other(size):\n    return Tuned(size), Tuned(size)\n\n\ndef swap():\n    global build\n    build = other\n\n\n"
    + SHOW.replace("show(torch", "swap()\nshow(torch"),
])
def test_a_name_that_may_have_the_other_is_left_alone(show: str) -> None:
    check_noop(HEAD + show, reason="mixed-statement")


@pytest.mark.parametrize("maker", [
    "    if size > 4:\n        return tuned, plain\n    return plain, tuned\n",
    "    if size > 4:\n        plain = tuned\n    return plain, tuned\n",
    "    both = tuned, plain\n    return (*both,)\n",
    "    plain.forward = tuned.forward\n    return plain, tuned\n",
    "    plain.__class__ = Tuned\n    return plain, tuned\n",
    "    setattr(plain, NAME, tuned)\n    return plain, tuned\n",
])
def test_a_maker_that_may_give_another_there_or_makes_it_another_is_left_alone(maker: str) -> None:
    check_noop(HEAD.replace("    return plain, tuned\n", maker) + SHOW, reason="mixed-statement")


def test_a_class_whose_objects_set_any_name_on_themselves_says_nothing() -> None:
    head = HEAD.replace("    def forward(self, x):\n        return self.fc(x)\n", """\
    def forward(self, x):
        return self.fc(x)

    def put(self, name, value):
        setattr(self, name, value)
""")
    check_noop(head.replace("    return plain", "    plain.put(NAME, tuned)\n    return plain") + SHOW,
               reason="mixed-statement")


def test_a_class_of_which_others_set_any_name_on_themselves_says_what_it_is() -> None:
    bag = "class Bag:\n    def put(self, name, value):\n        setattr(self, name, value)\n"
    head = HEAD.replace("class Plain", bag + "\n\nclass Plain")
    check_transformed(head + SHOW, head + AFTER)


@pytest.mark.parametrize("made", [
    "        fc = nn.Linear(size, size)\n        fc.forward = Tuned(size)\n        self.fc = fc\n",
    "        fc = nn.Linear(size, size)\n        if size > 4:\n            fc = Tuned(size)\n        self.fc = fc\n",
    "        fc = nn.Linear(size, size)\n        self.fc = fc\n        self.fc = Tuned(size)\n",
    "        fc = nn.Linear(size, size)\n\n        def other():\n            nonlocal fc\n"
    "            fc = Tuned(size)\n        other()\n        self.fc = fc\n",
    "        row = nn.Sequential(nn.Linear(size, size))\n        row.add_module('last', Tuned(size))\n"
    "        self.fc = row\n",
    "        row = nn.Sequential(Tuned(size))\n        self.fc = row\n",
    "        row = nn.DataParallel(Tuned(size))\n        self.fc = row\n",
])
def test_a_name_that_may_be_something_else_or_hold_it_is_no_layer(made: str) -> None:
    head = HEAD.replace(ASKED, made + RUN)
    assert head != HEAD
    check_noop(head + SHOW, reason="mixed-statement")


RUNNER = HEAD.split("def build")[0] + """\
class Runner:
    def build(self, size):
        return Plain(size), Tuned(size)

    def show(self, xs):
        plain, tuned = self.build(4)
        for x in xs:
            out = plain(Variable(x, volatile=True))
            print(out.data)
        tuned(Variable(x))


"""
RUN_IT = "Runner().show(torch.ones(3, 4))\n"


def test_a_method_gives_what_the_one_method_of_its_name_gives() -> None:
    check_transformed(RUNNER + RUN_IT, (RUNNER + RUN_IT).replace(
        "            out = plain(Variable(x, volatile=True))",
        "            with torch.no_grad():\n                out = plain(Variable(x))"))


@pytest.mark.parametrize("more", [
    "class Other(Runner):\n    def build(self, size):\n        return Tuned(size), Plain(size)\n\n\nOther().show([])\n",
    "def other(size):\n    return Tuned(size), Plain(size)\n\n\n"
    "runner = Runner()\nrunner.build = other\nrunner.show([])\n",
])
def test_a_method_that_a_class_below_or_somebody_else_replaces_is_left_alone(more: str) -> None:
    check_noop(RUNNER + more + RUN_IT, reason="mixed-statement")
