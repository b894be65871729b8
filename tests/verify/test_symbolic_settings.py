"""Settings that functions of the project put into a dictionary, of which one is run, and the others are not."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

PLACES = """
places = {'width': 3}

def at_home():
    places['photos'] = '/home'

def at_work():
    places['photos'] = '/srv'
    places['labels'] = '/srv/labels'

at_home()

def f(net, rows):
    labels = places[WORD]
    y = net(Variable(rows[labels], volatile=True))
    return y
"""


def test_what_another_setting_would_have_put_there_is_there():
    check(PLACES.replace("WORD", "'labels'"), told=("different", "not-run"))


def test_a_default_that_another_setting_would_have_put_there_is_there():
    rows = "class Rows:\n    def get(self, at=places['labels']):\n        return at\n\n"
    text = PLACES.replace("WORD", "'photos'").replace("def f(net", rows + "def f(net")
    check(text.replace("rows[labels]", "Rows().get(labels)"), told=("different", "not-run"))


def test_a_difference_behind_it_is_none_that_was_shown():
    text = PLACES.replace("WORD", "'labels'")
    verdict, detail = judge(text, unflagged(text))
    assert verdict == "not-run"
    assert "(given what is missing here)" in (detail or "")


SWITCH = """
places = {}

def at_work():
    places['quick'] = True

at_work()

def f(net, rows):
    x = rows
    if places['quick']:
        x = rows[:3]
    else:
        y = net(Variable(x, volatile=True))
        return y
    return x
"""


def test_a_switch_that_a_function_sets_is_thrown_as_one_at_the_top_is():
    check(SWITCH, told=("not-run",))


def test_a_switch_of_a_container_that_the_function_makes_is_as_it_says():
    text = SWITCH.replace("def f(net, rows):\n", "def f(net, rows):\n    places = {}\n    places['quick'] = True\n")
    assert judge(text, unflagged(text))[0] == "not-run"
    assert "no way that was run comes by it" in (judge(text, unflagged(text))[1] or "")


UNSET = """
WEIGHTS = None

def f(net, x):
    y = net(x)
    if WEIGHTS is not None:
        y = net(Variable(x * WEIGHTS, volatile=True))
        print(y)
    return y
"""
IN_ONE = UNSET.replace(", volatile=True", "").replace(
    "        y = net(", "        with torch.no_grad():\n            y = net(")


def test_what_none_switches_off_is_run_with_something():
    assert judge(UNSET, IN_ONE) == ("identical", None)


@pytest.mark.parametrize("after", [
    unflagged(UNSET), IN_ONE.replace("    y = net(x)\n    if", "    with torch.no_grad():\n        y = net(x)\n    if"),
    IN_ONE.replace("with torch.no_grad()", "with torch.set_grad_enabled(WEIGHTS is not None)"),
])
def test_what_is_wrong_there_is_told(after: str):
    assert judge(UNSET, after)[0] == "different"


def test_one_that_is_given_later_is_what_it_is_given():
    text = UNSET.replace("WEIGHTS = None\n", "WEIGHTS = None\nWEIGHTS = 3\n")
    after = IN_ONE.replace("WEIGHTS = None\n", "WEIGHTS = None\nWEIGHTS = 3\n")
    assert judge(text, after) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"


LATER = """
judge = None

def f(rows):
    judge.eval()
    kept = []
    for row in rows:
        x = Variable(row, volatile=True)
        y = judge.forward(x)
        kept.append(y)
    return kept
"""
AROUND = with_block(LATER.replace("y = judge", "y = net")).replace("y = net", "y = judge")


def test_what_somebody_else_gives_a_module_before_its_functions_are_called_is_there():
    assert judge(LATER, AROUND) == ("identical", None)
    verdict, detail = judge(LATER, unflagged(LATER))
    assert verdict == "not-run"
    assert "(given what is missing here)" in (detail or "")


def test_a_block_too_wide_there_is_not_called_the_same():
    step = "        judge.forward(row).sum().backward()\n        kept.append(y)"
    trains, right = (each.replace("        kept.append(y)", step) for each in (LATER, AROUND))
    assert judge(trains, right) == ("identical", None)
    wide = right.replace("        judge.forward(row)", "            judge.forward(row)")
    assert judge(trains, wide)[0] != "identical"


def test_the_body_of_the_module_itself_finds_none_there():
    text = "judge = None\njudge.eval()\ny = judge(Variable(torch.ones(3), volatile=True))\nprint(y)\n"
    after = unflagged(text).replace("y = judge", "with torch.no_grad():\n    y = judge")
    assert judge(text, after, "")[0] == "not-run"


def test_one_that_the_module_gives_something_below_is_that():
    text = LATER.replace("judge = None\n", "judge = None\njudge = torch.nn.Linear(3, 3)\n")
    after = AROUND.replace("judge = None\n", "judge = None\njudge = torch.nn.Linear(3, 3)\n")
    assert judge(text, after) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "different"
