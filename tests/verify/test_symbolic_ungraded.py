"""A parameter that no backward of a run reaches, and of which the text takes the gradient, had one where it ran."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged, with_block  # noqa: E402

STEP = """\
def f(net, rest, x, rate):
    net(Variable(x)).sum().backward()
    for each in rest.parameters():
        each.data.sub_(rate * each.grad.data)
    y = net(Variable(x, volatile=True))
    return y
"""


def test_what_stands_behind_such_a_step_is_run():
    assert judge(STEP, with_block(STEP)) == ("identical", None)
    assert judge(STEP, unflagged(STEP))[0] != "identical"


@pytest.mark.parametrize("part", ["net", "rest"])
def test_a_gradient_that_was_there_has_to_be_there_after(part: str):
    text = STEP.replace("net(Variable(x)).sum()", "rest(net(Variable(x))).sum()").replace("in rest.", f"in {part}.")
    text = text.replace("    y =", "    for each in other.weights():\n        each.mul_(each.grad.data)\n    y =")
    inside = "    with torch.no_grad():\n        h = net(Variable(x))\n    rest(h)"
    lost = with_block(text).replace("    rest(net(Variable(x)))", inside)
    assert judge(text, lost)[0] != "identical"


def test_a_text_that_asks_whether_there_is_one_is_told():
    text = STEP.replace("        each.data", "        if each.grad is None:\n            continue\n        each.data")
    assert judge(text, with_block(text)) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"
