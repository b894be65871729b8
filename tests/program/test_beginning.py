"""What an object has when its ``__init__`` begins."""

from __future__ import annotations

import pytest

from alone import project
from voltfix.program.beginning import Beginning

KEEPER = """
import torch.nn as nn

class Above(nn.Module):
    def __init__(self):
        super(Above, self).__init__()
        self.first = 1

class Keeper(Above):
    def __init__(self, n):
        '''Keep the last one.'''
        self.n = n
        size = n + 1
        Above.__init__(self)
        self.last = None

def keep(n):
    return Keeper(n)
"""


def is_new(text: str, name: str = "last", of: str = "Above") -> bool:
    code = project(main=text)
    cls = next(each for each in code.classes() if each.qualname == of)
    return Beginning(code).is_new(cls.node, name)


@pytest.mark.parametrize("of", ["Above", "Keeper"])
def test_an_object_has_nothing_when_its_init_begins(of):
    assert is_new(KEEPER, of=of)


def test_what_a_class_below_bound_before_is_there():
    assert not is_new(KEEPER, "n")


@pytest.mark.parametrize(("old", "new"), [
    # somebody runs it on an object that is there
    ("    return Keeper(n)", "    net = Keeper(n)\n    net.__init__(n)\n    return net"),
    ("    return Keeper(n)", "    net = Keeper(n)\n    Above.__init__(net)\n    return net"),
    ("    return Keeper(n)", "    net = Keeper(n)\n    getattr(net, '__init__')(n)\n    return net"),
    ("    return Keeper(n)", "    return map(Above.__init__, n)"),
    ("        self.last = None", "        self.last = None\n\n    def reset(self):\n        self.__init__(self.n)"),
    ("        self.last = None", "        self.last = None\n\n    def reset(self):\n        Above.__init__(self)"),
    # a class below did more than bind attributes before
    ("        size = n + 1", "        self.look(n)"),
    ("        size = n + 1", "        note(self)"),
    ("        size = n + 1", "        super().look(n)"),
    ("        size = n + 1", "        note(locals())"),
    ("        size = n + 1", "        Above.__init__(self)"),
    ("        size = n + 1", "        setattr(self, 'last', n)"),
    ("        Above.__init__(self)", "        for _ in range(n):\n            Above.__init__(self)"),
    ("        Above.__init__(self)", "        Above.__init__(self, self.look(n))"),
    ("        Above.__init__(self)", "        Above.__init__(self, size=self.look(n))"),
    ("        Above.__init__(self)", "        Above.__init__(n)"),
    # an object may come from elsewhere
    ("        self.last = None", "        self.last = None\n\n    def __new__(cls, n):\n        return KEPT"),
    ("class Above(nn.Module)", "class Above(nn.Module, metaclass=Once)"),
    ("class Above(nn.Module)", "class Above(Unseen)"),
    ("class Keeper(Above)", "class Keeper(Unseen, Above)"),
])
def test_an_object_that_may_have_been_there_before_has_whatever_others_left(old, new):
    assert old in KEEPER
    assert not is_new(KEEPER.replace(old, new))


def test_others_may_write_classes_below_those_of_a_package():
    code = project(main=KEEPER)
    code.for_others = True
    assert not Beginning(code).is_new(next(iter(code.classes())).node, "last")


@pytest.mark.parametrize(("old", "new"), [
    # a class below has another method of that name
    ("        self.first = 1", "        self.look(1)\n\n    def look(self, n):\n        pass"),
    # and so it is where one method runs another
    ("        self.first = 1", "        self.find(1)\n\n    def find(self, n):\n        self.look(n)\n\n"
                              "    def look(self, n):\n        pass"),
    ("        self.first = 1", "        getattr(self, 'lo' + 'ok')(1)"),
    ("        self.first = 1", "        note(self)"),
    ("        self.first = 1", "        note(self.look)"),
    ("        self.first = 1", "        KNOWN.append(lambda: self.look(1))"),
    ("        self.first = 1", "        super(Above, self).look(1)"),
    ("        self.first = 1", "        self.first = 1\n\n    @property\n    def first(self):\n        return 2"),
    ("        self.first = 1", "        self.first = 1\n\n    first = Kept()"),
    ("        self.first = 1", "        self.first = 1\n\n    def __setattr__(self, name, value):\n        note(self)"),
])
def test_what_an_init_runs_out_of_sight_may_put_something_there(old, new):
    text = KEEPER + "\n".join(["", "class Third(Above):", "    def look(self, n):", "        self.last = n", ""])
    assert old in text
    assert is_new(text)
    assert not is_new(text.replace(old, new))


@pytest.mark.parametrize("new", [
    "self.first = 1\n        self.scan(2)\n\n    def scan(self, n):\n        self.second = n",
    "self.add_module('first', nn.Linear(1, 1))",
    "self.first = nn.Linear(1, 1)\n        self.second = self.first(self.n)",
    "self.first = 1\n\n    first = 0",
    "self.first = isinstance(self, Keeper)",
])
def test_what_an_init_runs_in_sight_is_seen_where_it_runs(new):
    assert is_new(KEEPER.replace("self.first = 1", new))
