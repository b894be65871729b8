"""What was asked, on the way to its call, for what no function has, is no function that the project hands out."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from alone import node, project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound
from voltfix.program.training import Training

GIVEN = "def step(x): x.backward()\ndef start(runner):\n    runner.keep(step)\n"


def may_send(body: str, more: str = "", *, given: str = GIVEN) -> bool:
    code = project(main=given + more + dedent(body))
    call = node(code, "net(x)")
    assert isinstance(call, ast.Call)
    index = Index(code.paths)
    return Training(code, Rebound(code, index), index).may_send("main.py", call)


def test_anything_that_is_called_may_be_the_function_that_was_handed_out() -> None:
    assert may_send("def show(net, x):\n    return net(x)\n")


@pytest.mark.parametrize("body", [
    "def show(net, x):\n    net.eval()\n    return net(x)\n",
    "def show(net, x):\n    size = net.width + 1\n    for row in range(size):\n        print(net(x))\n",
    "def show(net, xs):\n    for x in xs:\n        net.eval()\n        with lock:\n            print(net(x))\n",
    "def show(make, x):\n    net = make()\n    net.train(False)\n    return net(x)\n",
    "def main(make):\n    net = make()\n    def show(x):\n        net.eval()\n        return net(x)\n    return show\n",
    "def show(make, x):\n    net, other = make()\n    net.eval()\n    return net(x)\n",
    "def show(make, x):\n    other, *more, net = make()\n    net.eval()\n    for row in x:\n        print(net(x))\n",
    "def show(one, two, on, x):\n    if on:\n        net = one()\n    else:\n        net = two()\n    net.eval()\n"
    "    return net(x)\n",
    "def show(nets, x):\n    for net in nets:\n        net.eval()\n        print(net(x))\n",
    "def show(net, xs, other):\n    for x in xs:\n        net.eval()\n        print(net(x))\n        net = other\n",
    "def show(nets, x):\n    net = None\n    for net in nets:\n        pass\n    net.eval()\n    print(net(x))\n",
])
def test_what_was_asked_for_what_no_function_has_is_none(body: str) -> None:
    assert not may_send(body)


@pytest.mark.parametrize("body", [
    "def show(net, x):\n    y = net(x)\n    net.eval()\n    return y\n",
    "def show(net, x, quiet):\n    if quiet:\n        net.eval()\n    return net(x)\n",
    "def show(net, x, quiet):\n    quiet and net.eval()\n    return net(x)\n",
    "def show(net, x):\n    later = lambda: net.eval()\n    return net(x)\n",
    "def show(net, x):\n    try:\n        net.eval()\n    except AttributeError:\n        pass\n    return net(x)\n",
    "def show(net, x):\n    print(net.__name__)\n    return net(x)\n",
    "def show(net, x):\n    print(net.func.args)\n    return net(x)\n",
    "def show(net, x):\n    net.width = 3\n    return net(x)\n",
    "def show(net, x, other):\n    net.eval()\n    net = other\n    return net(x)\n",
    "def show(net, xs, other):\n    net.eval()\n    for x in xs:\n        print(net(x))\n        net = other\n",
    "def show(make, x):\n    net, other = make()\n    net.eval()\n    net, other = make()\n    return net(x)\n",
    "def show(make, xs):\n    net, other = make()\n    net.eval()\n    for net in xs:\n        print(net(x))\n",
    "def show(make, x):\n    net, other = make()\n    net = net.eval()\n    return net(x)\n",
    "def show(make, x):\n    net, other = make()\n    def put():\n        nonlocal net\n        net = other\n"
    "    net.eval()\n    put()\n    return net(x)\n",
    "def show(make, xs):\n    while xs:\n        print(net(x))\n        net, other = make()\n        net.eval()\n",
    "def show(make, x):\n    net, other = make()\n    net.eval()\n    with make() as net:\n        return net(x)\n",
    "def show(make, x):\n    net, other = make()\n    net.eval(net := other)\n    return net(x)\n",
    "def main(net):\n    net.eval()\n    def show(net, x):\n        return net(x)\n    return show\n",
    "def main(net):\n    def look(net): net.eval()\n    def show(x): return net(x)\n    return show\n",
    "def show(nets, x):\n    for net in nets:\n        print(net(x))\n",
])
def test_what_was_not_surely_asked_for_it_before_may_be_one(body: str) -> None:
    assert may_send(body)


@pytest.mark.parametrize("more", [
    "step.width = 3\n", "setattr(step, 'width', 3)\n", "def name(f, key):\n    setattr(f, key, 3)\n",
])
def test_what_the_project_gives_its_functions_they_have(more: str) -> None:
    assert may_send("def show(net, x):\n    print(net.width)\n    return net(x)\n", more)


@pytest.mark.parametrize("method", ["__call__", "forward"])
def test_an_object_that_trains_when_it_is_called_is_no_function_and_trains(method: str) -> None:
    runner = f"class Runner(Base):\n    def eval(self): pass\n    def {method}(self, x): x.backward()\n"
    assert may_send("def show(net, x):\n    net.eval()\n    return net(x)\n", runner)


def test_what_a_decorator_makes_of_a_function_may_have_what_was_asked_for() -> None:
    body = "def show(net, x):\n    net.eval()\n    return net(x)\n"
    assert may_send(body, given="@runners.wrap\n" + GIVEN)
    assert not may_send(body, given="@runners.wrap\ndef other(x): pass\n" + GIVEN)
    assert not may_send(body, given="def counted(f):\n    return lambda x: f(x)\n@counted\n" + GIVEN)
    assert may_send(body, given="def counted(f):\n    return runners.wrap(f)\n@counted\n" + GIVEN)


TWO = "def main(a, net, other):\n    if a:\n        net = other\n    def show(x):\n"
AT_TOP = "import nets\nnet = nets.A()\nif net.small:\n    net = nets.B()\n"


@pytest.mark.parametrize("body", [
    TWO + "        net.eval()\n        return net(x)\n    return show\n",
    TWO + "        for y in x:\n            net.eval()\n            print(net(x))\n    return show\n",
    AT_TOP + "def show(x):\n    net.eval()\n    return net(x)\n",
])
def test_a_name_of_what_waits_around_a_function_stays_what_it_was_asked_for(body: str) -> None:
    assert not may_send(body)


@pytest.mark.parametrize("body", [
    TWO + "        return net(x)\n    net.eval()\n    return show\n",
    TWO + "        nonlocal net\n        net.eval()\n        net = other\n        return net(x)\n    return show\n",
    TWO + "        net.eval()\n        swap()\n        return net(x)\n    def swap():\n        nonlocal net\n"
    "        net = other\n    return show\n",
    TWO + "        net.eval()\n        yield x\n        yield net(x)\n    return show\n",
    "def main(a, net, other):\n    net.eval()\n    net = a or other\n    def show(x):\n        return net(x)\n",
    AT_TOP + "def swap():\n    global net\n    net = nets.C()\n"
    "def show(x):\n    net.eval()\n    swap()\n    return net(x)\n",
])
def test_it_may_be_another_where_somebody_binds_it_meanwhile(body: str) -> None:
    assert may_send(body)


HOLDS = "from torch import nn\nclass Tower(nn.Module):\n    def __init__(self, made):\n        self.blocks = {}\n"
GOES = "    def forward(self, x, xs):\n        {}\n"
LIST = HOLDS.format("nn.ModuleList(made)")
WAYS = (
    "return self.blocks[0](x)",
    "return [net(x) for net in self.blocks]",
    "return [net(x) for x, net in zip(xs, self.blocks)]",
    "for number, net in enumerate(self.blocks):\n            x = net(x)",
)


def may_send_there(body: str) -> bool:
    code = project(main=GIVEN + body)
    found = node(code, "self.blocks[0](x)" if "[0]" in body else "net(x)")
    assert isinstance(found, ast.Call)
    index = Index(code.paths)
    return Training(code, Rebound(code, index), index).may_send("main.py", found)


@pytest.mark.parametrize("way", WAYS)
def test_an_item_of_a_list_of_layers_is_no_function(way: str) -> None:
    assert not may_send_there(LIST + GOES.format(way))
    assert may_send_there(HOLDS.format("list(made)") + GOES.format(way))


@pytest.mark.parametrize("more", [
    "    def fill(self, made):\n        self.blocks = made\n",
    "    def fill(self, key, made):\n        setattr(self, key, made)\n",
    "def fill(tower, made):\n    tower.blocks = made\n",
    "def fill(tower, made):\n    setattr(tower, 'blocks', made)\n",
    "class Wide(Tower):\n    def blocks(self, x):\n        return x\n",
])
def test_it_may_be_one_where_something_else_is_kept_under_that_name(more: str) -> None:
    assert may_send_there(LIST + GOES.format(WAYS[1]) + more)


@pytest.mark.parametrize("way", [
    "return [net(x) for net, x in zip(xs, self.blocks)]",
    "return [net(x) for net in xs]",
    "return [net(x) for net in map(x, self.blocks)]",
    "for net in self.blocks:\n            net = xs\n            x = net(x)",
    "return [net(x) for x, net in zip(*xs, self.blocks)]",
])
def test_what_goes_beside_a_list_of_layers_may_be_one(way: str) -> None:
    assert may_send_there(LIST + GOES.format(way))
