from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from voltfix.program.living import called_in_sight, living, own


def alive(body: str, head: str = "def f(xs, ys, cond):") -> tuple[set[str], set[str]]:
    """What lives at the head of the first loop, here and on any path."""
    tree = ast.parse(head + "\n" + "\n".join(f"    {line}" for line in dedent(body).strip().splitlines()))
    function = tree.body[0]
    loop = next(n for n in ast.walk(function) if isinstance(n, (ast.For, ast.While)))
    found = living(function)
    assert found is not None
    return set(found[id(loop)].here), set(found[id(loop)].anywhere)


def test_what_a_round_binds_before_it_reads_it_is_dead_at_the_head():
    here, anywhere = alive("for x in xs:\n    y = x + 1\n    print(y)")
    assert "y" not in anywhere
    assert "x" not in anywhere
    assert "xs" not in here  # it was asked for an iterator, before


@pytest.mark.parametrize("body", [
    "y = 0\nfor x in xs:\n    print(y)\n    y = x",  # the next round reads it
    "for x in xs:\n    y = x\nprint(y)",  # what follows does
    "y = 0\nfor x in xs:\n    y += x",  # it is changed in place
    "y = 0\nfor x in xs:\n    if cond:\n        y = x\n    print(y)",  # it is bound on some paths
    "y = 0\nfor x in xs:\n    for z in x:\n        y = z\n    print(y)",  # the loop inside may make no round
    "y = 0\nfor x in xs:\n    try:\n        y = x.a\n    except AttributeError:\n        print(y)",
    "y = 0\nfor x in xs:\n    try:\n        y = x.a\n    finally:\n        print(y)",
    "y = 0\nfor x in xs:\n    with x.quiet():\n        y = x.a\n    print(y)",  # it may swallow an exception
    "y = 0\nfor x in xs:\n    if x:\n        continue\n    y = x\nprint(y)",
    "y = 0\nwhile xs.more() and y < 3:\n    y = xs.next()",
    "y = 0\nfor x in xs:\n    y[0] = x",
    "y = 0\nfor x in xs:\n    y.a = x",
    "y = 0\nfor x in xs:\n    del y\n    y = x",
    "y = 0\nfor x in xs:\n    match x:\n        case 1:\n            y = 2\n    print(y)",
    "y = 0\nfor x in xs:\n    z = lambda: y\n    y = x",  # whoever calls it reads it
    "y = 0\nfor x in xs:\n    z = (y for _ in x)\n    y = x",
    "def g():\n    return y\nfor x in xs:\n    y = x",
    "def g():\n    nonlocal y\n    y = 1\ny = 0\nfor x in xs:\n    y = x",
    "global y\nfor x in xs:\n    y = x",
])
def test_what_is_read_again_lives(body: str) -> None:
    here, anywhere = alive(body)
    assert "y" in here
    assert "y" in anywhere


@pytest.mark.parametrize("body", [
    "for x in xs:\n    y = x\n    if cond:\n        break\nelse:\n    y = None\nprint(y)",  # who left by break has it
    "y = 0\nif cond:\n    for x in xs:\n        y = x\n    y = 1\nelse:\n    print(y)",  # who waits in the other arm
    "y = 0\nmatch cond:\n    case 1:\n        for x in xs:\n            y = x\n        y = 1\n    case 2:\n        y()",
])
def test_what_another_path_reads_is_dead_here_and_is_kept(body: str) -> None:
    here, anywhere = alive(body)
    assert "y" not in here
    assert "y" in anywhere


def test_a_round_of_the_loop_around_keeps_what_it_reads():
    tree = ast.parse(dedent("""
        def f(xs):
            y = 0
            for x in xs:
                print(y)
                for z in x:
                    y = z
    """))
    found = living(tree.body[0])
    inner = next(n for n in ast.walk(tree) if isinstance(n, ast.For) and ast.unparse(n.target) == "z")
    assert found is not None
    assert "y" in found[id(inner)].here


@pytest.mark.parametrize("name", ["locals", "vars", "eval", "exec", "dir"])
def test_where_all_names_can_be_asked_for_all_live(name: str) -> None:
    tree = ast.parse(f"def f(xs):\n    for x in xs:\n        y = x\n        print({name}())")
    assert living(tree.body[0]) is None


def test_the_names_of_a_module_are_read_by_others():
    assert living(ast.parse("for x in xs:\n    y = x")) is None


def test_names_that_a_function_inside_binds_are_its_own():
    inner = ast.parse(dedent("""
        def inner(a, b=c):
            d = a
            for e in d:
                f = [g for g in e]
            return g, h
    """)).body[0]
    assert own(inner) == {"a", "b", "d", "e", "f"}


@pytest.mark.parametrize("code", [
    "def f():\n    nonlocal a\n    a = 1",
    "def f():\n    global a\n    a = 1",
    "def f(b=a):\n    a = 1",
    "def f():\n    a = 1\n    return lambda: a",
    "class F:\n    a = 1",
])
def test_names_that_others_may_mean_are_not(code: str) -> None:
    assert "a" not in own(ast.parse(code).body[0])


@pytest.mark.parametrize(("use", "told"), [
    ("f()", True),
    ("for x in xs:\n    print(f(x))", True),
    ("[f(x) for x in xs]", True),
    ("g = f", False),
    ("xs.step(f)", False),
    ("xs.step(lambda: f())", False),
    ("list(map(f, xs))", False),
    ("rows = (f(x) for x in xs)", False),
    ("f()\nprint(locals())", False),
    ("def g():\n    return f()", False),
    ("return f", False),
])
def test_a_function_is_called_in_sight_where_nothing_else_is_done_with_it(use, told):
    lines = "".join(f"    {line}\n" for line in use.splitlines())
    around = ast.parse(f"def run(xs):\n    def f(x=0):\n        return x\n{lines}").body[0]
    assert called_in_sight(around, around.body[0]) is told


@pytest.mark.parametrize("body", [
    "def run(xs):\n    @xs.keep\n    def f():\n        return 0\n    f()",
    "def run(xs):\n    global f\n    def f():\n        return 0\n    f()",
    "def run(xs):\n    def f():\n        return xs.put(f)\n    f()",
])
def test_a_function_that_others_have_is_not_called_in_sight_alone(body):
    around = ast.parse(body).body[0]
    assert not called_in_sight(around, next(n for n in around.body if isinstance(n, ast.FunctionDef)))


def test_a_method_of_a_class_that_a_function_defines_is_not_called_in_sight():
    body = "class C:\n        def f(self):\n            return 0\n    xs.put(C())"
    around = ast.parse(f"def run(xs):\n    {body}").body[0]
    assert not called_in_sight(around, around.body[0].body[0])
