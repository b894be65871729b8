"""Layers and functions that write into their input: ``nn.ReLU(inplace=True)``, ``F.dropout(h, inplace=True)``.

What is written into keeps its graph and has one step more, which a block would take out of it.
"""

from __future__ import annotations

import pytest
from solving import source

from helpers import check_holds_up, migrated

HEAD = "import torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
ACTED = """
def step(net, head, x, v, on):
    h = head(Variable(x))
    out = net(Variable(v, volatile=True)) + {acted}
    h.sum().backward()
    return out.data
"""


def after(body: str) -> str:
    text = source(HEAD + body)
    result = migrated(text)
    assert not [site.reason for site in result.sites if site.reason]
    check_holds_up({"a.py": text.encode()}, result)
    return result.outputs["a.py"].decode()


@pytest.mark.parametrize("acted", [
    "F.relu(h, inplace=True)", "F.relu(h, True)", "F.relu(h, inplace=on)", "F.dropout(h, 0.5, True, True)",
    "F.leaky_relu(h, 0.2, True)", "nn.ReLU(True)(h)", "nn.ReLU(inplace=on)(h)", "nn.Dropout(0.5, True)(h)",
    "nn.Threshold(0, 0, inplace=True)(h)", "nn.Sequential(nn.ELU(inplace=True), nn.Linear(3, 3))(h)",
    "nn.Sequential(nn.Sequential(nn.ReLU6(True)), nn.Linear(3, 3))(h)", "F.relu(h[0], inplace=True)",
])
def test_no_block_stands_around_what_writes_into_a_graph_that_is_sent_backward(acted: str):
    text = after(ACTED.format(acted=acted))
    assert f"torch.no_grad()(net)(Variable(v)) + {acted}" in text
    assert "with torch.no_grad()" not in text


@pytest.mark.parametrize("acted", [
    "F.relu(h)", "F.relu(h, inplace=False)", "F.relu(h, False)", "F.dropout(h, 0.5, True)", "nn.ReLU()(h)",
    "nn.ReLU(False)(h)", "nn.Dropout(0.5)(h)", "nn.Sequential(nn.Linear(3, 3), nn.ReLU(True))(h)",
    "F.relu(h * 2, inplace=True)", "nn.ReLU(True)(h + 1)",
])
def test_a_block_stands_around_what_writes_into_nothing_that_is_kept(acted: str):
    assert f"    with torch.no_grad():\n        out = net(Variable(v)) + {acted}\n" in after(ACTED.format(acted=acted))


NETWORK = """
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.head = nn.Linear(3, 3)
        self.act = nn.ReLU({flag})

    def forward(self, x):
        h = self.act(self.head(x))
        return self.act(F.dropout(self.head(h), inplace=True))

    def step(self, x, v):
        h = self.head(Variable(x))
        out = self.head(Variable(v, volatile=True)) + self.act(h)
        h.sum().backward()
        return out.data


def look(x):
    net = Net()
    return net(Variable(x, volatile=True)).data
"""


def test_a_network_whose_layers_write_into_what_they_made_has_its_block():
    text = after(NETWORK.format(flag="inplace=True"))
    assert "    with torch.no_grad():\n        return net(Variable(x)).data\n" in text


@pytest.mark.parametrize(("flag", "block"), [("inplace=True", False), ("True", False), ("", True), ("False", True)])
def test_a_layer_of_an_object_is_known_by_what_it_was_made_with(flag: str, block: bool):
    text = after(NETWORK.format(flag=flag))
    assert ("        with torch.no_grad():\n            out = self.head(Variable(v)) + self.act(h)\n" in text) is block


def test_a_flag_that_is_set_on_a_layer_counts():
    made = "    act = nn.ReLU()\n    act.inplace = True\n    out = "
    text = after(ACTED.format(acted="act(h)").replace("    out = ", made))
    assert "with torch.no_grad()" not in text
