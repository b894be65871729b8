"""A block around a call that takes in too much gives way to one in the function that is called."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed, migrated

PROGRAM = """import torch
import torch.nn as nn
from torch.autograd import Variable


class Server(object):
    def __init__(self, path):
        net = nn.Linear(3, 3)
        net.load_state_dict(torch.load(path))
        self.net = net.eval()

    def rank(self, x, answers):
{call}        {left}
        found = []
        for index, score in enumerate(scores.data.tolist()):
            found.append((answers[index], score))
        return found

    def answer(self, question, answers):
        x = Variable(torch.FloatTensor(question){flag})
        answers = self.rank(x, answers)
        return answers
{more}"""
BEFORE = "        scores = self.net(x)\n"
AFTER = "        with torch.no_grad():\n            scores = self.net(x)\n"


def program(left: str = "print(answers)", more: str = "", *, after: bool = False) -> str:
    return PROGRAM.format(call=AFTER if after else BEFORE, flag="" if after else ", volatile=True", left=left,
                          more=more and f"\n\n{more}")


def test_answers_that_the_function_only_looks_up_stay_what_they_are():
    check_transformed(program(), program(after=True))


def test_another_caller_of_it_loses_nothing():
    more = "def show(server, x, answers):\n    return server.rank(Variable(x), answers)\n"
    check_transformed(program(more=more), program(more=more, after=True))


@pytest.mark.parametrize("left", [
    "self.scores = scores",  # whoever asks for it may want its graph
    "scores.sum().backward()",
    "answers = [answers[0] * scores]",
    "answers.append(scores)",
    "self.keep(scores)",
    "yield scores",
])
def test_a_function_that_leaves_a_graph_to_others_has_no_block(left):
    more = ("def train(server, x, answers):\n    server.rank(Variable(x), answers)\n"
            "    server.scores.sum().backward()\n")
    result = migrated(program(left, more))
    assert all(AFTER not in text.decode() for text in result.outputs.values())


KEEPS = """class Keeps(nn.Module):
    def forward(self, x):
        self.kept = self.layer(x)
        return self.kept


def train(server, x):
    server.rank(Variable(x), [1])
    server.net.kept.sum().backward()
"""


def test_a_network_that_keeps_a_graph_and_that_no_server_has_is_no_matter():
    check_transformed(program(more=KEEPS), program(more=KEEPS, after=True))


@pytest.mark.parametrize("put", [
    "def fit(server):\n    server.net = Keeps()\n",
    "def fit(server):\n    setattr(server, 'net', Keeps())\n",
    "def fit(server):\n    server.__dict__['net'] = Keeps()\n",
    "def fit(server):\n    server.net.add_module('last', Keeps())\n",
    "def fit(server):\n    server.net._modules['last'] = Keeps()\n",
    "class Trainer(Server):\n    def __init__(self):\n        self.net = Keeps()\n",
])
def test_another_network_that_may_be_put_there_may_keep_a_graph_for_another_caller(put: str):
    check_noop(program(more=f"{KEEPS}\n\n{put}"), reason="not-provable")


@pytest.mark.parametrize("named", ["net = self.net\n        scores = net(x)", "scores = self.net(x)"])
def test_another_network_is_found_by_any_name_that_the_function_has_for_it(named: str):
    put = "def fit(server):\n    server.net = Keeps()\n"
    check_noop(program(more=f"{KEEPS}\n\n{put}").replace("scores = self.net(x)", named), reason="not-provable")


def test_another_network_may_be_bound_to_a_name_of_the_module():
    text = program(more="NET = nn.Linear(3, 3)\n\n\n" + KEEPS).replace("self.net(x)", "NET(x)")
    check_noop(f"{text}\n\ndef fit():\n    global NET\n    NET = Keeps()\n", reason="not-provable")


@pytest.mark.parametrize("nets", ["[nn.Linear(3, 3)]", "{0: nn.Linear(3, 3)}"])
def test_another_network_may_be_put_into_a_list_of_the_module(nets: str):
    text = program(more=f"NETS = {nets}\n\n\n" + KEEPS).replace("self.net(x)", "NETS[0](x)")
    check_noop(f"{text}\n\ndef fit():\n    NETS[0] = Keeps()\n", reason="not-provable")


def test_a_list_of_words_holds_no_network():
    words = "WORDS = ['a', 'b']\n"
    check_transformed(program("print(WORDS[0])", words), program("print(WORDS[0])", words, after=True))


def test_what_the_caller_needs_for_itself_keeps_its_block():
    text = program().replace("        answers = self.rank(x, answers)\n",
                             "        answers = self.rank(self.net(x), answers)\n")
    check_noop(text, reason="not-provable")
