"""``rows += [row]``: the list takes it in and stays the object that it is, and nothing is computed."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


def test_whoever_has_the_list_has_what_it_took_in():
    check_transformed(
        HEAD + "def f(net, head, x):\n"
        "    rows = []\n"
        "    kept = rows\n"
        "    rows += [net(Variable(x, volatile=True))]\n"
        "    return head(kept[0])\n",
        HEAD + "def f(net, head, x):\n"
        "    rows = []\n"
        "    kept = rows\n"
        "    with torch.no_grad():\n"
        "        rows += [net(Variable(x))]\n"
        "        return head(kept[0])\n",
    )


def test_whoever_has_the_list_has_what_rounds_put_in():
    check_transformed(
        HEAD + "def f(net, head, xs, again):\n"
        "    rows = []\n"
        "    kept = rows\n"
        "    for x in xs:\n"
        "        rows += [net(Variable(x, volatile=True))]\n"
        "    if again:\n"
        "        rows = []\n"
        "    return head(kept[0])\n",
        HEAD + "def f(net, head, xs, again):\n"
        "    rows = []\n"
        "    kept = rows\n"
        "    for x in xs:\n"
        "        with torch.no_grad():\n"
        "            rows += [net(Variable(x))]\n"
        "    if again:\n"
        "        rows = []\n"
        "    with torch.no_grad():\n"
        "        return head(kept[0])\n",
    )


def test_the_list_is_the_one_that_the_name_stood_for_before_what_comes_in_was_computed():
    text = (
        "def f(net, head, x):\n"
        "    rows = []\n"
        "    kept = rows\n\n"
        "    def swap():\n"
        "        nonlocal rows\n"
        "        rows = []\n"
        "{0}\n"
        "    rows += [swap()]\n"
        "{1}"
    )
    check_transformed(
        HEAD + text.format("        return net(Variable(x, volatile=True))\n", "    return head(kept[0])\n"),
        HEAD + text.format("        with torch.no_grad():\n            return net(Variable(x))\n",
                           "    with torch.no_grad():\n        return head(kept[0])\n"),
    )


@pytest.mark.parametrize("rows", ["[answers[number]]", "[(answers[number], score)]", "[answers[number] for _ in xs]"])
def test_a_list_that_a_loop_fills_asks_for_no_graph_of_what_it_takes_in(rows):
    text = (
        "def rank(net, x, answers):\n"
        "    found = []\n"
        "    scores = net(x{0}).data.tolist()\n"
        "    for number, score in enumerate(scores):\n"
        f"        found += {rows}\n"
        "    return found\n\n\n"
        "def main(net, xs, answers):\n"
        "    for x in xs:\n"
        "        print(rank(net, Variable(x{1}), answers))\n"
    )
    check_transformed(
        HEAD + text.format("", ", volatile=True"),
        HEAD + text.format("", "").replace(
            "        print(rank", "        with torch.no_grad():\n            print(rank"),
    )


def test_what_was_put_in_with_a_graph_keeps_it():
    text = (
        "def f(net, xs, target, judge):\n"
        "    rows = []\n"
        "    for x in xs:\n"
        "        rows += [net(Variable(x))]\n"
        "{0}"
        "    judge(rows[0], target).backward()\n"
    )
    check_transformed(
        HEAD + text.format("        rows += [net(Variable(x, volatile=True))]\n"),
        HEAD + text.format("        with torch.no_grad():\n            rows += [net(Variable(x))]\n"),
    )


def test_a_list_that_is_one_of_two_takes_it_in_where_it_is_the_one():
    check_noop(
        HEAD + "def f(net, head, x, flags):\n"
        "    one, two = [net(Variable(x))], [net(Variable(x))]\n"
        "    rows = one if next(flags) else two\n"
        "    rows += [net(Variable(x, volatile=True))]\n"
        "    return head(one[-1])\n",
        reason="condition-not-repeatable",
    )


def test_what_a_tuple_is_added_to_may_be_a_tuple_and_another_one_comes_of_it():
    check_transformed(
        HEAD + "def f(net, head, x):\n"
        "    rows = (Variable(x),)\n"
        "    kept = rows\n"
        "    rows += (net(Variable(x, volatile=True)),)\n"
        "    return head(kept[-1]), rows\n",
        HEAD + "def f(net, head, x):\n"
        "    rows = (Variable(x),)\n"
        "    kept = rows\n"
        "    with torch.no_grad():\n"
        "        rows += (net(Variable(x)),)\n"
        "    return head(kept[-1]), rows\n",
    )
