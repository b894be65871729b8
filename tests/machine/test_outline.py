from __future__ import annotations

from alone import project
from voltfix.machine.outline import Outlines
from voltfix.program.imports import Index


def waiting(text: str) -> set[str]:
    code = project(main=text)
    trees, tables = {"main.py": code.tree("main.py")}, {"main.py": code.table("main.py")}
    return set(Outlines(trees, tables, Index(code.modules)).of("main.py").waiting)


def test_a_definition_that_is_bound_once_waits_and_one_that_is_bound_twice_does_not():
    assert waiting("def f(): pass\ndef g(): pass\ng = f\n") == {"f"}


def unread(**texts: str) -> set[str]:
    code = project(**texts)
    trees = {path: code.tree(path) for path in code.modules}
    tables = {path: code.table(path) for path in code.modules}
    return set(Outlines(trees, tables, Index(code.modules)).of("main.py").unread)


FOUND = "def find(x):\n    return x\n\n\nbest, worst = find(3)\n"


def test_what_only_the_top_level_prints_is_asked_for_by_nobody():
    text = FOUND + "print('the best: %s' % best)\nfor each in worst:\n    print(each)\n"
    assert unread(main=text) == {"best", "worst"}


def test_what_a_function_asks_for_is_asked_for():
    assert unread(main=FOUND + "def g():\n    return best\n") == {"worst"}


def test_what_a_lambda_in_a_call_asks_for_is_asked_for():
    assert unread(main=FOUND + "print(map(lambda x: best + x, worst))\n") == {"worst"}


def test_what_is_computed_into_what_nobody_asks_for_is_asked_for_by_nobody():
    assert unread(main=FOUND + "other = best + 1\nthird = [x + other for x in worst]\n") == {
        "best", "worst", "other", "third"}


def test_what_is_computed_into_what_a_function_asks_for_is_asked_for():
    assert unread(main=FOUND + "other = best + 1\nthird = other\ndef g():\n    return third\n") == {"worst"}


def test_what_an_item_or_a_switch_hangs_on_is_asked_for():
    assert unread(main=FOUND + "net = {}\nnet['x'] = best\nif worst:\n    print(net)\n") == set()


def test_a_name_of_a_function_of_its_own_is_another():
    assert unread(main=FOUND + "def g(worst):\n    best = worst\n    return best\n") == {"best", "worst"}


def test_a_name_that_a_function_says_is_global_is_asked_for():
    assert unread(main=FOUND + "def g():\n    global best\n    best = best + 1\n") == {"worst"}


def test_a_name_of_a_class_is_none_of_its_methods():
    assert unread(main=FOUND + "class A:\n    best = 1\n    def g(self):\n        return best\n") == {"worst"}


def test_what_a_class_or_a_default_asks_for_is_asked_for():
    assert unread(main=FOUND + "class A:\n    limit = best\n\ndef g(x=worst): pass\n") == set()


def test_what_grows_in_place_is_asked_for():
    assert unread(main=FOUND + "best += [1]\n") == {"worst"}


def test_what_another_module_imports_or_has_as_an_attribute_is_asked_for():
    assert unread(main=FOUND, other="from main import best\nimport main\nprint(main.worst)\n") == set()


def test_what_is_named_in_a_string_is_asked_for():
    assert unread(main=FOUND, other="import main\nprint(getattr(main, 'best'))\n") == {"worst"}


def test_a_module_whose_names_are_all_taken_over_is_asked_for_all():
    assert unread(main=FOUND, other="from main import *\n") == set()


def test_a_module_that_asks_for_its_names_by_name_is_asked_for_all():
    assert unread(main=FOUND + "def g(name):\n    return globals()[name]\n") == set()
