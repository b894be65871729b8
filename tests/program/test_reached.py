from __future__ import annotations

import ast

import pytest

from alone import node, project
from voltfix.program.bindings import ProjectFunction
from voltfix.program.reached import reached

BODY = "class Core:\n    def run(self, mode, x, more=None):\n        {}\n"


def parts(body: str, call: str) -> list[str] | None:
    source = BODY.format(body.replace("\n", "\n        ")) + f"def g(core, mode, x):\n    {call}\n"
    code = project(main=source)
    found = node(code, call)
    function = next(each for each in code.functions() if each.qualname == "Core.run")
    assert isinstance(found, ast.Call)
    assert isinstance(function, ProjectFunction)
    given = reached(code, function, found)
    return None if given is None else [ast.unparse(each) for each in given]


TWO = "if mode == 'train':\n    x.a()\nelse:\n    x.b()\nreturn x"


@pytest.mark.parametrize(("body", "call", "found"), [
    (TWO, "core.run('test', x)", ["x.b()", "return x"]),
    (TWO, "core.run('train', x)", ["x.a()", "return x"]),
    (TWO, "core.run(x=x, mode='test')", ["x.b()", "return x"]),
    ("if mode != 'test':\n    x.a()\nreturn x", "core.run('test', x)", ["return x"]),
    ("if not mode:\n    return x\nx.a()", "core.run(False, x)", ["return x"]),
    ("if mode in ('train', 'more'):\n    x.a()", "core.run('test', x)", []),
    ("if mode == 'train' and x.c():\n    x.a()", "core.run('test', x)", []),
    ("if mode == 'test' or x.c():\n    return x\nx.a()", "core.run('test', x)", ["return x"]),
    ("if more is None:\n    return x\nx.a()", "core.run('test', x)", ["return x"]),
    ("if more is not None:\n    x.a()\nreturn x", "core.run('test', x)", ["return x"]),
    ("for y in x:\n    if mode == 'test':\n        continue\n    y.a()\nreturn x", "core.run('test', x)",
     ["y", "x", "continue", "return x"]),
    ("if x.c():\n    return x\nif mode == 'test':\n    if x.d():\n        return x\n    raise x\nx.a()",
     "core.run('test', x)", ["x.c()", "return x", "x.d()", "return x", "raise x"]),
])
def test_an_arm_whose_test_the_constants_answer_with_no_is_not_come_to(body: str, call: str, found: list[str]) -> None:
    assert parts(body, call) == found


@pytest.mark.parametrize(("body", "call"), [
    (TWO, "core.run(mode, x)"),
    (TWO, "core.run(mode.test, x)"),
    (TWO, "core.run(*mode, x)"),
    (TWO, "core.run(x=x, **mode)"),
    ("mode = x.kind\n" + TWO, "core.run('test', x)"),
    ("for mode in x:\n    x.a()\n" + TWO, "core.run('test', x)"),
    ("def other():\n    nonlocal mode\n    mode = 'train'\nother()\n" + TWO, "core.run('test', x)"),
])
def test_all_is_come_to_where_the_test_may_have_either_answer(body: str, call: str) -> None:
    found = parts(body, call)
    assert found is None or "x.a()" in found


def test_what_is_left_of_a_test_is_come_to() -> None:
    for test in ("x.c() or mode == 'train'", "mode is 'train'", "mode < 'train'", "mode == x.d"):
        assert parts(f"if {test}:\n    x.a()", "core.run('test', x)") == [test, "x.a()"]


def test_where_the_first_argument_may_be_the_object_no_position_says_which_it_fills() -> None:
    body = "if mode == 'train':\n    x.a()"
    assert parts(body, "core.run(x, 'test')") == ["mode == 'train'", "x.a()"]
    assert parts(body, "core.run(x, 'test', 1)") is None


def test_a_constant_may_be_known_of_a_name_and_the_object_itself_be_no_argument() -> None:
    code = project(main=BODY.format(TWO.replace("\n", "\n        ")) + "def g(core, how, x):\n    core(how, x)\n")
    call = node(code, "core(how, x)")
    function = next(each for each in code.functions() if each.qualname == "Core.run")
    assert isinstance(call, ast.Call)
    for how, found in (("train", "x.a()"), ("test", "x.b()")):
        given = reached(code, function, call, {call.args[0]: how}, bound=True)
        assert given is not None
        assert [ast.unparse(each) for each in given] == [found, "return x"]
    assert reached(code, function, call, bound=True) is not None
