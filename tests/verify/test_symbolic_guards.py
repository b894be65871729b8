"""Who ran the program came by its guards, ``assert`` and ``if ...: raise``: new answers let them pass."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from judging import HEAD, check, judge, unflagged, with_block  # noqa: E402

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402
from voltfix.verify.symbolic.run import run  # noqa: E402
from voltfix.verify.symbolic.world import World  # noqa: E402

TAIL = "    y = net(Variable(data, volatile=True))\n    return y\n"
RETURNED = "return net(Variable(data, volatile=True))"
BODY = """
def f(net, data, size, options):
    {guard}
    y = net(Variable(data, volatile=True))
    return y
"""


@pytest.mark.parametrize(
    "guard",
    [
        "assert " + " and ".join(f"size[{n}] <= data.size({n})" for n in range(9)),
        "assert isinstance(size, (int, tuple)) and len(size) == 2",
        "if not isinstance(size, list): raise TypeError('a list')",
        "if size > 3 or size < 1:\n        text = 'between'\n        raise ValueError(text)",
        "if 'x' == size: n = 1\n    elif size > 4: n = 2\n    else: raise ValueError(size)",
        "for each in range(40):\n        assert data[each] < size[each]",
        "assert isinstance(lambda x: x, types.LambdaType)",
        "assert isinstance(len, types.BuiltinFunctionType) or isinstance(size, collections.abc.Sequence)",
    ],
)
def test_a_guard_of_the_authors_lets_the_run_pass(guard: str):
    check(BODY.format(guard=guard))


def test_a_guard_that_the_text_alone_fails_stays_a_refusal():
    before = BODY.format(guard="assert 1 > 2")
    assert judge(before, with_block(before))[0] == "not-run"


def test_a_guard_over_gradients_is_no_guess():
    before = BODY.format(guard="pass").replace("return y", "if y.requires_grad: raise ValueError(y)\n    return y")
    assert judge(before, with_block(before)) == ("identical", None)
    assert judge(before, unflagged(before))[0] == "different"


def test_what_a_guard_let_pass_is_asked_once():
    text = "def f(net, x, log):\n    assert log.check(x) <= 3\n    return net(Variable(x, volatile=True))\n"
    side = Side({"a.py": HEAD + text})
    seen = run(side, Unit("a.py", "f"), World(True, False, {}), frozenset())
    assert [each.sink for each in seen.events].count("log.check()") == 1
    assert len(seen.assumed) == 1


def test_a_raise_that_other_statements_stand_beside_is_a_branch_like_any_other():
    """Both ways of it are tried: a wrong block on one of them is seen."""
    text = """
    def f(net, x, n):
        if n > 3:
            for each in x:
                net(Variable(each, volatile=True))
            raise StopIteration
        return net(x)
    """
    side = textwrap.dedent(text)
    assert judge(side, unflagged(side))[0] == "different"


def test_a_dictionary_may_have_a_key_that_nobody_knows():
    before = """
    TABLE = {'a': 1, 'b': 2}

    def f(net, data, name):
        if name in TABLE:
            return net(Variable(data, volatile=True))
        return TABLE
    """
    after = before.replace(RETURNED, "with torch.no_grad():\n                return net(data)")
    assert judge(before, after) == ("identical", None)
    assert judge(before, unflagged(before))[0] == "different"


def test_keys_that_the_text_says_are_not_asked_for():
    before = """
    TABLE = {'a': 1, 'b': 2}

    def f(net, data):
        if 'c' in TABLE:
            return net(Variable(data, volatile=True))
        return TABLE
    """
    after = before.replace(RETURNED, "with torch.no_grad():\n                return net(data)")
    assert judge(before, after)[0] == "not-run"


def test_a_way_that_ends_at_an_error_is_turned_at_what_was_asked_last():
    before = """
    def pick(boxes):
        if boxes.size(0) == 0:
            return []
        return boxes.sort()[1]

    def f(net, boxes, size, a, b, c, d, e, g, h):
        n = 1 if a else 2
        n += 1 if b else 2
        n += 1 if c else 2
        n += 1 if d else 2
        n += 1 if e else 2
        n += 1 if g else 2
        n += 1 if h else 2
        for each in range(4):
            boxes = boxes.mul(size[each])
            kept = pick(boxes).long()
        y = net(Variable(kept, volatile=True))
        return y
    """
    check(textwrap.dedent(before))


@pytest.mark.parametrize(
    "other",
    [
        "TABLE = {}\nfor name in ['a', 'b']:\n    for n in (1, 2):\n        TABLE[name + str(n)] = n\n",
        "TABLE = dict(a1=1)\n",
    ],
)
def test_a_table_that_a_module_fills_for_each_of_a_few_is_there(other: str):
    before = BODY.format(guard="from table import TABLE\n    assert 'a1' in TABLE")
    check(before, table=other)


@pytest.mark.parametrize(
    "text",
    [
        "def f(net, data):\n    m, s = divmod(data, 60)\n    y = net(Variable(m, volatile=True))\n    return y, s\n",
        "def f(net, data):\n    if data.is_cuda: return f(net, data.cpu())\n" + TAIL,
        "'words'\nimport sys\nfrom __future__ import print_function\ndef f(net, data):\n" + TAIL,
    ],
)
def test_what_the_code_asks_of_stand_ins_is_there(text: str):
    check(text)


def test_a_module_whose_own_objects_cannot_be_made_is_run_for_its_functions():
    before = """
    class Net(torch.nn.Module):
        def __init__(self):
            self.layer = {}['conv']

    net = Net()

    def f(data):
        y = net(Variable(data, volatile=True))
        return y
    """
    check_filled(textwrap.dedent(before))


def check_filled(before: str) -> None:
    assert judge(before, with_block(before)) == ("identical", None)
    assert judge(before, unflagged(before))[0] == "not-run"  # the text says nothing of the network


@pytest.mark.parametrize("name", ["MutableMapping", "Sequence"])
def test_names_of_pythons_own_that_are_not_handed_out_are_unknown(name: str):
    head = f"from collections import {name}\nimport collections.abc\n"
    check(head + BODY.format(guard=f"options = collections.{name}"))


def test_what_a_cell_shows_is_seen():
    before = """
    x = Variable(torch.ones(1), volatile=True)
    w = Variable(torch.ones(1), requires_grad=True)
    y = x * w
    x.requires_grad, y.requires_grad
    y = 1
    """
    after = unflagged(before).replace("    y = x", "    with torch.no_grad():\n        y = x")
    assert judge(before, after, name="") == ("identical", None)
    assert judge(before, unflagged(before), name="")[0] == "different"


def test_a_block_that_runs_while_a_module_is_loaded_is_no_near_miss_of_its_functions():
    before = """
    net = torch.nn.Linear(2, 3)
    x = Variable(torch.ones(1), volatile=True)
    shown = net(x).data

    def f(model, data):
        return model(Variable(data, volatile=True))
    """
    after = unflagged(before).replace("    shown = ", "    with torch.no_grad():\n        shown = ")
    within = "with torch.no_grad():\n            return model(data)"
    after = after.replace("return model(Variable(data))", within)
    assert judge(before, after) == ("identical", None)


OLD_AND_NEW = """
import tools

def f(net, x):
    y = net(Variable(x, volatile=True))
    return tools.number(y.data)
"""
NUMBER = """
import torch

def number(x):
    if float(torch.__version__[:3]) < 0.4:
        {guard}
        return x[0]
    return x.item()
"""


@pytest.mark.parametrize(
    "guard", ["assert x.dim() == 1 and len(x) == 1", "if x.dim() != 1:\n            raise ValueError(x)"]
)
def test_a_guard_that_today_no_longer_asks_let_every_run_pass(guard: str):
    check(OLD_AND_NEW, tools=NUMBER.format(guard=guard))


def test_a_guard_that_the_new_text_alone_fails_is_told():
    before = BODY.format(guard="assert size > 3")
    wrong = with_block(before).replace("    return y", "    assert not size > 3\n    return y")
    assert judge(before, wrong)[0] == "different"


def test_an_operation_of_a_guard_that_is_asked_once_more_is_one_operation():
    before = with_block(BODY.format(guard="if size > 3: raise ValueError(size)"))
    sides = [Side({"a.py": HEAD + each}) for each in (before, before.replace("return y", "z = y\n    return z"))]
    assert explore.verify(explore.Item(*sides, (Unit("a.py", "f"),), exact=True))[:2] == ("identical", None)
