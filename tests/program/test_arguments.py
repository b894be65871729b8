from __future__ import annotations

import ast

from alone import function, project
from voltfix.program.arguments import accepts, argument_for, arguments_for, calls_of, default_of, is_static

CODE = project(main="def f(a, b=2, *, c=3): pass\nf(1)\nf(1, b=4)\nf(*x)")
F = function(CODE, "f").node
A, B = F.args.args


def test_what_each_caller_hands_over_and_the_default():
    given = [ast.unparse(value) for _, value in arguments_for(CODE, "main.py", B)]
    assert sorted(given) == ["2", "4"]
    assert len(list(calls_of(CODE, function(CODE, "f")))) == 3


def test_an_argument_behind_a_star_cannot_be_told():
    star = next(call for _, call, _ in calls_of(CODE, function(CODE, "f")) if isinstance(call.args[0], ast.Starred))
    assert argument_for(star, F, A, 0) is None
    assert default_of(F, A) is None


def test_a_call_with_too_much_is_not_accepted():
    call = ast.parse("f(1, 2, 3)", mode="eval").body
    assert not accepts(F, call, 0)
    assert accepts(F, ast.parse("f(1)", mode="eval").body, 0)


def test_a_static_method_has_no_receiver():
    code = project(main="class A:\n    @staticmethod\n    def f(x): pass\n    def g(self): pass")
    assert [is_static(function(code, name).node) for name in ("A.f", "A.g")] == [True, False]
