from __future__ import annotations

from voltfix.domains.conditions import Algebra
from voltfix.machine.values import Const, Extern, Truth, choose, is_constant, is_switch, is_word, one_of, single

ALGEBRA = Algebra()
A = ALGEBRA.atom(ALGEBRA.fresh())


def test_a_choice_keeps_both_sides_under_their_conditions():
    value = choose(A, single(Const(1), ALGEBRA), single(Extern("torch"), ALGEBRA))
    assert {thing: guard for guard, thing in value} == {Const(1): A, Extern("torch"): ~A}


def test_truths_are_folded_into_one():
    value = choose(A, single(Const(True), ALGEBRA), single(Const(False), ALGEBRA))
    assert value == ((ALGEBRA.true, Truth(A)),)


def test_constants_are_told_apart_by_type_too():
    assert Const(1) != Const(True)
    assert Const("1") != Const(1)


def test_what_is_written_out():
    assert is_switch(single(Const(True), ALGEBRA))
    assert is_word(single(Const("eval"), ALGEBRA))
    assert is_constant(single(Const(None), ALGEBRA))
    assert not is_constant(single(Extern("torch"), ALGEBRA))


def test_one_of_several_is_each_of_them_under_a_condition_of_its_own():
    algebra = Algebra()
    for count in range(1, 9):
        picks = [algebra.atom(algebra.fresh()) for _ in range((count - 1).bit_length())]
        value = one_of([single(Extern(str(number)), algebra) for number in range(count)], picks)
        assert sorted(thing.name for _, thing in value) == [str(number) for number in range(count)]
        guards = [guard for guard, _ in value]
        assert algebra.any(guards).is_true
        assert all(one.excludes(two) for at, one in enumerate(guards) for two in guards[:at])


def test_what_both_sides_have_under_the_same_condition_takes_no_part_in_a_choice():
    algebra = Algebra()
    a, b = (algebra.atom(algebra.fresh()) for _ in range(2))
    then = ((b, Extern("same")), (~b, Extern("then")))
    other = ((b, Extern("same")), (~b, Extern("other")))
    assert {thing.name: guard for guard, thing in choose(a, then, other)} == {
        "same": b, "then": a & ~b, "other": ~a & ~b}
