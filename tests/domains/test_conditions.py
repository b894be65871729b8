from __future__ import annotations

import itertools

import pytest

from voltfix.domains.conditions import Algebra, OutOfBudget


def atoms(algebra: Algebra, count: int):
    return [algebra.atom(algebra.fresh()) for _ in range(count)]


def test_equal_conditions_are_the_same_object():
    algebra = Algebra()
    a, b, c = atoms(algebra, 3)
    assert ~(a & b) is ~a | ~b
    assert (a & (b | c)) is (a & b) | (a & c)
    assert (a | ~a).is_true
    assert (a & ~a).is_false


def test_implication_and_exclusion():
    algebra = Algebra()
    a, b = atoms(algebra, 2)
    assert (a & b).implies(a)
    assert not a.implies(a & b)
    assert a.excludes(~a)


def test_a_condition_is_what_its_truth_table_says():
    algebra = Algebra()
    a, b = atoms(algebra, 2)
    for x, y in itertools.product((False, True), repeat=2):
        row = (a if x else ~a) & (b if y else ~b)
        assert row.implies(algebra.ite(a, b, ~b)) is (y if x else not y)


def test_too_many_nodes_end_it():
    algebra = Algebra()
    algebra.limit = 8
    with pytest.raises(OutOfBudget):
        algebra.any(x & y for x, y in itertools.combinations(atoms(algebra, 12), 2))


def test_elsewhere_a_condition_says_what_it_says_at_one_place_where_that_holds():
    algebra = Algebra()
    a, b, c = atoms(algebra, 3)
    formulas = [a, b, c, a & b, b | c, ~a & c, (a & ~b) | (b & c), algebra.true, algebra.false]
    for care in (a, a | b, ~a & ~b | c, a & b & c, algebra.true):
        for one in formulas:
            told = algebra.where(one, care)
            assert (told & care) is (one & care)
            assert algebra.where(~one, care) is ~told
            for two in formulas:
                assert algebra.where(one & two, care) is told & algebra.where(two, care)
    assert algebra.where(a & b, a & b).is_true
    assert algebra.where(a, algebra.false) is a


def test_what_is_seen_of_two_conditions_is_what_their_conjunction_says_whatever_the_rest_is():
    algebra = Algebra()
    a, b, c, d = atoms(algebra, 4)
    formulas = [a, ~b, c, ~d, a & d, b | c, ~a & c, (a & ~b) | (c & d), a & b | ~d, algebra.true, algebra.false]
    for last, hidden in itertools.product(range(5), (frozenset(), frozenset({1}), frozenset({2, 3}))):
        gone = hidden | {atom for atom in range(1, 5) if atom > last}
        memo = {}
        for one, two in itertools.product(formulas, repeat=2):
            assert algebra.seen(one, two, last, hidden.__contains__, memo) is (one & two).without(gone)


def test_what_is_seen_takes_no_nodes_for_what_is_not():
    algebra = Algebra()
    early, *rest = atoms(algebra, 9)
    one, two = early & algebra.any(rest[:4]), algebra.any(rest[2:])
    before = algebra.size
    assert algebra.seen(one, two, 1, frozenset().__contains__, {}) is early
    assert algebra.size == before


@pytest.mark.parametrize("most", [None, 100], ids=["exact", "coarse"])
def test_a_choice_is_what_and_and_or_make_of_it(most):
    algebra = Algebra()
    a, b, c, d = atoms(algebra, 4)
    formulas = [a, ~b, c, ~d, a & d, b | c, (a & ~b) | (c & d), a & b | ~d, algebra.true, algebra.false]
    if most is not None:
        algebra.forget_past(most, lambda atom: False)
    for test, then, other in itertools.product(formulas, repeat=3):
        assert algebra.ite(test, then, other) is (test & then) | (~test & other)


def test_what_holds_throughout_is_what_never_fails():
    algebra = Algebra()
    a, b, c, d = atoms(algebra, 4)
    formulas = [a, ~b, a & d, b | c, (a & ~b) | (c & d), a & b | ~d, algebra.true, algebra.false]
    for formula, gone in itertools.product(formulas, ({1}, {2, 3}, {1, 2, 3, 4}, {9})):
        assert algebra.throughout(formula, frozenset(gone)) is ~(~formula).without(gone)


def test_what_stands_for_a_condition_and_for_its_opposite_are_opposites():
    algebra = Algebra()
    a, b, c, d = atoms(algebra, 4)
    algebra.forget_past(3, lambda atom: False)
    both = algebra.both(algebra.both(a, b), algebra.both(c, d))
    neither = algebra.either(algebra.either(~a, ~b), algebra.either(~c, ~d))  # nobody asked for its negation
    told = algebra.simplified(both)
    assert algebra.simplified(neither) is ~told
    assert told.implies(a)
    assert algebra.blurred & told.support()
