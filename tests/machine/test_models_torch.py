from __future__ import annotations

import pytest

from alone import forbids, needs, ran


def test_backward_by_its_full_name_demands_a_graph():
    machine = ran("def f(net, x):\n    torch.autograd.backward([net(Variable(x))])")
    assert 2 in forbids(machine)


@pytest.mark.parametrize("text", ["torch.zeros(3)", "torch.is_tensor(v)", "torch.manual_seed(0)"])
def test_what_makes_or_asks_needs_no_block(text):
    assert needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    net({text})")) == []


def test_a_parameter_requires_grad():
    machine = ran("def f(x):\n    w = torch.nn.Parameter(x)\n    return w * Variable(x, volatile=True)")
    assert needs(machine) == [3]
