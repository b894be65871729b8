"""A verdict counts only for what was exercised: flags on and off, both answers of a read, and no guess decides."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n\n"


def judge(before: str, after: str, *names: str) -> tuple[str, str | None]:
    """The verdict on two texts of one file, and its detail."""
    sides = (Side({"a.py": HEAD + before}), Side({"a.py": HEAD + after}))
    units = tuple(Unit("a.py", name) for name in names or ("f",))
    verdict, detail, _ = explore.verify(explore.Item(*sides, units))
    return verdict, detail


def test_a_flag_that_is_never_on_is_no_proof():
    before = "def f(net, x):\n    test = len(sorted([])) > 0\n    return net(Variable(x, volatile=test))\n"
    verdict, detail = judge(before, before.replace(", volatile=test", ""))
    assert (verdict, detail) == ("not-run", "a.py: f: the flag was never on (line 8)")


def test_a_flag_that_is_a_parameter_is_run_both_ways_whatever_the_callers_pass():
    before = "def f(net, x, test=False):\n    return net(Variable(x, volatile=test))\n"
    before += "def g(net, x):\n    return f(net, x)\n"
    verdict, detail = judge(before, before.replace(", volatile=test", ""))
    assert (verdict, "requires_grad False before, True after" in str(detail)) == ("different", True)
    right = before.replace("    return net(", "    with torch.set_grad_enabled(not test):\n        return net(")
    assert judge(before, right.replace(", volatile=test", "")) == ("identical", None)


def test_a_flag_on_which_the_old_program_raised_was_on_all_the_same():
    before = "def f(net, x, test):\n    loss = net(Variable(x, volatile=test)).sum()\n"
    before += "    loss.backward()\n    return loss\n"
    assert judge(before, before.replace(", volatile=test", "")) == ("identical", None)


def test_a_flag_that_the_function_no_longer_takes_is_run_on_within_the_block_of_its_callers():
    before = "def f(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    after = "def f(x):\n    return Variable(x)\n"
    assert judge(before, after) == ("identical", None)


def test_a_read_of_which_one_answer_was_seen_is_no_proof():
    train = "    net(Variable(x.data)).sum().backward()\n"
    before = f"def f(net, x):\n{train}    y = net({{}})\n    if y.volatile:\n        y = y * 2\n    return y\n"
    after = before.replace("y.volatile", "False")
    verdict, detail = judge(before.format("x"), after.format("x"))
    assert (verdict, detail) == ("not-run", "a.py: f: `.volatile` was never True (line 9)")
    # whatever the arguments are, this is none
    assert judge(before.format("Variable(x)"), after.format("Variable(x)")) == ("identical", None)


def test_a_read_that_comes_after_what_0_3_raises_at_has_one_answer():
    before = "def f(net, x):\n    net(x).sum().backward()\n    if x.volatile:\n        return x * 2\n    return x\n"
    assert judge(before, before.replace("x.volatile", "False")) == ("identical", None)


def test_volatile_arguments_are_no_alarm_for_a_function_that_trains_on_something_else():
    before = "def f(net, x):\n    y = Variable(x.data)\n    if y.volatile:\n        return y\n    return net(y)\n"
    assert judge(before, before.replace("y.volatile", "False")) == ("identical", None)


def test_what_an_object_of_settings_holds_at_first_is_not_taken_for_all_that_it_ever_holds():
    before = """
class Bag(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
bag = Bag()
bag.part = Bag()
bag.part.test = None
def f(net, x):
    if bag.part.test:
        return net(Variable(x, volatile=True))
    return net(Variable(x))
"""
    verdict, detail = judge(before, before.replace(", volatile=True", ""))
    assert (verdict, "given settings that are not what the module sets them to" in str(detail)) == ("not-run", True)
    right = before.replace("return net(Variable(x, volatile=True))", "with torch.no_grad(): return net(Variable(x))")
    assert judge(before, right) == ("identical", None)


def test_the_larger_of_two_tensors_is_no_pair():
    before = "def f(net, x, y):\n    top = torch.max(Variable(x), Variable(y, volatile=True))\n    return net(top[1])\n"
    after = before.replace(", volatile=True", "").replace("return", "with torch.no_grad(): return")
    assert judge(before, after) == ("identical", None)


def test_a_variable_that_is_never_set_on_a_way_raises_on_both_sides():
    before = "def f(net, x, on):\n    if on:\n        y = net(Variable(x, volatile=True))\n    return y\n"
    after = before.replace("y = net(Variable(x, volatile=True))", "with torch.no_grad(): y = net(Variable(x))")
    assert judge(before, after) == ("identical", None)


def test_an_error_of_the_machinery_is_no_reason_but_the_place_where_the_code_stops_is():
    before = "def f(net, x):\n    assert {'b': 1}['a']\n    return net(Variable(x, volatile=True))\n"
    verdict, detail = judge(before, before.replace(", volatile=True", ""))
    assert (verdict, detail) == ("not-run", "a.py: f: the code stops at line 7, on stand-ins or by itself: 'a'")


def test_where_the_code_stops_in_another_file_that_is_named():
    table = "\ndef ask():\n    assert {'b': 1}['a']\n"
    before = HEAD + "from table import ask\ndef f(net, x):\n    ask()\n    return net(Variable(x, volatile=True))\n"
    sides = [Side({"a.py": text, "table.py": table}) for text in (before, before.replace(", volatile=True", ""))]
    verdict, detail, _ = explore.verify(explore.Item(*sides, (Unit("a.py", "f"),)))
    assert (verdict, detail) == (
        "not-run",
        "a.py: f: the code stops at table.py, line 3, on stand-ins or by itself: 'a'",
    )


def test_a_table_that_is_asked_for_an_unknown_gives_what_it_holds():
    before = "def f(net, x, k):\n    table = {1: net.a, 2: net.b}\n    return table[k](Variable(x, volatile=True))\n"
    right = before.replace("    return table", "    with torch.no_grad(): return table").replace(", volatile=True", "")
    assert judge(before, right) == ("identical", None)
    assert judge(before, before.replace(", volatile=True", ""))[0] == "different"


def test_a_difference_tells_on_which_way_it_is():
    before = "def f(net, x, mode, on):\n    y = Variable(x, volatile=bool(on and mode == 'test'))\n    return net(y)\n"
    verdict, detail = judge(before, before.replace(", volatile=bool(on and mode == 'test')", ""))
    assert (verdict, str(detail).partition(", when ")[2]) == ("different", "on and mode == 'test'")


def test_what_lies_behind_many_conditions_is_come_by():
    lines = "".join(f"    if x.a{n}: net.b{n} = {n}\n" for n in range(8))
    chain = "    if stage == 1:\n        return 1\n" + "".join(
        f"    elif stage == {n}:\n        return {n}\n" for n in range(2, 9)
    )
    before = f"def f(net, x, stage):\n{lines}{chain}    return net(Variable(x, volatile=True))\n"
    right = before.replace("    return net(", "    with torch.no_grad(): return net(").replace(", volatile=True", "")
    assert judge(before, right) == ("identical", None)
    assert judge(before, before.replace(", volatile=True", ""))[0] == "different"


def test_a_function_that_is_handed_out_is_called_with_its_switch_on_and_off():
    before = "def f(net, x, search):\n    def loss(test=False):\n        return net(Variable(x, volatile=test))\n"
    before += "    search(0, loss)\n"
    assert judge(before, before.replace(", volatile=test", ""))[0] == "different"
    right = before.replace("        return net", "        with torch.set_grad_enabled(not test): return net")
    assert judge(before, right.replace(", volatile=test", "")) == ("identical", None)


def test_a_global_that_functions_bind_is_not_what_it_is_at_first():
    before = "table = None\ndef fill(x):\n    global table\n    table = x\n"
    before += "def f(net, x):\n    return table.score(net(Variable(x, volatile=True)))\n"
    right = before.replace("    return table", "    with torch.no_grad(): return table").replace(", volatile=True", "")
    assert judge(before, right) == ("identical", None)


@pytest.mark.parametrize("imported", ["import pkg.shared as common", "from pkg import shared as common"])
@pytest.mark.parametrize(
    ("bound", "plainly"), [("common.table = rows", "different"), ("rows.table = common", "not-run")]
)
def test_a_global_that_another_module_binds_is_not_what_it_is_at_first(imported, bound, plainly):
    use = f"{HEAD}{imported}\ndef f(net, x):\n    common.table.show(1)\n    return net(Variable(x, volatile=True))\n"
    main = f"{imported}\ndef start(rows):\n    {bound}\n"
    others = {"pkg/__init__.py": "", "pkg/shared.py": "table = None\n", "main.py": main}
    plain = use.replace(", volatile=True", "")
    right = plain.replace("    return net", "    with torch.no_grad(): return net")
    told = [
        explore.verify(
            explore.Item(Side({"use.py": use, **others}), Side({"use.py": new, **others}), (Unit("use.py", "f"),))
        )[0]
        for new in (right, plain)
    ]
    assert told == ["identical", plainly]


def test_a_main_part_that_binds_names_alone_is_run_where_it_makes_something_volatile():
    before = "if __name__ == '__main__':\n    x = Variable(torch.ones(1), volatile=True)\n    y = torch.load('n')(x)\n"
    plain = before.replace(", volatile=True", "")
    right = plain.replace("    y = ", "    with torch.no_grad():\n        y = ")
    assert judge(before, right, "") == ("identical", None)
    assert judge(before, plain, "")[0] == "different"


UNDER = """
class Net(torch.nn.Module):
    def f(self, x, net):
        {test}
            {bound}
            return net(Variable(x, volatile={flag}))
"""


@pytest.mark.parametrize(
    ("test", "flag"),
    [
        ("if self.training:", "not self.training"),
        ("if x is not None and self.training:", "not self.training"),
        ("if not self.training:", "self.training"),
        ("if self.training: pass\n        else:", "self.training"),
    ],
)
def test_a_flag_that_is_the_opposite_of_the_condition_around_it_need_not_be_on(test: str, flag: str):
    before = UNDER.format(test=test, flag=flag, bound="pass")
    assert judge(before, before.replace(f", volatile={flag}", ""), "Net.f") == ("identical", None)
    block = before.replace(f", volatile={flag}", "").replace("return net", "with torch.no_grad(): return net")
    assert judge(before, block, "Net.f")[0] == "different"


@pytest.mark.parametrize(
    ("test", "flag", "bound"),
    [
        ("if self.training:", "self.training", "pass"),
        ("if x.off or self.training:", "not self.training", "pass"),
        ("if self.training:", "not self.training", "self.training = net.training"),
        ("if net.ask():", "not net.ask()", "pass"),
    ],
)
def test_a_flag_that_may_be_on_under_the_condition_around_it_has_to_be(test: str, flag: str, bound: str):
    before = UNDER.format(test=test, flag=flag, bound=bound)
    assert judge(before, before.replace(f", volatile={flag}", ""), "Net.f")[0] != "identical"


@pytest.mark.parametrize("call", ["Variable(x, volatile=test)", "[Variable(each, volatile=test) for each in [x]][0]"])
def test_a_name_that_is_bound_to_false_once_and_for_all_need_not_be_on(call: str):
    before = f"def f(net, x):\n    test = False\n    return net({call})\n"
    assert judge(before, before.replace(", volatile=test", "")) == ("identical", None)
    block = before.replace(", volatile=test", "").replace("return net", "with torch.no_grad(): return net")
    assert judge(before, block)[0] == "different"


@pytest.mark.parametrize(
    "bound",
    [
        "test = True",
        "test = False\n    test = len(sorted([])) > 0",
        "test = False\n    if net.ask(): test = True",
        "test = False\n    test |= net.ask()",
        "global test\n    test = False\n    net.ask()",
        "test = False\n    def on():\n        nonlocal test\n        test = True\n    net.ask(on)",
        "test = False\n    for test in net.flags(): pass",
        "test = False\n    net = [net for test in net.flags()][0]",
        "test = False\n    from flags import test",
        "test, test = False, net.ask()",
        "test = 0 > len(sorted([]))",
    ],
)
def test_a_name_that_may_be_bound_to_something_else_has_to_be_on(bound: str):
    before = f"def f(net, x):\n    {bound}\n    return net(Variable(x, volatile=test))\n"
    verdict, _ = judge(before, before.replace(", volatile=test", ""))
    assert verdict != "identical"


EMPTY = """
def wrapped(rows={given}, on_card=True, volatile=False):
    out = []
    for row in rows:
        if on_card:
            row = row.cuda()
        out.append(Variable(row, volatile=volatile))
    return out


def use(net, x, y):
    x, y = wrapped(rows=(x, y.long()))
    return net(x), y
"""


@pytest.mark.parametrize("given", ["()", "[]"])
def test_a_flag_is_tried_in_a_loop_over_what_is_empty_by_default(given: str):
    before = EMPTY.format(given=given)
    assert judge(before, before.replace(", volatile=False", "").replace(", volatile=volatile", ""), "wrapped") == (
        "identical", None)


def test_a_flag_that_callers_set_is_seen_to_go_in_a_loop_over_what_is_empty_by_default():
    before = EMPTY.format(given="()").replace("wrapped(rows=(x, y.long()))", "wrapped((x, y.long()), volatile=True)")
    after = before.replace(", volatile=False", "").replace(", volatile=volatile", "").replace(", volatile=True", "")
    assert judge(before, after, "wrapped")[0] == "different"
