"""A parameter that is only ever handed a library's class stands for that, whoever calls."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.foreign import only_foreign
from voltfix.program.rebound import Rebound
from voltfix.solver.roots import Tables

NET = """
import torch.nn as nn
from torchvision.models.resnet import Bottleneck, BasicBlock


class Body(nn.Module):
    def __init__(self, block, width):
        super(Body, self).__init__()
        self.parts = self.stack(block, width)

    def stack(self, block, width):
        return nn.Sequential(block(width, width), block(width, 1))


class Part(nn.Module):
    def forward(self, x, y):
        return x
"""


def is_foreign(more: str, net: str = NET) -> bool:
    code = project(main=net + more)
    rebound: Rebound = code.computed(Tables).rebound
    call = next(node for node in code.nodes("main.py") if isinstance(node, ast.Call)
                and ast.unparse(node) == "block(width, 1)")
    return only_foreign(code, rebound, "main.py", call.func) is not None


@pytest.mark.parametrize("more", [
    "net = Body(Bottleneck, 3)",
    "net = Body(Bottleneck, 3)\nother = Body(block=BasicBlock, width=3)",
    "def make(kind):\n    return Body(kind, 3)\n\n\nmake(Bottleneck)",
    "def make(kind=Bottleneck):\n    return Body(kind, 3)\n\n\nmake()",
    "kind = nn.Linear\nnet = Body(kind, 3)",
])
def test_what_every_caller_hands_over_is_from_outside(more: str) -> None:
    assert is_foreign(more)


@pytest.mark.parametrize("more", [
    "",
    "net = Body(Part, 3)",
    "net = Body(Part(), 3)",
    "net = Body(Bottleneck, 3)\nother = Body(Part(), 3)",
    "net = Body(Bottleneck(3, 3), 3)",
    "net = Body(*parts)",
    "net = Body(Bottleneck, 3)\nnet.stack(Part(), 3)",
    "net = Body(parts['a'], 3)",
    "net = Body(Bottleneck if wide else Part(), 3)",
    "kind = Bottleneck\nkind = Part()\nnet = Body(kind, 3)",
    "def make(kind=Part()):\n    return Body(kind, 3)\n\n\nmake()\nmake(Bottleneck)",
    "net = Body(None, 3)",
])
def test_what_anybody_may_hand_over_from_the_project_is_not(more: str) -> None:
    assert not is_foreign(more)


@pytest.mark.parametrize("again", [
    "for block in width: pass", "for block, _ in width: pass", "with width as block: pass", "block, _ = width",
])
def test_a_name_that_a_loop_or_a_with_binds_again_may_stand_for_anything(again: str) -> None:
    first = "        return nn.Sequential("
    body = NET.replace(first, f"        {again}\n{first}")
    assert first in NET
    assert is_foreign("net = Body(Bottleneck, 3)")
    assert not is_foreign("net = Body(Bottleneck, 3)", body)
