from __future__ import annotations

import ast

import pytest

from voltfix.program.chosen import bound_by_choice


def chosen(body: str, head: str = "def f(a):") -> set[str]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return set(bound_by_choice(ast.parse(f"{head}\n{lines}").body[0]))


def test_what_assignments_and_arms_bind_is_bound_by_choice():
    assert chosen("x = 1\nif a:\n    y, z = 2\n    if x: w = 1\nelse:\n    y = 3") == {"w", "x", "y", "z"}


@pytest.mark.parametrize("body", [
    "for x in a: pass", "while a: x = 1", "for i in a:\n    if i: x = 1", "with a: x = 1", "with a as x: pass",
    "try: x = 1\nexcept E: pass", "try: pass\nexcept E as x: pass", "global x\nx = 1", "x: int = 1", "x += 1",
    "import x", "import b as x", "from b import x", "import x.y", "def x(): pass", "class x: pass", "g(x := 1)",
    "x = 1\ndel x", "def g():\n    nonlocal x\n    x = 1", "match a:\n    case x: pass", "[x for x in a]",
])
def test_what_anything_else_binds_is_not(body: str):
    assert "x" not in chosen(f"if a: x = 2\n{body}")


def test_a_parameter_has_a_value_and_a_module_is_no_function():
    assert chosen("if a: x = 1", "def f(a, *x):") == set()
    assert bound_by_choice(ast.parse("if a: x = 1")) == frozenset()
