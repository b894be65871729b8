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
    "self.y = [a for a in x]", "self.y = F.relu(x)", "self.y = nn.functional.relu(x)",
    "self.part = Busy(x)", "self.y += x", "self.y = net.scaled", "self.scaled = self.scaled",
    "net.y = x", "self.items[0] = x", "self.run(x)", "self.net = nn.utils.weight_norm(net)", "self.f = lambda: x",
    "y = x * 2\n        self.y = y", "y = x\n        y = y + x\n        self.y = y",
    "y = x\n        y += x\n        self.y = [y]",
    "self.y = nn.Parameter(net(x))", "self.y = torch.Tensor(x)", "self.y = torch.zeros(3).mul(x)",
    "self.y = torch.zeros(3) * x",
    "self.y = torch.as_tensor(x)", "self.y = torch.tensor(x)", "self.items.append(x * 2)", "self.run()",
    "self.y = self.run(x)",
    "for i in range(3):\n            self.y = self.layer * i", "for a in net(x):\n            pass",
    "for p in self.parameters():\n            self.y = p * 2", "for p in net:\n            p.requires_grad = False",
    "net.scaled = nn.Parameter(x)", "net.weight = x", "net.weight.normal_()", "net(x).data.normal_()",
    "self.apply(net)",
    "net.weight.data.fill_(net(x))", "self.n = len(net(x))", "self.n = [net(i) for i in range(3)]",
    "self.y = [a * 2 for a in range(3) if net(a)]",
    "self.n = sum(x)", "y = list(x)\n        self.n = 1", "import numpy as np\n        self.n = np.vectorize(Busy)(x)",
    "with x:\n            self.x = x", "while x:\n            self.x = x",
    "(self.scale * 2).data = x\n        self.y = self.scale * 2",
    "self.register_buffer('y', x * 2)", "self.add_module('y', net(x))",
    "y = torch.zeros(3)\n        y = x * 2\n        self.y = y",
    "nn.init.normal(net(x))", "p = self.layer.weight * 2\n        self.p = p", "a = b = x * 2\n        self.a = b",
    "self.loss = nn.NLLLoss(x * 2)", "self.layer = nn.Linear(net(x), 3)", "for a in x:\n            self.a = a",
    "net.__init__(x)", "net.register_forward_hook(x)",
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


@pytest.mark.parametrize("body", [
    "self.y = torch.zeros(3)", "self.y = nn.Parameter(x * 2)", "self.register_buffer('y', torch.ones(2, 2).view(4))",
    "self.layer = nn.Linear(3, 4)\n        self.layer.weight = nn.Parameter(torch.ones(4, 3))",
    "for p in self.parameters():\n            p.requires_grad = False", "net.weight.data.normal_(0, 1 / len(x))",
    "for m in self.modules():\n            if isinstance(m, nn.Linear):\n                n = m.in_features * 2\n"
    "                m.weight.data.normal_(0, n)",
    "y = []\n        for i in range(3):\n            y.append(nn.Linear(i, i + 1))\n        self.all = y",
    "y = []\n        for i in range(3):\n            y += [nn.Linear(i, i + 1)]\n        self.all = nn.Sequential(*y)",
    "self.all = nn.ModuleList([Part(i) for i in range(3)])", "nn.init.normal(net.weight)",
    "k = 2\n        k = k + 1\n        self.k = k",
    "for i in range(3):\n            self.add_module('part%d' % i, Part(i))",
    "y = x * 2\n        self.layer = nn.Linear(y, 3)", "net.weight.data = x * 2",
])
def test_weights_are_begun_and_frozen_and_layers_listed_the_same_in_any_mode(body):
    assert only_binds(body)


@pytest.mark.parametrize("more", [
    "def begin(self):\n        self.begun = self.run(1)\n", "def begin(self):\n        self.begin()\n",
    "begin = Busy\n",
    "@property\n    def begin(self):\n        return 1\n", "def begin(self):\n        yield 1\n",
])
def test_a_method_that_an_init_runs_is_looked_at(more):
    assert not only_binds("self.begin()", more=more)
    assert only_binds("self.begin()", more="def begin(self):\n        self.begun = 1\n")


@pytest.mark.parametrize("name", ["append", "add_module", "modules", "fill_", "view"])
def test_what_the_project_calls_by_the_same_name_may_run(name):
    used = {"append": "self.all.append(x)", "add_module": "self.add_module('a', x)", "fill_": "net.w.data.fill_(1)",
            "modules": "for m in self.modules():\n            pass", "view": "self.y = torch.ones(1).view(1)"}[name]
    assert only_binds(used)
    assert not only_binds(used, more=f"def {name}(self, *a):\n        return self.run(*a)\n")


def test_what_is_counted_with_numbers_is_kept_where_numbers_are_given_alone():
    for said, kept in (("n = (size - 1) // 2", True), ("n = act * 2", False), ("n = size.half", False)):
        code = project(main=f"{HEAD}\nclass Box(nn.Module):\n    def __init__(self, size, act=nn.ReLU()):\n"
                            f"        self.{said}\n")
        box = next(c for c in code.classes() if c.node.name == "Box")
        assert Making(code).only_binds(box.path, box.node, numbers=True) is kept
        assert not Making(code).only_binds(box.path, box.node)


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
