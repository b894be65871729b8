"""How far a star reaches, and what calling an object runs: what lies beyond that is nobody's caller."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals, stays

SHELF = """
import elsewhere
import torch.nn as nn
import json


class Shelf(object):
    def draw(self, count, off=False):
        page = Variable(torch.zeros(count), volatile=off)
        return page, page


def settings(given, names):
    return json.dumps([getattr(given, name) for name in names])


class Twin(nn.Module):
    def __init__(self):
        super(Twin, self).__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, one, other=None):
        return self.inner(one) + (0 if other is None else self.inner(other))

"""
OFF = "volatile=off"


def kept(body: str) -> bool:
    result, texts = migrated_files({"main.py": SHELF + body})
    assert "no_grad" not in texts["main.py"]
    assert bool(refusals(result)) == (OFF in texts["main.py"])
    return OFF in texts["main.py"]


@pytest.mark.parametrize("star", ["[x]", "(x,)", "[]", "alone(x)"])
def test_a_star_over_few_does_not_reach_a_flag_that_lies_behind(star: str) -> None:
    assert not kept(f"""
def alone(x):
    return (x,)

def fit(name, x):
    step = elsewhere.find(name)
    step(*{star})
    for part in Shelf().draw(3):
        step(part).sum().backward()
""")


@pytest.mark.parametrize("call", [
    "step(*[x, y])", "step(*(x, True))", "step(x, *[y])", "step(*[x], *[y])", "step(*x)", "step(*list(x))",
    "step(*[x], **y)", "step(*[x], off=y)", "step(*[v for v in x])", "step(*rest)", "step(*([x] if y else [x, y]))",
    "step(*grown(x))", "step(*shared)", "more = [x]; elsewhere.fill(more); step(*more)",
    "more = [x]; elsewhere.kept = more; elsewhere.run(); step(*more)",
    "more = [x]; note = lambda: more.append(y); elsewhere.call(note); step(*more)",
])
def test_a_star_that_may_reach_the_flag_may_set_it(call: str) -> None:
    assert kept(f"""
shared = []

def grown(x):
    more = [x]
    while x.size(0) > len(more):
        more.append(x)
    return more

def note(x):
    shared.append(x)

def fit(name, x, y, *rest):
    step = elsewhere.find(name)
    {call}
    for part in Shelf().draw(3):
        step(part).sum().backward()
""")


def test_a_star_whose_length_one_of_the_callers_alone_says_may_reach_it() -> None:
    assert kept("""
def run(name, given):
    return elsewhere.find(name)(*given)

def fit(net, name, x):
    run(name, [x])
    for part in Shelf().draw(3):
        net(part).sum().backward()

def others(name, x):
    return run(name, x)
""")


def test_a_network_that_is_called_runs_no_method_of_another_name() -> None:
    assert not kept("""
def fit(net, shelf):
    for _ in range(3):
        net(*shelf.draw(3)).sum().backward()

def main():
    net = Twin()
    fit(net, Shelf())
""")


@pytest.mark.parametrize("more", [
    "net.register_forward_hook(getattr(shelf, name))",
    "getattr(net, 'register_forward_pre_hook')(getattr(shelf, name))",
    "net.forward = getattr(shelf, name)",
    "setattr(net, name, getattr(shelf, name))",
    "main.net = net\n    fit(load(name), shelf)",
    "serve(fit)",
    "net = getattr(shelf, name)\n    fit(net, shelf)",
    "net = wrapped(net)\n    fit(net, shelf)",
])
def test_what_may_be_no_network_or_one_that_runs_something_else_may_be_the_method(more: str) -> None:
    assert kept(f"""
def fit(net, shelf):
    for _ in range(3):
        net(*shelf.draw(3)).sum().backward()

def main(name, shelf):
    net = Twin()
    {more}
    fit(net, shelf)
""")


@pytest.mark.parametrize("cls", [
    "class Net(base.Net):\n    pass",
    "@registered\nclass Net(nn.Module):\n    def forward(self, x, y):\n        return x + y",
    "class Net(nn.Module):\n    forward = made(3)",
    "class Net(nn.Module, metaclass=Meta):\n    def forward(self, x, y):\n        return x + y",
    "class Net(nn.Module):\n    def __init__(self, f):\n        super().__init__()\n        self.f = f\n\n"
    "    def forward(self, x, y):\n        return self.f(x, y)",
    "class Net(nn.Module):\n    @property\n    def forward(self):\n        return getattr(SHELF, NAME)",
])
def test_a_class_that_others_have_a_hand_in_says_nothing_of_what_its_objects_run(cls: str) -> None:
    assert kept(f"""
import base
from base import Meta, registered, made

{cls}


def fit(net, shelf):
    for _ in range(3):
        net(*shelf.draw(3)).sum().backward()

def main(name, shelf):
    fit(Net(getattr(shelf, name)), shelf)
""")


def test_one_that_calls_itself_what_it_is_handed_is_known_by_its_name() -> None:
    stays(SHELF + """
def fit(net, shelf, name):
    net(*shelf.draw(3)).sum().backward()
    return getattr(shelf, name)(3, True)

def main(name, shelf):
    fit(Twin(), shelf, name)
""", "unseen-callers")
