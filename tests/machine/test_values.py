from __future__ import annotations

from voltfix.domains.conditions import Algebra
from voltfix.machine.values import Const, Extern, Truth, choose, is_constant, is_switch, is_word, single

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
