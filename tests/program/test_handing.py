"""A parameter that is called is one of the functions that each call in the project hands over for it, by name."""

from __future__ import annotations

import ast

import pytest

from alone import node, project
from voltfix.program.calls import CallGraph
from voltfix.program.handing import functions_handed

APPLY = "def apply(f, parts):\n    return [f(part) for part in parts]\n"
TRAINS = "class Loss(Base):\n    def forward(self, x):\n        x.backward()\n"


def handed(source: str, called: str = "f(part)") -> list[str] | None:
    code = project(main=source)
    call = node(code, called)
    assert isinstance(call, ast.Call)
    found = functions_handed(code, "main.py", call.func)
    return None if found is None else [each.qualname for each in found]


@pytest.mark.parametrize(("calls", "found"), [
    ("apply(lambda part: part + 1, xs)", []),
    ("def twice(x): return 2 * x\napply(twice, xs)\napply(f=lambda part: part, parts=xs)", ["twice"]),
    ("import numpy\napply(numpy.abs, xs)\napply(len, xs)", []),
])
def test_it_is_one_of_those_that_are_handed_over(calls: str, found: list[str]) -> None:
    assert handed(APPLY + calls) == found


@pytest.mark.parametrize("calls", [
    "",
    "apply(Loss(), xs)",
    "apply(lambda part: part, xs)\napply(net, xs)",
    "def run(g):\n    apply(g, xs)",
    "apply(lambda part: part, xs)\nkeep(apply)",
    "apply(*both)",
    "apply(**both)",
    "@apply\ndef other(x): pass",
    "how = apply\nhow(net, xs)",
    "import tools\ngetattr(tools, 'apply')(net, xs)\napply(len, xs)",
])
def test_it_may_be_another_where_one_call_does_not_say(calls: str) -> None:
    assert handed(APPLY + TRAINS + calls) is None


@pytest.mark.parametrize("apply", [
    "def apply(f, parts):\n    f = wrap(f)\n    return [f(part) for part in parts]\n",
    "def apply(f, parts):\n    for f in parts: pass\n    return f(part)\n",
    "@wrap\ndef apply(f, parts):\n    return [f(part) for part in parts]\n",
    "def apply(*f):\n    return f(part)\n",
    "class A:\n    def apply(self, f, parts):\n        return [f(part) for part in parts]\n",
])
def test_nothing_is_said_of_what_is_bound_again_or_decorated(apply: str) -> None:
    assert handed(apply + "apply(lambda part: part, xs)") is None


def trains(source: str, name: str) -> bool:
    code = project(main=TRAINS + source)
    graph = code.computed(CallGraph)
    return graph.trains(next(each for each in code.functions() if each.qualname == name))


def test_who_hands_over_a_function_that_does_not_train_does_not() -> None:
    assert not trains(APPLY + "def show(net, xs):\n    return apply(lambda x: x.data, xs)\n", "show")
    assert trains(APPLY + "def show(net, xs):\n    return apply(net, xs)\n", "show")


def test_who_hands_over_one_that_trains_does() -> None:
    turn = "def turn(x): x.backward()\n"
    assert trains(APPLY + turn + "def show(net, xs):\n    return apply(turn, xs)\n", "show")
    assert trains(APPLY + "def show(net, xs):\n    return apply(lambda x: x.backward(), xs)\n", "show")


@pytest.mark.parametrize("again", ["for f in parts: pass", "with parts as f: pass", "f, parts = parts"])
def test_it_may_be_another_where_its_name_is_bound_again(again: str) -> None:
    assert handed(APPLY.replace("    return", f"    {again}\n    return") + TRAINS + "apply(len, xs)") is None
