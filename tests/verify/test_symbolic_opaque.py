"""A network of the project that is built of what is not at hand is taken for one that is not in view."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

TOLD = ("different", "not-run")
# read from a file: which layers there are is not known, and on no way there is one of the last kind
NETS = """
import torch
import torch.nn as nn
from torch.autograd import Variable
{more}
def read(path):
    lines = [line for line in open(path).read().split('#') if len(line) > 0]
    block, blocks = {{}}, []
    for line in lines:
        if line[0] == '[':
            if len(block) != 0:
                blocks.append(block)
                block = {{}}
            block['kind'] = line[1:-1]
        else:
            name, value = line.split('=')
            block[name.strip()] = value.strip()
    blocks.append(block)
    return blocks

class Net(nn.Module):
    def __init__(self, path):
        super(Net, self).__init__()
        self.blocks = read(path)
        self.parts = nn.ModuleList([nn.Conv2d(int(each['in']), int(each['out']), 3) for each in self.blocks[1:]])
    def forward(self, x):
        for place, block in enumerate(self.blocks[1:]):
            if block['kind'] == 'conv':
                x = self.parts[place](x)
            elif block['kind'] == 'last' and block['mask']:
                outcome = x
        {gives}
"""
BODY = """
import nets
def f(x, path, other):
    net = nets.Net(path)
    y = net(Variable(x, volatile=True))
    {last}
"""


def nets(gives: str = "return outcome", more: str = "") -> str:
    return NETS.format(gives=gives, more=more)


@pytest.mark.parametrize("gives", ["return outcome", "return outcome.data", "return torch.cat([outcome, x])"])
def test_a_network_that_is_read_from_a_file_is_run_as_an_unknown_one(gives: str):
    check(BODY.format(last="print(y.size())\n    return y"), told=TOLD, nets=nets(gives))


def test_what_such_a_network_gives_may_be_let_go_of_inside_of_it():
    """Then what stands behind it has a graph, which a block around it takes away."""
    before = BODY.format(last="return other(y)")
    after = unflagged(before).replace("    y = net", "    with torch.no_grad(): y = net")
    wide = after.replace("return other", "with torch.no_grad(): return other")
    assert judge(before, wide, nets=nets("return Variable(outcome.data)"))[0] != "identical"


@pytest.mark.parametrize("wrong", ["if True:", "with torch.enable_grad():"])
def test_a_block_that_is_missing_is_not_called_the_same(wrong: str):
    before = BODY.format(last="return y")
    after = with_block(before).replace("with torch.no_grad():", wrong)
    assert judge(before, after, nets=nets())[0] in TOLD


@pytest.mark.parametrize(
    ("more", "others"),
    [
        ("def wrap(x): return Variable(x, volatile=True)", {}),
        ("import tools", {"tools": "def wrap(x): return Variable(x, volatile=True)\n"}),
        ("from tools import wrap", {"tools": "import deep\ndef wrap(x): return x\n", "deep": "volatile = True\n"}),
    ],
)
def test_a_network_whose_file_decides_flags_is_looked_into(more: str, others: dict[str, str]):
    from judging import HEAD

    from voltfix.verify.symbolic import opaque
    from voltfix.verify.symbolic.explore import Item
    from voltfix.verify.symbolic.project import Side

    texts = {"a.py": HEAD, "nets.py": nets(more=more), **{f"{name}.py": text for name, text in others.items()}}
    assert "nets" not in opaque.out_of_sight(Item(Side(texts), Side(texts), ()))
    texts["nets.py"] = nets()
    assert "nets" in opaque.out_of_sight(Item(Side(texts), Side(texts), ()))
