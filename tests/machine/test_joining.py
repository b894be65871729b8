"""Several values in one: what is forgotten of them, and what is not."""

from __future__ import annotations

from alone import forbids, needs, ran
from voltfix.machine.facts import Fact


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


def test_what_several_joined_values_stand_for_is_changed_once_and_perhaps() -> None:
    machine = ran("""
    def f(x):
        return x
    """)
    one, two = machine.unknown(), machine.unknown()
    false = machine.algebra.false
    inner = machine.joined([one, two], false, false)
    middle = machine.joined([one, inner], false, false)
    outer = machine.joined([inner, middle], false, false)
    before = machine.algebra.atoms
    machine.update(outer[0][1], machine.algebra.true, vol=machine.algebra.true)
    assert machine.algebra.atoms == before + 4
    assert machine.heap[outer[0][1].cell].vol.is_true
    perhaps = [machine.heap[value[0][1].cell].vol for value in (one, two, inner, middle)]
    assert not any(vol.is_true or vol.is_false for vol in perhaps)
    assert not any(a.implies(b) for a in perhaps[:1] for b in perhaps[1:])
    assert perhaps[1].implies(perhaps[2] | perhaps[3])


MAKES = """
    def made(x, off):
        return Variable(x, volatile=off)

    def f(net, x, z, first, off, other):
        if first:
            y = {one}
        else:
            y = {two}
        return net.weight * y
"""


def joined_in(one: str, two: str) -> tuple[bool, Fact]:
    """Whether any cell stands for others, and the fact of the multiplication."""
    machine = ran(MAKES.format(one=one, two=two))
    facts = [fact for fact in machine.facts if fact.sites]
    return any(cell.stands_for for cell in machine.heap.values()), facts[-1]


def test_tensors_that_one_flag_makes_volatile_are_one_whichever_is_meant() -> None:
    joined, fact = joined_in("made(x, off)", "made(z, off)")
    assert joined
    assert len(fact.need.support()) == 1
    assert fact.need is ~fact.forbid


def test_tensors_that_other_flags_make_volatile_are_told_apart() -> None:
    joined, fact = joined_in("made(x, off)", "made(z, other)")
    assert not joined
    assert len(fact.need.support()) == 3


def test_a_tensor_with_a_graph_is_told_apart_from_one_without() -> None:
    joined, fact = joined_in("made(x, off)", "net(made(z, off))")
    assert not joined
    assert not fact.forbid.is_false
