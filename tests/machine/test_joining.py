"""Several values in one: what is forgotten of them, and what is not."""

from __future__ import annotations

from alone import forbids, needs, ran


def test_one_of_many_entries_is_volatile_where_the_flag_says_so_and_has_a_graph_elsewhere() -> None:
    machine = ran("""
    def f(net, a, b, c, d, on):
        held = []
        for x in (a, b, c, d):
            if net.wants(x):
                held.append([net(x)])
            held.append([Variable(x, volatile=on)])
        for rows in held:
            y = net(rows[0])
        return y
    """)
    assert 9 in needs(machine)
    assert 9 in forbids(machine)
    on = machine.own_parameters["on"][0]
    asked = [fact for fact in machine.facts if not fact.need.is_false and fact.sites]
    assert asked
    assert all(fact.need.implies(on) for fact in asked)


def test_what_is_learned_of_one_of_several_says_nothing_of_each() -> None:
    machine = ran("""
    def f(a, b, c, d, n):
        x = [a, b, c, d][n]
        y = Variable(x, volatile=True)
        return a.matmul(a)
    """)
    computed = [fact for fact in machine.facts if fact.text == "matmul"]
    assert len(computed) == 1
    assert computed[0].forbid.is_true
