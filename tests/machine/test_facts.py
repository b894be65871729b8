from __future__ import annotations

from voltfix.domains.conditions import Algebra
from voltfix.machine.facts import Fact

ALGEBRA = Algebra()
A = ALGEBRA.atom(ALGEBRA.fresh())


def test_a_graph_that_nobody_reaches_is_not_missed():
    fact = Fact((), ALGEBRA.false, A, ALGEBRA.false)
    assert fact.missed is A
    assert Fact((), ALGEBRA.false, A, ALGEBRA.false, idle=A).missed.is_false


def test_what_a_block_does_not_mend_is_stuck():
    assert not Fact((), A, ALGEBRA.false, ALGEBRA.false).stuck
    assert Fact((), A, ALGEBRA.false, ALGEBRA.false, blocked="forward-hook").stuck
    assert not Fact((), A, ALGEBRA.false, ALGEBRA.false, blocked="unknown-callee", idle=A).stuck
