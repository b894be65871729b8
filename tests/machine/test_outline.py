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


STARTED = ("def find(x):\n    return x\n\n\n"
           "if __name__ == '__main__':\n    net = find(3)\n    out = net(4)\n    print(out)\n")
ASKS = "class Trainer:\n    def step(self):\n        return self.net(self.out)\n"


def test_no_import_finds_what_a_program_binds_where_it_is_started():
    assert unread(main=STARTED, other=ASKS) == {"net", "out"}
    turned = STARTED.replace("__name__ == '__main__'", "'__main__' == __name__")
    assert unread(main=turned, other=ASKS) == {"net", "out"}


def test_a_function_may_be_called_by_the_program_that_bound_what_it_asks_for():
    assert unread(main=STARTED + "def late():\n    return net\n", other=ASKS) == {"out"}


def test_what_is_kept_in_something_that_a_function_asks_for_is_asked_for():
    text = STARTED + "    for each in out:\n        held = net\ndef late():\n    return held\n"
    assert unread(main=text, other=ASKS) == {"out"}


def test_a_class_or_a_function_in_what_a_program_runs_asks_for_names():
    text = STARTED + "    class Late(net):\n        pass\n"
    text += "    class Later:\n        def late(self):\n            return out\n"
    assert unread(main=text, other=ASKS) == set()


def test_a_test_that_an_import_may_pass_is_none_of_being_started():
    for test in ("__name__ != '__main__'", "__name__ == '__main__' or True", "name == '__main__'", "not __name__",
                 "__name__ == 'program'", "'x' == '__main__' == __name__"):
        assert unread(main=STARTED.replace("__name__ == '__main__'", test), other=ASKS) == set()


def test_what_is_run_where_a_program_is_not_started_is_run_on_import():
    assert unread(main=STARTED + "else:\n    net = find(4)\n    out = net\n", other=ASKS) == set()


def test_a_name_that_a_function_binds_too_may_be_asked_for_by_whoever_imports_the_module():
    assert unread(main=STARTED + "def late():\n    global net\n    net = 3\n", other=ASKS) == {"out"}


def test_a_module_that_looks_at_the_program_that_was_started_may_ask_for_any_of_its_names():
    for looks in ("import __main__\n", "import sys\nseen = vars(sys.modules['__main__'])\n",
                  "import runpy\nseen = runpy.run_path('main.py', run_name='__main__')\n",
                  "from importlib import import_module\nseen = import_module(name='__main__')\n"):
        assert unread(main=STARTED, other=looks + ASKS) == set()
