"""What stands around nothing but statements that go, goes with them: a loop over a list at hand, a choice."""

from __future__ import annotations

import pytest

from helpers import check_transformed, migrated

HEAD = "import lib\nimport torch\nfrom torch.autograd import Variable\n\n\n"


def becomes(before: str, after: str) -> None:
    check_transformed(HEAD + before, HEAD + after)


def test_a_loop_that_only_clears_flags_of_a_list_at_hand_goes() -> None:
    becomes(
        "def slopes(model, both):\n    found = [model.a.grad.detach()]\n    if both:\n"
        "        found += [model.b.grad.detach()]\n    for each in found:\n        each.volatile = False\n"
        "    return found\n",
        "def slopes(model, both):\n    found = [model.a.grad.detach()]\n    if both:\n"
        "        found += [model.b.grad.detach()]\n    return found\n",
    )


def test_a_choice_that_only_sets_a_flag_goes() -> None:
    becomes(
        "def target(y, quick):\n    y = Variable(y)\n    if quick:\n        # volatile from here on\n"
        "        y.volatile = True\n    return y.data\n",
        "def target(y, quick):\n    y = Variable(y)\n    return y.data\n",
    )


def test_what_holds_nothing_but_a_loop_that_goes_goes_too() -> None:
    becomes(
        "def slopes(model, both):\n    a = model.a.grad.detach()\n    b = model.b.grad.detach()\n    if both:\n"
        "        for each in (a, b):\n            each.volatile = False\n    return a, b\n",
        "def slopes(model, both):\n    a = model.a.grad.detach()\n    b = model.b.grad.detach()\n    return a, b\n",
    )


@pytest.mark.parametrize("loop", [
    "    found = given\n    for each in found:\n        each.volatile = False\n",
    "    found = lib.rows()\n    for each in found:\n        each.volatile = False\n",
    "    found = (one.detach() for one in given)\n    for each in found:\n        each.volatile = False\n",
    "    for each in given:\n        each.volatile = False\n",
    "    found = [model.a.grad.detach()]\n    for each in found:\n        each.volatile = False\n    print(each)\n",
    "    found = [model.a.grad.detach()]\n    for each in found:\n        each.volatile = False\n    print(locals())\n",
    "    found = [model.a.grad.detach()]\n    for each in found:\n        each.volatile = False\n    else:\n"
    "        print('done')\n",
    "    found = [model.a.grad.detach()]\n    for each in found:\n        # what Jane asked for\n"
    "        each.volatile = False\n",
    "    global each\n    found = [model.a.grad.detach()]\n    for each in found:\n        each.volatile = False\n",
    "    for each in [lib.row(model.a.grad.detach())]:\n        each.volatile = False\n",
    "    found = [model.a.grad.detach()]\n    for found[0] in found:\n        found[0].volatile = False\n",
    "    found = [model.a.grad.detach()]\n    found += given\n    for each in found:\n        each.volatile = False\n",
], ids=["a parameter", "of a call", "a generator", "a parameter itself", "the name is asked", "all names are asked",
        "an end", "a remark", "a global", "a call", "no name", "what was given is added"])
def test_a_loop_stays_that_may_do_more(loop: str) -> None:
    text = HEAD + "def slopes(model, given):\n" + loop + "    return model\n"
    after = migrated(text).outputs.get("a.py", text.encode()).decode()
    assert "    for " in after, after


@pytest.mark.parametrize("choice", [
    "    if lib.begin():\n        y.volatile = True\n",
    "    if quick:\n        y.volatile = True\n    else:\n        print(quick)\n",
    "    if quick:\n        print(quick)\n    elif y is not None:\n        y.volatile = True\n",
    "    if quick:\n        y.volatile = True\n        print(quick)\n",
    "    while quick:\n        y.volatile = True\n",
    "    with lib.lock():\n        y.volatile = True\n",
    "    if quick:\n        y.volatile = y.volatile or Variable(quick, volatile=lib.asked(y)).volatile\n",
])
def test_a_choice_stays_that_does_more(choice: str) -> None:
    text = HEAD + "def target(y, quick):\n    y = Variable(y)\n" + choice + "    return y.data\n"
    after = migrated(text).outputs.get("a.py", text.encode()).decode()
    assert choice.partition(":")[0] in after, after


def test_a_choice_stays_in_which_a_leaf_learns_to_train() -> None:
    text = HEAD + (
        "def slope(net, x, free):\n    x = Variable(x, volatile=True, requires_grad=False)\n    if free:\n"
        "        x.requires_grad = True\n        x.volatile = False\n    net(x).backward()\n    return x.grad\n")
    after = migrated(text).outputs.get("a.py", text.encode()).decode()
    assert "if free:" in after
