"""A call of something unknown says that it may be a method of that name only where Python could hand it over."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

PLAYER = """
import torch
from torch.autograd import Variable


class Recurrent(object):
    def __init__(self, net):
        self.net = net

    {decorated}def advise({header}):
        score, memory = self.net(Variable(frame, volatile=True), memory)
        return score, memory


def play(net, frames):
    memory, advisor = None, Recurrent(net)
    for frame in frames:
        score, memory = advisor.advise(frame, memory)
        yield score.data


class Table(object):
    def look(self, frame):
        {use}
"""
LACKING = "return list(torch.exp(self.advisor.advise({given}).data))"


def changed(use: str, header: str = "self, frame, memory", decorated: str = "") -> bool:
    text = PLAYER.replace("{header}", header).replace("{use}", use).replace("{decorated}", decorated)
    result, texts = migrated_files({"main.py": text})
    assert ("volatile=True" in texts["main.py"]) == bool(refusals(result))
    return not refusals(result)


@pytest.mark.parametrize("given", ["frame", "frame, 1, 2", "frame, None, greedy=True", "memory=None", ""])
def test_a_call_that_no_argument_list_of_the_method_takes_is_none_of_it(given):
    assert changed(LACKING.replace("{given}", given))


@pytest.mark.parametrize("given", ["frame, None", "*frame", "frame, **self.more"])
def test_a_call_that_fits_may_be_of_it(given):
    assert not changed(LACKING.replace("{given}", given))


def test_a_call_that_leaves_a_default_out_may_be_of_it():
    assert not changed(LACKING.replace("{given}", "frame"), header="self, frame, memory=None")


def test_a_call_that_some_parameter_takes_may_be_of_it():
    assert not changed(LACKING.replace("{given}", "frame, None, greedy=True"), header="self, frame, memory, **more")
    assert not changed(LACKING.replace("{given}", "frame, None, 1"), header="self, frame, memory, *more")


def test_what_a_decorator_fills_in_is_not_missing():
    assert not changed(LACKING.replace("{given}", "frame"), decorated="@remembering\n    ")


TWO = """
import torch
from torch.autograd import Variable


class Small(object):
    def start(self, rows{parameter}):
        return Variable(torch.zeros(rows){flag})


class Large(object):
    def start(self, rows, volatile=False, wide=False):
        return Variable(torch.zeros(rows), volatile=volatile)


def begin(small):
    return small.start(3)


def learn(net, large):
    net(large.start({given})).sum().backward()
"""


@pytest.mark.parametrize(("given", "goes"), [("3, volatile=True, wide=True", True), ("3, volatile=True", False)])
def test_a_parameter_goes_though_one_of_another_function_of_that_name_stays(given: str, goes: bool) -> None:
    before = TWO.format(parameter=", volatile=False", flag=", volatile=volatile", given=given)
    result, texts = migrated_files({"main.py": before})
    assert refusals(result)
    after = TWO.format(parameter="", flag="", given=given) if goes else before
    assert texts["main.py"].strip() == after.strip()
