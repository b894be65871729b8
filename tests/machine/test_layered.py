"""What is taken out of a list of layers."""

from __future__ import annotations

import pytest

from alone import forbids, ran


def made(text: str) -> list[int]:
    """The lines, counted from the last, that build a graph of weights; the last is a call of a layer."""
    source = f"from torch import nn\ndef f(unknown):\n    x = Variable(torch.ones(2))\n    {text}\n    y = layer(x)\n"
    return forbids(ran(source))


@pytest.mark.parametrize("text", [
    "layer = nn.ModuleList([nn.Linear(2, 2)])[0]",
    "layer = nn.Sequential(nn.Tanh(), nn.Linear(2, 2))[unknown]",
    "layer = nn.ModuleList([nn.ModuleList([nn.Linear(2, 2)])])[0][1]",
    "layer = list(nn.ModuleList([nn.Linear(2, 2)]))[0]",
    "layer = nn.ModuleList(unknown)[0]",
    "layers = nn.ModuleList([nn.Tanh()]); layers.append(nn.Linear(2, 2)); layer = layers[0]",
    "layers = nn.ModuleList([nn.Tanh()]); layers.extend([nn.Linear(2, 2)]); layer = layers[0]",
    "layers = nn.ModuleList([nn.Tanh()]); layers.insert(0, unknown); layer = layers[0]",
    "layers = nn.ModuleList([nn.Tanh()]); layers.append(unknown); layer = layers[0]",
    "layer = nn.ModuleList([nn.Tanh(), nn.L1Loss()])[0]",
])
def test_a_layer_that_may_have_weights_builds_a_graph(text):
    assert made(text) == [5]


@pytest.mark.parametrize("text", [
    "layer = nn.ModuleList([nn.Tanh()])[0]",
    "layer = nn.Sequential(nn.Tanh(), nn.ReLU())[unknown]",
    "layers = nn.ModuleList(); layers.append(nn.Tanh()); layer = layers[0]",
])
def test_a_list_of_layers_without_weights_may_be_given_one_with_some_where_nobody_sees_it(text):
    assert made(text) == [5]
