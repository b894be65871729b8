"""What a network in a ``DataParallel`` does where it is handed something volatile and something that is not."""

from __future__ import annotations

import pytest

from alone import needs, ran

SOURCE = """
    from torch import nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(2, 2)
        def forward(self, x, sizes):
            sizes.data
            return {given}
    def f(data):
        net = {made}
        return net(Variable(data), Variable(data, volatile=True))
"""


def lines(given: str, made: str = "nn.DataParallel(Net())") -> list[int]:
    """The lines, counted from the last import, that need gradients off."""
    return needs(ran(SOURCE.format(given=given, made=made)))


@pytest.mark.parametrize("given", ["self.part(x)", "[self.part(x), None]", "None"])
def test_what_is_made_of_the_rest_is_not_volatile(given):
    assert lines(given) == []


@pytest.mark.parametrize("given", ["self.part(sizes)", "x, self.part(x + sizes)", "self.unseen(sizes)"])
def test_what_is_made_of_it_is(given):
    assert lines(given)


def test_several_networks_in_one_and_such_as_nobody_sees_are_one_operation():
    for made in ("nn.DataParallel(nn.Sequential(Net(), Net()))", "nn.DataParallel(data)", "nn.DataParallel()"):
        assert lines("self.part(x)", made) == [12]
