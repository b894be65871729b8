"""What a run defines when it is asked for, and what it defines at once: the outcome is that of Python's own order."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic.project import Loader, Side, Unit  # noqa: E402
from voltfix.verify.symbolic.run import run  # noqa: E402
from voltfix.verify.symbolic.world import World, enter  # noqa: E402


def side(text, **others):
    return Side({f"{name}.py": textwrap.dedent(each) for name, each in {"a": text, **others}.items()})


def result(text, **others):
    seen = run(side(text, **others), Unit("a.py", "f"), World(False, True, {}), frozenset())
    return seen.result if seen.error is None and seen.stopped is None else (seen.error, seen.message, seen.stopped)


def waiting(text, path="a.py", **others):
    return set(side(text, **others).deferred(path).waiting)


def test_functions_inert_classes_and_imports_wait():
    text = """
    import os, numpy as np
    from b import Net, SIZE
    LIMIT = 3
    class Box(Net):
        size = 2
        def m(self, k=1):
            return k
    def f():
        return LIMIT, SIZE, Box().m()
    """
    other = "SIZE = 4\nclass Net:\n    pass\n"
    assert waiting(text, b=other) == {"os", "np", "Net", "SIZE", "Box", "f"}
    assert result(text, b=other) == ("tuple", 3, "3", "4", "1")


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    made = make()\n",  # runs something
        "@register\nclass A:\n    pass\n",
        "def A(x=make()):\n    pass\n",
        "@wrap\ndef A(x):\n    pass\n",
        "def A(x: int):\n    pass\n",
        "class A:\n    def m(self, x: int):\n        pass\n",
        "class A:\n    pass\nclass A:\n    pass\n",  # bound twice
        "class A:\n    pass\ntry:\n    from b import A\nexcept ImportError:\n    pass\n",
        "class A:\n    pass\ndef g():\n    global A\n    A = 1\n",
        "class A:\n    pass\ndel A\n",
        "class sum:\n    pass\n",  # would not be missed
        "class A:\n    pass\nfrom b import *\n",
        "import b as A\n",  # does something when it is loaded
        "from b import A\n",
        "from b import nothing as A\n",
    ],
)
def test_what_does_more_than_to_bind_a_name_does_not_wait(text):
    other = "counts = []\ncounts.append(1)\nA = make()\n"
    assert not waiting(text, b=other) & {"A", "sum"}


def test_a_module_of_a_folder_without_code_waits_where_it_binds_names_alone():
    assert waiting("from tools import b\ndef f():\n    return b.A\n", **{"tools/b": "A = 4\n"}) == {"b", "f"}
    assert waiting("from tools import b\ndef f():\n    return b.A\n", **{"tools/b": "A = make()\n"}) == {"f"}
    assert result("from tools import b\ndef f():\n    return b.A\n", **{"tools/b": "A = 4\n"}) == "4"


def test_a_name_of_python_s_own_that_the_module_binds_is_the_module_s():
    assert result("def sum(things):\n    return 7\ndef f():\n    return sum([1, 2])\n") == "7"


def test_a_module_is_asked_for_what_waits_by_attribute_by_import_and_by_star():
    other = "class A:\n    n = 5\ndef g():\n    return A().n\n"
    assert result("import b\ndef f():\n    return b.g(), b.A.n\n", b=other) == ("tuple", 2, "5", "5")
    assert result("from b import g, A\ndef f():\n    return g(), A.n\n", b=other) == ("tuple", 2, "5", "5")
    assert result("from b import *\ndef f():\n    return g(), A.n\n", b=other) == ("tuple", 2, "5", "5")


def test_what_is_put_into_a_module_before_it_is_asked_for_stays():
    other = "def g():\n    return 1\ndef h():\n    return g()\n"
    assert result("import b\ndef f():\n    b.g = lambda: 2\n    return b.h()\n", b=other) == "2"


def test_modules_that_import_each_other_are_loaded():
    other = "from a import Base\nclass B(Base):\n    def m(self):\n        return self.n\n"
    text = "from b import B\nclass Base:\n    n = 3\ndef f():\n    return B().m()\n"
    assert result(text, b=other) == "3"


def test_annotations_that_are_not_to_be_evaluated_are_not():
    text = "from __future__ import annotations\n@staticmethod\ndef g(x: 1 / 0):\n    return x\ndef f():\n    return 2\n"
    assert result(text) == "2"


def test_an_error_in_a_class_is_told_where_the_class_is_asked_for():
    text = "class A(BaseException, dict):\n    pass\ndef f(x=1):\n    return x\ndef g():\n    return A\n"
    one = side(text)
    assert run(one, Unit("a.py", "f"), World(False, True, {}), frozenset()).error is None
    assert run(one, Unit("a.py", "g"), World(False, True, {}), frozenset()).error == "TypeError"


def test_what_waits_is_compiled_once_for_both_sides():
    old = side("def f():\n    return 1\n", b="def g():\n    return 1\n")
    new = Side({"a.py": "def f():\n    return 2\n", "b.py": old.texts["b.py"]}, twin=old)
    assert new.deferred("b.py") is old.deferred("b.py")
    assert new.deferred("a.py") is not old.deferred("a.py")


def test_a_name_is_found_in_a_module_whether_or_not_it_waits():
    world = World(False, True, {})
    enter(world)
    loader = Loader(side("N = 1\nclass A:\n    pass\n"), world)
    assert loader.find("a.py", "A").__name__ == "A"
    assert loader.find("a.py", "N") == 1
    assert loader.find("a.py", "missing") is None
