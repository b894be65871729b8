"""Of two arms that are the same once the flag is gone one stays, without the choice."""

from __future__ import annotations

import pytest
from solving import HEAD, becomes

from helpers import check_holds_up, migrated

CHOICE = """
def step(net, rows, training, options):
{choice}
    out = net(x)
    if training:
        out.sum().backward()
    return out.data
"""
BLOCK = """
def step(net, rows, training, options):
{choice}
    with torch.set_grad_enabled({condition}):
        out = net(x)
    if training:
        out.sum().backward()
    return out.data
"""


@pytest.mark.parametrize(("choice", "left"), [
    ("    if training:\n        x = Variable(rows)\n    else:\n        x = Variable(rows, volatile=True)",
     "    x = Variable(rows)"),
    ("    if training: x = Variable(rows)\n    else: x = Variable(rows, volatile=True)", "    x = Variable(rows)"),
    ("    if training:\n        rows = rows.cuda()\n        x = Variable(rows,"
     "\n                     requires_grad=False)"
     "\n    else:\n        rows = rows.cuda()\n        x = Variable(rows, requires_grad=False, volatile=True)",
     "    rows = rows.cuda()\n    x = Variable(rows,\n                 requires_grad=False)"),
    ("    if training:\n        x = Variable(rows)  # made here\n    else:\n        # volatile: no graph\n"
     "        x = Variable(rows, volatile=True)", "    x = Variable(rows)  # made here"),
])
def test_a_choice_between_two_arms_that_are_the_same_is_none(choice, left):
    becomes(CHOICE.format(choice=choice), BLOCK.format(choice=left, condition="bool(training)"))


def test_the_arm_in_which_the_flag_stood_may_come_first():
    choice = "    if not training:\n        x = Variable(rows, volatile=True)\n    else:\n        x = Variable(rows)"
    becomes(CHOICE.format(choice=choice), BLOCK.format(choice="    x = Variable(rows)", condition="bool(training)"))


def test_a_choice_in_a_block_goes_too():
    becomes("""
        def look(net, rows, wide):
            y = net(Variable(rows, volatile=True))
            if wide:
                z = Variable(rows)
            else:
                z = Variable(rows, volatile=True)
            return net(y + z).data
        """, """
        def look(net, rows, wide):
            with torch.no_grad():
                y = net(Variable(rows))
                z = Variable(rows)
                return net(y + z).data
        """)


@pytest.mark.parametrize("choice", [
    # another value, another line, another comment
    "    if training:\n        x = Variable(rows + 1)\n    else:\n        x = Variable(rows, volatile=True)",
    "    if training:\n        x = Variable(rows)"
    "\n    else:\n        print()\n        x = Variable(rows, volatile=True)",
    "    if training:\n        x = Variable(rows)"
    "\n    else:\n        # slow\n        x = Variable(rows, volatile=True)",
    "    if training:  # not now\n        x = Variable(rows)\n    else:\n        x = Variable(rows, volatile=True)",
    # a third way, or none
    "    if options:\n        x = Variable(rows)\n    elif training:\n        x = Variable(rows)\n"
    "    else:\n        x = Variable(rows, volatile=True)",
    "    x = Variable(rows)\n    if not training:\n        x = Variable(rows, volatile=True)",
    # asking does something
    "    if options.pop():\n        x = Variable(rows)\n    else:\n        x = Variable(rows, volatile=True)",
    # a leaf that is trained is none without the flag
    "    if training:\n        x = Variable(rows, requires_grad=True)\n    else:\n"
    "        x = Variable(rows, volatile=True)",
    # lines that cannot be moved as they are
    "    if training:\n        x = Variable(rows('''a\n  b'''))\n    else:\n"
    "        x = Variable(rows('''a\n  b'''), volatile=True)",
])
def test_arms_that_differ_and_choices_that_do_something_stay(choice):
    before = (HEAD + CHOICE.format(choice=choice).lstrip()).encode()
    result = migrated(before)
    text = (result.outputs or {"a.py": before})["a.py"].decode()
    check_holds_up({"a.py": before}, result)
    assert choice in text or choice.replace(", volatile=True", "") in text


def test_arms_with_a_flag_that_was_refused_stay_as_they_are():
    before = (HEAD + "def make(rows, deep):\n    if deep:\n        x = Variable(rows)\n    else:\n"
              "        x = Variable(rows, volatile=True)\n    x.sum().backward()\n    return x\n").encode()
    result = migrated(before)
    text = (result.outputs or {"a.py": before})["a.py"].decode()
    assert ("if deep" in text) == ("volatile" in text)


def test_arms_that_compute_stay_apart_where_one_of_them_wants_a_block():
    before = (HEAD + "def make(net, rows, training):\n    if training:\n        x = Variable(rows)\n"
              "        y = net(x)\n        y.sum().backward()"
              "\n    else:\n        x = Variable(rows, volatile=True)\n        y = net(x)\n"
              "        y.sum()\n    return y.data\n").encode()
    result = migrated(before)
    check_holds_up({"a.py": before}, result)
    assert b"    else:\n        x = Variable(rows)\n        with torch.no_grad():\n" in result.outputs["a.py"]
