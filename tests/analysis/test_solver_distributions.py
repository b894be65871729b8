"""torch's distributions compute with what they were made of: no sample has a graph, and none of them trains."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

CODE = """\
import torch
import torch.nn as nn
from torch.autograd import Variable
from torch.distributions import {kind}


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.fc = nn.Linear(4, 2)

    def act(self, x, other):
        beside = {kind}(self.fc(Variable(other)))
        taken = beside.{asked}
        return self.fc(x) {used}


policy = Policy()
state = Variable(torch.load('state'){flag})
{call}
print(out.data.sum())
"""
CALL = "out = policy.act(state, torch.load('other'))"
BLOCK = f"with torch.no_grad():\n    {CALL}"


def text(kind="Categorical", asked="sample()", used="* taken.data", flag=", volatile=True", call=CALL):
    return CODE.format(kind=kind, asked=asked, used=used, flag=flag, call=call)


@pytest.mark.parametrize(("kind", "asked", "used"), [
    ("Categorical", "sample()", "* taken.data"),
    ("Normal", "sample()", "+ taken"),
    ("Bernoulli", "sample_n(3)", "* taken"),
    ("Categorical", "entropy()", "* taken.data"),
    ("Normal", "log_prob(x)", "* 2"),
])
def test_a_distribution_whose_graph_nobody_reaches_is_missed_by_nobody(kind, asked, used):
    check_transformed(text(kind, asked, used), text(kind, asked, used, flag="", call=BLOCK))


@pytest.mark.parametrize(("asked", "used"), [
    ("log_prob(Variable(other))", "* 2, taken.sum().backward()"),
    ("entropy()", "* 2, taken.mean().backward()"),
    ("rsample()", "* 2, taken.mean().backward()"),
])
def test_what_a_distribution_gives_may_be_trained_on(asked, used):
    before = text(asked=asked, used=used)
    check_noop(before.replace("out.data", "out[0].data"), reason="mixed-statement")


@pytest.mark.parametrize("kept", ["self.last = beside", "self.last = beside.probs", "other.tell(beside)"])
def test_a_distribution_that_is_kept_may_be_trained_on(kept):
    before = text().replace("taken = beside.sample()", f"taken = beside.sample()\n        {kept}")
    check_noop(before + "policy.last.sum().backward()\n", reason="mixed-statement")


def test_a_sample_of_something_volatile_is_volatile():
    before = """\
        import torch
        from torch.autograd import Variable
        from torch.distributions import Categorical


        def act(net, critic, x):
            chance = Categorical(net(Variable(x, volatile=True)))
            return critic(chance.sample()).data
        """
    after = before.replace("            chance = Categorical(net(Variable(x, volatile=True)))",
                           "            with torch.no_grad():\n                chance = Categorical(net(Variable(x)))")
    after = after.replace("            return critic(chance.sample()).data",
                          "                return critic(chance.sample()).data")
    check_transformed(before, after)


def test_a_class_of_the_projects_own_above_a_distribution_may_do_anything():
    before = text().replace("\n\nclass Policy", "\n\nclass Own(Categorical):\n    def sample(self):\n"
                            "        self.loss.backward()\n        return super().sample()\n\n\nclass Policy")
    check_noop(before.replace("beside = Categorical", "beside = Own"), reason="mixed-statement")


@pytest.mark.parametrize("asked", ["entropy()", "log_prob(Variable(other))"])
def test_what_is_made_of_something_volatile_and_something_else_may_be_trained_on(asked):
    made = "beside = Normal(self.fc(x), self.width)"
    before = text("Normal").replace("beside = Normal(self.fc(Variable(other)))", made).replace("taken.data", "2")
    before = before.replace("taken = beside.sample()", f"if other:\n            beside.{asked}.sum().backward()")
    check_noop(before, reason="gradient-demanded")
