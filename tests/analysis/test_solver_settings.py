"""Settings of a module: what may be bound again while a program runs is asked for, what nothing changes is not."""

from __future__ import annotations

import json

import pytest
from solving import becomes, files_become, source, stays

from voltfix import core

USE = "def evaluate(net, x):\n    return net(Variable(x, volatile={flag}))\n"
ASKED = "def evaluate(net, x):\n    with torch.set_grad_enabled({enabled}):\n        return net(Variable(x))\n"
ALWAYS = "def evaluate(net, x):\n    with torch.no_grad():\n        return net(Variable(x))\n"

NUMBER = ("TEST", "not TEST")
WORD = ("(mode == 'test')", "mode != 'test'")
TESTING = "mode = 'test'\n"


def check_asked(before: str, flag: str, enabled: str, after: str) -> None:
    """``evaluate`` between ``before`` and ``after`` asks for the flag when it is called."""
    becomes(
        before + USE.format(flag=flag) + after,
        before + ASKED.format(enabled=enabled) + after,
    )


@pytest.mark.parametrize(
    ("before", "after", "setting"),
    [
        ("TEST = 0\n", "TEST = 1\n", NUMBER),
        ("TEST = not True\n", "TEST = not False\n", NUMBER),
        ("TEST = 0\n", "del TEST\nTEST = 1\n", NUMBER),
        ("TEST: int = 0\n", "TEST: int = 1\n", NUMBER),
        ("TEST, many = 0, 2\n", "TEST, many = 1, 2\n", NUMBER),
        ("TEST = 2\n", "TEST -= 1\n", NUMBER),
        ("print(TEST := 0)\n", "if (TEST := 1):\n    print('test')\n", NUMBER),
        ("mode = 'train'\n", TESTING, WORD),
        ("mode = other = 'train'\n", "mode = other = 'test'\n", WORD),
        (TESTING, "import sys\nif len(sys.argv) > 1:\n    mode = sys.argv[1]\n", WORD),
        (TESTING, "for mode in ('test', 'train'):\n    print(evaluate(net, x))\n", WORD),
        (TESTING, "for line in open('f'):\n    mode = 'train'\n", WORD),
        (TESTING, "while go():\n    mode = 'train'\n", WORD),
        (TESTING, "with open('f') as file:\n    mode = 'train'\n", WORD),
        (TESTING, "with open('f') as mode:\n    print(mode)\n", WORD),
        ("try:\n    mode = 'train'\nexcept ValueError:\n    pass\n", TESTING, WORD),
        ("if go():\n    TEST = True\nelse:\n    TEST = False\n", "", NUMBER),
        ("modes = ('train', 'test')\nmode = modes[0]\n", "mode = modes[1]\n", WORD),
    ],
    ids=[
        "assigned",
        "computed",
        "deleted",
        "annotated",
        "unpacked",
        "augmented",
        "named in an expression",
        "a word",
        "a chain",
        "under a condition",
        "the target of a loop",
        "in a loop",
        "in a while loop",
        "in a with statement",
        "the target of a with statement",
        "in a try statement",
        "in both arms",
        "out of a tuple",
    ],
)
def test_a_setting_that_the_top_level_binds_again_is_asked_for(before, after, setting):
    check_asked(before, *setting, after)


@pytest.mark.parametrize(
    "change",
    [
        "globals()['TEST'] = 0\n",
        "globals().update(TEST=0)\n",
        "globals().update({'TEST': 0})\n",
        "globals().update(load())\n",
        "names = globals()\nnames['TEST'] = 0\n",
        "change(names=globals())\n",
        "exec('TEST = 0')\n",
        "import sys\nsetattr(sys.modules[__name__], 'TEST', 0)\n",
        "import sys\nfor name in sys.argv:\n    setattr(sys.modules[__name__], name, 0)\n",
        "from unittest import mock\nwith mock.patch('main.TEST', 0):\n    print(evaluate(net, x))\n",
    ],
)
def test_a_setting_that_is_bound_by_its_name_is_asked_for(change):
    check_asked("TEST = 1\n", *NUMBER, change)


@pytest.mark.parametrize(
    "change",
    [
        "import config\nconfig.mode = 'train'",
        "import config\nsetattr(config, 'mode', 'train')",
        "import config\nvars(config)['mode'] = 'train'",
        "import config\nconfig.__dict__.update(load())",
        "import config\nfor name in load():\n    setattr(config, name, 1)",
    ],
)
def test_a_word_that_another_file_changes_is_asked_for(change):
    files = {"config.py": "mode = 'test'", "other.py": change}
    before = "import config\n"
    files_become(
        {"main.py": before + USE.format(flag="(config.mode == 'test')"), **files},
        {"main.py": before + ASKED.format(enabled="config.mode != 'test'")},
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from config import *\n", "mode = 'test'\n"),
        ("mode = 'train'\n", "from config import *\n"),
        ("mode = 'train'\n", "from between import *\n"),
        ("mode = 'test'\n", "from elsewhere import *\n"),
        ("mode = 'train'\n", "from config import mode\n"),
        ("from config import *\n", "from second import *\n"),
    ],
    ids=["by hand", "by a star", "by two stars", "by a star out of sight", "by an import", "by another star"],
)
def test_a_setting_that_an_import_shadows_is_asked_for(before, after):
    files_become(
        {
            "main.py": before + USE.format(flag=WORD[0]) + after,
            "config.py": "mode = 'test'",
            "second.py": "mode = 'test'",
            "between.py": "from config import *",
        },
        {"main.py": before + ASKED.format(enabled=WORD[1]) + after},
    )


@pytest.mark.parametrize(
    ("before", "flag", "enabled", "after"),
    [
        ("o = {'mode': 'test'}\n", "(o['mode'] == 'test')", "o['mode'] != 'test'", "o['mode'] = 'train'\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "o.update(test=0)\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "o.update({'test': 0})\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "o.update(load())\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "for key in load():\n    o[key] = 0\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "import operator\noperator.setitem(o, 'test', 0)\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "o.__setitem__(key(), 0)\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "o = {'test': 0}\n"),
        ("o = {'test': 1}\n", "o['test']", "not o['test']", "def take(options):\n    options |= load()\n"),
        ("o = dict(test=1)\n", "o['test']", "not o['test']", "o['test'] = 0\n"),
        ("o = {'train': 0}\n", "o['test']", "not o['test']", "o.update(test=1)\n"),
        ("o = {}\no['test'] = True\n", "o['test']", "not o['test']", "o['test'] = False\n"),
        ("o = {'a': {'test': 1}}\n", "o['a']['test']", "not o['a']['test']", "o['a']['test'] = 0\n"),
        ("class C:\n    o = {'test': True}\n", "C.o['test']", "not C.o['test']", "C.o['test'] = False\n"),
        ("o = ['test']\n", "(o[0] == 'test')", "o[0] != 'test'", "o[0] = 'train'\n"),
        ("o = [1] * 2\n", "o[0]", "not o[0]", "o[0] = 0\n"),
        ("o = [1]\n", "o[0]", "not o[0]", "o.reverse()\n"),
        ("o = (1, 2)\n", "o[0]", "not o[0]", "o = (0, 2)\n"),
    ],
)
def test_an_entry_that_is_put_in_again_is_asked_for(before, flag, enabled, after):
    check_asked(before, flag, enabled, after)


CONFIG = "class Config:\n    mode = 'test'\n"
ATTRIBUTE = ("(c.mode == 'test')", "c.mode != 'test'")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CONFIG + "c = Config()\n", "setattr(c, 'mode', 'train')\n"),
        (CONFIG + "c = Config()\n", "c.__dict__['mode'] = 'train'\n"),
        (CONFIG + "c = Config()\n", "vars(c).update(mode='train')\n"),
        (CONFIG + "    def take(self, ks):\n        for k in ks:\n            setattr(self, k, 1)\nc = Config()\n", ""),
        ("class Config:\n    mode = 'train'\nc = Config\n", "c.mode = 'test'\n"),
        ("class Config:\n    mode = 'train'\nclass Other:\n    mode = 'test'\nc = Config\n", "c = Other\n"),
        ("class Config:\n    mode = 'train'\nclass Other:\n    mode = 'test'\nc = Config()\n", "c = Other()\n"),
        ("class c:\n    mode = 'train'\n", "class c:\n    mode = 'test'\n"),
    ],
    ids=[
        "by its name",
        "in its dictionary",
        "in its variables",
        "by names that are given",
        "on the class",
        "another class",
        "another object",
        "defined again",
    ],
)
def test_a_word_of_a_class_that_may_change_is_asked_for(before, after):
    check_asked(before, *ATTRIBUTE, after)


@pytest.mark.parametrize(
    "held",
    [
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    mode: str = 'test'\nc = Config('train')\n",
        "from typing import NamedTuple\nclass Config(NamedTuple):\n    mode: str = 'test'\nc = Config('train')\n",
        "from somewhere import filled\n@filled\nclass Config:\n    mode = 'test'\nc = Config()\n",
    ],
    ids=["a dataclass", "a named tuple", "a class with a decorator"],
)
def test_a_field_whose_default_is_a_word_is_asked_for(held):
    check_asked(held, *ATTRIBUTE, "")


def test_a_setting_of_another_module_under_the_same_name_is_asked_for():
    before, after = "import first as config\n", "import second as config\n"
    files_become(
        {
            "main.py": before + USE.format(flag="(config.mode == 'test')") + after,
            "first.py": "mode = 'train'",
            "second.py": "mode = 'test'",
        },
        {"main.py": before + ASKED.format(enabled="config.mode != 'test'") + after},
    )


@pytest.mark.parametrize(
    ("before", "flag", "after", "reason"),
    [
        ("def test():\n    return False\n", "test()", "def test():\n    return True\n", "mixed-statement"),
        ("test = lambda: False\n", "test()", "test = lambda: True\n", "mixed-statement"),
        (
            "class C:\n    def test(self):\n        return True\nc = C()\n",
            "c.test()",
            "C.test = lambda self: False\n",
            "mixed-statement",
        ),
        (
            "class C:\n    def test(self):\n        return False\nc = C()\n",
            "c.test()",
            "c.test = lambda: True\n",
            "mixed-statement",
        ),
        ("o = {}\n", "not o.get('train')", "o['train'] = True\n", "condition-not-repeatable"),
        ("o = []\n", "not o", "def train():\n    o.append(1)\n", "condition-not-repeatable"),
    ],
    ids=["a function", "a lambda", "a method", "a method of one object", "an entry that comes later", "an empty list"],
)
def test_what_says_that_it_is_a_test_and_may_change_is_not_taken_at_its_word(before, flag, after, reason):
    stays(before + USE.format(flag=flag) + after, reason=reason)


@pytest.mark.parametrize(
    ("before", "flag", "after"),
    [
        ("TEST = 1\n", "TEST", ""),
        (TESTING, "(mode == 'test')", ""),
        (TESTING, "(mode == 'test')", "print(mode)\nprint(globals()['mode'], eval('mode', globals()))\n"),
        (TESTING + "TEST = mode == 'test'\n", "TEST", ""),
        (TESTING, "(mode == 'test')", "def other():\n    mode = 'train'\n    return mode.format(**globals())\n"),
        ("o = {'mode': 'test'}\n", "(o['mode'] == 'test')", "print(o)\n"),
        ("o = {'mode': 'test'}\n", "(o['mode'] == 'test')", "more = {}\nmore['other'] = 'train'\n"),
        ("o = {}\n", "not o.get('train')", "o['other'] = True\n"),
        ("o = ['test']\n", "(o[0] == 'test')", ""),
        ("o = ('test', 1)\n", "(o[0] == 'test')", "o[0] == 'train'\n"),
        (CONFIG + "c = Config()\n", "(c.mode == 'test')", ""),
        (CONFIG + "c = Config()\n", "(c.mode == 'test')", "setattr(c, 'other', 1)\n"),
        (CONFIG + "c = Config()\n", "(c.mode == 'test')", "def read(loader):\n    loader.path = 'test'\n"),
        ("def test():\n    return True\n", "test()", ""),
    ],
)
def test_a_constant_that_nothing_changes_is_what_it_is(before, flag, after):
    becomes(before + USE.format(flag=flag) + after, before + ALWAYS + after)


def test_a_star_import_of_torch_shadows_no_setting():
    before, after = TESTING, "from torch.nn import *\n"
    becomes(before + USE.format(flag=WORD[0]) + after, before + ALWAYS + after)


def test_a_word_that_a_star_import_brings_and_nothing_changes_is_what_it_is():
    before = "from config import *\n"
    files_become(
        {"main.py": before + USE.format(flag=WORD[0]), "config.py": TESTING},
        {"main.py": before + ALWAYS},
    )


def test_training_below_a_test_keeps_its_graph():
    # the flag is off when the second call is made: with gradients off, backward() would raise
    before, after = TESTING, "print(evaluate(net, a).data)\nmode = 'train'\nevaluate(net, b).sum().backward()\n"
    check_asked(before, *WORD, after)


def test_a_cell_of_a_notebook_that_changes_a_setting_is_seen():
    cells = [source(TESTING + USE.format(flag=WORD[0])), "print(evaluate(net, x))\n", "mode = 'train'\n"]
    book = {
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
            for cell in cells
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    result = core.migrate({"a.ipynb": json.dumps(book).encode()})
    first = json.loads(result.outputs["a.ipynb"])["cells"][0]["source"]
    assert "with torch.set_grad_enabled(mode != 'test'):" in "".join(first)


INNER = "    def evaluate(net, x):\n        return net(Variable(x, volatile={flag}))\n"
INNER_ASKED = (
    "    def evaluate(net, x):\n        with torch.set_grad_enabled({enabled}):\n            return net(Variable(x))\n"
)
INNER_ALWAYS = "    def evaluate(net, x):\n        with torch.no_grad():\n            return net(Variable(x))\n"


@pytest.mark.parametrize(
    ("before", "flag", "enabled", "after"),
    [
        ("    test = 1\n", "test", "not test", "    use(evaluate)\n    test = 0\n"),
        ("    test = False\n", "test", "not test", "    use(evaluate)\n    test = True\n"),
        (
            "    test = 1\n    def train():\n        nonlocal test\n        test = 0\n",
            "test",
            "not test",
            "    use(evaluate, train)\n",
        ),
        (
            "    o = {'test': True}\n    def train():\n        o['test'] = False\n",
            "o['test']",
            "not o['test']",
            "    use(evaluate, train)\n",
        ),
        (
            "    o = {'mode': 'test'}\n    def train():\n        o['mode'] = 'train'\n",
            "(o['mode'] == 'test')",
            "o['mode'] != 'test'",
            "    use(evaluate, train)\n",
        ),
    ],
    ids=["a number", "a switch", "by another function", "an entry", "a word of an entry"],
)
def test_a_name_of_the_function_around_that_is_bound_again_is_asked_for(before, flag, enabled, after):
    head = "def outer(x):\n" + before
    becomes(head + INNER.format(flag=flag) + after, head + INNER_ASKED.format(enabled=enabled) + after)


@pytest.mark.parametrize(
    ("before", "flag"),
    [("    test = 1\n", "test"), ("    o = {'test': True}\n", "o['test']"), ("    o = {'test': 1}\n", "o['test']")],
)
def test_a_name_of_the_function_around_that_is_bound_once_is_what_it_is(before, flag):
    head, after = "def outer(x):\n" + before, "    use(evaluate)\n"
    becomes(head + INNER.format(flag=flag) + after, head + INNER_ALWAYS + after)


@pytest.mark.parametrize(
    ("held", "below", "decorator", "me", "flag"),
    [
        ("test = 1", "test = 0", "", "self", "self.test"),
        ("test = 1", "test = 0", "    @classmethod\n", "cls", "cls.test"),
        ("@property\n    def test(self):\n        return True", "test = False", "", "self", "self.test"),
    ],
    ids=["of an object", "of a class", "of a property"],
)
def test_an_attribute_that_a_class_below_sets_again_is_asked_for(held, below, decorator, me, flag):
    head = f"class Runner:\n    {held}\n{decorator}    def evaluate({me}, net, x):\n"
    tail = f"class Other(Runner):\n    {below}\n"
    becomes(
        head + f"        return net(Variable(x, volatile={flag}))\n" + tail,
        head + f"        with torch.set_grad_enabled(not {flag}):\n            return net(Variable(x))\n" + tail,
    )


def test_an_attribute_that_a_class_beside_it_has_too_is_what_it_is():
    head, tail = "class Runner:\n    test = 1\n    def evaluate(self, net, x):\n", "class Other:\n    test = 0\n"
    becomes(
        head + "        return net(Variable(x, volatile=self.test))\n" + tail,
        head + "        with torch.no_grad():\n            return net(Variable(x))\n" + tail,
    )


OPTIONS = "class Options:\n    def __init__(self):\n        self.test = True\n        self.parts = {'test': 1}\n"


@pytest.mark.parametrize(
    ("made", "given", "flag"),
    [
        ("{'test': True}", "unseen(o)", "o['test']"),
        ("{'test': 1}", "unseen(options=o)", "o['test']"),
        ("{'a': {'test': 1}}", "unseen(o)", "o['a']['test']"),
        ("[True]", "unseen(o)", "o[0]"),
        ("Options()", "unseen(o)", "o.test"),
        ("Options()", "unseen(o)", "o.parts['test']"),
        ("Options()", "vars(o).update(x)", "o.test"),
        ("Options()", "o.__dict__.update(x)", "o.test"),
    ],
)
def test_what_unknown_code_had_in_its_hands_is_asked_for_afterwards(made, given, flag):
    head = f"{OPTIONS}def evaluate(net, x):\n    o = {made}\n    {given}\n"
    becomes(
        head + f"    return net(Variable(x, volatile={flag}))\n",
        head + f"    with torch.set_grad_enabled(not {flag}):\n        return net(Variable(x))\n",
    )


def test_names_that_are_given_may_be_any_attribute():
    stays(
        OPTIONS + "def evaluate(net, x, given):\n    o = Options()\n    for name in given:\n"
        "        setattr(o, name, given[name])\n    return net(Variable(x, volatile=o.test))\n",
        reason="condition-not-repeatable",
    )


def test_what_unknown_code_gets_afterwards_is_what_it_was():
    head, tail = OPTIONS + "def evaluate(net, x):\n    o = Options()\n", "    unseen(o)\n    return out.data\n"
    becomes(
        head + "    out = net(Variable(x, volatile=o.test))\n" + tail,
        head + "    with torch.no_grad():\n        out = net(Variable(x))\n" + tail,
    )


@pytest.mark.parametrize(("on", "off"), [
    ("{0} = True", "{0} = False"), ("{0}, other = True, 1", "{0}, other = False, 2"),
    ("setattr(modes, 'QUIET', True)", "setattr(modes, 'QUIET', False)"), ("{0} |= True", "{0} = not {0}"),
])
@pytest.mark.parametrize("name", ["modes.QUIET", "tools.modes.QUIET"])
def test_a_switch_of_another_module_that_is_thrown_between_two_calls_says_nothing_of_the_first(name, on, off):
    """What reaches backward was not volatile: that is known of the call after the switch was thrown."""
    on, off = on.format(name), off.format(name)
    main = (f"import modes, tools\ndef main(net, x):\n    {on}\n    LOOK    {off}\n"
            "    loss = net(tools.give(x)).sum()\n    loss.backward()\n")
    before = {"modes.py": "QUIET = False\n", "run.py": main.replace("LOOK", "print(net(tools.give(x)).data)\n"),
              "tools.py": source("import modes\ndef give(x):\n    return Variable(x, volatile=modes.QUIET)\n")}
    result = core.migrate({path: text.encode() for path, text in before.items()})
    after = {path: result.outputs.get(path, text.encode()).decode() for path, text in before.items()}
    assert "volatile=" in after["tools.py"] or "        print(net(tools.give(x)).data)\n" in after["run.py"]
    assert "\n    loss = net(tools.give(x)).sum()\n" in after["run.py"]
