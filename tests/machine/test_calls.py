from __future__ import annotations

import pytest

from alone import forbids, needs, ran


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


@pytest.mark.parametrize(("asks", "free"), [
    ("topk(k)", True), ("kthvalue(k)", True), ("sort(k)", True), ("max(k)", False), ("min(k)", False),
])
def test_how_many_are_asked_for_is_no_tensor_and_where_they_were_is_none_with_a_graph(asks, free):
    facts = ran(f"def f(net, x, k):\n    best, places = net(x).{asks}\n    return places.add(1)").facts
    assert any(fact.text == "add" and not fact.forbid.is_false for fact in facts) is not free


PICK = """
def pick(xs, z):
    for x in xs:
        if len(z) > 1:
            return x
    {last}

def f(net, x, z, n):
    xs = [Variable(x, volatile=True)]
    {given}
    v = pick(xs, z)
    if v is not None:
        net(v)
"""


@pytest.mark.parametrize("last", ["return None", "print(len(xs))", "return xs[0]", "raise ValueError()"])
@pytest.mark.parametrize("given", ["xs.append(xs[0])", "xs = [each for each in xs]", "xs.append(None)"])
def test_what_a_loop_gives_back_is_not_lost_to_what_follows_it(last, given):
    machine = ran(PICK.format(last=last, given=given))
    assert (needs(machine), forbids(machine)) == ([13], [])


@pytest.mark.parametrize("last", ["return Variable(xs[0].data)", "return z.first()"])
def test_what_follows_it_may_be_given_back_as_well(last):
    machine = ran(PICK.format(last=last, given="print(len(xs))"))
    assert needs(machine) == [13]
    assert 13 in forbids(machine)
