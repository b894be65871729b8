from __future__ import annotations

from alone import needs, ran


def test_a_function_of_the_project_is_run_in_place():
    machine = ran("""
        def twice(net, v):
            return net(net(v))
        def f(net, x):
            return twice(net, Variable(x, volatile=True))
    """)
    assert set(needs(machine)) == {3}
    assert len(machine.inlined) == 1


def test_code_that_nobody_has_seen_gives_something_volatile():
    machine = ran("""
        def f(net, x):
            y = unknown(Variable(x, volatile=True))
            return net(y)
    """)
    assert 4 in needs(machine)


def test_recursion_ends():
    assert ran("""
        def f(net, x):
            return f(net, net(Variable(x, volatile=True)))
    """).facts
