"""Objects whose ``__init__`` is not in view (a decorator makes it, or a base that is not at hand) keep what they are
given: nothing in view says by which names."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

HEAD = """
import attr
import torch
from dataclasses import dataclass
from library import Record
from torch.autograd import Variable
from typing import NamedTuple
"""
CLASSES = [
    "class Sample(NamedTuple):\n    image: torch.Tensor\n    label: torch.Tensor\n",
    "class Sample(Record):\n    pass\n",
    "@dataclass\nclass Sample:\n    image: torch.Tensor\n    label: torch.Tensor\n",
    "@attr.s\nclass Sample(object):\n    image = attr.ib()\n    label = attr.ib()\n",
]


@pytest.mark.parametrize("made", CLASSES)
@pytest.mark.parametrize("given", ["{}, y", "image={}, label=y"])
def test_what_an_object_gives_of_what_it_was_given_is_volatile(made: str, given: str):
    text = """{head}
{made}
def f(net, x, y):
    sample = Sample({given})
    return net(sample.image)
"""
    before = text.format(head=HEAD, made=made, given=given.format("Variable(x, volatile=True)"))
    after = text.format(head=HEAD, made=made, given=given.format("Variable(x)"))
    after = after.replace(
        "    sample = ", "    with torch.no_grad():\n        sample = ").replace("    return net", "        return net")
    check_transformed(before, after)


@pytest.mark.parametrize("made", CLASSES)
def test_an_object_of_a_volatile_tensor_and_of_what_trains_is_left(made: str):
    check_noop(f"""{HEAD}
{made}
def f(net, x, w):
    sample = Sample(Variable(x, volatile=True), net(w))
    loss = sample.label.sum()
    loss.backward()
    return net(sample.image)
""", reason="escapes-by-attribute")


@pytest.mark.parametrize("made", CLASSES)
@pytest.mark.parametrize("use", ["net(sample.label)", "net(sample[1])", "[net(each) for each in sample]"])
def test_what_an_object_has_beside_a_volatile_tensor_may_need_a_graph(made: str, use: str):
    check_noop(f"""{HEAD}
{made}
def f(net, x, y):
    sample = Sample(Variable(x, volatile=True), Variable(y))
    out = net(sample.image)
    return out, {use}
""", reason="escapes-by-attribute")


@pytest.mark.parametrize("made", CLASSES)
def test_an_object_is_no_loss_in_which_a_volatile_target_is_lost(made: str):
    check_noop(f"""{HEAD}
{made}
def f(net, rows):
    for row in rows:
        pair = Sample(Variable(row, volatile=True), net(Variable(row)))
        print(net(pair.image).data)
        pair.label.sum().backward()
""", reason="escapes-by-attribute")


@pytest.mark.parametrize("member", [
    "both = lambda self: (self.image * weight).sum()", "both = property(lambda self: self.image * weight)",
    "both = product", "both = property(product)",
    "if True:\n        def both(self):\n            return self.image * weight",
])
def test_a_member_that_may_be_a_function_is_a_method(member: str):
    check_noop(f"""{HEAD}
weight = Variable(torch.ones(1), requires_grad=True)


def product(self):
    return self.image * weight


class Sample(NamedTuple):
    image: torch.Tensor
    label: torch.Tensor
    {member}


def f(net, rows):
    for row in rows:
        pair = Sample(Variable(row, volatile=True), Variable(row))
        print(net(pair.image).data)
""", reason="escapes-by-attribute")


STEP = """
    def step(self, y):
        loss = self.label(y).sum()
        loss.backward()
"""


@pytest.mark.parametrize("made", CLASSES)
def test_an_object_whose_methods_may_train_is_left(made: str):
    check_noop(f"""{HEAD}
{made.replace("    pass", "")}{STEP}
def f(net, x, y):
    sample = Sample(Variable(x, volatile=True), net)
    sample.step(Variable(y))
    return net(sample.image)
""", reason="escapes-by-attribute")


def test_a_method_of_a_class_above_may_train_too():
    check_noop(f"""{HEAD}
class Steps(Record):
{STEP}
class Sample(Steps):
    pass

def f(net, x, y):
    sample = Sample(Variable(x, volatile=True), net)
    sample.step(Variable(y))
    return net(sample.image)
""", reason="escapes-by-attribute")


def test_an_object_of_what_is_not_volatile_is_no_matter():
    before = f"""{HEAD}
{CLASSES[2]}
def f(net, x, y):
    sample = Sample(x, y)
    out = net(Variable(x, volatile=True))
    return out.data, sample
"""
    after = before.replace(", volatile=True", "").replace(
        "    out = net", "    with torch.no_grad():\n        out = net")
    check_transformed(before, after)
