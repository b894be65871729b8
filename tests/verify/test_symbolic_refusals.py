"""What 0.3 itself refuses is a way that no program of 0.3 went: no alarm, and no proof."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from test_symbolic_verdicts import verdict  # noqa: E402

WATCHED = """
def keep(h, found):
    if {}:
        h.register_hook(found.append)
    return h * 2
"""


def test_what_is_asked_for_its_flag_is_a_variable_and_takes_a_hook_only_where_it_has_a_graph():
    assert verdict(WATCHED.format("not h.volatile"), WATCHED.format("h.requires_grad"), "keep") == ("identical", None)


@pytest.mark.parametrize("condition", ["not h.requires_grad", "False"])
def test_a_hook_that_is_no_longer_put_on_what_has_a_graph_is_a_difference(condition):
    assert verdict(WATCHED.format("not h.volatile"), WATCHED.format(condition), "keep")[0] == "different"


def test_a_hook_on_what_has_no_graph_now_is_a_difference():
    before = "def f(net, x, found):\n    y = net(Variable(x))\n    y.register_hook(found.append)\n    return y\n"
    after = before.replace("    y = net", "    with torch.no_grad():\n        y = net")
    assert verdict(before, after)[0] == "different"


def test_a_refusal_that_always_came_and_comes_no_more_is_a_difference():
    before = "def f(net, x, found):\n    y = net(Variable(x)).detach()\n    y.register_hook(found.append)\n    return y\n"
    assert verdict(before, before.replace(".detach()", ""))[0] == "different"
