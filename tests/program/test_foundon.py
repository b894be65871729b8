"""Which method a call runs of an object whose class names say."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.foundon import KnownMethods
from voltfix.solver.roots import Tables

PARTS = """
import library


class Reader(object):
    def draw(self, page, ink):
        return page


class Writer(object):
    def __init__(self, reader):
        self.tool = Reader()
        self.given = reader

    def draw(self, page):
        return self.tool.draw(page, 1)
"""


def known(more: str = "", asked: str = "self.tool.draw", parts: str = PARTS) -> str | None:
    code = project(main=parts + more)
    methods = KnownMethods(code, code.computed(Tables).rebound)
    node = next(n for n in code.nodes("main.py") if isinstance(n, ast.Attribute) and ast.unparse(n) == asked)
    found = methods.of("main.py", node)
    assert methods.of("main.py", node) is found
    return found.qualname if found is not None else None


@pytest.mark.quick
def test_it_is_that_of_the_class_that_names_say_though_another_class_has_one_of_that_name():
    assert known() == "Reader.draw"
    assert known("Reader().draw(0, 1)\n", "Reader().draw") == "Reader.draw"


@pytest.mark.quick
def test_it_is_its_own_whatever_the_library_has_that_it_derives_from():
    assert known(parts=PARTS.replace("class Reader(object)", "class Reader(library.Base)")) == "Reader.draw"


@pytest.mark.quick
def test_it_is_that_of_the_class_above_where_the_class_has_none():
    assert known("class Fast(Reader):\n    pass\n\n\nFast().draw(0, 1)\n", "Fast().draw") == "Reader.draw"


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    pytest.param("def f(w, x):\n    w.tool = x\n", id="another object is put there"),
    pytest.param("def f(w, name, x):\n    setattr(w, name, x)\n", id="anything is put under any name"),
    pytest.param("class Fast(Reader):\n    def draw(self, page, ink):\n        pass\n", id="a class below has it"),
    pytest.param("def f(r):\n    r.draw = r.read\n", id="the method is bound again"),
])
def test_nobody_knows_it_where_it_may_be_another(more: str):
    assert known(more) is None


@pytest.mark.quick
@pytest.mark.parametrize(("old", "new"), [
    pytest.param("    def draw(self, page, ink)", "    @library.kept\n    def draw(self, page)", id="decorated"),
    pytest.param("    def draw(self, page, ink)", "    @staticmethod\n    def draw(page, ink)", id="of no object"),
    pytest.param("    def draw(self, page, ink):\n        return page", "    draw = library.draw", id="no function"),
    pytest.param("self.tool = Reader()", "self.tool = reader or Reader()", id="perhaps another object"),
    pytest.param("self.tool = Reader()", "self.tool = library.Reader()", id="another class"),
])
def test_nobody_knows_one_that_is_not_plain_or_not_surely_there(old: str, new: str):
    assert PARTS.count(old) == 1
    assert known(parts=PARTS.replace(old, new)) is None


@pytest.mark.quick
def test_nobody_knows_it_of_what_was_handed_over():
    assert known("def f(w):\n    w.given.draw(0, 1)\n", "w.given.draw") is None
