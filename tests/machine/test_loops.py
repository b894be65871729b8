from __future__ import annotations

import ast

import pytest

from alone import needs, ran, ran_with_root
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


WAYS_OUT = {
    "continue": ("for part in parts:\n        if skip(part):\n            continue\n        use(part)", True),
    "break": ("for part in parts:\n        if skip(part):\n            break\n        use(part)", True),
    "an exception that is caught": ("try:\n        use(part)\n    except ValueError:\n        use(0)", True),
    "one that ends a function": ("try:\n        use(part)\n    except ValueError:\n        return 0", True),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_paths_that_left_a_round_or_a_suite_early_are_back_when_it_is_over(way):
    out, _ = WAYS_OUT[way]
    machine, root = ran_with_root(f"""
def f(x, parts, part, skip, use):
    y = Variable(x)
    {out}
    y = Variable(x, volatile=True)
    use(y)
    return y
""")
    frame = next(each for each in machine._alive if each.node is root)
    assert len(frame.env["y"]) == 1


@pytest.mark.parametrize("out", [
    "if skip(part):\n                raise ValueError",
    "for each in part:\n                if skip(each):\n                    raise ValueError",
    "try:\n                use(part)\n            except KeyError:\n                raise ValueError",
])
def test_those_that_are_on_their_way_to_a_handler_further_out_are_not(out):
    machine, root = ran_with_root(f"""
def f(x, parts, skip, use):
    y = Variable(x)
    try:
        for part in parts:
            {out}
            y = Variable(part, volatile=True)
    except ValueError:
        use(y)
    return y
""")
    frame = next(each for each in machine._alive if each.node is root)
    vol = machine.volatility(frame.env["y"])
    assert not vol.is_true
    assert not vol.is_false


@pytest.mark.parametrize("round_out", ["break", "continue"])
def test_those_that_left_the_round_of_a_loop_around_wait_until_that_is_over(round_out):
    machine, root = ran_with_root(f"""
def f(x, parts, skip, use):
    y = Variable(x)
    for part in parts:
        if skip(part):
            {round_out}
        for each in part:
            if skip(each):
                continue
        try:
            use(part)
        except ValueError:
            use(0)
        y = Variable(part, volatile=True)
    return y
""")
    frame = next(each for each in machine._alive if each.node is root)
    assert not machine.volatility(frame.env["y"]).is_true


def rounds_of(source):
    """How often the body of the first loop in ``f`` was run."""
    machine, root = ran_with_root(source)
    return sum(1 for fact in machine.facts if getattr(fact.chain[-1], "lineno", 0) == root.body[-1].lineno + 1)


def test_a_round_with_no_more_than_one_before_is_not_run_again():
    assert rounds_of("""
def f(net, x, parts, skip):
    a = b = c = net(x)
    for part in parts:
        net(a)
        a, b, c = b, c, Variable(part)
""") == 2


def test_a_test_of_what_was_made_with_a_flag_for_it_sees_that_it_requires_no_gradient_any_more():
    assert needs(ran("""
def f(net, x, parts, use):
    a = b = c = Variable(x, requires_grad=True)
    for part in parts:
        if not a.requires_grad:
            use(net(Variable(part, volatile=True)))
        a, b, c = b, c, Variable(part)
"""))
