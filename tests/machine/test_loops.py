from __future__ import annotations

import ast

from alone import needs, ran
from voltfix.machine.loops import names_in


def test_what_a_round_leaves_behind_reaches_the_next():
    machine = ran("""
        def f(net, xs):
            h = 0
            for x in xs:
                h = net(Variable(x, volatile=True)) + h
            return h
    """)
    assert set(needs(machine)) == {5}


def test_a_while_loop_comes_to_rest():
    assert set(needs(ran("""
        def f(net, x, n):
            y = Variable(x, volatile=True)
            while n:
                y = net(y)
            return y
    """))) == {5}


def test_names_that_a_loop_binds():
    assert set(names_in(ast.parse("for x in xs:\n    a = b").body[0])) >= {"x", "a"}
