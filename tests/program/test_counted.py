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
