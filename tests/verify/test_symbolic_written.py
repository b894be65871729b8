"""A leaf that 0.3 wrote volatile still says that it requires grad, and nothing computed of it does."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge  # noqa: E402

SCRIPT = """\
import torch
from torch.autograd import Variable
from nets import Net
from data import loader

frozen = loader.frozen
net = Net()
head = net.head
{loop}
def test():
    for x in loader:
        y = net(Variable(x, volatile=True))
        print(y.data)

test()
{more}"""
WRITTEN = "for p in net.parameters():\n    p.volatile = True\n"


def changed(text: str, froze: str) -> str:
    return text.replace("p.volatile = True", froze).replace(
        "        y = net(Variable(x, volatile=True))",
        "        with torch.no_grad():\n            y = net(Variable(x))")


@pytest.mark.parametrize("froze", ["p.requires_grad_(False)", "p.requires_grad = False", "pass"])
def test_a_name_of_the_top_level_that_still_holds_it_is_no_difference(froze: str):
    text = SCRIPT.format(loop=WRITTEN, more="")
    assert judge(text, changed(text, froze)) == ("identical", None)


@pytest.mark.parametrize("loop", [
    WRITTEN.replace("p.volatile = True", "p.volatile = False"),
    WRITTEN.replace("    p.volatile = True", "    if frozen:\n        p.volatile = True"),
    "p = head.weight\nif frozen:\n    p.volatile = True\n",
])
def test_what_was_not_written_volatile_is_one(loop: str):
    text = SCRIPT.format(loop=loop, more="")
    after = changed(text.replace("p.volatile = False", "p.volatile = True").replace("    if frozen:\n    ", "")
                    .replace("if frozen:\n    p", "p"), "p.requires_grad_(False)")
    assert judge(text, after)[0] == "different"


def test_one_that_a_backward_goes_to_before_keeps_its_gradient():
    loop = "loss = net(Variable(loader.first)).sum()\nloss.backward()\ndel loss\n" + WRITTEN
    text = SCRIPT.format(loop=loop, more="")
    assert judge(text, changed(text, "p.requires_grad_(False)"))[0] == "identical"
    froze = "for p in net.parameters():\n    p.requires_grad_(False)\n"
    early = changed(text, "pass").replace("loss = net", froze + "loss = net")
    assert judge(text, early)[0] == "different"


def test_another_value_in_its_place_is_a_difference():
    text = SCRIPT.format(loop=WRITTEN, more="")
    assert judge(text, changed(text, "p.data.zero_()"))[0] == "different"
