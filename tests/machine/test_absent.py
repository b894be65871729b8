from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.machine.absent import none_test, takes_none


@pytest.mark.parametrize(("text", "found"), [
    ("x is None", ("x", True)), ("x is not None", ("x", False)), ("x == 1", None), ("f(x) is None", None),
])
def test_a_question_for_none(text, found):
    assert none_test(ast.parse(text, mode="eval").body) == found


def test_a_network_that_takes_none_for_a_sign_is_found():
    assert takes_none(project(main="class N:\n    def forward(self, x, h=None):\n        if h is None: h = 0\n"))
    assert not takes_none(project(main="def f(x): return x"))
