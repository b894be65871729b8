"""A loss of the project that callers hand over is read, though settings of a library's made it."""

from __future__ import annotations

import pytest
from solving import becomes, stays

PROGRAM = """
import lib
from torch import nn

conf = lib.Conf()


class Judge(nn.Module):
    def __init__(self, conf):
        super(Judge, self).__init__()
        self.part = conf.part

    def forward(self, guess, mark):
        {body}


def rate(net, judge, rows):
    total = 0
    for x, y in rows:
        mark = Variable(y{flag})
        guess = net(Variable(x))
        {use}
    return total


rate(nn.Linear(2, 2), Judge(conf), lib.rows())
"""
FLAG = ", volatile=True"
SUMS = "total += judge(guess, mark).data[0]"


def program(body: str, use: str = SUMS, flag: str = FLAG) -> str:
    return PROGRAM.replace("{body}", body).replace("{use}", use).replace("{flag}", flag)


@pytest.mark.parametrize("body", [
    "return (guess - mark.data).sum() * self.part",
    "return (guess - mark[:, :2].data).sum()",
    "return guess.sum() * mark.size(0)",
])
@pytest.mark.parametrize("use", [SUMS, "judge(guess, mark).backward()"])
def test_a_loss_that_takes_the_data_alone_has_its_graph_as_ever(body, use):
    becomes(program(body, use), program(body, use, ""))


@pytest.mark.parametrize("body", [
    "return (guess - mark).sum() * self.part",
    "return (guess - self.part(mark)).sum()",
    "return (self.part - mark).sum()",
])
def test_one_that_computes_with_the_target_has_none(body):
    inside = "with torch.no_grad():\n            " + SUMS
    becomes(program(body), program(body, inside, ""))


@pytest.mark.parametrize(("body", "use", "reason"), [
    ("return (guess - mark.data).sum(), (guess * mark).sum()",
     "a, b = judge(guess, mark)\n        a.backward()", "mixed-statement"),
    ("self.part.step(guess)\n        return (guess - mark).sum()", SUMS, "mixed-statement"),
    ("return (guess - mark).sum()", "judge(guess, mark).backward()", "gradient-demanded"),
])
def test_what_its_body_does_with_graphs_beside_is_seen(body, use, reason):
    stays(program(body, use), reason=reason)


def test_a_target_whose_data_alone_is_taken_in_training_and_in_a_check_goes_at_once_in_both():
    rows = """
    for x, y in lib.more():
        mark = Variable(y{flag})
        judge(net(Variable(x)), mark).backward()
    """
    body = "return (guess - mark.data).sum() * self.part"

    def both(flag: str) -> str:
        head, _, last = program(body, flag=flag).rpartition("\n\nrate(")
        assert last
        return (head + "\n\nnet, judge = nn.Linear(2, 2), Judge(conf)" + rows.replace("\n    ", "\n").format(flag=flag)
                + "rate(net, judge, lib.rows())\n")

    becomes(both(FLAG), both(""))
