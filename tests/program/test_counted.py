"""Attributes that hold no graph, whoever binds them; anything else may."""

from __future__ import annotations

import ast

import pytest

from alone import node, project
from voltfix.solver.roots import Tables

NET = """
import argparse, math, numpy as np
import torch
import torch.nn as nn
import others

class Net(nn.Module):
    def __init__(self, size, depth=3, kind=None, more=None):
        super(Net, self).__init__()
        self.fc = nn.Linear(size, 2)
        {init}

    def forward(self, x, h):
        {forward}
        return self.fc(x)

def show(net, x, h):
    net(x, h)
    return net.it

{main}
"""
MAIN = "show(Net(3), 1, 2)"
GIVEN = "show(Net(3, more=others.it()), 1, 2)"


def plain(init: str = "pass", forward: str = "pass", main: str = MAIN, **others: str) -> bool:
    code = project(main=NET.format(init=init, forward=forward, main=main), **others)
    asked = node(code, "net.it")
    assert isinstance(asked, ast.Attribute)
    return Tables(code).counted.is_plain("main.py", asked)


@pytest.mark.parametrize("way", [
    {"init": "self.it = 0"}, {"init": "self.it = None"}, {"init": "self.it = 0", "forward": "self.it += 1"},
    {"init": "self.it = size"}, {"init": "self.it = depth * 2"}, {"init": "self.it = kind or 'a'",
                                                                  "main": "show(Net(3, kind='b'), 1, 2)"},
    {"init": "self.it = 0", "forward": "self.it = x.size(0)"},
    {"init": "self.it = 0", "forward": "self.it = x.shape[1]"},
    {"init": "self.it = len(more)"}, {"init": "self.it = float(kind)"}, {"init": "self.it = np.zeros(3)"},
    {"init": "self.it, self.that = 0, more"}, {"init": "self.it = self.that = 1"},
    {"init": "self.it = math.sqrt(size)"},
    {"init": "self.other = 1\n        self.it = self.other + 1"}, {"init": "self.it = max(size, 1)"},
    {"init": "self.it = more", "main": "show(Net(3, more=4), 1, 2)\nshow(Net(3, more=True), 1, 2)"},
    {"init": "self.it = more.count", "main":
        "args = argparse.ArgumentParser().parse_args()\nshow(Net(3, more=args), 1, 2)"},
    {"init": "self.it = 0", "main": "net = Net(3)\nnet.it = 3\nshow(net, 1, 2)"},
    {"init": "self.it = 0", "main": "class Other(object):\n    def __init__(self, h):\n        self.it = h\n" + MAIN},
    {"init": "self.it = 0", "forward": "for self.it in range(3): pass"},
    {"init": "self.it = 0", "forward": "self.register_buffer('that', h)\n        self.add_module('l%d' % 3, x)"},
])
def test_an_attribute_that_is_bound_to_numbers_alone_holds_no_graph(way):
    assert plain(**way)


@pytest.mark.parametrize("way", [
    {"init": "self.it = 0", "forward": "self.it = h"}, {"init": "self.it = 0", "forward": "self.it += h"},
    {"init": "self.it = 0", "forward": "self.it = self.fc.weight.norm()"}, {"init": "self.it = more"},
    {"init": "self.it = more", "main": "show(Net(3), 1, 2)\nshow(Net(*others.all()), 1, 2)"},
    {"init": "self.it = kind or 'a'", "main": "show(Net(3, kind=others.kind()), 1, 2)"},
    {"init": "self.it = []"}, {"init": "self.it = {}"}, {"init": "self.it = [0]"}, {"init": "self.it = self.fc"},
    {"init": "self.it = lambda: 1"}, {"init": "self.it = 0", "forward": "setattr(self, 'it', h)"},
    {"init": "self.it = 0", "forward": "for k in x: setattr(self, k, h)"},
    {"init": "self.it = 0", "forward": "self.__dict__.update(it=h)"},
    {"init": "self.it = None", "forward": "self.register_buffer('it', h)"},
    {"init": "self.it = None", "forward": "for k in x: self.register_buffer(k, h)"},
    {"init": "self.it = None", "forward": "self.register_buffer(name='it', tensor=h)"},
    {"init": "self.it = 0", "forward": "self.it, self.that = h, 1"},
    {"init": "self.it = 0", "forward": "self.it, self.that = h"},
    {"init": "self.it = 0", "forward": "for self.it in h: pass"},
    {"init": "self.it = 0", "forward": "with h as self.it: pass"},
    {"init": "self.it = 0", "main": "net = Net(3)\nnet.it = others.it()\nshow(net, 1, 2)"},
    {"init": "self.it = 0", "main": "def put(net, h):\n    net.it = h\n" + MAIN},
    {"init": "self.it = 0", "main": "class Low(Net):\n    def forward(self, x, h):\n        self.it = h\n" + MAIN},
    {"init": "self.it = 0", "main": "class Low(Net):\n    @property\n    def it(self): return self.fc.weight\n" + MAIN},
    {"init": "self.it = 0", "main": "class Low(Net):\n    def __getattr__(self, name): return self.fc.weight\n" + MAIN},
    {"init": "self.it = 0", "main": "class Low(Net, others.Base):\n    pass\n" + MAIN},
    {"init": "self.it = 0", "main": "show(others.net(), 1, 2)"},
    {"init": "self.it = 0", "main": MAIN + "\nothers.run(show)"},
    {"init": "self.it = 0", "main": "show(torch.load('net'), 1, 2)"}, {"init": "self.it = 0", "main": ""},
    {"init": "self.it = self.of(1)"}, {"init": "self.that = h\n        self.it = self.that"},
    {"init": "n = 0\n        n += more\n        self.it = n"}, {"init": "depth += more\n        self.it = depth"},
    {"init": "for n in more: self.it = n"}, {"init": "self.it = more.data"}, {"init": "self.it = torch.cat(more)"},
    {"init": "self.it = np.array(more)"}, {"init": "self.it = np.zeros(3, dtype=object)"},
    {"init": "self.it = vars(more)"},
    {"init": "self.it = more.tolist()"}, {"init": "self.it = list(more)"}, {"init": "self.it = more.detach()"},
    {"init": "self.it = more.shape", "main":
        "class Box(object):\n    def __init__(self, h):\n        self.shape = h\n" + GIVEN},
    {"init": "self.it = max(more)"}, {"init": "self.it = abs(more)"}, {"init": "self.it = -more"},
    {"init": "self.it = more.count", "main":
        "args = argparse.ArgumentParser().parse_args()\nargs.count = others.it()\nshow(Net(3, more=args), 1, 2)"},
    {"init": "self.it = more.count", "main": "show(Net(3, more=others.args()), 1, 2)"},
    {"init": "self.it = more", "main": "show(Net(3, more=4), 1, 2)\nshow(Net(3, more=others.it()), 1, 2)"},
    {"init": "self.it = more", "main": "show(Net(3, more=4), 1, 2)\nothers.make(Net)"},
    {"init": "pass"},
])
def test_one_that_may_be_bound_to_anything_else_may_hold_one(way):
    assert not plain(**{"main": GIVEN, **way})


def test_two_attributes_that_are_bound_to_each_other_hold_what_either_is_bound_to():
    assert plain("self.it = 0\n        self.that = 1", "self.it, self.that = self.that, self.it")
    assert not plain("self.it = 0\n        self.that = h", "self.it, self.that = self.that, self.it")
    forward = "self.it = self.b\n        self.b = self.it\n        self.it = h"
    code = project(main=NET.format(init="self.it = self.b = 0", forward=forward,
                                   main=MAIN + "\ndef tell(net):\n    return net.b\ntell(Net(1))"))
    counted = Tables(code).counted
    for text in ("net.it", "net.b"):
        asked = node(code, text)
        assert isinstance(asked, ast.Attribute)
        assert not counted.is_plain("main.py", asked)


def buffer(init: str = "self.register_buffer('it', torch.zeros(2))", forward: str = "pass", main: str = MAIN) -> bool:
    code = project(main=NET.format(init=init, forward=forward, main=main))
    asked = node(code, "net.it")
    assert isinstance(asked, ast.Attribute)
    return Tables(code).counted.is_buffer("main.py", asked)


@pytest.mark.parametrize("way", [
    {}, {"forward": "self.it = self.it * 0.9 + self.fc(x) * 0.1"}, {"forward": "self.it *= 0.9"},
    {"forward": "self.it = x.sum()"}, {"forward": "self.it = torch.cat([self.it, x])"}, {"forward": "self.it = None"},
    {"forward": "self.it = self.fc(x).data"}, {"forward": "self.it = -x"}, {"forward": "self.it.copy_(x)"},
    {"init": "if depth: self.register_buffer('it', torch.zeros(2))", "forward": "self.it = self.it + self.fc(x)"},
    {"init": "self.register_buffer('it', torch.zeros(2))\n        self.it = self.it + 1"},
    {"forward": "self.that = h"}, {"forward": "self.register_buffer('that', h)"},
    {"main": "class Low(Net):\n    def __init__(self):\n        super(Low, self).__init__(1)\n" + MAIN},
    {"main": "class Other(object):\n    def __init__(self, h):\n        self.it = h\n" + MAIN},
])
def test_a_buffer_stays_one_since_0_3_took_no_variable_for_it(way):
    assert buffer(**way)


@pytest.mark.parametrize("way", [
    # it is no buffer yet, or not sure to be one
    {"init": "pass"}, {"init": "if depth: self.register_buffer('it', torch.zeros(2))", "forward": "self.it = x.sum()"},
    {"init": "self.it = h\n        self.register_buffer('it', torch.zeros(2))"},
    {"init": "self.it = self.fc.weight * 2\n        self.register_buffer('it', torch.zeros(2))"},
    {"init": "if depth: self.register_buffer('it', torch.zeros(2))",
     "forward": "self.it = x.sum() if h else self.it + 1"},
    {"init": "if depth: self.register_buffer('it', torch.zeros(2))", "forward": "other.it = self.it + x.sum()"},
    {"init": "def later(): self.register_buffer('it', torch.zeros(2))", "forward": "self.it = x.sum()"},
    {"main": "class Low(Net):\n    def __init__(self):\n        nn.Module.__init__(self)\n" + MAIN,
     "forward": "self.it = x.sum()"},
    # what is registered, or put in its place, may be a Variable or a weight
    {"init": "self.register_buffer('it', more)", "main": GIVEN}, {"init": "self.register_buffer('it', self.fc.weight)"},
    {"init": "self.register_buffer(name='it', tensor=torch.zeros(2))"},
    {"forward": "self.register_buffer('it', h)"}, {"forward": "for k in x: self.register_buffer(k, h)"},
    {"forward": "h.register_buffer('it', x)"},
    {"forward": "self.register_parameter('it', h)"}, {"forward": "self.it = nn.Parameter(self.it)"},
    {"forward": "self.it = h"}, {"forward": "self.it = self.fc.weight.cuda()"}, {"forward": "self.it = self.fc"},
    {"forward": "self.it = others.it(self.it)"}, {"forward": "self.it = torch.load('it')"},
    {"forward": "self.it, self.that = self.it + 1, h"}, {"forward": "for self.it in h: pass"},
    {"forward": "setattr(self, 'it', h)"}, {"forward": "self._buffers['it'] = h"},
    {"forward": "self._apply(lambda t: h)"}, {"forward": "self.__dict__.update(it=h)"},
    {"main": "class Low(Net):\n    @property\n    def it(self): return self.fc.weight\n" + MAIN},
    {"main": "class Low(Net):\n    def __setattr__(self, name, value):\n        self.__dict__[name] = value\n" + MAIN},
    {"main": "class Low(Net, others.Base):\n    pass\n" + MAIN},
    {"main": "show(others.net(), 1, 2)"}, {"main": ""},
])
def test_what_may_be_something_else_than_a_buffer_is_none(way):
    assert not buffer(**way)
