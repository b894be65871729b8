from __future__ import annotations

import ast

from voltfix.program.mentioned import OfModule, last_word


def mentioned(text: str) -> OfModule:
    return OfModule(list(ast.walk(ast.parse(text))))


def test_names_are_found_by_their_last_word():
    assert set(mentioned("a.b(c)").names) == {"a", "b", "c"}


def test_strings_given_to_getattr_are_asked_for():
    assert list(mentioned("getattr(x, 'f')").asked) == ["f"]


def test_a_name_is_bound_to_what_is_assigned_to_it():
    assert mentioned("g = staticmethod(f)").aliases["f"] == {"g"}


def test_a_call_has_no_last_word():
    parse = lambda text: ast.parse(text, mode="eval").body  # noqa: E731
    assert [last_word(parse(text)) for text in ("a", "a.b", "a()")] == ["a", "b", None]
