"""What is called by a parameter's name, and is a library's class whoever calls, runs no body of the project's."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

MASKED = """
import torch
import torch.nn as nn
from torch.autograd import Variable
from torchvision.models.resnet import Bottleneck


def marks(index, count):
    mask = torch.zeros(index.size(0), count)
    if isinstance(index, Variable):
        mask = Variable(mask, volatile=index.volatile)
    return mask


class Cost(nn.Module):
    def forward(self, scores, index):
        return -(marks(index, scores.size(1)) * scores).sum()


class Body(nn.Module):
    def __init__(self, block, width):
        super(Body, self).__init__()
        self.parts = self.stack(block, width)

    def stack(self, block, width):
        return nn.Sequential(block(width, width), block(width, 1))

    def forward(self, x):
        return self.parts(x)


def train(loader):
    net, cost = {made}, Cost()
    for x, y in loader:
        cost(net(Variable(x)), Variable(y)).backward()
{more}"""


def left(made: str, more: str = "") -> bool:
    result, texts = migrated_files({"main.py": MASKED.replace("{made}", made).replace("{more}", more)})
    return bool(refusals(result)) and "volatile=index.volatile" in texts["main.py"]


def test_a_class_of_a_library_is_no_caller():
    assert not left("Body(Bottleneck, 3)")


def test_an_object_that_is_handed_over_is_called_where_that_is_seen_with_numbers_alone():
    assert not left("Body(Cost(), 3)")


@pytest.mark.parametrize(("made", "more"), [
    ("Body(unseen(Cost()), 3)", ""),
    ("Body(Bottleneck, 3)", "\n\ndef show(parts):\n    return Body(parts['cost'], 3)\n"),
    ("Body(Bottleneck, 3)", "\n\ndef show(net, x):\n    return net.stack(Cost(), Variable(x, volatile=True))\n"),
    ("Body(Bottleneck, 3)", "\n\nclass Wide(Body):\n    def __init__(self, cost):\n"
                            "        super(Wide, self).__init__(cost, 3)\n\n\nWide(Cost())\n"),
    ("Body(Bottleneck, 3)", "\n\nclass Wide(Body):\n    def __init__(self, *parts):\n"
                            "        super(Wide, self).__init__(*parts)\n\n\nWide(Cost(), 3)\n"),
    ("Body(Bottleneck, 3)", "\n\nclass Wide(Body):\n    def build(self, cost):\n"
                            "        return self.stack(cost, 3)\n\n\nWide(Bottleneck, 3).build(Cost())\n"),
    ("Body(Bottleneck, 3)", "\n\nclass Wide(Body):\n    pass\n\n\ndef show(kinds, cost):\n    kinds[0] = Wide\n"
                            "    return kinds[0](cost, 3)\n"),
    ("Body(Bottleneck, 3)", "\n\ndef show(kinds, name):\n    return getattr(kinds, 'st' + name)(Cost(), 3)\n"),
])
def test_what_others_may_hand_over_is_one(made: str, more: str):
    assert left(made, more)
