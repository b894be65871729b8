from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.domains.conditions import Algebra
from voltfix.machine.absent import ABSENT, absent_where, none_test, takes_none
from voltfix.machine.values import Plain


@pytest.mark.parametrize(("text", "found"), [
    ("x is None", ("x", True)), ("x is not None", ("x", False)), ("x == 1", None), ("f(x) is None", None),
])
def test_a_question_for_none(text, found):
    assert none_test(ast.parse(text, mode="eval").body) == found


def test_a_network_that_takes_none_for_a_sign_is_found():
    assert takes_none(project(main="class N:\n    def forward(self, x, h=None):\n        if h is None: h = 0\n"))
    assert not takes_none(project(main="def f(x): return x"))


def test_what_is_none_is_nothing_where_what_it_is_elsewhere_could_be_volatile():
    algebra = Algebra()
    none, off = algebra.atom(algebra.fresh()), algebra.atom(algebra.fresh())
    old, new = Plain(1), Plain(2)
    value = ((none, old), (~none, new))
    parts = {thing: guard for guard, thing in absent_where(value, frozenset({old}), none, ~none & off)}
    assert parts == {ABSENT: none & off, old: none & ~off, new: ~none}
    parts = {thing: guard for guard, thing in absent_where(value, frozenset({old}), none, algebra.false)}
    assert parts == {ABSENT: none, new: ~none}
