"""Forward hooks that ask for the flag of what layers are given: grad mode answers where the two always say the same."""

from __future__ import annotations

import pytest

from helpers import check_transformed, migrated

START = """import torch
import torch.nn as nn
from torch.autograd import Variable


class Gather(object):
    def __init__(self, net):
        self.seen = []
        for part in net.modules():
            part.register_forward_pre_hook(self.note)

    def note(self, layer, given):
        if ASKED and layer.training:
            self.seen.append(given[0].data)


class Small(nn.Module):
    def __init__(self):
        super(Small, self).__init__()
        self.one = nn.Linear(3, 3)
        self.two = nn.Linear(3, 3)
        self.drop = nn.Dropout()
        self.start = nn.Parameter(torch.zeros(1, 3))

    def forward(self, x):
        BODY
"""
LOOK = """

def look(data):
    net = Small()
    Gather(net)
    return net(Variable(data, volatile=True)).data
"""
LOOKED = """

def look(data):
    net = Small()
    Gather(net)
    with torch.no_grad():
        return net(Variable(data)).data
"""
LEFT = {"VF101": "forward-hook", "VF103": "volatile-read"}
CHAIN = "return self.two(self.one(x).clamp(0))"


def refused(text: str) -> dict[str, str]:
    """The reasons by which a program is left as it is: of the read, and of the rest."""
    result = migrated(text)
    assert not result.outputs
    return {site.code: site.reason for site in result.sites}


def program(asked: str = "given[0].volatile == False", body: str = CHAIN, look: str = LOOK) -> str:
    return START.replace("ASKED", asked).replace("BODY", body.replace("\n", "\n        ")) + look


@pytest.mark.parametrize(("asked", "mode"), [
    ("given[0].volatile == False", "torch.is_grad_enabled()"),
    ("not given[0].volatile", "torch.is_grad_enabled()"),
    ("given[0].volatile is True", "not torch.is_grad_enabled()"),
    ("given[0].volatile", "not torch.is_grad_enabled()"),
])
def test_a_hook_asks_grad_mode_where_layers_are_given_what_is_volatile_in_blocks_alone(asked: str, mode: str) -> None:
    check_transformed(program(asked), program(mode, look=LOOKED))


@pytest.mark.parametrize("body", [
    "x = self.one(x)\nfor _ in range(3):\n    x = x + self.two(x)\nreturn x",
    "return self.two(torch.cat([self.one(each) for each in x.split(1)], 0))",
    "return self.two(self.one(x) + self.start)",
])
def test_what_layers_compute_of_something_volatile_is_volatile_on_its_way(body: str) -> None:
    check_transformed(program(body=body), program("torch.is_grad_enabled()", body, LOOKED))


@pytest.mark.parametrize("body", [
    "return self.two(self.one(x)) + self.drop(Variable(torch.zeros(1, 3)))",
    "return self.two(self.one(x)) + self.drop(Variable(self.start.data))",
    "return self.two(self.drop(Variable(self.one(x).data)) + self.one(x))",
    "y = Variable(torch.zeros(1, 3)) if x.size(0) > 1 else x\nreturn self.two(self.one(x)) + self.drop(y)",
    "return self.helper(self.one(x), Variable(torch.zeros(1, 3)))\n\n"
    "def helper(self, x, y):\n    return self.two(x) + self.drop(y)",
])
def test_a_hook_is_not_answered_where_a_layer_is_given_in_a_block_what_was_not_volatile(body: str) -> None:
    """On 0.3 the hook saw no flag there: under grad mode it would not run."""
    assert refused(program(body=body)) == LEFT


@pytest.mark.parametrize("look", [
    "def look(net, mask, data):\n    return net(Variable(mask), Variable(data, volatile=True)).data\n",
    "def look(net, mask, data):\n    return net.run(Variable(data, volatile=True), Variable(mask)).data\n",
    "def look(net, start, data):\n    return net(start(), Variable(data, volatile=True)).data\n",
    "def look(net, data):\n    x = Variable(data, volatile=True)\n    nn.Dropout()(x)\n    return net(x).data\n",
    "def look(net, data):\n    return nn.Tanh()(Variable(data, volatile=True)).data + net(Variable(data)).data\n",
    "def look(net, data, mask):\n    x = nn.parallel.data_parallel(net, Variable(mask)).data\n"
    "    return net(Variable(data, volatile=True), nn.parallel.data_parallel(net, Variable(mask)).data + x).data\n",
])
def test_a_hook_is_not_answered_where_unknown_code_may_give_a_layer_what_grad_mode_does_not_say(look: str) -> None:
    assert refused(program(look="\n\n" + look)) == LEFT


@pytest.mark.parametrize("body", [
    "return self.two(Variable(self.one(x).data))",
    "return self.two(self.one(x)) + self.one(Variable(torch.zeros(1, 3)))",
])
def test_a_network_that_nobody_is_seen_to_make_may_be_any_of_the_project(body: str) -> None:
    look = "\n\ndef look(net, data):\n    return net(Variable(data, volatile=True)).data\n"
    assert refused(program(body=body, look=look)) == LEFT


@pytest.mark.parametrize("asked", [
    "layer[0].volatile", "layer.volatile", "given.volatile", "self.last[0].volatile", "given[layer.at].volatile",
])
def test_of_anything_but_what_its_layer_is_given_a_hook_is_told_nothing_by_grad_mode(asked: str) -> None:
    assert not any(b"is_grad_enabled" in text for text in migrated(program(asked)).outputs.values())


def test_a_function_that_a_hook_asks_is_asked_by_it() -> None:
    """The flag of a parameter of any function that a hook calls is that of what some layer is given, perhaps."""
    asking = START.replace("ASKED", "self.counts(given[0])").replace("BODY", CHAIN).replace(
        "\n\nclass Small", "\n    def counts(self, x):\n        return not x.volatile\n\n\nclass Small")
    assert refused(asking + LOOK) == LEFT


def test_the_blocks_and_the_question_are_one_change() -> None:
    assert len({site.change for site in migrated(program()).sites}) == 1


def test_a_hook_that_is_handed_to_who_registers_it_is_one() -> None:
    look = LOOK.replace("Gather(net)", "note = Gather(net).note\n    attach(net, note)").replace(
        "(Variable(data, volatile=True))", "(Variable(data, volatile=True)).data + net.drop(Variable(data))")
    text = program(look=look.replace(").data\n", ")\n")).replace(
        "            part.register_forward_pre_hook(self.note)", "            print(part)")
    attach = "\n\ndef attach(net, hook):\n    for each in net.modules():\n        each.register_forward_hook(hook)\n"
    assert not any(b"is_grad_enabled" in each for each in migrated(text + attach).outputs.values())


LIKE = """

class Scaled(nn.Module):
    def __init__(self):
        super(Scaled, self).__init__()
        self.small = Small()
        self.factor = nn.Linear(3, 3, bias=False)

    def forward(self, x):
        ones = Variable(torch.ones(x.size())FLAG)
        return self.small(x) * self.factor(ones)


def show(draw, picture):
    draw.ENABLE(picture)


def both(opt, data):
    net = Scaled()
    Gather(net)
    net(Variable(data)).sum().backward()
    opt.step()
    SEEN
"""


def test_a_hook_is_answered_where_a_layer_is_given_a_tensor_that_copies_the_flag() -> None:
    seen = LIKE.replace("SEEN", "return net(Variable(data, volatile=True)).data")
    look = LIKE.replace("SEEN", "with torch.no_grad():\n        return net(Variable(data)).data")
    check_transformed(program(look=seen.replace("FLAG", ", volatile=x.volatile")),
                      program("torch.is_grad_enabled()", look=look.replace("FLAG", "")))


def told(text: str, code: str) -> set[str]:
    """What is said of the sites of one rule."""
    return {site.message for site in migrated(text).sites if site.code == code}


def test_of_several_reads_that_hooks_may_come_to_the_one_in_the_hook_itself_is_named() -> None:
    asking = program("given[layer.at].volatile and given[0].moved()").replace(
        "class Gather(object):", "class Box(object):\n    def moved(self):\n"
        "        return self.start.volatile\n\n\nclass Gather(object):")
    assert told(asking, "VF101") == {"decides .volatile in a forward hook at line 18, which cannot be replaced"}


def test_a_read_in_what_a_hook_calls_is_not_said_to_stand_in_the_hook() -> None:
    asking = START.replace("ASKED", "self.counts(given[0])").replace("BODY", CHAIN).replace(
        "\n\nclass Small", "\n    def counts(self, x):\n        return not x.volatile\n\n\nclass Small") + LOOK
    assert told(asking, "VF101") == {
        "decides .volatile at line 17, which a hook may call and which cannot be replaced"}


def test_the_call_that_may_give_a_layer_something_else_is_named() -> None:
    text = program(body="return self.two(self.one(x)) + self.drop(Variable(torch.zeros(1, 3)))")
    assert told(text, "VF103") == {
        "reads .volatile where a hook may run, and grad mode may differ at line 26"}


def test_a_read_that_nothing_but_a_flag_elsewhere_keeps_names_that_flag() -> None:
    text = program() + "\n\ndef train(net, data):\n    x = Variable(data, volatile=True)\n    net(x).sum().backward()\n"
    assert told(text, "VF103") == {
        "reads .volatile, which grad mode gives only where the flag at line 36 goes"}
