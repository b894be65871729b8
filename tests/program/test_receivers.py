from __future__ import annotations

import ast

import pytest

from alone import function, project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound
from voltfix.program.receivers import is_of_the_project, made_by_table, takes_no_object


def no_object(source: str) -> bool:
    code = project(main=source)
    return takes_no_object(code, Rebound(code, Index(code.paths)), function(code, "A.f"))


def test_a_class_is_of_the_project_with_all_above_and_below_it():
    mixed = "import lib\nclass A(object): pass\nclass B(A): pass\nclass C(lib.Base): pass\nclass D(B, C): pass"
    code = project(main=mixed)
    found = {cls.qualname: is_of_the_project(code, cls) for cls in code.classes()}
    assert found == {"A": False, "B": False, "C": False, "D": False}
    alone = project(main="class A: pass\nclass B(A): pass")
    assert all(is_of_the_project(alone, cls) for cls in alone.classes())


def test_a_function_that_asks_for_what_no_object_has_takes_none():
    assert no_object("class A:\n    def f(net): return net.width\ndef g(net): return A.f(net)")


def test_a_function_that_asks_for_what_an_object_has_may_take_one():
    assert not no_object("class A:\n    width = 1\n    def f(net): return net.width")
    assert not no_object("class A:\n    def f(net): return net.width\ndef g(a): a.width = 1")
    assert not no_object("class A:\n    def f(net): return net.width\ndef g(a, name): setattr(a, name, 1)")
    assert not no_object("class A:\n    def f(net): return net.width\ndef g(a, kept): a.__dict__ = kept")


@pytest.mark.parametrize("use", [
    "lib.equip(A())", "a = A()\nlib.equip(a)", "lib.equip(parts=[A()])", "lib.equip(A)",
    "Both = type('Both', (A, lib.Base), {})", "made = {'a': A}",
])
def test_what_unseen_code_has_may_have_got_more_there(use: str):
    assert not no_object(f"import lib\nclass A:\n    def f(net): return net.width\n{use}")


@pytest.mark.parametrize("use", [
    "a = A()\nprint(a)", "A.f(lib.net())", "class B(A): pass", "isinstance(lib.net(), A)", "lib.run(A.f(lib.net()))",
])
def test_what_stays_in_view_has_what_is_written(use: str):
    assert no_object(f"import lib\nclass A:\n    def f(net): return net.width\nA.f(lib.net())\n{use}")


def test_whoever_makes_the_objects_out_of_sight_may_give_them_more():
    assert not no_object("class A:\n    def f(net): return net.width")
    assert not no_object("class A:\n    def f(net): return net.width\ndef g(a): return a.f()")


def test_what_is_not_always_asked_says_nothing():
    assert not no_object("class A:\n    def f(net):\n        if net: return net.width")
    assert not no_object("class A:\n    def f(net):\n        net = other\n        return net.width")
    assert not no_object("class A:\n    def f(net): return lambda: net.width")


def made(**more: str) -> list[str]:
    main = "class Deck(object): pass\nKINDS = {'deck': Deck}\ndef f(kind): return KINDS[kind](1)\n"
    code = project(main=main, **more)
    call = next(each for each in code.nodes("main.py") if isinstance(each, ast.Call))
    found = made_by_table(code, Rebound(code, Index(code.paths)), "main.py", call)
    return [cls.qualname for cls in found or ()]


def test_what_a_table_of_classes_makes_is_of_one_of_these():
    assert made() == ["Deck"]
    other = "from main import KINDS\nfor each in KINDS.keys(): print(KINDS[each], 'deck' in KINDS)"
    assert made(other=other) == ["Deck"]


@pytest.mark.parametrize("other", [
    "from main import KINDS as kinds\nkinds['other'] = 1", "import main\nmain.KINDS['other'] = 1",
    "import main\nmain.KINDS = 1", "import main\ndel main.KINDS['deck']", "import main\nvars(main)['KINDS'] = {}",
    "import main\ngetattr(main, 'KINDS')['other'] = 1", "from main import *\nKINDS.setdefault('other', 1)",
    "from main import *\nKINDS |= {'other': 1}", "from main import *\nfor each in KINDS.items(): print(each)",
])
def test_a_table_that_another_file_may_fill_makes_whatever_it_likes(other: str):
    assert made(other=other) == []
