"""Of two arms that are the same once the flag is gone one stays, without the choice."""

from __future__ import annotations

import pytest
from solving import HEAD, becomes

from helpers import check_holds_up, migrated
from voltfix.model import Options

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
    ("    if training:\n        x = Variable(rows)\n    else:\n"
     "        x = Variable(rows, requires_grad=False, volatile=True)", "    x = Variable(rows)"),
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
    "    if training:\n        x = Variable(rows)\n    else:\n"
    "        x = Variable(rows, requires_grad=options, volatile=True)",
    # of another function nobody knows what it does with that word
    "    if training:\n        x = Variable(rows())\n    else:\n"
    "        x = Variable(rows(requires_grad=False), volatile=True)",
    "    if training:\n        x = Variable(rows, requires_grad=True)\n    else:\n"
    "        x = Variable(rows, requires_grad=False, volatile=True)",
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


ASKED = """
def wrapped(x, test=False, cuda=False):
    {first}
    if {asked}:
        v = Variable(x, volatile=True)
    else:
        v = Variable(x)
    return v.cuda() if cuda else v

def learn(net, rows, optimizer):
    net(wrapped(rows)).sum().backward()
    net(wrapped(rows, cuda=True)).sum().backward()

def look(net, rows):
    return net(wrapped(rows, {given})).data

{last}
"""


def asked(first="x = x + 1", asked="test", given="test=True", last="") -> str:
    return ASKED.format(first=first, asked=asked, given=given, last=last)


def without_choice(text: str, line: str) -> str:
    """What becomes of it where the choice goes, and ``line`` is what looks."""
    start, end = text.index("    if "), text.index("    return v.cuda()")
    text = text[:start] + "    v = Variable(x)\n" + text[end:]
    before = next(each for each in text.split("\n") if each.startswith("    return net(wrapped("))
    return text.replace(before, f"    with torch.no_grad():\n        return {line}")


@pytest.mark.parametrize(("test", "given", "left"), [
    ("test", "test=True", ""),
    ("test", "True", ""),
    ("test", "True, True", ", True"),
    ("test", "test=len(rows) > 0", ""),
])
def test_a_parameter_that_nothing_asks_any_more_goes_with_the_choice(test: str, given: str, left: str):
    text = asked(asked=test, given=given)
    becomes(text, without_choice(text, f"net(wrapped(rows{left})).data").replace("test=False, ", ""))


def test_a_parameter_that_is_asked_for_its_contrary_goes_too():
    text = asked(asked="not test", given="test=False").replace("test=False, cuda", "test=True, cuda")
    becomes(text, without_choice(text, "net(wrapped(rows)).data").replace("test=True, ", ""))


@pytest.mark.parametrize("more", [
    {"first": "print(test)"},
    {"first": "test = not test"},
    {"first": "print(locals())"},
    {"first": "show = lambda: test"},
    {"last": "def others(name, rows):\n    return globals()[name](rows, test=rows).data"},
    {"last": "HOW = {'wrapped': wrapped}"},
    {"last": "def others(rows, *more):\n    return wrapped(rows, *more).data"},
    {"last": "def others(rows, **more):\n    return wrapped(rows, **more).data"},
    {"given": "test=rows.pop()"},
    {"given": "test=(yes := True)"},
])
def test_a_parameter_that_somebody_may_ask_for_or_give_stays(more: dict[str, str]):
    text = migrated((HEAD + asked(**more)).encode()).outputs.get("a.py", b"").decode() or asked(**more)
    assert "def wrapped(x, test=False, cuda=False):" in text
    assert more.get("given", "test=True") in text


def test_a_parameter_stays_where_signatures_are_to_stay():
    text = migrated((HEAD + asked()).encode(), options=Options(keep_signatures=True)).outputs["a.py"].decode()
    assert "def wrapped(x, test=False, cuda=False):" in text
    assert "wrapped(rows, test=True)" in text


ON_ONE_LINE = """
def wrapped(x, test=False):
    return Variable(x, volatile=True) if test else Variable(x)

def learn(net, rows):
    net(wrapped(rows)).sum().backward()

def look(net, rows):
    return net(wrapped(rows, True)).data{more}
"""


def test_a_parameter_goes_with_a_choice_on_one_line():
    becomes(ON_ONE_LINE.format(more=""), """
def wrapped(x):
    return Variable(x)

def learn(net, rows):
    net(wrapped(rows)).sum().backward()

def look(net, rows):
    with torch.no_grad():
        return net(wrapped(rows)).data
""")


def test_a_parameter_of_a_choice_on_one_line_stays_where_somebody_may_give_it():
    more = "\n\ndef others(net, rows, *more):\n    return net(wrapped(rows, *more)).data"
    text = migrated((HEAD + ON_ONE_LINE.format(more=more)).encode()).outputs.get("a.py", b"").decode()
    assert "def wrapped(x, test=False):" in (text or ON_ONE_LINE)


TWICE = """
def wrapped(x, y{parameter}):
    {first}
    {second}
    return x, y

def learn(net, loss, rows):
    x, y = wrapped(rows, rows)
    loss(net(x), y).backward()

def look(net, rows):
    x, y = wrapped(rows, rows{given})
    {block}return net(x + y).data
"""
MADE = "x = Variable(x, volatile=True) if test else Variable(x)"


def twice(first: str = MADE, second: str = MADE.replace("x", "y")) -> tuple[str, str]:
    before = TWICE.format(parameter=", test=False", first=first, second=second, given=", test=True", block="")
    return before, TWICE.format(parameter="", first="x = Variable(x)", second="y = Variable(y)", given="",
                                block="with torch.no_grad():\n        ")


def test_a_parameter_that_several_choices_ask_goes_with_all_of_them():
    becomes(*twice())


def test_a_parameter_stays_where_one_of_several_choices_does():
    before, _ = twice(second="y = Variable(y, volatile=True) if test else Variable(y + 1)")
    text = migrated((HEAD + before).encode()).outputs["a.py"].decode()
    assert "def wrapped(x, y, test=False):" in text
    assert "wrapped(rows, rows, test=True)" in text


EARLY = """
def wrapped(x, test=False):
    {first}
    if test:{early}
    {late}

def learn(net, rows):
    net(wrapped(rows)).sum().backward()

def look(net, rows):
    {block}return net(wrapped(rows{given})).data
"""
GIVEN, OFF = ", test=True", "with torch.no_grad():\n        "


def early(early: str = "\n        return Variable(x, volatile=True)", late: str = "return Variable(x)",
          first: str = "x = x.cuda()") -> str:
    return EARLY.format(early=early, late=late, first=first, given=GIVEN, block="")


@pytest.mark.parametrize(("body", "late"), [
    ("\n        return Variable(x, volatile=True)", "return Variable(x)"),
    (" return Variable(x, volatile=True)", "return Variable(x)"),
    ("\n        # volatile: no graph\n        return Variable(x, volatile=True)", "return Variable(x)"),
    ("\n        x = Variable(x, volatile=True)\n        return x", "x = Variable(x)\n    return x"),
])
def test_an_early_end_that_is_what_follows_without_the_flag_is_none(body: str, late: str):
    after = EARLY.format(early="?", late=late, first="x = x.cuda()", given="", block=OFF)
    becomes(early(body, late), after.replace("    if test:?\n", "").replace(", test=False", ""))


def test_what_follows_an_early_end_may_have_the_flag():
    text = early("\n        return Variable(x)", "return Variable(x, volatile=True)").replace("if test", "if not test")
    after = EARLY.format(early="?", late="return Variable(x)", first="x = x.cuda()", given="", block=OFF)
    becomes(text, after.replace("    if test:?\n", "").replace(", test=False", ""))


@pytest.mark.parametrize(("body", "late"), [
    ("\n        return Variable(x + 1, volatile=True)", "return Variable(x)"),
    ("\n        # of the last epoch\n        return Variable(x, volatile=True)", "return Variable(x)"),
    ("\n        return Variable(x, volatile=True)", "print(test)\n    return Variable(x)"),
    ("\n        return Variable(x, volatile=True)", "x = x * 2\n    return Variable(x)"),
    ("\n        x = Variable(x, volatile=True)", "return Variable(x)"),
])
def test_an_early_end_that_differs_from_what_follows_stays(body: str, late: str):
    result = migrated((HEAD + early(body, late)).encode())
    text = result.outputs.get("a.py", b"").decode() or early(body, late)
    assert "    if test:" in text
    assert "test=True" in text


def test_an_early_end_on_a_test_that_does_something_stays():
    text = early().replace("if test:", "if x.pop(test):")
    assert "    if x.pop(test):" in (migrated((HEAD + text).encode()).outputs.get("a.py", b"").decode() or text)


def test_an_early_end_that_computes_in_a_block_stays():
    becomes("""
        def look(net, rows, test):
            if test:
                return net(Variable(rows, volatile=True))
            return net(Variable(rows))

        def learn(net, rows):
            look(net, rows, False).sum().backward()
            return look(net, rows, True).data
        """, """
        def look(net, rows, test):
            if test:
                with torch.no_grad():
                    return net(Variable(rows))
            return net(Variable(rows))

        def learn(net, rows):
            look(net, rows, False).sum().backward()
            return look(net, rows, True).data
        """)
