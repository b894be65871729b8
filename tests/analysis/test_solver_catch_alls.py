"""A flag among the keywords, or among the positions, that a helper hands on: who else may find it there."""

from __future__ import annotations

import pytest
from solving import source

from helpers import check_noop, check_transformed

HELPER = """
    def note(made, **more):
        print(made, more)

    def put(x, *rest, **more):
        made = Variable(x, *rest, **more)
        return made

    def show(net, x):
        print(net(put(x, volatile=True)))
        net(put(x)).sum().backward()
"""


def test_a_keyword_goes_where_nothing_but_variable_finds_it():
    check_transformed(source(HELPER), source(HELPER.replace(
        "        print(net(put(x, volatile=True)))",
        "        with torch.no_grad():\n            print(net(put(x)))")))


@pytest.mark.parametrize("call", ["note(made, **more)", "note(**more, made=made)"])
def test_a_function_that_no_flag_goes_through_may_say_what_keywords_there_are(call):
    check_noop(source(HELPER.replace("        return made", f"        {call}\n        return made")),
               reason="kwargs-dictionary")


def test_a_helper_that_hands_on_to_another_may_look_itself():
    text = HELPER.replace("    def show", "    def outer(x, **given):\n        print(sorted(given))\n"
                          "        return put(x, **given)\n\n    def show").replace("net(put(", "net(outer(")
    check_noop(source(text), reason="kwargs-dictionary")


@pytest.mark.parametrize("second", ["print(net(put(x, False, True)))", "held = put(x, 0, 1)\n        print(net(held))"])
def test_a_flag_that_a_star_takes_stays(second):
    check_noop(source(HELPER.replace("        net(put(x)).sum", f"        {second}\n        net(put(x)).sum")),
               reason="caller-not-resolved")
