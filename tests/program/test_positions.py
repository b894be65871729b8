from __future__ import annotations

import ast

from voltfix.model import Span
from voltfix.program.positions import Offsets


def test_columns_are_characters_whatever_they_take_in_bytes():
    text = "é = 1\nb = é"
    assert Offsets(text).at(2, 4) == text.index("b") + 4


def test_a_decorator_belongs_to_what_it_decorates():
    text = "@d\ndef f(): pass\n"
    (node,) = ast.parse(text).body
    assert Offsets(text).span(node) == Span(0, len(text) - 1)
