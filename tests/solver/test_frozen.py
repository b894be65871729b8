from __future__ import annotations

import ast

from voltfix.solver.frozen import is_true


def test_a_constant_true_is_told_from_a_name():
    parse = lambda text: ast.parse(text, mode="eval").body  # noqa: E731
    assert is_true(parse("True"))
    assert not is_true(parse("flag"))
