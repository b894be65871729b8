"""What functions give that is surely no Variable."""

from __future__ import annotations

import ast
import textwrap

import pytest

from alone import START, function, project
from voltfix.program.giving import Given, Giving

HEAD = START + "import numpy as np\nimport torch.nn.functional as F\n\nEND = 2\nWORDS = []\n\n"


def given(body: str, more: str = "") -> Given:
    """What the method ``f`` of a class gives that has such a body."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "        ")
    code = project(main=f"{HEAD}{textwrap.dedent(more)}\nclass Box(object):\n    def f(self, x, rows):\n{lines}\n")
    return code.computed(Giving).of(function(code, "Box.f"))


@pytest.mark.parametrize("body", [
    "return ' '.join(x)",
    "return [str(row) for row in rows], len(x)",
    "return x.data.cpu().numpy().tolist()",
    "return {'loss': float(x), 'rows': [END] * len(rows)}",
    "return np.argmax(x), torch.zeros(3)",
    "return x is None or 'a' in rows",
    "found = []\nfor n, row in enumerate(rows):\n    found.append(n)\nreturn sorted(found)",
    "found = [[] for row in rows]\nfor row in rows:\n    found[0].append(row.data[0])\nreturn found",
    "words = [END]\nfor row in rows:\n    words = words + [int(row)]\n    more = words\nreturn more[::-1]",
    "a, b = 1, 'two'\nb += '%s' % x\nreturn b if a else None",
    "for row in rows:\n    print(row)",
    "if x:\n    return 1\nraise ValueError(x)",
    "return self.f(x, rows) + 1 if rows else 0",
    "words = x.split(', ')\nreturn words[0].upper()",
])
def test_text_and_numbers_are_data(body: str):
    assert given(body).whole


@pytest.mark.parametrize("body", [
    "return x",
    "return self.rows",
    "return rows[0]",
    "return x == END",
    "return x * 2",
    "return self.net(x)",
    "return F.softmax(x), 1",
    "return torch.cat([x, x])",
    "return [x]",
    "return WORDS",
    "found = []\nfound.append(x)\nreturn found",
    "found = [[]]\nfound[0].append(x)\nreturn found",
    "found = {}\nfound['x'] = x\nreturn found",
    "found = []\nself.fill(found)\nreturn found",
    "found = []\nmore = found\nmore.append(x)\nreturn found",
    "found = [[]]\nfor row in found:\n    row.append(x)\nreturn found",
    "found = []\nmore = (found if x else rows)\nmore += [x]\nreturn found",
    "found = ['a']\nfound, other = found + [x], found\nreturn found",
    "with x as found:\n    pass\nreturn found",
    "try:\n    found = 1\nexcept E as found:\n    pass\nreturn found",
    "found = 'a'\nfrom rows import found\nreturn found",
    "yield 'a'",
    "global END\nreturn END",
    "x = 'a'\nreturn x",  # a parameter may be what was handed over
    "a = rows\nb = a\na = b\nreturn a",
    "return x.split(2)",
    "return max(rows)",
    "return lambda: 1",
    "return (y := x)",
])
def test_what_may_be_a_variable_is_not(body: str):
    assert not given(body).whole


def test_the_parts_of_a_tuple_are_told_apart():
    found = given("words = []\nif rows:\n    return self.net(x), words, 1\nreturn x, words, rows")
    assert (found.whole, found.length, found.parts) == (False, 3, frozenset({1}))
    assert given("if rows:\n    return x, 1\nreturn x, 1, 2").parts == frozenset()
    assert given("if rows:\n    return x\nreturn x, 1").parts == frozenset()


def test_parts_are_told_apart_through_calls():
    more = "def decode(x):\n    return x * 2, x.data.tolist()\n"
    assert given("y, words = decode(x)\nreturn words", more).whole
    assert not given("y, words = decode(x)\nreturn y", more).whole
    assert given("return decode(x)", more).parts == {1}


def test_functions_that_ask_each_other_give_data_where_each_does():
    more = ("def even(x, rows):\n    return odd(x, rows[1:]) if rows else {}\n\n"
            "def odd(x, rows):\n    return even(x, rows)\n")
    assert given("return odd(x, rows)", more.replace("{}", "0")).whole
    code = project(main=HEAD + more.replace("{}", "x"))
    for name in ("even", "odd", "even"):
        assert not code.computed(Giving).of(function(code, name)).whole


@pytest.mark.parametrize(("body", "looks"), [
    ("found = []\nfor row in rows:\n    found.append(row)\nreturn ' '.join(found)", True),
    ("if x.startswith('a'):\n    raise ValueError(x)\nreturn len(rows)", True),
    ("return self.f(x, rows[1:]) if rows else 'a'", True),
    ("return str(self.net(x))", False),
    ("self.kept.append(x)\nreturn 'a'", False),
    ("self.kept = x\nreturn 'a'", False),
    ("rows[0] = x\nreturn 'a'", False),
    ("kept = self.kept\nkept.append(x)\nreturn 'a'", False),
    ("return len(torch.exp(x))", False),
    ("x.backward()\nreturn 'a'", False),
    ("rows(x)\nreturn 'a'", False),
])
def test_which_run_nothing_but_what_looks_at_things(body: str, looks: bool):
    found = given(body)
    assert (found.whole, found.looks) == (True, looks)


def by_name(text: str) -> Given:
    code = project(main=HEAD + textwrap.dedent(text))
    call = next(node for node in code.nodes("main.py") if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute) and node.func.attr == "spell")
    return code.computed(Giving).by_name("main.py", "spell", call)


SPELLS = "class A(object):\n    def spell(self, x):\n        return x, 'a'\n\n"


def test_by_its_name_a_method_gives_what_all_of_that_name_do():
    asked = "def g(box, x):\n    y, word = box.spell(x)\n"
    assert by_name(SPELLS + asked).parts == {1}
    other = "class B(object):\n    def spell(self, x):\n        return {}\n\n"
    assert by_name(SPELLS + other.format("x, 1") + asked).parts == {1}
    assert by_name(SPELLS + other.format("x, x") + asked).parts == set()
    assert by_name(SPELLS + other.format("'a', x") + asked).parts == set()
    assert by_name(SPELLS + asked.replace("y, word", "y, word, more")).parts == set()
    assert by_name("def spell(x):\n    return 'a'\n\n" + asked) == Given(False)
    assert not by_name("class A(object):\n    @wrapped\n    def spell(self, x):\n        return 'a'\n\n" + asked).whole
