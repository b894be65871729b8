"""What is run first costs least: loops that are cut, and a closer look where that shows too little."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from judging import HEAD, check, judge, unflagged, with_block  # noqa: E402
from test_symbolic_runs import ran  # noqa: E402

from voltfix.verify.symbolic import explore, sides  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402
from voltfix.verify.symbolic.world import LateError  # noqa: E402


def found(before: str, after: str, name: str = "f") -> explore.Verdict:
    """The verdict on ``name`` itself, with the ways that were run."""
    sides = [Side({"a.py": HEAD + textwrap.dedent(text)}) for text in (before, after)]
    told = explore.verify(explore.Item(*sides, (Unit("a.py", name),)))[2]
    return next(each for each in told if each.unit.name == name)


COUNT = "k = 0\nfor _ in range({}):\n    k += 1\nreturn k"
NESTED = "k = 0\nfor _ in range(3):\n    for each in things:\n        k += 1\nreturn k"
TWICE = "k = 0\nfor each in things:\n    k += 1\nfor each in things:\n    k += 1\nreturn k"


def test_in_a_brief_run_a_long_loop_goes_round_as_often_as_one_over_an_unknown():
    assert ran(COUNT.format(10), brief=True).result == "2"
    assert ran(COUNT.format(4), brief=True).result == "4"
    assert ran(COUNT.format(10), brief=True).cut
    assert not ran(COUNT.format(4), brief=True).cut


def test_in_a_brief_run_a_loop_that_is_come_by_again_goes_round_once():
    assert ran(NESTED, brief=True).result == "4"
    assert ran(NESTED).result == "6"
    assert ran(TWICE, brief=True).result == "4"  # these are two loops


def test_a_guard_that_is_asked_again_does_not_count_as_coming_by_again():
    assert not ran("assert all(each > 0 for each in things)\nreturn 1", brief=True).cut


# --- where that shows too little ----------------------------------------------------------------------------------

LAYERS = """
    def f(net, x):
        layers = [net for _ in range(6)]
        y = layers[5](Variable(x, volatile=True))
        return y
"""
LATE_FLAG = """
    def f(net, x):
        for step in range(8):
            y = net(Variable(x, volatile=step > 5))
        return y
"""


def test_what_a_cut_loop_does_not_make_is_there_in_a_closer_look():
    right = unflagged(LAYERS).replace("        y = layers", "        with torch.no_grad():\n            y = layers")
    assert judge(LAYERS, right) == ("identical", None)
    assert judge(LAYERS, unflagged(LAYERS))[0] == "different"


def test_a_flag_that_is_on_in_a_late_round_alone_is_come_by():
    block = "            with torch.set_grad_enabled(not step > 5):\n                y = net(Variable(x))\n"
    right = LATE_FLAG.replace("            y = net(Variable(x, volatile=step > 5))\n", block)
    assert judge(LATE_FLAG, right) == ("identical", None)
    dropped = LATE_FLAG.replace(", volatile=step > 5", "")
    assert judge(LATE_FLAG, dropped)[0] == "different"


def test_an_error_that_comes_all_the_same_needs_no_closer_look():
    lines = "    for _ in range(9):\n        z = x + 1\n    missing.append([][0])\n"
    before = "def f(net, x):\n    y = net(Variable(x, volatile=True))\n" + lines
    after = "def f(net, x):\n    with torch.no_grad():\n        y = net(Variable(x))\n" + lines
    short = found(before.replace("range(9)", "range(2)"), after.replace("range(9)", "range(2)"))
    assert found(before, after).paths <= short.paths + 2


# --- many operations ----------------------------------------------------------------------------------------------

DEEP = """
def f(net, x):
{}
    y = net(Variable(x, volatile=True))
    return y
"""


def rounds(depth: int, work: str) -> str:
    """Loops of four rounds in each other, which no run cuts."""
    lines = ["    " * (place + 1) + "for _ in range(4):" for place in range(depth)]
    return "\n".join([*lines, "    " * (depth + 1) + work]) + "\n"


def test_a_run_may_take_more_operations_where_none_comes_to_its_end():
    check(DEEP.format(rounds(5, "x = x * 2 + 1 - x * x")))


def test_of_runs_that_never_end_few_are_made():
    work = rounds(6, "x = x * 2 + 1 - x * x")
    conditions = "".join(f"    if x.c{n}: x.a = {n}\n" for n in range(6))
    before = DEEP.format(conditions + work)
    told = found(before, with_block(before))
    assert told.verdict == "not-run"
    assert "operations" in (told.detail or "")
    assert told.paths < 8


def test_no_run_is_begun_once_the_time_is_up(monkeypatch: pytest.MonkeyPatch):
    real, runs = sides.run, []

    def late(*given: object, **named: object) -> object:
        runs.append(1)
        seen = real(*given, **named)  # type: ignore[arg-type]
        seen.stopped, seen.late = "ran longer than 5 seconds", True
        return seen

    monkeypatch.setattr(sides, "run", late)
    before = DEEP.format("    if x.a: x = x + 1\n    if x.b: x = x * 2")
    told = found(before, with_block(before))
    assert (told.verdict, told.paths, len(runs)) == ("not-run", 1, 2)
    assert (told.detail or "").endswith("ran longer than 5 seconds")
    assert issubclass(LateError, explore.Stopped)


# --- which ways come first ----------------------------------------------------------------------------------------


def test_a_line_that_asks_of_each_thing_in_a_loop_is_turned_for_one_before_all_others():
    many = "def f(net, things, a):\n" + "    x = 0\n    for each in (things.a, things.b, things.c):\n"
    many += "        if each: x = x + 1\n        for _ in range(4):\n" + "            x = x * 2 + 1\n" * 20
    many += "    y = net(Variable(x, volatile=True))\n    if a: return y.data\n    return y\n"
    searched: list[str] = []
    real = sides.Sides.compared

    def noted(way: sides.Sides) -> object:
        searched.append(str(way.prefix))
        return real(way)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sides.Sides, "compared", noted)
        assert judge(many, with_block(many)) == ("identical", None)
    first = next(place for place, each in enumerate(searched) if "('true', 'a'), False" in each)
    assert sum("things" in each and "False" in each for each in searched[:first]) <= 1
