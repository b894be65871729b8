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
    before = "def f(net, x, found):\n    y = net(Variable(x)).detach()\n    y.register_hook(found.append)\n"
    assert verdict(before, before.replace(".detach()", ""))[0] == "different"


NETWORK = """
class Net(nn.Module):
    def __init__(self, inner, seen):
        super(Net, self).__init__()
        self.inner, self.seen = inner, seen

    def forward(self, x):
        y = self.inner(x)
        if {}:
            self.seen.append(1)
        return y


def score(model, x):
    {}


def main(inner, x, seen):
    return score(Net(inner, seen), x)
"""
VOLATILE = "return model(Variable(x, volatile=True))"
BLOCK = "with torch.no_grad():\n        return model(Variable(x))"
PLAIN = "return model(Variable(x))"


def test_what_a_network_is_given_is_told_by_who_makes_it():
    before = NETWORK.format("y.volatile", VOLATILE)
    assert verdict(before, NETWORK.format("True", BLOCK), "Net.forward", "score")[0] == "not-run"
    assert verdict(before, NETWORK.format("False", BLOCK), "Net.forward", "score")[0] == "different"


def test_a_read_that_has_one_answer_wherever_the_network_is_made_is_neither_blamed_nor_proved():
    before = NETWORK.format("y.volatile", PLAIN)
    assert verdict(before, NETWORK.format("False", PLAIN), "Net.forward")[0] == "not-run"
    assert verdict(before, NETWORK.format("True", PLAIN), "Net.forward")[0] == "different"


def test_a_network_that_nobody_makes_is_judged_by_itself():
    before, _, _ = NETWORK.format("y.volatile", PLAIN).partition("def score")
    assert verdict(before, before.replace("y.volatile", "False"), "Net.forward")[0] == "different"


def test_a_network_that_is_derived_from_it_is_made_too():
    more = "\n\nclass Deep(Net):\n    pass\n\n\ndef other(inner, x, seen):\n    return Deep(inner, seen)(Variable(x))\n"
    before = NETWORK.format("y.volatile", VOLATILE) + more
    assert verdict(before, NETWORK.format("True", BLOCK) + more, "Net.forward", "score")[0] == "different"


MAYBE = """
def wrap(items{}):
    return [each if each is None else Variable(each{}) for each in items]


def main(net, a, b):
    {}
    return y
"""


def test_a_network_is_called_on_nothing_by_no_program_that_ran():
    before = MAYBE.format(", off=False", ", volatile=off", "y = net(wrap([a, b], off=True)[0])")
    block = MAYBE.format("", "", "with torch.no_grad():\n        y = net(wrap([a, b])[0])")
    assert verdict(before, block, "wrap", "main") == ("identical", None)
    bare = MAYBE.format("", "", "y = net(wrap([a, b])[0])")
    assert verdict(before, bare, "wrap", "main")[0] == "different"
