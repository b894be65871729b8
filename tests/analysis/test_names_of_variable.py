"""Every way to torch's Variable is one name, to all that ask."""

from __future__ import annotations

import pytest

from helpers import check_transformed

WAYS = [
    ("from torch.autograd.variable import Variable", "Variable"),
    ("from torch.nn.parameter import Variable", "Variable"),
    ("from torch.nn.modules.module import Variable as V", "V"),
    ("import torch.nn.parameter as kept", "kept.Variable"),
    ("from torch.nn import parameter", "parameter.Variable"),
    ("import torch.autograd.variable", "torch.autograd.variable.Variable"),
    ("from torch.autograd.variable import *", "Variable"),
]


@pytest.mark.parametrize(("line", "name"), WAYS)
def test_by_whatever_way_variable_comes_its_flag_gets_a_block(line, name):
    text = "import torch\n{0}\n\n\ndef f(net, t):\n    x = {1}(t{2})\n{3}    return net(x).data\n"
    block = "    with torch.no_grad():\n    "
    check_transformed(text.format(line, name, ", volatile=True", ""), text.format(line, name, "", block))
