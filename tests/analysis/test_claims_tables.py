"""Objects of classes that a table lists: who looks one up and calls it makes one of these, and nothing else."""

from __future__ import annotations

import pytest
from solving import refusals, source

from helpers import check_holds_up, migrated

SOURCE = """
class Base(object):
    def learn(self, x, bound):
        first, second = self.embed(x, False)
        loss = self.judge(first, second)
        loss.backward()
        self.step.step()


class Deep(Base):
    def __init__(self, opt):
        self.net = torch.load(opt.net)
        self.judge = torch.nn.MSELoss()
        self.step = torch.optim.SGD(self.net.parameters(), 0.1)

    def embed(self, x, quiet=False, *rest):
        rows, sizes = x
        rows = Variable(rows, volatile=quiet)
        return self.net((rows, sizes)), sizes


KINDS = {'deep': Deep}


def kind_of(name):
    assert name in KINDS
    return KINDS[name]


def encode(deep, loader):
    found = []
    for x in loader:
        first, sizes = deep.embed(x, True)
        found.append(first.data.numpy())
    return found


def fit(deep, loader):
    for x in loader:
        deep.learn(x, 3)
    return encode(deep, loader)


def main(opt, loader):
    deep = kind_of(opt.kind)(opt)
    fit(deep, loader)
    print(encode(deep, loader))
"""
INSIDE = "with torch.set_grad_enabled(not quiet):"


def text_of(body: str) -> str:
    before = source(body).encode()
    result = migrated(before)
    check_holds_up({"a.py": before}, result)
    text = result.outputs.get("a.py", before).decode()
    assert (INSIDE in text) is not bool(refusals(result))
    return text


def changed(old: str, new: str) -> str:
    assert old in SOURCE
    return SOURCE.replace(old, new)


@pytest.mark.parametrize("body", [
    SOURCE,
    changed("kind_of(opt.kind)(opt)", "KINDS[opt.kind](opt)"),
    changed("KINDS = {'deep': Deep}", "class Wide(Deep):\n    pass\n\n\nKINDS = {'deep': Deep, 'wide': Wide}"),
    SOURCE + "\n\ndef show():\n    print(sorted(KINDS.keys()))\n",
])
def test_a_method_of_what_a_table_of_classes_makes_is_that_of_its_classes(body):
    assert INSIDE in text_of(body)


@pytest.mark.parametrize("body", [
    SOURCE + "\n\ndef put(other):\n    KINDS['other'] = other\n",
    SOURCE + "\n\ndef put(other):\n    KINDS.update(other)\n",
    SOURCE + "\n\ndef put(show):\n    show(KINDS)\n",
    SOURCE + "\n\ndef put(other):\n    global KINDS\n    KINDS = other\n",
    SOURCE + "\n\ndef put(show):\n    show(globals())\n",
    SOURCE + "\n\nkinds = KINDS\n",
    SOURCE + "\n\ndef again(loader):\n    encode(torch.load('deep'), loader)\n",
    changed("{'deep': Deep}", "{'deep': Deep, 'other': torch.load('other')}"),
    changed("{'deep': Deep}", "{'deep': Deep, **torch.load('others')}"),
    changed("    return KINDS[name]", "    if name is None:\n        return torch.load(name)\n    return KINDS[name]"),
    changed("    def __init__(self, opt):", "    def __new__(cls, opt):\n        return torch.load(opt.own)\n\n"
                                         "    def __init__(self, opt):"),
    changed("class Base(object):", "class Base(torch.load('base')):"),
    changed("kind_of(opt.kind)(opt)", "kind_of(opt.kind)"),
])
def test_what_may_be_made_by_something_else_has_methods_that_nobody_knows(body):
    assert INSIDE not in text_of(body)
