"""What is joined to text, and would raise if it were anything else."""

from __future__ import annotations

import textwrap

import pytest

from alone import START, node, project
from voltfix.solver.roots import Tables


def is_joined(body: str, more: str = "") -> bool:
    """Is ``table[at]`` text, in a function with such a body?"""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    code = project(main=f"{START}{textwrap.dedent(more)}\ndef f(table, at, rows, given, other):\n{lines}\n")
    return Tables(code).wording.is_joined("main.py", node(code, "table[at]"))


@pytest.mark.parametrize("body", [
    "return 'a ' + table[at]",
    "return table[at] + ' ' + given",
    "return given + ', ' + table[at]",
    "return '%s: ' % given + table[at]",
    "return 'a {}'.format(given) + table[at]",
    "return str(given) + table[at]",
    "return f'{given} ' + table[at]",
    "line = ''\nfor at in rows:\n    line = line + ' ' + table[at]\nreturn line",
    "line = ''\nfor at in rows:\n    line += table[at]\nreturn line",
    "line = ''\nfor at in rows:\n    line = line + ' '\n    line = line + table[at]\nreturn line",
    "start = 'a'\nline = start if 0 else ''\nreturn start + table[at]",
    "return ' '.join(table[at] for at in rows)",
    "return ' '.join([table[at] for at in rows if at])",
    "sep = ', '\nreturn sep.join([given, table[at]])",
])
def test_what_is_added_or_joined_to_text_is_text(body: str):
    assert is_joined(body)


@pytest.mark.parametrize("body", [
    "return table[at]",
    "return given + table[at]",
    "return 1 + table[at]",
    "return 'a %s' % table[at]",
    "return 'a' * table[at]",
    "return str(table[at])",
    "return ['a'] + table[at]",
    "given += table[at]\nreturn given",
    "line = ''\nline = given\nreturn line + table[at]",
    "line = ''\nfor line in rows:\n    given.append(line + table[at])",
    "line, n = ''.split(given)\nreturn line + table[at]",
    "line = 0\nfor at in rows:\n    line += table[at]\nreturn line",
    "line = ''\ndef more():\n    nonlocal line\n    line = given\nmore()\nreturn line + table[at]",
    "one = two\ntwo = one\none = given\nreturn two + table[at]",
    "with given as line:\n    line += ''\n    return line + table[at]",
    "return ' '.join(given for given in rows if table[at])",
    "return given.join(table[at] for at in rows)",
    "return ' '.join(table[at])",
    "str = given\nreturn str(1) + table[at]",
    "line = ''\nline -= given\nreturn line + table[at]",
])
def test_anything_may_be_added_to_what_may_be_something_else(body: str):
    assert not is_joined(body)


@pytest.mark.parametrize("more", [
    "class Part:\n    def __radd__(self, other):\n        return self\n",
    "class Part:\n    def __add__(self, other):\n        return self\n",
    "class Part:\n    __radd__ = make()\n",
    "def patch(cls, made):\n    cls.__radd__ = made\n",
    "def patch(cls, made):\n    setattr(cls, '__radd__', made)\n",
])
def test_an_object_that_says_itself_what_adding_it_is_may_be_added_to_text(more: str):
    assert not is_joined("return 'a' + table[at]", more)
    assert is_joined("return 'a' + table[at]", more.replace("add__", "mul__"))


def test_a_name_is_not_taken_for_text_for_what_another_relied_on_it():
    body = "one = ''\ntwo = ''\nfor _ in rows:\n    two = one\n    one = two\n    one = given\nreturn {} + table[at]"
    assert not is_joined(body.format("two"))
    assert not is_joined(body.format("one"))
