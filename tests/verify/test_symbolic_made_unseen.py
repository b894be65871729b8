"""Objects whose ``__init__`` a decorator or a base makes that is not at hand: they keep what they are given."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

MORE = """import attr
from dataclasses import dataclass, field
from typing import NamedTuple
from library import Record
"""
CLASSES = {
    "NamedTuple": "class Sample(NamedTuple):\n    image: torch.Tensor\n    label: int = 0\n",
    "base": "class Sample(Record):\n    pass\n",
    "dataclass": "@dataclass\nclass Sample:\n    image: torch.Tensor\n    label: list = field(default_factory=list)\n",
    "attrs": "@attr.s\nclass Sample(object):\n    image = attr.ib()\n    label = attr.ib(default=None)\n",
}


def text(made: str, given: str, last: str = "y = net(sample.image)\n    return y") -> str:
    return f"{MORE}{CLASSES[made]}def f(net, x, other):\n    sample = Sample({given})\n    {last}\n"


VOLATILE = "Variable(x, volatile=True)"


@pytest.mark.parametrize("made", CLASSES)
@pytest.mark.parametrize(
    "given", [VOLATILE, "image=" + VOLATILE, VOLATILE + ", other", f"label=other, image={VOLATILE}"])
def test_what_an_object_is_given_it_gives(made: str, given: str):
    check(text(made, given))


@pytest.mark.parametrize("made", ["NamedTuple", "dataclass", "attrs"])
def test_another_field_is_another_value(made: str):
    before = text(made, f"{VOLATILE}, Variable(other)", "y = net(sample.label)\n    return y")
    assert judge(before, with_block(before))[0] == "different"
    assert judge(before, unflagged(before))[0] != "different"


def test_a_named_tuple_is_taken_apart():
    check(text("NamedTuple", f"{VOLATILE}, other", "image, label = sample\n    y = net(image)\n    return y"))


def test_what_such_a_class_does_after_it_was_made_is_done():
    made = "@attr.s\nclass Sample(object):\n    image = attr.ib()\n    def __attrs_post_init__(self):\n        " \
        "self.image = Variable(self.image, volatile=True)\n"
    before = f"{MORE}{made}def f(net, x):\n    y = net(Sample(x).image)\n    return y\n"
    check(before)


def test_two_fields_of_an_object_that_nobody_made_in_view_are_two():
    made = """
    import attr
    @attr.s
    class Player(object):
        actor = attr.ib()
        critic = attr.ib()
        tutor = attr.ib()
        def learn(self, x, optimizer):
            value = self.critic(Variable(x, volatile=True))
            loss = self.actor(Variable(x)).sum()
            loss.backward()
            optimizer.step()
            return value
    """
    after = unflagged(made).replace(
        "            value = ", "            with torch.no_grad():\n                value = ")
    assert judge(made, after, "Player.learn") == ("identical", None)
    swapped = after.replace("self.critic(", "self.tutor(")
    assert judge(made, swapped, "Player.learn")[0] == "different"


def test_what_a_class_only_notes_is_no_field_where_its_init_is_in_view():
    before = """
    class Sample(object):
        image: torch.Tensor
        def __init__(self, x):
            self.image = Variable(x, volatile=True)
    def f(net, x):
        y = net(Sample(x).image)
        return y
    """
    check(before)
