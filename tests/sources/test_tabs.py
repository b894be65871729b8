"""Lines whose indentation mixes tabs and spaces keep it, whatever is edited in them or around them."""

from __future__ import annotations

import pytest

from voltfix.sources.tabs import Expanded

MIXED = "if a:\n    if b:\n    \tx = f(1, flag=True)\n    \ty = 2\n    else:\n\tz = g(3)\n"


def edited(old: str, new: str) -> str:
    made = Expanded(MIXED)
    assert old in made.text
    return made.restore(made.text.replace(old, new))


def test_what_is_not_edited_comes_back_as_it_was() -> None:
    assert edited("x", "x") == MIXED


@pytest.mark.parametrize(("old", "new"), [
    ("x = f(1, flag=True)", "x = f(1)"), ("y = 2", "y = 3"), ("z = g(3)", "z = g()"),
])
def test_an_edited_line_keeps_its_tabs_and_spaces(old: str, new: str) -> None:
    assert edited(old, new) == MIXED.replace(old, new)


def test_a_new_line_stands_as_the_line_before_which_it_stands() -> None:
    found = edited("        y = 2\n", "        with off():\n            y = 2\n")
    assert "    \twith off():\n" in found
    found = edited("        z = g(3)\n", "        with off():\n            z = g(3)\n")
    assert "\twith off():\n\t    z = g(3)\n" in found


def test_a_comment_does_not_say_how_deep_a_line_is() -> None:
    text = "if a:\n    if b:\n\tx = 1\n\t    # why\n    y = 2\n    if c:\n        if d:\n            z = 3\n"
    made = Expanded(text)
    found = made.restore(made.text.replace("            z = 3\n", "            with off():\n                z = 3\n"))
    assert "            with off():\n                z = 3\n" in found
