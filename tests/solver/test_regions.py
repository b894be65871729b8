from __future__ import annotations

from alone import function, project, ran_with_root
from voltfix.solver.regions import Planner, lines_of


def planned(source: str):
    machine, root = ran_with_root(source)
    return Planner(machine, root, frozenset(), {}).plan()


def test_neighbours_that_need_it_share_a_block():
    layout = planned("""
        def f(net, x):
            v = Variable(x, volatile=True)
            a = net(v)
            b = net(a)
            return b.data
    """)
    (region,) = layout.regions
    assert (region.first.lineno, region.last.lineno) == (7, 8)


def test_a_training_step_between_keeps_its_graph():
    layout = planned("""
        def f(net, x):
            v = Variable(x, volatile=True)
            a = net(v)
            net(Variable(x)).backward()
            return a.data
    """)
    assert [(r.first.lineno, r.last.lineno) for r in layout.regions] == [(7, 7)]


def test_lines_of_a_stretch():
    body = function(project(main="def f():\n    a = 1\n    b = (\n        2)\n"), "f").node.body
    assert lines_of(body[0], body[1]) == 3
