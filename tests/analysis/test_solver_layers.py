"""Lists of layers: a layer that is taken out of one keeps nothing of what it is called with."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

CODE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class Messages(nn.Module):
    def __init__(self, width, kinds):
        super(Messages, self).__init__()
        {made}
        self.leave = nn.Linear(width, width)

    def forward(self, nodes):
        seen = Variable(torch.ones(nodes.size(0), nodes.size(1)))
        total = Variable(torch.zeros(nodes.size(0), nodes.size(1)))
        {loop}
            total += F.relu(one) * nodes
        return self.leave(total + nodes)
{more}

net = Messages(4, 3)
batch = Variable(torch.load('batch'), {flag})
{call}
print(out.data.sum())
"""
CALL = "out = net(batch)"
BLOCK = "with torch.no_grad():\n    out = net(batch)"


def texts(made: str, loop: str, more: str = "") -> tuple[str, str]:
    before = CODE.format(made=made, loop=loop, more=more, flag="volatile=True", call=CALL)
    after = CODE.format(made=made, loop=loop, more=more, flag="", call=BLOCK)
    return before, after.replace("torch.load('batch'), )", "torch.load('batch'))")


COMPREHENSION = "self.steps = nn.ModuleList([nn.Linear(width, width) for _ in range(kinds)])"
BY_INDEX = "for i in range(len(self.steps)):\n            one = self.steps[i](seen)"
BY_TURNS = "for step in self.steps:\n            one = step(seen)"
FILLED = ("self.steps = nn.ModuleList()\n        for _ in range(kinds):\n"
          "            self.steps.append(nn.Linear(width, 4))")
ADDED = FILLED.replace(".append(nn.Linear(width, 4))", " += [nn.Linear(width, 4)]")


@pytest.mark.parametrize(("made", "loop"), [
    (COMPREHENSION, BY_INDEX),
    (COMPREHENSION, BY_TURNS),
    (COMPREHENSION, "for i, step in enumerate(self.steps):\n            one = step(seen)"),
    (FILLED, BY_INDEX),
    (ADDED, BY_INDEX),
    ("self.steps = nn.Sequential(nn.Linear(width, width), nn.Tanh())", BY_TURNS),
    ("found = [nn.Linear(width, width)]\n        found.append(nn.Dropout(0.5))\n"
     "        self.steps = nn.ModuleList(found)", BY_TURNS),
    ("self.steps = nn.ModuleList([nn.ModuleList([nn.Linear(width, width)])])",
     "for i in range(kinds):\n            one = self.steps[0][i](seen)".replace("kinds", "3")),
], ids=["by index", "by turns", "counted", "appended", "added", "a sequence", "a list made before", "lists in a list"])
def test_what_a_layer_of_a_list_makes_of_other_inputs_is_missed_by_nobody(made, loop):
    before, after = texts(made, loop)
    check_transformed(before, after)


@pytest.mark.parametrize(("made", "loop", "more"), [
    (COMPREHENSION, BY_INDEX, "\n    def grow(self, other):\n        self.steps.append(other)\n"),
    (COMPREHENSION, BY_INDEX, "\n    def swap(self, other):\n        self.steps[0] = other\n"),
    (COMPREHENSION, BY_INDEX, "\n    def hand_out(self):\n        return self.steps\n"),
    (COMPREHENSION, BY_INDEX, "\n    def name(self, other):\n        self.steps.add_module('last', other)\n"),
    ("self.steps = nn.ModuleList(kinds)", BY_INDEX, ""),
    ("self.steps = nn.ModuleList([nn.Linear(4, 4), kinds])", BY_TURNS, ""),
    ("self.steps = nn.ModuleList([nn.Linear(4, 4)])\n        self.steps.extend(kinds)", BY_TURNS, ""),
    ("self.steps = nn.ModuleList([nn.Linear(4, 4)])\n        self.steps.insert(0, kinds)", BY_TURNS, ""),
    ("self.steps = nn.ModuleList([nn.Linear(4, 4)])\n        self.steps += kinds", BY_TURNS, ""),
    (ADDED, BY_INDEX, "\n    def grow(self, other):\n        self.steps += [other]\n"),
    (ADDED, BY_INDEX, "\n\ndef change(net, other):\n    net.steps += [other]\n"),
    (COMPREHENSION, BY_INDEX, "\n\ndef change(net, other):\n    net.steps.append(other)\n"),
    (COMPREHENSION, BY_INDEX, "\n\ndef change(net, other):\n    net.steps = other\n"),
], ids=["appended later", "replaced later", "handed out", "added by name", "handed in", "one handed in", "extended",
        "inserted", "added to", "added to later", "added to by others", "appended by others", "replaced by others"])
def test_a_list_that_may_hold_what_nobody_knows_is_left_alone(made, loop, more):
    before, _ = texts(made, loop, more)
    check_noop(before, reason="mixed-statement")


def test_the_graph_of_a_layer_of_a_list_that_is_kept_is_left_alone():
    before, _ = texts(COMPREHENSION, "for step in self.steps:\n            one = self.last = step(seen)")
    check_noop(before + "(net.last.sum() + net.leave.weight.sum()).backward()\n", reason="mixed-statement")


def test_the_graph_of_a_layer_of_a_list_that_trains_is_left_alone():
    before, _ = texts(COMPREHENSION, "for step in self.steps:\n            one = step(seen)\n"
                                     "            one.sum().backward()")
    check_noop(before, reason="mixed-statement")


ASKED = """\
import torch
import torch.nn as nn
from torch.autograd import Variable


class Own(nn.Module):
    def forward(self, got, want):
        return (got * want).sum()


class Learned(nn.Module):
    def __init__(self):
        super(Learned, self).__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, got, want):
        return self.layer(got * want).sum()


def learn(net, data, labels, other):
    criterion = {made}
    wanted = Variable(labels, volatile=True)
    scores = net(Variable(data))
    scores.sum().backward()
    return criterion.forward(scores, wanted)
"""


def test_the_forward_of_a_layer_of_torchs_is_what_the_layer_is():
    """Labels make no loss volatile."""
    before = ASKED.format(made="nn.CrossEntropyLoss()")
    check_transformed(before, before.replace(", volatile=True", ""))


def test_that_of_a_loss_of_the_projects_own_without_weights_is_what_stands_there():
    before = ASKED.format(made="Own()")
    check_transformed(before, before.replace(", volatile=True", "").replace(
        "    return criterion", "    with torch.no_grad():\n        return criterion"))


@pytest.mark.parametrize("made", ["Learned()", "other", "nn.SmoothL1Loss() if other else Learned()"])
def test_the_forward_of_anything_else_is_looked_at_by_itself(made: str):
    check_noop(ASKED.format(made=made), reason="unknown-callee")


PREPARED = """\
import torch
import torch.nn as nn
from torch.autograd import Variable


class Reader(nn.Module):
    def __init__(self, width):
        super(Reader, self).__init__()
        self.memory = nn.GRU(width, width)

    def forward(self, words, lengths):
        {prepared}
        read = self.memory(words)[0]
        return read / Variable(torch.FloatTensor(lengths)).expand_as(read)

    def encode(self, words, lengths):
        {read}.data.numpy()
{more}"""
READ = "return self.forward(Variable(words{flag}), lengths)"


def test_a_recurrent_layer_that_lines_up_its_weights_builds_no_graph():
    check_transformed(
        PREPARED.format(prepared="self.memory.flatten_parameters()", read=READ.format(flag=", volatile=True"), more=""),
        PREPARED.format(prepared="self.memory.flatten_parameters()", more="",
                        read="with torch.no_grad():\n            " + READ.format(flag="")))


@pytest.mark.parametrize(("prepared", "more"), [
    ("self.memory.prepare_weights()", ""),
    ("self.other.flatten_parameters()", "\n\nclass Flat(nn.GRU):\n    def flatten_parameters(self):\n"
                                        "        self.flat = self.weight_ih_l0.view(-1)\n"),
    ("self.other.flatten_parameters()", "\n\nclass Other(object):\n    def flatten_parameters(self):\n"
                                        "        self.cost.backward()\n"),
])
def test_what_another_method_does_with_weights_nobody_knows(prepared: str, more: str):
    check_noop(PREPARED.format(prepared=prepared, read=READ.format(flag=", volatile=True"), more=more),
               reason="mixed-statement")
