"""A layer that is put into the table of a network is what the network runs from then on."""

from __future__ import annotations

import pytest
from solving import source

from helpers import check_transformed

SWAPPED = """
    import torch.nn as nn

    class Net(nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.act = nn.ReLU()

        def forward(self, x):
            return self.act(x)

    def swap(net, layer):
        PUT

    def main(t):
        net = Net()
        swap(net, nn.Linear(3, 3))
        x = Variable(t, volatile=True)
        print(net(x))

    main(torch.ones(2, 3))
"""


@pytest.mark.parametrize("put", [
    "net._modules['act'] = layer",
    "for name, old in net._modules.items():\n            net._modules[name] = layer",
])
def test_a_layer_in_the_table_of_a_network_computes_with_its_weights(put):
    text = source(SWAPPED.replace("PUT", put))
    check_transformed(text, text.replace(", volatile=True", "").replace(
        "    print(net(x))", "    with torch.no_grad():\n        print(net(x))"))


@pytest.mark.parametrize("put", ["print(net._modules['act'])", "layer._modules['other'] = layer"])
def test_a_network_whose_layers_stay_runs_what_it_was_made_of(put):
    text = source(SWAPPED.replace("PUT", put))
    check_transformed(text, text.replace(", volatile=True", ""))


def test_what_gives_the_network_with_the_table_is_run_once():
    taken = SWAPPED.replace("net = Net()", "nets = [Net(), Net()]").replace("swap(net, nn.Linear(3, 3))", """\
nets.pop()._modules['act'] = nn.Linear(3, 3)
        net = nets.pop()""").replace("PUT", "pass")
    text = source(taken)
    check_transformed(text, text.replace(", volatile=True", ""))
