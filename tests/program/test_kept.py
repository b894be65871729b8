"""Under which names something is kept: the module alone."""

from __future__ import annotations

import ast

import pytest

from voltfix.program.calls import BuiltName
from voltfix.program.kept import Kept, bindings, filled, kept_as


def kept(statement: str) -> list[Kept | None]:
    return [kept_as(target) for node in ast.walk(ast.parse(statement)) for target, _ in bindings(node)]


@pytest.mark.parametrize(("statement", "names"), [
    ("net.cost = w", [Kept("cost")]),
    ("net.costs[0] = w", [Kept("costs")]),
    ("setattr(net, 'cost', w)", [Kept("cost")]),
    ("setattr(net, 'cost_%d' % i, w)", [Kept("", "cost_", "")]),
    ("object.__setattr__(net, i + '_raw', w)", [Kept("", "", "_raw")]),
    ("net.__dict__['cost'] = w", [Kept("cost")]),
    ("vars(net).update(cost=w)", [Kept("cost")]),
    ("net.__dict__.update(cost=w)", [Kept("cost")]),
    ("net.w.data = w", [None]),
    ("cost = w", [None]),
])
def test_a_target_says_under_which_name_something_is_kept(statement: str, names: list[Kept | None]) -> None:
    assert kept(statement) == names


def test_what_is_put_into_a_container_is_no_binding_of_a_name() -> None:
    statement = ast.parse("costs.append(w)\ncosts[k] = w\nnet.costs.extend(ws)")
    found = [ast.unparse(holder) for node in ast.walk(statement) for holder, _ in filled(node)]
    assert sorted(found) == ["costs", "costs", "net.costs"]


@pytest.mark.parametrize(("start", "end", "may"), [
    ("cost_", "", True), ("co", "", True), ("cost_of_", "", True), ("price_", "", False), ("", "_raw", True),
])
def test_two_names_that_are_put_together_are_the_same_where_their_ends_fit(start: str, end: str, may: bool) -> None:
    asked = BuiltName("a.py", ast.Name("x", ast.Load()), None, start, end)
    assert Kept("", "cost_").may_be_asked(asked) is may
