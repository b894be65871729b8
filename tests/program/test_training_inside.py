"""A function in which a call may run one that trains, though no name says so, trains, and so does who calls it."""

from __future__ import annotations

import ast

import pytest

from alone import node, project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound
from voltfix.program.training import Training

HEAD = """
from functools import partial
import types
from torch import nn
def refine(x):
    x.sum().backward()
    return x
def look(x):
    return x
class Net(nn.Module):
    def __init__(self, way, *ways):
        self.ways = list(ways)
"""
TAIL = """
def show(x, net):
    net.eval()
    return net(x)
"""


def may_send(middle: str, tail: str = TAIL, call: str = "net(x)") -> bool:
    code = project(main=HEAD + middle + tail)
    found = node(code, call)
    assert isinstance(found, ast.Call)
    index = Index(code.paths)
    return Training(code, Rebound(code, index), index).may_send("main.py", found)


FORWARD = "    def forward(self, x):\n        return "
RUNS = {
    "a parameter that is kept": "        self.way = way\n" + FORWARD + "self.way(x)\nshow(1, Net(refine))",
    "a choice by a key": (
        "        self.way = WAYS[way]\n" + FORWARD + "self.way(x)\nWAYS = {'a': look, 'b': refine}\nshow(1, Net('a'))"),
    "a table that is asked there": FORWARD + "WAYS['a'](x)\nWAYS = {'a': look, 'b': refine}",
    "all of a list": (
        "    def forward(self, x):\n        for way in self.ways:\n            x = way(x)\n        return x\n"
        "show(1, Net(1, look, refine))"),
    "what is handed to a helper": FORWARD + "self.use(refine, x)\n    def use(self, way, x):\n        return way(x)",
    "a method of its own": (
        "        self.way = self.seek if way else look\n    def seek(self, x): return refine(x)\n"
        + FORWARD + "self.way(x)"),
    "a method by a name": "    def do_seek(self, x): return refine(x)\n" + FORWARD + "getattr(self, 'do_' + self.k)(x)",
    "a property": (
        "    @property\n    def way(self):\n        return refine if self.k else look\n" + FORWARD + "self.way(x)"),
    "what is set from outside": FORWARD + "self.way(x)\ndef main(x, net):\n    net.way = refine\n    show(x, net)",
    "what is set by a string": FORWARD + "self.way(x)\ndef main(x, net):\n    setattr(net, 'way', refine)",
    "a bound function": "        self.way = way\n" + FORWARD + "self.way(x)\nshow(1, Net(partial(refine)))",
    "a layer in it": (
        "        self.inner = Inner(way)\n" + FORWARD + "self.inner(x)\nclass Inner(nn.Module):\n"
        "    def __init__(self, way):\n        self.way = way\n" + FORWARD + "self.way(x)\nNet(refine)"),
}


@pytest.mark.parametrize("middle", RUNS.values(), ids=RUNS)
def test_a_network_trains_whose_forward_runs_what_trains(middle: str) -> None:
    assert may_send(middle)


@pytest.mark.parametrize("put", ["net.forward = refine", "net.forward = types.MethodType(refine, net)",
                                 "setattr(net, 'forward', refine)", "net.__call__ = refine"])
def test_what_is_put_in_the_place_of_a_forward_is_run_by_calling_the_object(put: str) -> None:
    assert may_send(FORWARD + "x\ndef main(x, net):\n    " + put + "\n    show(x, net)")


LAYERS = "        self.first = nn.Linear(2, 2)\n        self.act = nn.ReLU()\n"
RUNS_NONE = {
    "layers alone": LAYERS + FORWARD + "self.act(self.first(x)).view(-1)\ndef main(x, tools):\n    tools.add(refine)",
    "another attribute": (
        "        self.way = way\n        self.other = nn.ReLU()\n" + FORWARD + "self.other(x)\nshow(1, Net(refine))"),
    "one that does not train": "        self.way = way\n" + FORWARD + "self.way(x)\nshow(1, Net(look))",
    "one that takes something else": (
        "        self.way = way\n" + FORWARD + "self.way(x, x)\ndef main(x, tools):\n    tools.add(refine)"),
    "one that is run by others alone": (
        "        self.way = way\n" + FORWARD + "self.way(x)\nimport fire\n"
        "fire.Fire({'a': refine})\nshow(1, Net(look))"),
    "a function that is called by its name": "        self.way = way\n" + FORWARD + "self.way(x)\nrefine(1)",
    "no name that an object is run by": LAYERS + FORWARD + "self.first(x)\ndef main(net):\n    net.after = refine",
    "a method of the name of one that trains": (
        FORWARD + "self.k.seek(x)\nclass A:\n    def seek(self, x): return refine(x)\nclass B:\n"
        "    def seek(self, x): return x\ndef main(a, tools):\n    a.last = a.seek"),
    "what is kept under a name alone": (
        "    def forward(self, *all):\n        return self.ways[0](*all)\nclass A:\n    def __init__(self, a):\n"
        "        a.how = refine"),
    "another forward": LAYERS + FORWARD + "self.first(x)\ndef main(net):\n    net.forward = look\n    refine(net)",
}


@pytest.mark.parametrize("middle", RUNS_NONE.values(), ids=RUNS_NONE)
def test_a_network_trains_nothing_whose_forward_runs_none(middle: str) -> None:
    assert not may_send(middle)


def test_a_method_of_an_object_runs_what_it_asks_a_table_for() -> None:
    runner = "class Runner:\n    def go(self, x):\n        return WAYS[self.k](x)\nWAYS = {'a': look, 'b': refine}\n"
    assert may_send(runner, "def show(x, runner):\n    return runner.go(x)", "runner.go(x)")
    assert not may_send(runner.replace("'b': refine", ""), "def show(x, runner):\n    return runner.go(x)",
                        "runner.go(x)")
