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


@pytest.mark.quick
@pytest.mark.parametrize("base", ["Gone", "make()", "library.Base", "gone.Base"])
def test_it_is_its_own_whatever_a_base_has_that_nobody_can_read(base: str):
    assert known(parts=PARTS.replace("class Reader(object)", f"class Reader({base})")) == "Reader.draw"


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    pytest.param("class Fast(Gone, Reader):\n    pass\n", id="a base that nobody can read comes first"),
    pytest.param("class Odd(Gone):\n    pass\n\n\nclass Fast(Odd, Reader):\n    pass\n", id="and two classes up"),
    pytest.param("def pen(Base):\n    class Pen(Base):\n        def draw(self, page, ink):\n            pass\n"
                 "    return Pen\n", id="a class is made below what is handed over"),
    pytest.param("Base = Reader if library.old else Gone\n\n\nclass Pen(Base):\n"
                 "    def draw(self, page, ink):\n        pass\n", id="a class may be below it"),
    pytest.param("class Inky:\n    def draw(self, page, ink):\n        pass\n\n\ndef pen(Base):\n"
                 "    class Pen(Inky, Base):\n        pass\n    return Pen\n", id="a class above that one has it"),
    pytest.param("def pen(Base):\n    class Pen(Base):\n        pass\n\n    class Inky(Pen):\n"
                 "        def draw(self, page, ink):\n            pass\n    return Inky\n", id="one below that has it"),
    pytest.param("class Pen:\n    def draw(self, page, ink):\n        pass\n\n\nReader.draw = Pen.draw\n",
                 id="another's is put there"),
])
@pytest.mark.parametrize("base", ["object", "Gone"])
def test_nobody_knows_it_where_a_class_below_may_have_it(more: str, base: str):
    assert known(more, parts=PARTS.replace("class Reader(object)", f"class Reader({base})")) is None


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    "def pen(Base):\n    class Pen(Base):\n        def write(self, page, ink):\n            pass\n    return Pen\n",
    "Base = object if library.old else Gone\n\n\nclass Pen(Base):\n    def draw(self, page, ink):\n        pass\n",
])
def test_a_class_that_cannot_be_below_it_or_has_nothing_of_that_name_leaves_it(more: str):
    assert known(more) == "Reader.draw"


@pytest.mark.quick
def test_nobody_knows_one_of_a_base_that_comes_after_one_that_nobody_can_read():
    above = "class Above({}):\n    def draw(self, page, ink):\n        return page\n\n\nclass Reader({}):\n    pass\n"
    parts = PARTS.replace("class Reader(object):\n    def draw(self, page, ink):\n        return page\n", above)
    assert known(parts=parts.format("Gone", "Above")) == "Above.draw"
    assert known(parts=parts.format("Gone, Far", "Above")) == "Above.draw"
    assert known(parts=parts.format("object", "Gone, Above")) is None
    assert known(parts=parts.format("object", "Gone")) is None
    assert known(parts=parts.format("Gone", "Above, Far")) is None  # of several it is not said which comes next
