from __future__ import annotations

from typing import Any

import pytest

from alone import START, function, project
from voltfix.domains.precision import LADDER
from voltfix.solver.memo import Runs
from voltfix.solver.roots import Body, Plans, Setting

BRANCHES = """def f(net, x, a, b, c):
    x = Variable(x, volatile=a)
    if b:
        x = net(x)
    if c:
        x = net(x)
    return net(x)
"""


def test_the_same_root_under_the_same_setting_is_run_once():
    code = project(main=START + "def f(net, x):\n    return net(Variable(x, volatile=True))")
    body = Body("main.py", function(code, "f").node, "f")
    setting = Setting(code)
    assert setting.interpret(body, own=False) is setting.interpret(body, own=False)


def test_a_function_that_was_too_complex_is_looked_at_less_closely():
    code = project(main="def f(x): return x")
    body = Body("main.py", function(code, "f").node, "f")
    setting = Setting(code)
    assert setting.level(id(body.node)) == 0
    assert setting.coarser(body, "too many steps")
    assert setting.level(id(body.node)) == 1


def test_plans_begin_empty():
    assert Plans().by_root == {}


def test_what_was_too_complex_is_not_tried_again_where_nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", 10)
    setting, body, tried = counted(monkeypatch)
    assert setting.interpret(body, own=False) is None
    first = list(tried)
    setting.project.computed(Runs).begin()  # another solve of the same texts
    assert Setting(setting.project).interpret(body, own=False) is None
    assert tried == first


def test_what_takes_too_many_steps_is_next_looked_at_as_little_as_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", 10)
    setting, body, tried = counted(monkeypatch)
    setting.interpret(body, own=False)
    assert tried == [Setting.CLOSEST, Setting.LAST]


def test_what_is_taken_over_from_a_solve_before_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", 10)
    setting, body, _ = counted(monkeypatch)
    setting.interpret(body, own=False)
    setting.project.computed(Runs).begin()
    again = Setting(setting.project)
    again.interpret(body, own=False)
    assert again.spent == setting.spent > 0


def test_what_takes_as_many_nodes_without_its_conditions_is_looked_at_less_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = project(main=START + BRANCHES)
    setting, body = Setting(code), Body("main.py", function(code, "f").node, "f")
    closest, _ = setting.attempt(body, setting.inputs(body, own=False), setting.CLOSEST)
    assert closest is not None
    monkeypatch.setattr("voltfix.machine.state.Machine.NODES", 2 * closest.algebra.size)
    found = [setting.attempt(body, setting.inputs(body, own=False), level)[0] for level in range(len(LADDER))]
    assert [machine is None for machine in found] == [False, True, False, False]


def counted(monkeypatch: pytest.MonkeyPatch) -> tuple[Setting, Body, list[int]]:
    """A root with more steps than ten, and the levels of precision at which it is attempted."""
    code = project(main=START + "def f(net, x):\n    y = net(Variable(x, volatile=True))\n" + "    y = net(y)\n" * 9)
    tried: list[int] = []
    attempt = Setting.attempt

    def counting(self: Setting, body: Body, setting: Any, level: int) -> Any:
        tried.append(level)
        return attempt(self, body, setting, level)

    monkeypatch.setattr(Setting, "attempt", counting)
    root = function(code, "f")
    return Setting(code), Body("main.py", root.node, root.qualname), tried
