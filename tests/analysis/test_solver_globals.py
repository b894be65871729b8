"""Values that are kept in what a module holds: other functions find them there."""

from __future__ import annotations

import pytest
from solving import becomes, covers, migrated_files, refusals, stays

READS = """

def evaluate(net):
    return net({}).data
"""


@pytest.mark.parametrize(
    ("keeps", "read"),
    [
        ("V = None\n\ndef load(x):\n    global V\n    V = Variable(x, volatile=True)\n", "V"),
        ("V = {}\n\ndef load(x):\n    V['x'] = Variable(x, volatile=True)\n", "V['x']"),
        ("V = []\n\ndef load(x):\n    V.append(Variable(x, volatile=True))\n", "V[0]"),
        ("V = {}\n\ndef load(x):\n    V.update(x=Variable(x, volatile=True))\n", "V['x']"),
        ("V = {}\nV['x'] = Variable(torch.zeros(3), volatile=True)\n", "V['x']"),
        ("V = []\nfor x in data:\n    V.append(Variable(x, volatile=True))\n", "V[0]"),
    ],
)
def test_what_a_function_finds_in_the_module_volatile_that_nobody_was_seen_to_call_is_refused(keeps, read):
    stays(keeps + READS.format(read), reason="escapes-by-global")


def test_what_the_module_itself_makes_is_volatile_wherever_it_is_read():
    covers("V = Variable(torch.zeros(3), volatile=True)\n" + READS.format("V"), inside=["return net("], outside=[])


def test_a_log_of_plain_results_is_no_escape():
    covers(
        """
LOG = {}


def show():
    print(LOG)


def evaluate(net, data):
    y = net(Variable(data, volatile=True))
    LOG['y'] = y.data
""",
        inside=["y = net("],
        outside=[],
    )


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ("class Config:\n    test = True\n", "Config.test"),
        ("class Config:\n    test = True\nflags = Config()\n", "flags.test"),
        ("class Config:\n    def __init__(self):\n        self.test = True\nflags = Config()\n", "flags.test"),
        ("class Config:\n    test = None\nflags = Config()\nflags.test = True\n", "flags.test"),
        ("class Config:\n    pass\nConfig.test = True\n", "Config.test"),
    ],
    ids=["of a class", "of its instance", "made by __init__", "put on an instance", "put on a class"],
)
@pytest.mark.parametrize("changes", ["", "def train_mode():\n    {} = False\n"], ids=["once", "again"])
def test_a_setting_of_a_module_is_asked_for_where_it_counts(config, setting, changes):
    # whoever sets it to False gets the graphs: a block that is always on would take them away
    changes = changes.format(setting)
    becomes(
        f"{config}{changes}def evaluate(net, x):\n    return net(Variable(x, volatile={setting}))\n",
        f"{config}{changes}def evaluate(net, x):\n    with torch.set_grad_enabled(not {setting}):\n"
        "        return net(Variable(x))\n",
    )


IMPORTER = """
    {imports}
    from torch.autograd import Variable


    def evaluate(net, x):
        out = net(Variable(x, volatile={setting}))
        if not {setting}:
            out.sum().backward()
        return out.data
    """


@pytest.mark.parametrize(
    ("imports", "setting", "others"),
    [
        (
            "import os, settings\n    import config",
            "config.test",
            {"config.py": "test = False", "settings.py": "import config\nconfig.test = True"},
        ),
        (
            "from pkg import settings, x\n    from config import flags",
            "flags.test",
            {
                "config.py": "class Flags:\n    test = True\nflags = Flags()",
                "pkg/__init__.py": "x = 1",
                "pkg/settings.py": "from config import flags\nflags.test = False",
            },
        ),
        (
            "import sys, config\n    match sys.argv:\n        case [_, 'test']:\n            config.test = True\n"
            "        case _:\n            import os",
            "config.test",
            {"config.py": "test = False"},
        ),
        (
            "import tools, os\n    tools.flags().test = True",
            "tools.holder.test",
            {"tools.py": "class Holder:\n    pass\nholder = Holder()\ndef flags():\n    return holder"},
        ),
    ],
    ids=["a module that sets another's", "one of a package", "under a pattern", "through a call"],
)
def test_a_module_that_changes_settings_of_another_does_so_when_it_is_imported(imports, setting, others):
    files = {"main.py": IMPORTER.format(imports=imports, setting=setting), **others}
    result, after = migrated_files(files)
    assert not refusals(result)
    assert (
        f"    with torch.set_grad_enabled(not {setting}):\n        out = net(Variable(x))\n    if not"
        in after["main.py"]
    )


@pytest.mark.parametrize(
    ("held", "changed", "flag", "enabled"),
    [
        ("TEST = 1", "global TEST\n    TEST = 0", "TEST", "not TEST"),
        ("mode = 'test'", "global mode\n    mode = 'train'", "(mode == 'test')", "mode != 'test'"),
        ("class C:\n    test = 1", "C.test = 0", "C.test", "not C.test"),
        ("class C:\n    mode = 'test'\nc = C()", "c.mode = 'train'", "(c.mode == 'test')", "c.mode != 'test'"),
        (
            "class C:\n    def __init__(self):\n        self.mode = 'test'\nc = C()",
            "c.mode = 'train'",
            "(c.mode == 'test')",
            "c.mode != 'test'",
        ),
        ("options = {'test': True}", "options['test'] = False", "options['test']", "not options['test']"),
        ("options = dict(test=True)", "options['test'] = False", "options['test']", "not options['test']"),
        ("flags = [True]", "flags[0] = False", "flags[0]", "not flags[0]"),
    ],
    ids=[
        "a number",
        "a word",
        "a class's number",
        "a class's word",
        "an object's word",
        "an entry",
        "a keyword",
        "an element",
    ],
)
def test_a_number_or_word_that_a_function_changes_is_asked_for(held, changed, flag, enabled):
    becomes(
        f"{held}\ndef change():\n    {changed}\n\n"
        f"def evaluate(net, x):\n    return net(Variable(x, volatile={flag}))\n",
        f"{held}\ndef change():\n    {changed}\n\n"
        f"def evaluate(net, x):\n    with torch.set_grad_enabled({enabled}):\n        return net(Variable(x))\n",
    )


def test_a_number_or_word_that_nothing_changes_is_what_it_is():
    becomes(
        "mode = 'test'\ndef evaluate(net, x):\n    return net(Variable(x, volatile=(mode == 'test')))\n",
        "mode = 'test'\ndef evaluate(net, x):\n    with torch.no_grad():\n        return net(Variable(x))\n",
    )


IN_A_LOOP = "for x in data:\n    v = Variable(x, volatile=True)\n    print(net(v).data)\n"


def test_what_nobody_asks_for_but_the_loop_that_binds_it_is_no_escape():
    covers(IN_A_LOOP, inside=["print(net(v)"], outside=["for x in data"])


@pytest.mark.parametrize(
    "reader",
    [
        "\n\ndef show(other):\n    return other(v)\n",
        "\n\nshow = lambda other: other(v)\n",
        "\n\nclass Show:\n    def show(self, other):\n        return other(v)\n",
    ],
)
def test_what_a_function_asks_for_that_a_loop_of_the_module_binds_is_refused(reader):
    stays(IN_A_LOOP + reader, reason="escapes-by-global")


def test_what_another_module_asks_for_that_a_loop_binds_is_refused():
    other = "import main\n\n\ndef show(net):\n    return net(main.v)\n"
    result, _ = migrated_files({"main.py": IN_A_LOOP, "other.py": other})
    assert set(refusals(result).values()) == {"escapes-by-global"}


def test_a_name_of_a_function_of_its_own_is_no_reader():
    covers(IN_A_LOOP + "\n\ndef show(other, v):\n    return other(v)\n", inside=["print(net(v)"], outside=["return"])
