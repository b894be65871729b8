from __future__ import annotations

from alone import START, node, project
from voltfix.flags.propagation import Passing


def keywords(call: str, **files: str) -> set[str]:
    code = project(**files)
    flags, _ = code.computed(Passing).arguments("main.py", node(code, call))
    return set(flags.keywords)


def test_variable_takes_a_flag():
    assert keywords("Variable(x)", main=START + "Variable(x)") == {"volatile"}


def test_a_function_that_hands_it_on_takes_one_under_its_own_name():
    text = START + "def to_var(x, v=False):\n    return Variable(x, volatile=v)\nto_var(1)"
    assert keywords("to_var(1)", main=text) == {"v"}


def test_a_function_with_a_parameter_of_that_name_that_goes_elsewhere_takes_none():
    text = "def lock(x, volatile=False):\n    return store(x, volatile)\nlock(1)"
    assert keywords("lock(1)", main=text) == set()
