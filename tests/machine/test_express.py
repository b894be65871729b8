from __future__ import annotations

import pytest

from voltfix.machine.express import negated, parse


@pytest.mark.parametrize(("text", "other"), [
    ("train", "not train"), ("not train", "bool(train)"), ("a and b", "not (a and b)"),
])
def test_the_negation_of_a_text(text, other):
    assert negated(text) == other


def test_a_text_is_parsed_as_an_expression():
    assert type(parse("a and b")).__name__ == "BoolOp"
