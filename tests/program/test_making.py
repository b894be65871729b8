"""Classes that make their objects by binding names and making layers alone."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.making import Making

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F

class Part(nn.Module):
    def __init__(self, size):
        super(Part, self).__init__()
        self.layer = nn.Linear(size, 2 * size)

class Busy(nn.Module):
    def __init__(self, size):
        super(Busy, self).__init__()
        self.out = self.run(size)

class Lazy:
    @property
    def scaled(self):
        return self.weight * 2

"""


def only_binds(body: str, bases: str = "nn.Module", more: str = "") -> bool:
    text = f"{HEAD}\nclass Box({bases}):\n    {more}\n    def __init__(self, net, x=None, *rest):\n        {body}\n"
    code = project(main=text)
    return next(Making(code).only_binds(c.path, c.node) for c in code.classes() if c.node.name == "Box")


@pytest.mark.parametrize("body", [
    "self.y = x * 2", "self.y = net(x)", "self.y = x.exp()", "self.y = -x", "self.y = x[0]", "self.y = [*x]",
    "self.y = [a for a in x]", "self.y = F.relu(x)", "self.y = nn.functional.relu(x)", "self.y = nn.Parameter(x * 2)",
    "self.y = torch.zeros(3)", "self.part = Busy(x)", "self.y += x", "self.y = net.scaled", "self.scaled = self.scaled",
    "net.y = x", "self.items[0] = x", "self.run(x)", "self.net = nn.utils.weight_norm(net)", "self.f = lambda: x",
    "self.loss = nn.NLLLoss(x * 2)", "self.layer = nn.Linear(net(x), 3)", "for a in x:\n            self.a = a",
    "net.__init__(x)", "self.register_buffer('y', x)", "net.register_forward_hook(x)",
    "self.all = nn.Sequential(x * 2)", "if net(x):\n            self.net = net", "self = net",
])
def test_what_computes_or_may_is_no_mere_binding(body):
    assert not only_binds(body)


@pytest.mark.parametrize(("bases", "more"), [
    ("Busy", ""), ("Unknown", ""), ("nn.Module, Unknown", ""), ("nn.Linear", ""),
    ("nn.Module", "def __setattr__(self, name, value):\n        pass\n"),
    ("nn.Module", "def __new__(cls, *a):\n        return net(a)\n"),
    ("nn.Module", "net = property(lambda self: 1)\n"),
])
def test_a_class_that_does_more_when_it_makes_an_object_computes(bases, more):
    assert not only_binds("self.net = net", bases, more)


@pytest.mark.parametrize("body", [
    "pass", "'''text'''", "super(Box, self).__init__()\n        self.net = net", "nn.Module.__init__(self)",
    "self.x = (x, [net], {'a': x})", "self.layer = nn.Linear(net.size * 2, 3)",
    "if x is not None:\n            self.x = x\n        else:\n            self.x = 0", "y = x\n        self.y = y",
    "self.all = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), Part(x))", "self.all = nn.Sequential(*x)",
    "self.loss = nn.NLLLoss(x)", "self.x = x\n        self.y = self.x", "self.many = nn.DataParallel(Part(3))",
])
def test_names_and_layers_are_bound(body):
    assert only_binds(body)


def test_a_class_above_is_looked_at_too():
    assert only_binds("super(Box, self).__init__(x)\n        self.net = net", bases="Part")
    assert not only_binds("self.net = net\n        Lazy.__init__(self)", bases="Part")


def only_keeps(body: str, bases: str = "nn.Module", more: str = "") -> bool:
    text = (f"{HEAD}\nclass Box({bases}):\n    {more}\n    def put(self, x, net=None):\n        {body}\n\n"
            "def use(y):\n    box = Box()\n    box.put(y)\n")
    code = project(main=text)
    call = next(n for n in code.nodes("main.py") if isinstance(n, ast.Call) and ast.unparse(n) == "box.put(y)")
    return Making(code).only_keeps("main.py", call)


@pytest.mark.parametrize("body", [
    "self.x = x + 1", "x.y = self", "self.x.append(x)", "self.x = self.scaled", "return net(x)", "yield x",
    "self.put = x", "self.x, self.y = net", "self.x[0] = x", "del self.x", "self.x += x", "global z\n        z = x",
])
def test_a_method_that_computes_or_fills_does_more_than_keep(body):
    assert not only_keeps(body)


@pytest.mark.parametrize("body", [
    "self.x = x", "self.x = (x, self.x)", "self.x = x\n        return self", "pass",
    "if net is not None:\n            self.net = net\n        self.x = x",
])
def test_a_method_that_binds_what_it_is_given_only_keeps_it(body):
    assert only_keeps(body)
