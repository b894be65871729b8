from __future__ import annotations

import pytest

from alone import forbids, needs, ran


@pytest.mark.parametrize(("test", "line"), [("isinstance(v, list)", []), ("isinstance(v, Variable)", [4])])
def test_what_is_a_variable_is_no_container(test, line):
    assert needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    if {test}:\n        net(v)")) == line


def test_a_number_is_a_number():
    assert needs(ran("def f(net, x):\n    if not isinstance(1, int):\n        net(Variable(x, volatile=True))")) == []


ASKED = """
def f(net, x):
    made = net(x)
    {tests}
    return made * 2
"""


def may_compute(tests: str) -> bool:
    text = ASKED.format(tests=tests)
    return text[: text.index("return made * 2")].count("\n") + 1 in forbids(ran(text))


@pytest.mark.parametrize("tests", [
    "if isinstance(made, Variable): return 1\n    if isinstance(made, (list, tuple)): return 2\n"
    "    if isinstance(made, dict): return 3",
    "if isinstance(made, dict): return 1\n    if isinstance(made, list) or isinstance(made, tuple): return 2\n"
    "    if isinstance(made, Variable): made = made.data",
    "if isinstance(made, (Variable, list, tuple, dict)): return 1",
])
def test_what_is_no_variable_and_holds_none_has_no_graph(tests):
    assert not may_compute(tests)


@pytest.mark.parametrize("tests", [
    "pass",
    "if isinstance(made, Variable): return 1",
    "if isinstance(made, Variable): return 1\n    if isinstance(made, list): return 2\n"
    "    if isinstance(made, dict): return 3",
    "if isinstance(made, (list, tuple, dict)): return 1",
    "if isinstance(made, (Variable, list, tuple)): return 1",
    "if isinstance(made, (Variable, list, tuple, dict)): x = 1",
])
def test_what_may_be_one_or_hold_one_may_have_a_graph(tests):
    assert may_compute(tests)
