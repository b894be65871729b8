from __future__ import annotations

from alone import START, function, node, project
from voltfix.program.resolve import Project
from voltfix.solver.fixpoint import Fixpoint

SOURCE = START + """
def make(x):
    return Variable(x, volatile=True)

def evaluate(net, x):
    return net(make(x)).data
"""


def begun(code: Project) -> Fixpoint:
    return Fixpoint(code, [("main.py", node(code, "Variable(x, volatile=True)"))], frozenset(), frozenset())


def test_the_first_phase_finds_the_roots_and_refuses_nothing():
    code = project(main=SOURCE)
    fixpoint = begun(code)
    fixpoint.discover()
    roots = {body.qualname for body in fixpoint.outcome.bodies.values()}
    assert {"make", "evaluate"} <= roots
    assert fixpoint.outcome.refused == {}


def test_the_second_phase_plans_blocks():
    code = project(main=SOURCE)
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    planned = fixpoint.setting.planned[id(function(code, "evaluate").node)]
    assert planned.blocks or planned.wrapped or planned.whole
    assert fixpoint.outcome.planned == {}


def test_the_third_phase_looks_at_all_of_it_once_more():
    code = project(main=SOURCE)
    fixpoint = begun(code)
    outcome = fixpoint.settle()
    assert outcome.planned is fixpoint.setting.planned
    assert outcome.refused == {}


def test_a_gradient_that_is_asked_of_a_volatile_value_is_refused_in_the_second():
    code = project(main=START + "def f(net, x):\n    net(Variable(x, volatile=True)).backward()")
    fixpoint = begun(code)
    fixpoint.discover()
    fixpoint.refine()
    assert [reason for reason, _ in fixpoint.outcome.refused.values()] == ["gradient-demanded"]
