from __future__ import annotations

import ast

import pytest

from alone import function, project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound
from voltfix.program.receivers import given, is_of_the_project, made_by_table, takes_no_object


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


PAIR = "class A: pass\nclass B: pass\ndef make(n):\n    a = A()\n    b = B()\n    return a, b\n"
USE = "def use(n):\n    one, two = make(n)\n    return one\n"


def classes_of(source: str) -> set[str] | None:
    code = project(main=source)
    table = code.table("main.py")
    assert table is not None
    name = next(n for n in code.nodes("main.py") if isinstance(n, ast.Name) and n.id == "one" and n in table.owner
                and isinstance(n.ctx, ast.Load))
    found = given(code, Rebound(code, Index(code.paths)), "main.py", name)
    return None if found is None else {cls.qualname for cls in found.classes}


@pytest.mark.parametrize(("body", "classes"), [
    ("    one, two = make(n)\n    return one\n", {"A"}),
    ("    two, one = make(n)\n    return one\n", {"B"}),
    ("    one, two = make(n)\n    two, one = make(n)\n    return one\n", {"A", "B"}),
    ("    [one, two] = make(n)\n    return one\n", {"A"}),
])
def test_a_name_that_takes_a_part_of_a_tuple_is_what_the_maker_has_at_that_place(body: str, classes: set[str]) -> None:
    assert classes_of(PAIR + "def use(n):\n" + body) == classes


@pytest.mark.parametrize("source", [
    PAIR + "def use(n, other):\n    one, two = make(n)\n    if n: one = other\n    return one\n",
    PAIR + "def use(n, other):\n    one, two = make(n)\n    for one in other: pass\n    return one\n",
    PAIR + "def use(n, other):\n    one, *two = make(n)\n    return one\n",
    PAIR + "def use(n, other):\n    one, two, more = make(n)\n    return one\n",
    PAIR + "def use(n, other):\n    one, two = other(n)\n    return one\n",
    PAIR + "def use(n, other):\n    one, two = x = make(n)\n    return one\n",
    PAIR + "def use(n, other):\n    one, two = make(n)\n    def again():\n        nonlocal one\n        one = other\n"
    "    again()\n    return one\n",
    PAIR + "def swap(other):\n    global make\n    make = other\n" + USE,
    PAIR.replace("return a, b", "if n: return b\n    return a, b") + USE,
    PAIR.replace("return a, b", "both = a, b\n    return both") + USE,
    PAIR.replace("return a, b", "return (*n, a)") + USE,
    PAIR.replace("return a, b", "if n: a = n\n    return a, b") + USE,
    PAIR.replace("return a, b", "yield a, b\n    return a, b") + USE,
    PAIR.replace("def make", "@other\ndef make") + USE,
])
def test_what_else_may_be_there_leaves_a_part_open(source: str) -> None:
    assert classes_of(source) is None


AT_THE_TOP = "one, two = make(3)\ndef use(n):\n    return one\n"


@pytest.mark.parametrize(("source", "classes"), [
    (AT_THE_TOP, {"A"}),
    ("from library import *\n" + AT_THE_TOP, {"A"}),
    ("def around(n):\n    one, two = make(n)\n    def use():\n        return one\n    return use\n", {"A"}),
    ("class C:\n    one = B()\n    def use(self):\n        return one\n" + AT_THE_TOP, {"A"}),
])
def test_a_name_from_further_out_is_what_it_took_there(source: str, classes: set[str]) -> None:
    assert classes_of(PAIR + source) == classes


@pytest.mark.parametrize("more", [
    "one = B()\n", "one += 1\n", "for one in (1, 2): pass\n", "import one\n", "if two: from library import one\n",
    "def one(): pass\n", "print(one := B())\n", "exec('one = 3')\n", "globals()['one'] = two\n",
    "def swap(other):\n    global one\n    one = other\n", "import main\nmain.one = two\n",
    "import main\nsetattr(main, 'one', two)\n", "def swap(other):\n    global make\n    make = other\n",
    "try: pass\nexcept OSError as one: pass\n", "with two as one: pass\n", "from main import make as one\n",
])
def test_what_may_bind_a_name_of_the_top_level_again_leaves_it_open(more: str) -> None:
    assert classes_of(PAIR + AT_THE_TOP + more) is None


def test_what_a_star_brings_under_the_name_may_be_in_its_place() -> None:
    code = project(main=PAIR + AT_THE_TOP + "from other import *\n", other="one = 3\n")
    name = [n for n in code.nodes("main.py") if isinstance(n, ast.Name) and n.id == "one"][-1]
    assert given(code, Rebound(code, Index(code.paths)), "main.py", name) is None


HANDED = "class A: pass\nclass B: pass\ndef use(n, one=None, two=None):\n    {}\n    return one\n" \
         "use(1, A(), B())\nuse(2)\n"


@pytest.mark.parametrize(("body", "classes", "or_none"), [
    ("one = one if one is not None else B()", {"A", "B"}, False),
    ("one = B() if one is None else one", {"A", "B"}, False),
    ("one = one if one else B()", {"A", "B"}, False),
    ("one = one or B()", {"A", "B"}, False),
    ("one = one or two", {"A", "B"}, True),
    ("one = B() or one", {"A", "B"}, True),
    ("one = one and B()", {"A", "B"}, True),
    ("one = one if n else B()", {"A", "B"}, True),
    ("one = one if one is None else B()", {"A", "B"}, True),
    ("one = B() if one is not None else one", {"A", "B"}, True),
    ("one = one if two is not None else B()", {"A", "B"}, True),
    ("one = one if one is not two else B()", {"A", "B"}, True),
    ("one = one if not one else B()", {"A", "B"}, True),
    ("one = one or B()\n    for each in n: print(one)", {"A", "B"}, False),
])
def test_what_a_name_is_after_it_was_asked_whether_it_is_anything(body: str, classes: set[str], or_none: bool) -> None:
    assert handed(HANDED.format(body)) == (classes, or_none)


@pytest.mark.parametrize("body", [
    "one = one or n", "one = one or B()\n    for one in n: pass", "one = one or B()\n    if n: one = n",
    "while n:\n        one = one or B()\n        one = n",
    "for each in n:\n        one = one or B()\n        one = each",
    "n = lambda: one\n    one = one or n", "one += 1\n    one = one or B()", "with n as one: one = one or B()",
    "def one(): pass\n    one = one or B()", "print(one := n)\n    one = one or B()", "del one\n    one = n or B()",
    "def again():\n        nonlocal one\n        one = n\n    again()\n    one = one or B()",
    "try: one = n\n    except OSError: pass\n    one = one or B()", "if n: one = n\n    one = one or B()",
])
def test_what_may_have_bound_it_meanwhile_leaves_it_open(body: str) -> None:
    assert handed(HANDED.format(body)) is None


def handed(source: str) -> tuple[set[str], bool] | None:
    code = project(main=source)
    name = [n for n in code.nodes("main.py") if isinstance(n, ast.Return) and ast.unparse(n) == "return one"][-1].value
    assert name is not None
    found = given(code, Rebound(code, Index(code.paths)), "main.py", name)
    return None if found is None else ({cls.qualname for cls in found.classes}, found.or_none)
