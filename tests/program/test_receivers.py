from __future__ import annotations

from alone import function, project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound
from voltfix.program.receivers import is_of_the_project, takes_no_object


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
    assert no_object("class A:\n    def f(net): return net.width")


def test_a_function_that_asks_for_what_an_object_has_may_take_one():
    assert not no_object("class A:\n    width = 1\n    def f(net): return net.width")
    assert not no_object("class A:\n    def f(net): return net.width\ndef g(a): a.width = 1")
    assert not no_object("class A:\n    def f(net): return net.width\ndef g(a, name): setattr(a, name, 1)")


def test_what_is_not_always_asked_says_nothing():
    assert not no_object("class A:\n    def f(net):\n        if net: return net.width")
    assert not no_object("class A:\n    def f(net):\n        net = other\n        return net.width")
    assert not no_object("class A:\n    def f(net): return lambda: net.width")
