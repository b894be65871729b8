from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.annotated import Annotated
from voltfix.program.resolve import Project

STATE = """
class State:
    volatile: bool = False

class Box:
    held: State
    other: 'State'

class Deep(Box):
    pass

def make(x) -> State:
    return unknown(x)
"""


def used(code: Project, text: str) -> ast.expr:
    """The last place where an expression of that text is read."""
    return [each for each in code.nodes("main.py") if isinstance(each, (ast.Name, ast.Attribute))
            and isinstance(each.ctx, ast.Load) and ast.unparse(each) == text][-1]


def annotated(text: str, expression: str) -> str | None:
    code = project(main=STATE + text)
    found = code.computed(Annotated).of("main.py", used(code, expression))
    return None if found is None else found.qualname


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("def f(s: State):\n    s.go()", "s"),
        ("def f(s: 'State'):\n    s.go()", "s"),
        ("def f(*, s: State):\n    t = s\n    t.go()", "t"),
        ("def f(b: Box):\n    b.held.go()", "b.held"),
        ("def f(b: Deep):\n    s = b.other\n    s.go()", "s"),
        ("s = make(1)\ns.go()", "s"),
        ("b = Box()\nb.held.go()", "b.held"),
        ("def many() -> list[State]: ...\ndef f():\n    for s in many():\n        s.go()", "s"),
        ("def many() -> Iterator[State]: ...\nx = [s.go() for s in many()]", "s"),
        ("def many() -> Iterator[tuple[State, int]]: ...\ndef f():\n    for s, n in many():\n        s.go()", "s"),
        ("def many() -> List[Tuple[int, 'State']]: ...\nx = [s.go() for n, s in many()]", "s"),
    ],
)
def test_annotations_name_the_class(text, expression):
    assert annotated(text, expression) == "State"


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("def f(s):\n    s.go()", "s"),
        ("def f(s: State | None):\n    s.go()", "s"),
        ("def f(s: Unknown):\n    s.go()", "s"),
        ("def f(s: list[State]):\n    s.go()", "s"),
        ("def f(s: State):\n    s = g()\n    s.go()", "s"),
        ("def f(b):\n    b.held.go()", "b.held"),
        ("def f(b: Box):\n    b.missing.go()", "b.missing"),
        ("if a:\n    s = make(1)\nelse:\n    s = g()\ns.go()", "s"),
        ("def many() -> dict[str, State]: ...\ndef f():\n    for s in many():\n        s.go()", "s"),
        ("def f():\n    for s in make(1):\n        s.go()", "s"),
        ("def many() -> list[tuple[int, State]]: ...\ndef f():\n    for s, n in many():\n        s.go()", "s"),
        ("def many() -> list[tuple[State, int]]: ...\ndef f():\n    for s in many():\n        s.go()", "s"),
        ("def many() -> list[tuple[State, ...]]: ...\ndef f():\n    for s, n in many():\n        s.go()", "s"),
        ("def many() -> list[tuple[State, int, int]]: ...\ndef f():\n    for s, n in many():\n        s.go()", "s"),
        ("def many() -> list[tuple[State, int]]: ...\ndef f():\n    for *s, n in many():\n        s.go()", "s"),
        ("def many() -> list[tuple[State, int]]: ...\ndef f():\n    for (s, m), n in many():\n        s.go()", "s"),
        ("def many() -> list[dict[State, int]]: ...\ndef f():\n    for s, n in many():\n        s.go()", "s"),
    ],
)
def test_nothing_is_believed_of_what_may_be_something_else(text, expression):
    assert annotated(text, expression) is None
