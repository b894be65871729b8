from __future__ import annotations

from alone import function, node, project
from voltfix.program.calls import CallGraph, fits, required


def test_a_method_of_an_unknown_object_is_a_possible_edge():
    code = project(main="class A:\n    def run(self, x): pass\ndef g(a):\n    a.run(1)\n    a.run(1, 2)")
    graph = code.computed(CallGraph)
    found, _ = graph.targets("main.py", node(code, "a.run(1)"))
    assert [each.qualname for each in found] == ["A.run"]
    assert graph.targets("main.py", node(code, "a.run(1, 2)"))[0] == []


def test_a_function_trains_where_something_in_it_goes_backward():
    code = project(main="def step(loss): loss.backward()\ndef over(loss): step(loss)\ndef quiet(x): return x")
    graph = code.computed(CallGraph)
    assert [graph.trains(function(code, name)) for name in ("step", "over", "quiet")] == [True, True, False]


def test_arguments_have_to_fit():
    f = function(project(main="def f(a, b, c=1): pass"), "f").node
    call = node(project(main="f(1)"), "f(1)")
    assert required(f) == 2
    assert not fits(f, call, 0)
    assert fits(f, call, 1)
