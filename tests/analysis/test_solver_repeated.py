"""A solve finds what it would find alone, whatever was solved before in the same process."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace

import pytest
from solving import source

from voltfix import core
from voltfix.domains.conditions import Algebra, OutOfBudget
from voltfix.domains.precision import LADDER
from voltfix.model import Module, Options, Plan, Result
from voltfix.pipeline.holds import decisions
from voltfix.solver import fixpoint
from voltfix.solver.roots import Setting

solving = importlib.import_module("voltfix.solver.solving")  # the package has the function under that name

SUPPLIERS = source(
    """
    def caller(net, x):
        return plain(net, x), both(net, x, x)


    def both(net, x, loss):
        loss(net(Variable(x, volatile=True))).backward()


    class A:
        def forward(self, x):
            self.h = Variable(x, volatile=True)
            return self.net(self.h)


    predict = lambda t: net(Variable(t, volatile=True))


    def f(x, volatile=False):
        if Variable(x, volatile=volatile):
            pass
        return Variable(x, volatile=True)
    """
)
MIXED = source(
    """
    def mixed(net, x, w):
        return net(Variable(x, volatile=True)) + net(Variable(w)).sum().backward()


    def plain(net, x):
        return net(Variable(x, volatile=True)).data


    def both(net, x, loss):
        loss(net(Variable(x, volatile=True))).backward()


    def last(net, x):
        y = mixed(net, x, x)
        z = Variable(x, volatile=True)
        return net(z).data
    """
)


@pytest.fixture(params=[SUPPLIERS, MIXED], ids=["suppliers", "mixed"])
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _forgetting() -> Iterator[None]:
    """What was found under the small budgets here is not for other tests."""
    yield
    forget()


@pytest.fixture(params=range(0, 300, 15))
def _budget(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solve may spend so little that it is over at some root."""
    monkeypatch.setattr(Setting, "SPEND", request.param)
    monkeypatch.setattr(Setting, "SPEND_EACH", 0)


def forget() -> None:
    solving._latest.clear()


def alone(text: str, held: frozenset[tuple[str, int]] = frozenset()) -> Plan:
    forget()
    return solve(text, held)


def solve(text: str, held: frozenset[tuple[str, int]] = frozenset()) -> Plan:
    plan: Plan = solving.solve([Module("a.py", text)], Options(held=held))
    return plan


def test_the_budgets_here_are_too_small_for_some_roots_and_not_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setting, "SPEND_EACH", 0)
    attempt, levels = Setting.attempt, list[int]()
    monkeypatch.setattr(Setting, "attempt", lambda self, body, setting, level, **parts: (
        levels.append(level), attempt(self, body, setting, level, **parts))[1])
    found = set()
    for spend in range(0, 300, 15):
        monkeypatch.setattr(Setting, "SPEND", spend)
        levels.clear()
        migrated(MIXED)
        found.add(frozenset(levels))
    assert {frozenset({0}), frozenset({0, len(LADDER) - 1})} <= found


def migrated(text: str) -> Result:
    forget()
    return core.migrate({"a.py": text.encode()})


@pytest.mark.usefixtures("_budget")
def test_a_second_run_in_the_same_process_finds_the_same(text: str) -> None:
    first = migrated(text)
    assert core.migrate({"a.py": text.encode()}) == first


@pytest.mark.usefixtures("_budget")
def test_what_was_made_is_left_alone_by_a_second_run_in_the_same_process(text: str) -> None:
    first = migrated(text)
    assert core.migrate({"a.py": first.outputs.get("a.py", text.encode())}).outputs == {}


@pytest.mark.usefixtures("_budget")
def test_a_solve_with_held_sites_finds_what_it_would_alone(text: str) -> None:
    plan = alone(text)
    sites = [decision.site for decision in decisions(plan)]
    held = frozenset({("a.py", sites[0].span.start)})
    expected = alone(text, held)
    assert alone(text) == plan
    assert solve(text, held) == expected
    assert solve(text) == plan


def test_a_root_that_is_too_complex_costs_the_same_when_it_is_known_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voltfix.machine.state.Machine.BUDGET", 10)
    for spend in range(0, 200, 10):
        monkeypatch.setattr(Setting, "SPEND", spend)
        first = alone(MIXED)
        assert solve(MIXED) == first
    assert any(each.refusal and each.refusal.reason == "too-complex" for each in first.left)


def test_a_diagram_that_is_wound_back_takes_as_many_nodes_again() -> None:
    algebra = Algebra()
    one, two, three = (algebra.atom(algebra.fresh()) for _ in range(3))
    kept = (one & two) | three
    size = algebra.size
    made = ~kept & ~one
    text, after = repr(made), algebra.size
    assert after > size
    algebra.rewind(size)
    assert algebra.size == size
    algebra.limit = after - 1
    with pytest.raises(OutOfBudget):
        repr(~kept & ~one)
    algebra.rewind(size)
    algebra.limit = after
    again = ~kept & ~one
    assert repr(again) == text
    assert algebra.size == after
    assert (one & two) | three is kept
    assert ~~kept is kept


def test_a_diagram_to_which_nothing_was_added_stays_as_it_is() -> None:
    algebra = Algebra()
    one = algebra.atom(algebra.fresh())
    other = ~one
    algebra.rewind(algebra.size)
    assert ~one is other


def test_what_one_function_cannot_cover_costs_no_other(monkeypatch):
    """As if a block in ``first`` took away a graph that its caller uses: what ``second`` does is not asked."""
    looked_at = fixpoint.Fixpoint.recheck

    def recheck(self, fact, machine, body):
        if body.qualname == "train" and not fact.off.is_false:
            true, false = machine.algebra.true, machine.algebra.false
            fact = replace(fact, need=false, forbid=true, off=true, idle=None)
        return looked_at(self, fact, machine, body)

    monkeypatch.setattr(fixpoint.Fixpoint, "recheck", recheck)
    result = migrated(source("""
        def first(net, batch):
            x = Variable(batch, volatile=True)
            return net(x).data


        def second(net, batch):
            x = Variable(batch, volatile=True)
            return net(x).data


        def train(net, batches):
            kept = Variable(batches, volatile=True)
            for batch in batches:
                first(net, batch)
    """))
    assert [site.reason for site in result.sites if site.line < 14] == ["not-provable", None]
