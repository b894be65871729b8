"""Data that is not at hand had what the code asks of it: a way that would end there goes on, and is no alarm."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

TOLD = ("different", "not-run")
BODY = """
def f(net, data, path):
    {first}
    y = net(Variable(data, volatile=True))
    return y
"""


@pytest.mark.parametrize(
    "first",
    [
        "table = dict(line.split('=') for line in open(path)); data = table['images']",
        "table = {}; data = table['images']",
        "rows = [line.strip() for line in open(path)]; data = rows[7]",
        "rows = [line.strip() for line in open(path)]; n = 7; data = rows[n]",
        "rows = [1, 2]; a, b, c = rows",
    ],
)
def test_what_data_lacks_is_taken_for_unknown_where_every_way_would_end_there(first: str):
    check(BODY.format(first=first), told=TOLD)


def test_behind_a_key_that_the_text_alone_says_is_missing_it_is_looked_at_what_changed():
    check(BODY.format(first="data = {'a': 1}['b']"), told=TOLD)


def test_a_handler_for_a_missing_key_is_still_what_runs():
    text = """
    def f(net, x, table):
        known = {'a': x}
        try:
            return known['b']
        except KeyError:
            return %s
    """
    flagged, plain = "net(Variable(x, volatile=True))", "net(Variable(x))"
    assert judge(text % flagged, text % plain)[0] == "different"


def test_a_module_of_the_project_lacks_what_another_of_that_name_had():
    before = "import tools\n" + BODY.format(first="meter = tools.Meter(); meter.reset()")
    check(before, tools="def mean(x):\n    return x\n", told=TOLD)


def test_an_object_has_what_something_else_may_have_put_there():
    body = BODY.format(first="box = Box(); data = box.images")
    check("class Box(object):\n    def __init__(self):\n        self.n = 0\n" + body, told=TOLD)


def test_a_difference_that_rests_on_what_is_missing_is_not_told_as_one():
    text = BODY.format(first="data = [1][3]")
    verdict, detail = judge(text, text.replace(", volatile=True", ""))
    assert verdict == "not-run"
    assert "(given what is missing here)" in (detail or "")


@pytest.mark.parametrize("kind", ["float", "int"])
def test_a_type_of_python_that_is_handed_to_something_unknown_is_no_decorated_class(kind: str):
    check(BODY.format(first=f"data = data.numpy().astype({kind})[0][::-1]"), told=TOLD)


def test_a_class_that_is_handed_to_something_unknown_is_decorated():
    text = "import registry\n@registry.register('net')\nclass Net(object):\n    size = 3\n"
    check(text + BODY.format(first="data = data * Net.size"), told=TOLD)


def test_a_number_is_one_of_the_module_numbers():
    first = "size = 44; size = (size, size) if isinstance(size, numbers.Number) else size[:2]"
    check(BODY.format(first=first), told=TOLD)


REBOUND = """
import net
with open('net.pt', 'rb') as stored:
    net = torch.load(stored)

def f(x):
    net.reset()
    y = net(Variable(x, volatile=True))
    return y
"""
MODULE = "def reset():\n    raise ValueError('it is the module')\n"


def test_a_name_of_a_module_that_a_statement_binds_again_is_not_that_module():
    check(REBOUND, net=MODULE, told=TOLD)


def test_a_name_that_only_a_function_binds_stays_the_module():
    other = "def other():\n    net = 1\nprint([net for net in (1, 2)])\n"
    text = REBOUND.replace("with open('net.pt', 'rb') as stored:\n    net = torch.load(stored)\n", other)
    assert judge(text, with_block(text), net=MODULE)[0] == "not-run"


def test_a_function_that_is_defined_beside_statements_is_found():
    before = BODY.format(first="pass")
    after = with_block(before)
    beside = "if 1:\n    print('evaluation')\n"
    wrong = unflagged(before)
    before, after, wrong = (beside + textwrap.indent(text, "    ") for text in (before, after, wrong))
    assert judge(before, after) == ("identical", None)
    assert judge(before, wrong)[0] == "different"


def test_a_block_over_what_has_no_weights_once_all_is_filled_in_proves_nothing():
    text = """
def twice(x):
    return x * 2

def f(net, data, path):
    rows = [1][3]
    y = twice(Variable(torch.ones(2), volatile=True))
    return y
"""
    after = text.replace(", volatile=True", "").replace("    y = twice", "    with torch.no_grad():\n        y = twice")
    verdict, detail = judge(text, after)
    assert verdict == "not-run"
    assert "could have a graph" in (detail or "")


def test_the_same_block_proves_what_it_should_where_something_has_weights():
    text = """
def twice(x):
    return x * 2

def f(net, data, path):
    rows = [1][3]
    y = twice(net(Variable(torch.ones(2), volatile=True)))
    return y
"""
    after = unflagged(text).replace("    y = twice", "    with torch.no_grad():\n        y = twice")
    assert judge(text, after) == ("identical", None)


WITHIN = """
def twice(x):
    return x * 2

def f(net, data, path):
    rows = [1][3]
    with torch.no_grad():
        {}
    return {}
"""
MADE = "y = twice(Variable(torch.ones(2), volatile=True))"


def test_a_flag_in_a_block_of_the_authors_own_needs_nothing_that_has_weights():
    text = WITHIN.format(MADE, "y.data")
    assert judge(text, unflagged(text)) == ("identical", None)


@pytest.mark.parametrize(
    "text",
    [
        WITHIN.format(MADE, "y.data").replace("torch.no_grad()", "torch.enable_grad()"),
        WITHIN.format(MADE, "y.data").replace("torch.no_grad()", "torch.set_grad_enabled(path)"),
        WITHIN.format("make = lambda: twice(Variable(torch.ones(2), volatile=True))", "make().data"),
        WITHIN.format("pass", "twice(Variable(torch.ones(2), volatile=True)).data"),
    ],
)
def test_a_flag_that_does_not_run_in_such_a_block_needs_that_as_before(text: str):
    assert judge(text, unflagged(text))[0] == "not-run"


def test_the_first_entry_of_a_defaultdict_is_made_under_a_key_that_nobody_knows():
    text = """
    def f(net, data):
        rows = collections.defaultdict(list)
        for each in data:
            rows[len(each)].append(each)
        for size in rows:
            x = torch.stack(rows[size])
            y = net(Variable(x, volatile=True))
            print(y.data)
    """
    before = textwrap.dedent(text)
    after = unflagged(before).replace("y = net(Variable(x))", "with torch.no_grad(): y = net(Variable(x))")
    assert judge(before, after) == ("identical", None)
    assert judge(before, unflagged(before))[0] == "different"


@pytest.mark.parametrize(
    "first",
    [
        "frames = collections.deque([], maxlen=net.frames); frames.append(data); data = frames[0]",
        "import itertools; data = [each for each in itertools.islice(data, net.many)][1]",
        "data = data if isinstance([data], collections.Sequence) else {}['a']",
    ],
)
def test_a_length_that_nobody_knows_ends_no_container_of_pythons_own(first: str):
    check(BODY.format(first=first))


NAMED = """
import tool
{more}
def f(net, x):
    y = net(Variable(tool.load(x), volatile=True))
    return y
"""


def test_a_module_that_has_the_name_of_a_library_and_is_imported_by_that_of_its_package_is_not_the_library():
    module = {"utils/tool": "import tool\nclass Load(tool.Loader):\n    def load(self, x):\n        raise KeyError\n"}
    check(NAMED.format(more="from utils.tool import Load"), **module)


def test_a_module_in_a_folder_is_found_by_its_own_name_where_nothing_else_has_it():
    module = {"utils/tool": "def load(x):\n    raise KeyError\n"}
    before = NAMED.format(more="")
    assert judge(before, with_block(before), **module)[0] != "identical"


def test_a_package_that_lies_in_a_folder_is_found_by_its_name():
    module = {"python/tools/load": "def load(x):\n    raise KeyError\n"}
    before = NAMED.format(more="").replace("import tool", "from tools.load import load").replace("tool.load", "load")
    assert judge(before, with_block(before), **module)[0] != "identical"


@pytest.mark.parametrize("imported", [
    "from tools import load", "from tools import other, load", "from python.tools import load", "from . import load",
])
def test_a_module_is_found_in_a_folder_that_has_no_code_of_its_own(imported: str):
    module = {"python/tools/load" if imported != "from . import load" else "load": "def load(x):\n    raise KeyError\n"}
    before = NAMED.format(more="").replace("import tool", imported).replace("tool.load", "load.load")
    assert judge(before, with_block(before), **module)[0] != "identical"


def test_what_a_folder_without_code_has_beside_its_modules_is_unknown():
    before = NAMED.format(more="").replace("import tool", "from tools import load, tool")
    check(before, **{"tools/load": "def load(x):\n    raise KeyError\n"})


def test_a_call_into_such_a_folder_may_lose_its_flag_with_the_function():
    text = "import torch\nfrom tools import load\ndef f(net, x):\n    {block}return net(load.load(x{on}))\n"
    module = "from torch.autograd import Variable\ndef load(x{off}):\n    return Variable(x{flag})\n"
    before = {"a.py": text.format(block="", on=", quiet=True"),
              "tools/load.py": module.format(off=", quiet=False", flag=", volatile=quiet")}
    after = {"a.py": text.format(block="with torch.no_grad(): ", on=""),
             "tools/load.py": module.format(off="", flag="")}
    bare = {**after, "a.py": text.format(block="", on="")}
    units = (Unit("a.py", "f"),)
    assert explore.verify(explore.Item(Side(before), Side(after), units))[0] == "identical"
    assert explore.verify(explore.Item(Side(before), Side(bare), units))[0] == "different"


MISUSED = """
class Rows(object):
    def __init__(self, folder):
        self.folder = folder

def f(args, net):
    if args.learn:
        import away
        return away.learn(net)
    rows = Rows(args.folder, names=args.names)
    {block}y = net(Variable(rows.all(){flag}))
    return y.data
"""


def test_a_block_that_no_way_comes_to_is_said_to_be_behind_what_stops_there():
    before = MISUSED.format(block="", flag=", volatile=True")
    found = judge(before, MISUSED.format(block="with torch.no_grad(): ", flag=""))
    assert found[0] == "not-run"
    assert "unexpected keyword argument 'names'" in found[1]


# --- what is missing of data was made as the rest of it was -----------------------------------------------------------

# the run ends at the first line, so that another round fills in what is missing
PARTS = """
def f(net, other, batch):
    rate = {}['rate']
    %s
    first = other(%s)
    y = net(%s)
    return first.data, y
"""


@pytest.mark.parametrize(
    ("made", "first", "last"),
    [
        ("rows = [Variable(each, volatile=True) for each in batch]; a, b, c, d = rows", "d", "a"),
        ("rows = [Variable(each, volatile=True).cuda() for each in batch]; a, b, c, d = rows", "c", "a"),
        ("rows = [Variable(each, volatile=True) for each in batch]", "rows[5]", "rows[0]"),
        ("rows = {key: Variable(each, volatile=True) for key, each in batch.items()}", "rows['mask']", "rows['image']"),
        ("rows = [(each, Variable(each, volatile=True)) for each in batch]; _, _, (_, c) = rows", "c", "rows[0][1]"),
    ],
)
def test_what_data_lacks_is_as_volatile_as_the_rest(made: str, first: str, last: str):
    text = PARTS % (made, first, last)
    both = text.replace("    first = other", "    with torch.no_grad():\n        first = other")
    assert judge(text, with_block(text))[0] == "not-run"
    assert judge(text, with_block(both)) == ("identical", None)


def test_and_has_a_graph_where_the_rest_has_one():
    text = """
    def f(net, batch, x):
        rate = {}['rate']
        rows = [net(each) for each in batch]
        a, b, c, d = rows
        d.sum().backward()
        return %s
    """
    flagged, block = "net(Variable(x, volatile=True))", "net(Variable(x))"
    block_of = "    with torch.no_grad():\n            "
    right = (text % "y").replace("    return y", f"{block_of}y = net(Variable(x))\n        return y")
    assert judge(text % flagged, right) == ("identical", None)
    wide = right.replace("    rows = [net(", f"{block_of}rows = [net(")
    assert judge(text % flagged, wide)[0] != "identical"
    assert judge(text % flagged, text % block)[0] != "identical"


def test_where_the_rest_is_not_alike_nobody_knows_what_is_missing():
    text = PARTS % ("rows = [Variable(batch, volatile=True), Variable(batch)]; a, b, c = rows", "c", "a")
    assert judge(text, with_block(text))[0] == "not-run"


@pytest.mark.parametrize("head", ["    for row in dict().values():\n", "    for row in [1, 2][5:]:\n"])
def test_a_block_that_no_way_comes_by_is_not_said_to_hold_nothing_with_a_graph(head):
    text = f"def f(net, x):\n{head}        {{}}y = net(Variable(x{{}}))\n    return 1\n"
    lead = "import torch\nfrom torch.autograd import Variable\n"
    sides = [Side({"a.py": lead + each}) for each in (
        text.format("", ", volatile=True"), text.format("with torch.no_grad(): ", ""))]
    verdict, detail, _ = explore.verify(explore.Item(*sides, (Unit("a.py", "f"),)))
    assert (verdict, detail) == ("not-run", "a.py: f: no way that was tried comes by line 5")
