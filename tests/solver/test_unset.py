"""A flag that is off by default and that no call sets is off: it is not refused for what it would do if it were on."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import migrated
from voltfix import core
from voltfix.model import Options

SOURCE = """
import torch
from torch.autograd import Variable


class Chain(object):
    def __init__(self, net):
        self.net = net
        self.start = None

    def draw(self, size, off=False):
        if size is None:
            self.start = size
        else:
            self.start = Variable(torch.randn(size), volatile=off)

    def forward(self, off=False):
        seen = Variable(torch.zeros(3), volatile=off)
        self.made = self.net(self.start)
        self.told = self.net(seen)
        if not off:
            self.cost = (self.made - self.told).sum()

    def show(self):
        self.forward(off=True)

    def step(self):
        self.forward()
        self.cost.backward()


class Holder(object):
    def __init__(self, net):
        self.chain = Chain(net)

    def begin(self):
        self.chain.draw(3)

    def step(self):
        self.begin()
        self.chain.step()


def train(net, rounds):
    holder = Holder(net)
    for _ in range(rounds):
        holder.step()


train(torch.nn.Linear(3, 3), 2)
"""


def text(more: str = "", *changes: tuple[str, str]) -> str:
    made = SOURCE + dedent(more)
    for old, new in changes:
        assert old in made
        made = made.replace(old, new)
    return made


def drawn(made: str):
    """What became of the flag in ``draw``."""
    (site,) = [each for each in migrated(made).sites if "volatile=off" in made.splitlines()[each.line - 1] and (
        "self.start" in made.splitlines()[each.line - 1])]
    return site


def test_what_no_call_sets_goes_though_it_would_be_refused_if_one_did():
    site = drawn(text())
    assert site.status != "refused"
    assert "every call leaves it off" in site.message
    assert b"def draw(self, size):" in migrated(text()).outputs["a.py"]


@pytest.mark.parametrize("more", [
    "def other(chain): chain.draw(3, off=True)",
    "def other(chain): chain.draw(3, True)",
    "def other(chain, off): chain.draw(3, off)",
    "def other(chain, given): chain.draw(3, **given)",
    "def other(chain, given): chain.draw(*given)",
    "def other(chain, name): getattr(chain, name)(3, off=True)",
    "def other(chain, keep): keep(chain.draw)",
    "def other(chain): return [chain.draw]",
    "def other(): Chain.draw.__defaults__ = (True,)",
    "import functools\ndef other(chain): return functools.partial(chain.draw, off=True)",
    "class Below(Chain):\n    def again(self):\n        super(Below, self).draw(3, off=True)",
])
def test_what_some_call_may_set_is_looked_at_as_before(more):
    assert drawn(text("\n\n" + more)).status == "refused"


@pytest.mark.parametrize(("old", "new"), [
    ("size, off=False)", "size, off=True)"),
    ("size, off=False):", "size, off=False):\n        off = off or size > 2"),
    ("def draw(self, size, off=False)", "def draw(self, size, off)"),
])
def test_what_its_function_decides_or_its_default_turns_on_is_looked_at_as_before(old, new):
    made = text("", (old, new))
    made = made.replace("chain.draw(3)", "chain.draw(3, 0)") if (
        new.endswith("off)")) else made
    assert "every call leaves it off" not in drawn(made).message


def test_what_other_programs_may_set_is_looked_at_as_before():
    setup = "from setuptools import setup\nsetup(name='chains', packages=['chains'])\n"
    files = {"setup.py": setup, "chains/__init__.py": "", "chains/a.py": text()}
    result = core.migrate({path: made.encode() for path, made in files.items()}, Options(installable=True))
    assert any(site.status == "refused" for site in result.sites)
    assert not any("every call leaves it off" in site.message for site in result.sites)
