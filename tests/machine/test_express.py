from __future__ import annotations

from types import SimpleNamespace

import pytest

from voltfix.domains.conditions import Algebra
from voltfix.machine.express import negated, parse, plainly, real, says_more, shortened, ways


@pytest.mark.parametrize(("text", "other"), [
    ("train", "not train"), ("not train", "bool(train)"), ("a and b", "not (a and b)"),
])
def test_the_negation_of_a_text(text, other):
    assert negated(text) == other


@pytest.mark.parametrize(("text", "plain"), [
    ("not (not (x is not None))", "x is not None"), ("not x is None", "x is not None"),
    ("not (x in xs)", "x not in xs"), ("not not not x", "not x"), ("not (not (x < 1))", "x < 1"),
])
def test_a_condition_is_written_without_the_not_that_it_does_not_need(text, plain):
    assert plainly(text) == plain


@pytest.mark.parametrize("text", ["not x", "not not x", "not (x < 1)", "not (a and b)", "x  is None", "not (1 < x < 2)",
                                  "x"])
def test_a_not_that_says_something_stays(text):
    assert plainly(text) == text


@pytest.mark.parametrize("text", ["phase == 'train'", "x is None", "k in ks", "not (k > 3)", "len(xs) > 3", "on"])
def test_what_gives_a_truth_of_python_s_own_is_asked_as_it_is(text):
    assert real(text) == text


@pytest.mark.parametrize(("text", "asked"), [
    ("k > 3", "bool(k > 3)"), ("k == 3", "bool(k == 3)"), ("a == b", "bool(a == b)"), ("0 < k < 3", "bool(0 < k < 3)")])
def test_what_may_be_said_by_an_array_is_made_a_bool(text, asked):
    assert real(text) == asked


@pytest.mark.parametrize(("text", "other"), [
    ("k != 3", "bool(k == 3)"), ("not k > 3", "bool(k > 3)"), ("phase != 'train'", "phase == 'train'"),
    ("x is not None", "x is None")])
def test_the_negation_of_a_comparison_is_a_bool(text, other):
    assert negated(text) == other


def test_the_negation_of_two_nots_is_one():
    assert negated("not (not (x is not None))") == "x is None"
    assert negated("not (x is not None)") == "x is not None"


def test_a_text_is_parsed_as_an_expression():
    assert type(parse("a and b")).__name__ == "BoolOp"


@pytest.mark.parametrize(("terms", "short"), [
    ([["mode not in ['val']"], ["mode in ['train']"]], [["mode not in ['val']"]]),
    ([["mode == 'train'"], ["mode != 'val'"]], [["mode != 'val'"]]),
    ([["mode == 'train'", "mode != 'val'"]], [["mode == 'train'"]]),
    ([["mode == 'train'", "on"], ["mode != 'val'"]], [["mode == 'train'", "on"], ["mode != 'val'"]]),
    ([["self.mode in ('a', 'b')"], ["self.mode == 'a'"], ["on"]], [["self.mode in ('a', 'b')"], ["on"]]),
    ([["mode != 'val'", "mode not in ['val', 'test']"]], [["mode not in ['val', 'test']"]]),
    ([["mode in ['val']"], ["mode == 'val'"]], [["mode == 'val'"]]),
    ([["on"], ["on"]], [["on"]]),
])
def test_what_says_nothing_beside_the_rest_is_left_out(terms, short):
    assert shortened(terms) == short


@pytest.mark.parametrize(("one", "other"), [
    ("mode != 'val'", "mode != 'test'"), ("mode == 'val'", "mode == 'test'"), ("mode == 'val'", "mode != 'val'"),
    ("mode == 'train'", "kind != 'val'"), ("mode == 1", "mode != 2"), ("mode in words", "mode != 'val'"),
    ("mode in ['train', word]", "mode != 'val'"), ("mode == word", "mode != 'val'"), ("mode in []", "mode != 'val'"),
    ("mode() == 'train'", "mode() != 'val'"), ("mode in 'train'", "mode != 'val'"), ("a == 'x' == b", "a != 'y'"),
])
def test_what_says_something_beside_the_rest_stays(one, other):
    assert not says_more(one, other)
    assert not says_more(other, one)
    assert shortened([[one], [other]]) == [[one], [other]]
    assert shortened([[one, other]]) == [[one, other]]


def ways_of(formula: str) -> list[list[tuple[int, bool]]]:
    algebra = Algebra()
    a, b, c = (algebra.atom(algebra.fresh()) for _ in range(3))
    names = {next(iter(each.support())): number for number, each in enumerate((a, b, c))}
    found = ways(eval(formula, {"a": a, "b": b, "c": c}), SimpleNamespace(algebra=algebra))
    return [[(names[atom], value) for atom, value in way] for way in found]


@pytest.mark.parametrize(("formula", "asked"), [
    ("a | (~a & b)", [[(0, True)], [(1, True)]]),
    ("~a | (a & b)", [[(0, False)], [(1, True)]]),
    ("(a & b) | (~a & c)", [[(0, True), (1, True)], [(0, False), (2, True)]]),
    ("a & b", [[(0, True), (1, True)]]),
    ("a | b | c", [[(0, True)], [(1, True)], [(2, True)]]),
])
def test_what_was_asked_before_is_not_asked_again(formula, asked):
    assert ways_of(formula) == asked
