"""A flag without effect stays where its tensor meets what refused flags alone made volatile."""

from __future__ import annotations

import pytest
from solving import source

from helpers import migrated

# `ask()` may do something else, so that a flag which it answers stays
BESIDE = [
    "scores = torch.log(net(Variable(x, volatile=ask())))\nreturn scores.gather(1, Variable(y, volatile=True)).data",
    "scores = net(Variable(x, volatile=ask()))\njudge = torch.nn.CrossEntropyLoss()\n"
    "return judge(scores, Variable(y, volatile=True)).data",
    "both = Variable(x, volatile=ask()) + Variable(y, volatile=True)\nreturn both.data",
    "seen = Variable(x, volatile=ask())\nmet = Variable(y, volatile=True)\nreturn torch.cat([seen * 2, met]).data",
    "scores = net(Variable(x, volatile=ask()))\nrow = Variable(y, volatile=True)\nprint(row.data)\n"
    "return scores.index_select(0, row).data",
    "scores = net(Variable(x, volatile=ask()))\nrow = Variable(y)\nrow.volatile = True\n"
    "return scores.index_select(0, row).data",
]

APART = [
    # another network's scores, and those of the refused flag only shown
    "scores = net(Variable(x, volatile=ask()))\nprint(scores.data)\n"
    "return net(Variable(x)).gather(1, Variable(y, volatile=True)).data",
    # they are volatile by a flag that goes, too
    "scores = net(Variable(x, volatile=ask())) + net(Variable(x, volatile=True))\n"
    "return scores.gather(1, Variable(y, volatile=True)).data",
    # it only stands beside it
    "seen = Variable(x, volatile=ask())\nrow = Variable(y, volatile=True)\nprint(row.data, seen.data)\nreturn row.data",
    # bound to another thing before
    "scores = net(Variable(x, volatile=ask()))\nscores = net(Variable(x))\n"
    "return scores.gather(1, Variable(y, volatile=True)).data",
    # what the refused one made was cured on the way
    "scores = Variable(net(Variable(x, volatile=ask())).data)\n"
    "return scores.gather(1, Variable(y, volatile=True)).data",
    # a block says what it said
    "scores = net(Variable(x, volatile=ask()))\nreturn (scores + net(Variable(y, volatile=True))).data",
]


def reasons(body: str) -> list[str | None]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    result = migrated(source(f"def step(net, x, y, ask):\n{lines}"))
    assert result.errors == ()
    return [site.reason for site in result.sites]


@pytest.mark.parametrize("body", BESIDE)
def test_a_flag_without_effect_waits_for_the_refused_one_that_it_meets(body: str):
    assert reasons(body) == ["condition-not-repeatable", "held-together"]


@pytest.mark.parametrize("body", APART)
def test_a_flag_goes_where_what_it_meets_owes_nothing_to_a_refused_one(body: str):
    first, *others = reasons(body)
    assert first == "condition-not-repeatable"
    assert set(others) == {None}
