from __future__ import annotations

import ast
from typing import Any

import pytest

from alone import START, function, project
from voltfix.domains.precision import LADDER
from voltfix.machine.execute import Interpreter
from voltfix.machine.facts import Left
from voltfix.model import Look
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
    assert [machine is None for machine in found] == [False, True, True, False]


CALLS = BRANCHES + "\n\ndef g(net, x, a, b, c):\n    return f(net, x, a, b, c)\n"


def test_what_enters_a_function_that_was_too_complex_is_looked_at_as_little():
    code = project(main=START + CALLS)
    inner, outer = (function(code, name) for name in ("f", "g"))
    body = Body("main.py", outer.node, "g")
    setting = Setting(code)
    setting.relevant = {id(inner.node): True}
    setting.outgrew = {id(inner.node): 2}
    found = setting.interpret(body, own=False)
    assert found is not None
    assert found.precision == LADDER[2]
    assert setting.outgrew == {id(inner.node): 2, id(outer.node): 2}


def test_what_is_too_complex_at_any_precision_is_entered_with_the_least():
    code = project(main=START + CALLS)
    inner, outer = (function(code, name) for name in ("f", "g"))
    setting = Setting(code)
    setting.relevant = {id(inner.node): True}
    setting.outgrew = {id(inner.node): setting.LAST}
    found = setting.interpret(Body("main.py", outer.node, "g"), own=False)
    assert found is not None
    assert found.precision == LADDER[setting.LAST]
    assert id(inner.node) in found.inlined


def test_what_does_not_enter_it_is_looked_at_as_closely_as_ever():
    code = project(main=START + CALLS + "\n\ndef h(net, x):\n    return net(x)\n")
    inner, other = (function(code, name) for name in ("f", "h"))
    setting = Setting(code)
    setting.outgrew = {id(inner.node): setting.LAST}
    found = setting.interpret(Body("main.py", other.node, "h"), own=False)
    assert found is not None
    assert found.precision == LADDER[setting.CLOSEST]


def test_what_was_looked_at_less_closely_in_the_run_before_is_so_again(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, body, tried = counted(monkeypatch)
    setting.looked = {("main.py", "f"): Look(LADDER[2].given_up, "too many paths", True, "main.py", "f")}
    assert setting.interpret(body, own=False) is not None
    assert tried == [2]


def test_what_was_too_complex_in_the_run_before_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, body, tried = counted(monkeypatch)
    setting.looked = {("main.py", "f"): Look(LADDER[-1].given_up, "too many paths", False, "main.py", "f")}
    assert setting.interpret(body, own=False) is None
    assert tried == []
    assert setting.looks[id(body.node)] == (setting.LAST, "too many paths")


def test_what_a_method_leaves_on_an_object_is_no_news_to_other_classes() -> None:
    code = project(main=START + "class A:\n    def f(self, x): return x\nclass B:\n    def f(self, x): return x\n")
    setting = Setting(code)
    bodies = [Body("main.py", function(code, name).node, name) for name in ("A.f", "B.f")]
    before = [setting.interpret(body, own=False) for body in bodies]
    setting.state = {"A": {"kept": Left(True, frozenset({("main.py", 1, 0)}))}}
    after = [setting.interpret(body, own=False) for body in bodies]
    assert after[0] is not before[0]
    assert after[1] is before[1]


@pytest.mark.parametrize(("method", "more", "found"), [
    ("f", "", True), ("__init__", "", False),
    # others put it on the class, or run it again
    ("__init__", "A.kept = 1\n", True), ("__init__", "def again(a, net):\n    a.__init__(net)\n", True),
])
def test_an_init_finds_nothing_of_what_other_methods_leave(method: str, more: str, found: bool) -> None:
    text = f"class A:\n    def {method}(self, net):\n        hold(net(self.kept))\n    def g(self, x): self.kept = x\n"
    code = project(main=START + text + more)
    setting = Setting(code)
    setting.state = {"A": {"kept": Left(True, frozenset({("main.py", 1, 0)}))}}
    machine = setting.interpret(Body("main.py", function(code, f"A.{method}").node, f"A.{method}"), own=False)
    assert machine is not None
    assert any(not fact.need.is_false for fact in machine.facts) is found


def counted(monkeypatch: pytest.MonkeyPatch) -> tuple[Setting, Body, list[int]]:
    """A root with more steps than ten, and the levels of precision at which it is attempted."""
    code = project(main=START + "def f(net, x):\n    y = net(Variable(x, volatile=True))\n" + "    y = net(y)\n" * 9)
    tried: list[int] = []
    attempt = Setting.attempt

    def counting(self: Setting, body: Body, setting: Any, level: int, left_out: frozenset[int] = frozenset(),
                 **more: Any) -> Any:
        tried.append(level)
        return attempt(self, body, setting, level, left_out=left_out, **more)

    monkeypatch.setattr(Setting, "attempt", counting)
    root = function(code, "f")
    return Setting(code), Body("main.py", root.node, root.qualname), tried


HEAVY = """
def count(words, marks):
    total = 0
{lines}
    return total


def f(net, x, words, marks, test):
    total = count(words, marks)
    y = net(Variable(x, volatile=test))
    return y, total
"""


def test_a_function_that_takes_most_of_the_budget_is_not_entered_and_the_rest_is_looked_at_as_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = project(main=START + HEAVY.format(lines="    total += words[marks[total]]\n" * 10))
    root, helper = function(code, "f"), function(code, "count")
    body, setting = Body("main.py", root.node, "f"), Setting(code)
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", 40)
    found = setting.interpret(body, own=False)
    assert found is not None
    assert found.precision == LADDER[setting.CLOSEST]
    assert found.left_out == {id(helper.node)}
    assert id(helper.node) not in found.inlined


def test_a_function_that_decides_is_entered_whatever_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    code = project(main=START + HEAVY.format(lines="    total += words[marks[total]]\n" * 10))
    root, helper = function(code, "f"), function(code, "count")
    setting = Setting(code)
    setting.relevant = {id(helper.node): True}
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", 40)
    assert setting.interpret(Body("main.py", root.node, "f"), own=False) is None


AROUND = START + "def f(net, x, mark=lambda y: net(y)):\n    y = net(Variable(x, volatile=True))\n" + (
    "    y = net(y)\n" * 9) + "    first, second = lambda: net(y), lambda: y\n    return first, second\n"


def lambdas(monkeypatch: pytest.MonkeyPatch, budget: int) -> tuple[Setting, list[Body], list[int]]:
    """The lambdas of a function, with that in its head first, and which functions are run with what steps are left."""
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", budget)
    code = project(main=AROUND)
    ran: list[int] = []
    run_body = Interpreter.run_body

    def noting(self: Interpreter, function: Any, frame: Any) -> Any:
        ran.append(id(function.node))
        return run_body(self, function, frame)

    monkeypatch.setattr(Interpreter, "run_body", noting)
    tree = code.tree("main.py")
    assert tree is not None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return Setting(code), [Body("main.py", node, "f.<locals>.<lambda>") for node in found], ran


def test_what_is_too_complex_before_it_comes_to_one_root_is_not_run_again_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setting, (_, first, second), ran = lambdas(monkeypatch, 20)
    assert setting.interpret(first, own=False) is None
    times, spent = len(ran), setting.spent
    assert times > 0
    assert setting.interpret(second, own=False) is None
    assert len(ran) == times
    assert setting.spent == 2 * spent  # as if it had been
    assert setting.grown[id(second.node)] == setting.grown[id(first.node)]


def test_what_is_around_is_run_again_where_other_things_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, (_, first, second), ran = lambdas(monkeypatch, 20)
    setting.interpret(first, own=False)
    times = len(ran)
    setting.refused["main.py", 5, 12] = True
    setting.interpret(second, own=False)
    assert len(ran) > times


def test_what_is_around_is_not_run_again_for_a_block_that_is_planned_there(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, (_, first, second), ran = lambdas(monkeypatch, 20)
    setting.interpret(first, own=False)
    times = len(ran)
    setting.plans.decorated[id(function(setting.project, "f").node)] = True
    setting.interpret(second, own=False)
    assert len(ran) == times


def test_a_root_that_needs_nothing_around_it_is_run_whatever_became_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setting, (head, first, _), _ = lambdas(monkeypatch, 20)
    assert setting.interpret(first, own=False) is None
    assert setting.interpret(head, own=False) is not None


def test_roots_in_what_is_not_too_complex_are_all_run(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, bodies, _ = lambdas(monkeypatch, 10_000)
    assert None not in [setting.interpret(body, own=False) for body in bodies]


def made(text: str, *methods: str) -> tuple[Setting, list[Interpreter]]:
    """What all runs of a project share, after those of the methods, which stand in a class ``Net``."""
    code = project(main=START + "def look(options):\n    options = str(options) + 'x'\n    return options\n\n\n" + text)
    setting = Setting(code)
    bodies = [Body("main.py", function(code, name).node, name) for name in methods]
    return setting, [machine for body in bodies if (machine := setting.interpret(body, own=False)) is not None]


LONG = "class Net:\n    def __init__(self, net, options):\n" + "        look(options)\n" * 200
METHODS = "    def f(self, x):\n        return self.size + x\n    def g(self, x):\n        return self.size + x\n"


def test_what_a_long_init_settles_is_found_by_one_machine_where_that_is_numbers_and_words():
    text = LONG + "        self.size = 3\n        self.net = net\n" + METHODS
    setting, (first, second) = made(text, "Net.f", "Net.g")
    assert [*setting.made_alike.values()] == [("size",)]
    assert second.steps < first.steps // 4


def test_what_an_earlier_solve_left_of_it_is_as_good_as_new():
    text = LONG + "        self.size = 3\n" + METHODS
    setting, _ = made(text, "Net.f")
    setting.project.computed(Runs).begin()
    again = Setting(setting.project)
    assert again.interpret(Body("main.py", function(setting.project, "Net.f").node, "Net.f"), own=False) is not None
    assert again.made_alike == setting.made_alike != {}


def test_each_machine_makes_layers_of_its_own():
    setting, (first, second) = made(LONG + "        self.size = torch.nn.Linear(3, 4)\n" + METHODS, "Net.f", "Net.g")
    assert not setting.made_alike
    assert second.steps > first.steps // 2


def test_a_short_init_is_run_by_each_machine():
    text = "class Net:\n    def __init__(self, net, options):\n        self.size = 3\n"
    assert not made(text + METHODS, "Net.f", "Net.g")[0].made_alike


def test_a_class_that_a_function_makes_may_be_another_each_time():
    inner = "".join(f"    {line}\n" for line in (LONG + "        self.size = 3\n" + METHODS).splitlines())
    text = f"def make(options):\n{inner}    return Net\n"
    assert not made(text, "make.<locals>.Net.f", "make.<locals>.Net.g")[0].made_alike


def test_an_attribute_that_a_method_makes_a_tensor_is_no_number_for_any_machine():
    text = LONG + "        self.size = 3\n" + METHODS + "    def h(self, x):\n        self.size = x\n"
    assert [*made(text, "Net.f", "Net.g", "Net.h")[0].made_alike.values()] == [()]


def test_where_everything_is_taken_to_be_volatile_an_init_is_run():
    code = project(main=START + "def look(options):\n    return options\n" + LONG + "        self.size = 3\n" + METHODS)
    setting, body = Setting(code), Body("main.py", function(code, "Net.f").node, "Net.f")
    setting.if_all_volatile(body)
    assert not setting.made_alike
