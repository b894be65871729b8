"""A method that reads what others leave on self now volatile, now not, is looked at as its callers call it."""

from __future__ import annotations

from textwrap import indent

import pytest
from solving import covers, stays

TRAINER = """
import torch.nn as nn

class Trainer(object):
    def __init__(self, by_left):
        self.by_left, self.left, self.right = by_left, nn.Linear(3, 3), nn.Linear(3, 3)

    def show(self, x, y):
        self.x = Variable(x, volatile=True)
        self.y = Variable(y, volatile=True)
        return self.left(self.x) + self.right(self.y)

    def load(self, x, y):
        self.x, self.y = Variable(x), Variable(y)

    def learn(self):
        a, b = self.left(self.x).sum(), self.right(self.y).sum()
        if self.by_left:
            self.loss = a
        else:
            self.loss = b
        self.loss.backward()

    def step(self, x, y):
        self.load(x, y)
        self.learn()
"""
BELOW = """class Twice(Trainer):
    def learn(self):
        a, b = self.left(self.x).sum(), self.right(self.y).sum()
        self.loss = a * 2 if self.by_left else b * 2
        self.loss.backward()"""


def trainer(method: str = "", beside: str = "") -> str:
    """The class with one more method, and something beside it."""
    return f"{TRAINER}\n{indent(method, '    ')}\n\n\n{beside}\n"


@pytest.mark.parametrize("body", [
    trainer(),
    trainer("def also(self, x):\n    self.load(x, x)\n    self.learn()"),
    trainer("def also(self, x):\n    self.load(x, x)\n    self.now()\n\ndef now(self):\n    self.learn()"),
    trainer(beside=BELOW),
    trainer(beside="def run(x):\n    Trainer(True).step(x, x)"),
])  # fmt: skip
def test_what_every_caller_makes_anew_is_not_volatile_there(body):
    covers(body, ["return self.left(self.x) + self.right(self.y)"], ["a, b = self.left"])


@pytest.mark.parametrize("body", [
    trainer("def again(self):\n    self.learn()"),
    trainer("def again(self, x, fresh):\n    if fresh:\n        self.load(x, x)\n    self.learn()"),
    trainer("def again(self, x):\n    self.learn()\n    self.load(x, x)"),
    trainer("def again(self, xs):\n    for x in xs:\n        self.learn()\n        self.load(x, x)"),
    trainer("def again(self):\n    self.now()\n\ndef now(self):\n    self.learn()"),
    trainer("def give(self):\n    return self.learn"),
    trainer(beside="Trainer(True).learn()"),
    trainer(beside="def more(it):\n    it.learn()"),
    trainer(beside="def more(it):\n    getattr(it, 'learn')()"),
    trainer(beside="class Other(Trainer):\n    def step(self, x, y):\n        self.learn()"),
])  # fmt: skip
def test_a_caller_that_may_find_it_volatile_leaves_all_as_it_is(body):
    stays(body, "state-mixed")


def test_a_class_below_that_does_not_make_it_anew_leaves_all_as_it_is():
    stays(trainer(beside="class Other(Trainer):\n    def load(self, x, y):\n        pass"), "unknown-callee")


LEFT = """
import torch.nn as nn

class Above(object):
    def __init__(self):
        self.net = nn.Linear(3, 3)
    {above}


class Below(Above):
    {below}


class Beside(Above):
    def show(self):
        return self.net(self.x)
"""
MAKES = "def make(self, x):\n        self.x = Variable(x, volatile=True)"
READS = "def read(self):\n        return self.net(self.x) + 1"


@pytest.mark.parametrize(("above", "below", "show"), [(MAKES, READS, True), (READS, MAKES, False)])
def test_what_a_method_leaves_on_self_those_of_classes_above_and_below_find(above, below, show):
    beside = "return self.net(self.x)\n"
    body = LEFT.replace("{above}", above).replace("{below}", below)
    read = "return self.net(self.x) + 1"
    covers(body, [read, *([beside] if show else [])], [] if show else [beside])
