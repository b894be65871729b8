from __future__ import annotations

import pytest

from alone import needs, ran


@pytest.mark.parametrize(("test", "line"), [("isinstance(v, list)", []), ("isinstance(v, Variable)", [4])])
def test_what_is_a_variable_is_no_container(test, line):
    assert needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    if {test}:\n        net(v)")) == line


def test_a_number_is_a_number():
    assert needs(ran("def f(net, x):\n    if not isinstance(1, int):\n        net(Variable(x, volatile=True))")) == []


@pytest.mark.parametrize("test", ["isinstance(v, torch._TensorBase)", "isinstance(v, torch.FloatTensor)"])
def test_a_variable_is_no_tensor_of_0_3(test):
    assert needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    if {test}:\n        net(v)")) == []
