"""``x.volatile = True`` right before ``x = Variable(x)``: it is on plain data, for 0.3 made no Variable of another."""

from __future__ import annotations

import pytest
from solving import becomes, files_stay, migrated_files, refusals, source

from helpers import migrated

SCORED = """
def score(net, rows):
    total = 0
    for row in rows:
        picture, label = row
{lines}
        total += net(picture).data.sum()
    return total


def fit(net, rows, opt):
    for picture, label in rows:
        loss = net(Variable(picture)).sum()
        loss.backward()
        opt.step()
"""


def scored(*lines: str) -> str:
    return SCORED.format(lines="\n".join(f"        {line}" for line in lines))


def left_alone(body: str) -> None:
    """No write goes as one to data."""
    result = migrated(source(body))
    assert not [site for site in result.sites if "is made after it" in site.message]


@pytest.mark.parametrize("wrap", [
    "picture = Variable(picture)",
    "picture = Variable(data=picture).cuda()",
])
def test_a_flag_on_data_goes_without_a_block(wrap: str):
    becomes(scored("picture.volatile = True", wrap), scored(wrap))


def test_flags_of_several_go_where_all_are_wrapped_then():
    wraps = ("picture = Variable(picture)", "label = Variable(label)")
    becomes(scored("picture.volatile = True", "label.volatile = True", *wraps), scored(*wraps))


def test_several_are_wrapped_in_one_statement():
    wrap = "picture, label = Variable(picture), Variable(label)"
    becomes(scored("label.volatile = True", wrap), scored(wrap))


def test_in_an_arm_the_flag_goes_where_the_arm_wraps_it():
    arm = ("if total > 1:", "    picture = Variable(picture)", "else:", "    picture = Variable(picture).cuda()")
    becomes(scored(arm[0], "    picture.volatile = True", *arm[1:]), scored(*arm))


def test_the_flag_of_the_variable_itself_has_its_block():
    becomes(
        scored("picture.volatile = True", "picture = Variable(picture, volatile=True)"),
        scored("picture = Variable(picture)").replace(
            "        total += net(", "        with torch.no_grad():\n            total += net("))


@pytest.mark.parametrize("lines", [
    ("picture.volatile = True", "net(picture)", "picture = Variable(picture)"),
    ("picture.volatile = True", "seen = picture", "picture = Variable(picture)"),
    ("picture.volatile = True", "net.show()", "picture = Variable(picture)"),
    ("picture.volatile = True", "if total:", "    continue", "picture = Variable(picture)"),
    ("picture.volatile = True", "if total:", "    picture = Variable(picture)"),
    ("picture.volatile = True", "if not isinstance(picture, Variable):", "    picture = Variable(picture)"),
    ("if total:", "    picture.volatile = True", "picture = Variable(picture)"),
    ("picture.volatile = True", "picture = Variable(label).data", "picture = Variable(picture)"),
    ("picture.volatile = True", "picture = Variable(picture.data)"),
    ("picture.volatile = True", "picture = net(picture) if total else Variable(picture)"),
    ("picture.volatile = True", "picture = total and Variable(picture)"),
    ("picture.volatile = True", "picture = Variable(picture, net.trains(picture))"),
    ("picture.volatile = True", "picture = Variable(picture, **total)"),
    ("picture.volatile = True", "picture = Variable(*picture)"),
    ("picture.volatile = True", "picture = [Variable(picture) for _ in range(total)]"),
    ("picture.volatile = True", "make = lambda: Variable(picture)"),
    ("picture.volatile = True", "net.kept = Variable(picture)"),
    ("picture.volatile = label.volatile = True", "picture = Variable(picture)"),
    ("picture.volatile = net.asks()", "picture = Variable(picture)"),
    ("picture.volatile |= True", "picture = Variable(picture)"),
    ("picture[0].volatile = True", "picture = Variable(picture)"),
    ("row[0].volatile = True", "picture = Variable(row[0])"),
    ("picture.volatile = True", "picture = torch.nn.Parameter(picture)"),
    ("picture.volatile = True", "picture = net.Variable(picture)"),
    ("try:", "    picture.volatile = True", "    picture = Variable(picture)", "except RuntimeError:", "    pass"),
    ("picture.volatile = True", "try:", "    picture = Variable(picture)", "except RuntimeError:", "    pass"),
    ("with net.quietly():", "    picture.volatile = True", "    picture = Variable(picture)"),
    ("try:", "    pass", "finally:", "    picture.volatile = True", "    picture = Variable(picture)"),
], ids=lambda lines: "; ".join(lines))
def test_what_may_be_seen_or_may_be_a_variable_is_not_taken_for_data(lines):
    left_alone(scored(*lines))


CATCHES = """
def run(net, rows):
    try:
        return score(net, rows)
    except {kind}:
        return 0
"""
WRAPS = scored("picture.volatile = True", "picture = Variable(picture)")


@pytest.mark.parametrize("beside", [
    "def look(x):\n    return x.volatile\n",
    "def look(x):\n    return getattr(x, 'volatile', False)\n",
    "def look(x):\n    del x.volatile\n",
    "def look(x):\n    x.volatile |= True\n",
    "torch.autograd.Variable = look\n",
    "def Variable(x):\n    return x\n",
    CATCHES.format(kind="RuntimeError"),
    CATCHES.format(kind="(OSError, Exception)"),
    CATCHES.replace(" {kind}", ""),
])
def test_where_others_may_see_it_nothing_is_taken_for_data(beside: str):
    left_alone(f"{WRAPS}\n\n{beside}")


def test_what_catches_something_else_is_no_hindrance():
    body = WRAPS + CATCHES.format(kind="KeyboardInterrupt")
    becomes(body, body.replace("        picture.volatile = True\n", ""))


def test_a_decorator_may_catch_what_is_raised():
    left_alone(WRAPS.replace("def score", "@retried\ndef score"))


def test_another_file_that_asks_is_seen():
    files_stay({"main.py": WRAPS, "other.py": "import torch\n\n\ndef look(x):\n    return hasattr(x, 'volatile')\n"},
               "unseen-callers")


def test_another_name_of_the_same_data_is_not_volatile():
    body = scored("seen = picture", "picture.volatile = True", "picture = Variable(picture)", "label = net(seen)")
    becomes(body, body.replace("        picture.volatile = True\n", ""))


def test_a_variable_from_before_the_loop_raised_in_the_second_round():
    body = """
    def again(net, x):
        for _ in range(3):
            x.volatile = True
            x = Variable(x)
            net(x)
    """
    _, after = migrated_files({"main.py": body})
    assert "no_grad" not in after["main.py"]


def test_a_parameter_that_only_such_a_flag_asked_for_changes_no_call():
    body = """
    def score(net, x, off):
        x.volatile = off
        x = Variable(x)
        return net(x)


    def both(net, x):
        score(net, x, False).sum().backward()
        return score(net, x, True)
    """
    result, after = migrated_files({"main.py": body})
    assert "no_grad" not in after["main.py"]
    assert not refusals(result)


def test_where_weights_are_wrapped_0_3_raised_and_nothing_is_frozen():
    body = """
    def freeze(net, x):
        for p in net.parameters():
            p.volatile = True
            p = Variable(p)
        return net(Variable(x))
    """
    becomes(body, body.replace("            p.volatile = True\n", ""))
