from __future__ import annotations

import ast

from alone import project
from voltfix.program.bindings import ProjectClass, ProjectFunction

DIAMOND = """
class A:
    def f(self): return 1
class B(A):
    pass
class C(A):
    def f(self): return 2
class D(B, C):
    pass
"""


def cls(code, name: str) -> ProjectClass:
    return next(each for each in code.classes() if each.qualname == name)


def test_members_are_looked_up_in_pythons_order():
    code = project(main=DIAMOND)
    assert [each.qualname for each in code.mro(cls(code, "D"))] == ["D", "B", "C", "A"]
    found = code.method(cls(code, "D"), "f")
    assert isinstance(found, ProjectFunction)
    assert found.qualname == "C.f"


def test_a_family_is_all_that_share_an_instance():
    code = project(main=DIAMOND)
    assert {each.qualname for each in code.hierarchy.family(cls(code, "B"))} == {"A", "B", "D"}


def test_what_is_stored_on_self_is_an_instance_of_its_class():
    code = project(main="class N:\n    def run(self): pass\nclass M:\n    def __init__(self):\n        self.n = N()\n"
                        "    def go(self):\n        self.n.run()")
    found = code.resolve("main.py", None, next(
        n.func for n in code.nodes("main.py") if getattr(getattr(n, "func", None), "attr", "") == "run"))
    assert isinstance(found, ProjectFunction)
    assert found.qualname == "N.run"


def test_what_a_method_of_its_own_gives_is_no_object_of_the_class():
    for gives, known in (
            ("self", True), ("super(N, self).cuda()", True), ("None", True), ("3", False), ("x.to(1)", False)):
        code = project(main=f"class N:\n    def cuda(self):\n        return {gives}\nn = N().cuda()\nprint(n)")
        place = next(n for n in code.nodes("main.py") if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
                     and n.id == "n")
        assert (code.instance("main.py", place) is not None) is known, gives
