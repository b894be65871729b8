"""Once a candidate was taken the analysis is asked again: what does nothing more beside it goes with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trying import DIFFERENT, SAME, UNKNOWN, Told, project

from voltfix.model import Options, Plan, Refusal
from voltfix.pipeline.carrying import carry_out
from voltfix.pipeline.holds import Hold, key
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.settling import Standing, solve
from voltfix.search import Budget, Memory
from voltfix.search.after import with_what_goes
from voltfix.search.oracle import Oracle

PAIR = """
def gauge(seen, hint):
    net = torch.nn.Linear(3, 3)
    one = Variable(seen, volatile=True)
    two = Variable(hint, volatile=True)
    return net(one + two).data
"""
BOTH = PAIR.replace(".data", ".data, net(two)")
FAR = PAIR.replace("    return", "    print(torch.nn.Linear(3, 3)(two).data)\n    return")


def asked(text: str, verdict=SAME, held: bool = False) -> str:
    """The text where the first flag was chosen a block for, and the second one was refused, asked again."""
    options = Options()
    made = load_project(project(text), options)
    alone = Hold("refused", "not-provable", "")
    second = next(d for c in solve(made, options, {}).changes for d in c.decisions
                  if made.module("a.py").text[:d.site.span.start].endswith("hint, "))
    plan = solve(made, options, {key(second.site): alone})
    left = tuple(d for d in plan.left if d.site != second.site)
    refused = replace(second, strategy=None, refusal=Refusal("not-provable", "it needs a block that is too wide"))
    plan = Plan(plan.changes, (*left, refused), plan.looked)
    standing = Standing(plan, made.render(carry_out(made, plan.changes).texts), {})
    holds = {key(second.site): alone} if held else {}
    oracle = Oracle(Told(lambda item: verdict), Budget(60.0), Memory(None))
    after = with_what_goes(made, Standing(Plan(), {}, {}), standing, holds, options, oracle)
    assert {c.id for c in after.plan.changes} == {c.id for c in plan.changes}
    return after.outputs["a.py"].decode()


def test_a_flag_goes_where_the_block_of_what_was_chosen_holds_its_use():
    out = asked(PAIR)
    assert "volatile" not in out
    assert out.count("no_grad") == 1


@pytest.mark.parametrize("verdict", [DIFFERENT, UNKNOWN])
def test_it_stays_where_running_does_not_find_the_same(verdict):
    assert "two = Variable(hint, volatile=True)" in asked(PAIR, verdict)


@pytest.mark.parametrize("text", [BOTH, FAR])
def test_it_stays_where_something_outside_of_the_block_takes_it(text):
    assert "two = Variable(hint, volatile=True)" in asked(text)


def test_it_stays_where_it_is_held():
    assert "two = Variable(hint, volatile=True)" in asked(PAIR, held=True)
