from __future__ import annotations

from alone import START, function, project
from voltfix.solver.roots import Body, Plans, Setting


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
