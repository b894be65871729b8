"""What stands in an arm that a constant keeps from running is decided as if nothing were known of that constant."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import check_noop, check_transformed, migrated

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


def becomes(before: str, after: str):
    return check_transformed(HEAD + dedent(before), HEAD + dedent(after))


def stays(body: str, reason: str):
    return check_noop(HEAD + dedent(body), reason=reason)


@pytest.mark.parametrize("test", ["0", "False", "None", "''", "not 1"])
def test_an_arm_that_is_switched_off_gets_its_own_block(test):
    result = becomes(f"""
        def run(net, data):
            if {test}:
                x = Variable(data, volatile=True)
                net(x).data.tolist()
            return net(Variable(data))
    """, f"""
        def run(net, data):
            if {test}:
                x = Variable(data)
                with torch.no_grad():
                    net(x).data.tolist()
            return net(Variable(data))
    """)
    assert any("assumes that the constant here" in said for site in result.sites for said in site.evidence)


@pytest.mark.parametrize("test", ["1", "True", "'fast'"])
def test_so_does_the_other_arm_of_one_that_is_switched_on(test):
    becomes(f"""
        def run(net, data):
            if {test}:
                return net(Variable(data))
            else:
                return net(Variable(data, volatile=True)).data
    """, f"""
        def run(net, data):
            if {test}:
                return net(Variable(data))
            else:
                with torch.no_grad():
                    return net(Variable(data)).data
    """)


def test_at_the_top_level_and_in_an_arm_within_an_arm_as_well():
    becomes("""
        net = torch.nn.Linear(2, 2)
        if 0:
            print(net)
            if 1:
                pass
            elif net:
                y = net(Variable(torch.ones(2), volatile=True))
                print(y)
    """, """
        net = torch.nn.Linear(2, 2)
        if 0:
            print(net)
            if 1:
                pass
            elif net:
                with torch.no_grad():
                    y = net(Variable(torch.ones(2)))
                print(y)
    """)


def test_the_arm_that_runs_is_decided_as_it_is():
    becomes("""
        def run(net, data):
            if 1:
                x = Variable(data, volatile=True)
            else:
                x = data
            return net(x).data
    """, """
        def run(net, data):
            if 1:
                x = Variable(data)
            else:
                x = data
            with torch.no_grad():
                return net(x).data
    """)


@pytest.mark.parametrize("after", [
    "return net(x)", "return x", "x = net(x)\n    net.kept = x",
])
def test_what_leaves_the_arm_would_ask_for_edits_where_the_program_runs(after):
    stays(f"""
def run(net, data):
    x = Variable(data)
    if 0:
        x = Variable(data, volatile=True)
    {after}
""", "not-analysed")


@pytest.mark.parametrize("inside", [
    "net(x).backward()", "net.kept = x", "return x", "rows.append(x)",
])
def test_what_would_be_refused_if_the_switch_were_thrown_is_left(inside):
    stays(f"""
def run(net, data, rows):
    if 0:
        x = Variable(data, volatile=True)
        {inside}
    return net(Variable(data))
""", "not-analysed")


@pytest.mark.parametrize("head", ["while 0:", "if 0 and data:", "if ():", "for _ in []:"])
def test_what_is_no_switch_of_an_arm_is_none(head):
    stays(f"""
def run(net, data):
    {head}
        x = Variable(data, volatile=True)
        net(x).data.tolist()
    return net(Variable(data))
""", "not-analysed")


WRAPPED = """
    def wrapped(data, volatile=False):
        return Variable(data, volatile=volatile)


    def run(net, data):
        if 0:
            return net(wrapped(data, volatile=True)).data
        {}
"""


def test_no_edit_of_what_runs_comes_of_a_call_that_does_not():
    assert migrated(HEAD + dedent(WRAPPED.format("return net(wrapped(data)).data"))).outputs == {}


@pytest.mark.parametrize(("call", "after"), [
    ("return net(wrapped(data, volatile=False)).data", "return net(wrapped(data)).data"),
    ("return net(wrapped(data, volatile=True)).data",
     "with torch.no_grad():\n            return net(wrapped(data)).data"),
])
def test_a_call_that_runs_stands_for_itself_beside_one_that_does_not(call, after):
    result = migrated(HEAD + dedent(WRAPPED.format(call)))
    assert result.outputs["a.py"].decode() == HEAD + dedent(WRAPPED.format(after))


ANOTHER = """
    def run(net, batches, kept):
        for data in batches:
            if 0:
                x = Variable(data, volatile=True)
            OTHER
            net(Variable(data)).sum().backward()
"""


@pytest.mark.parametrize("other", [
    "if 0:\n                kept.append(net(x).data)",
    "kept.append(net(x) if 0 else None)",
    "while 0:\n                kept.append(net(x))",
    "if 0:\n                kept.append(net(x) if 0 else None)",
])
def test_what_computes_with_it_where_another_constant_keeps_that_from_running_leaves_the_flag(other):
    stays(ANOTHER.replace("OTHER", other), "not-analysed")


NAMED = """
    def run(net, data, sharp, rows):
        {bound}
        {test}
            x = Variable(data, volatile=True)
            net(x).data.tolist()
        return net(Variable(data))
"""


@pytest.mark.parametrize(("bound", "test"), [
    ("greedy = False", "if greedy:"),
    ("greedy = True", "if not greedy:"),
    ("greedy = 0", "if sharp:\n            print(data)\n        elif greedy:"),
    ("greedy = True", "if greedy:\n            print(data)\n        else:"),
    ("greedy = None\n        if greedy:\n            print(sharp)", "if greedy:"),
])
def test_an_arm_that_a_name_bound_once_in_its_function_keeps_from_running_gets_its_own_block(bound, test):
    before = NAMED.format(bound=bound, test=test)
    after = before.replace(", volatile=True)", ")").replace(
        "            net(x).data.tolist()", "            with torch.no_grad():\n                net(x).data.tolist()")
    result = becomes(before, after)
    assert any("assumes that the constant here" in said for site in result.sites for said in site.evidence)


@pytest.mark.parametrize(("bound", "test"), [
    ("greedy = False", "if greedy and sharp:"),
    ("greedy = False\n        rows.append(greedy)", "if greedy:"),
    ("greedy = False\n        rows.extend([1] if greedy else [2])", "if greedy:"),
    ("greedy = False\n        keep = lambda: greedy", "if greedy:"),
    ("greedy = low = False", "if greedy:"),
    ("greedy = False\n        del greedy\n        greedy = False", "if greedy:"),
])
def test_a_name_that_something_else_asks_for_or_that_is_bound_twice_is_no_switch(bound, test):
    stays(NAMED.format(bound=bound, test=test), "not-analysed")


@pytest.mark.parametrize("body", [
    # thrown by another function
    """
def run(net, data):
    greedy = False
    def other():
        nonlocal greedy
        greedy = 0
    if greedy:
        x = Variable(data, volatile=True)
        net(x).data.tolist()
    return net(Variable(data))
""",
    # the name of a module
    """
GREEDY = False


def run(net, data):
    if GREEDY:
        x = Variable(data, volatile=True)
        net(x).data.tolist()
    return net(Variable(data))
""",
])
def test_what_others_may_throw_is_decided_as_it_was(body):
    result = migrated(HEAD + dedent(body))
    assert not any("assumes that the constant here" in said for site in result.sites for said in site.evidence)


@pytest.mark.parametrize("inside", ["net(x).backward()", "net.kept = x", "return x", "rows.append(x)"])
def test_what_would_be_refused_if_a_name_were_another_is_left(inside):
    stays(f"""
def run(net, data, rows):
    greedy = False
    if greedy:
        x = Variable(data, volatile=True)
        {inside}
    return net(Variable(data))
""", "not-analysed")


def test_what_an_arm_hands_to_what_runs_leaves_the_flag():
    stays("""
def run(net, data):
    greedy = False
    x = Variable(data)
    if greedy:
        x = Variable(data, volatile=True)
    return net(x)
""", "not-analysed")
