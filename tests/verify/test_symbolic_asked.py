"""What the text asks of a tensor's graph is told, whoever takes the answer."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged, with_block  # noqa: E402

PRINTED = """\
def f(net, w, x):
    y = net(Variable(x, volatile=True))
    print('has a graph: %s' % y.requires_grad)
    y = w * 2
    return y.data
"""
SILENT = "def f(net, w, x):\n    y = net(Variable(x, volatile=True))\n    return y.data\n"


def test_a_graph_that_is_asked_for_and_let_go_of_is_seen():
    assert judge(PRINTED, with_block(PRINTED)) == ("identical", None)
    assert judge(PRINTED, unflagged(PRINTED))[0] == "different"


def test_of_an_operation_too():
    given = "w = Variable(torch.ones(3), requires_grad=True)\n    y = Variable(x, volatile=True) * w"
    text = PRINTED.replace("y = net(Variable(x, volatile=True))", given)
    right = unflagged(text).replace("    y = Variable", "    with torch.no_grad():\n        y = Variable")
    assert judge(text, right) == ("identical", None)
    told = "a.py: f: line 6 `requires_grad`: requires_grad False before, True after"
    assert judge(text, unflagged(text)) == ("different", told)


def test_the_new_text_may_ask_what_the_old_one_did_not():
    more = with_block(SILENT).replace("    return", "    print(y.requires_grad)\n    return")
    assert judge(SILENT, more) == ("identical", None)


def test_a_line_that_asks_something_else_now_is_not_held_against_another():
    text = SILENT.replace("    return", "    print(w.sum().requires_grad)\n    return")
    other = with_block(text).replace("print(w.sum().requires_grad)", "print(y.requires_grad)")
    assert judge(text, other) == ("identical", None)


def test_what_a_parameter_requires_is_asked_alike_in_a_block():
    text = SILENT.replace("    return", "    print(net.weight.requires_grad)\n    return")
    assert judge(text, with_block(text)) == ("identical", None)
