from __future__ import annotations

import ast

from alone import needs, ran
from voltfix.machine.execute import Interpreter
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


AROUND = """
    def f(net, xs):
        {before}
        def g(x):
            return net(x + held)
        for x in xs:
            for y in x:
                {round}
        return g
"""


def around(before: str, round: str) -> Interpreter:
    return ran(AROUND.format(before=before, round=round), "f.<locals>.g")


def test_what_is_around_a_root_is_run_for_one_round_where_that_leaves_its_names_as_they_were():
    once = around("held, log = xs[0], print", "log(y)").steps
    twice = ran(AROUND.format(before="held, log = xs[0], print", round="log(y)"), "f").steps
    assert 2 * once < 3 * twice


def test_what_a_round_around_a_root_leaves_volatile_is_seen_in_the_next():
    assert needs(around("held = new = None", "held = new\n                new = Variable(y, volatile=True)")) == [5]


def test_what_three_rounds_around_a_root_hand_on_comes_to_it():
    rounds = "held = b\n                b = a\n                a = Variable(y, volatile=True)"
    assert needs(around("held = a = b = None", rounds)) == [5]


def test_what_a_round_around_a_root_puts_on_an_object_is_seen():
    rounds = "box.a = box.b\n                box.b = Variable(y, volatile=True)\n                held = box.a"
    assert needs(around("held, box = None, net.box", rounds)) == [5]


def test_what_a_while_around_a_root_hands_on_comes_to_it():
    text = """
        def f(net, x, n):
            held = new = None
            def g(x):
                return net(x + held)
            while n():
                held = new
                new = Variable(x, volatile=True)
            return g
    """
    assert needs(ran(text, "f.<locals>.g")) == [5]


def test_a_root_is_run_for_two_rounds():
    machine = ran("""
        def f(net, xs):
            for x in xs:
                y = net(Variable(x, volatile=True))
    """)
    assert machine.liveness.loops


def test_names_that_a_loop_binds():
    assert set(names_in(ast.parse("for x in xs:\n    a = b").body[0])) >= {"x", "a"}
