"""An object that another one keeps and calls is of the class that all callers hand over, and runs its ``__call__``."""

from __future__ import annotations

import pytest
from solving import becomes, source

from helpers import migrated

PROGRAM = """
from torch import nn


class Dream(object):
    def __init__(self, world):
        self.world = world

    def __call__(self, state):
        LOOKEDnext_state = self.world(Variable(stateFLAG))
        return next_state.data


class Agent(nn.Module):
    def __init__(self, size, dream):
        super(Agent, self).__init__()
        self.dream = dream
        self.read = nn.Sequential(nn.Linear(size, size), nn.ReLU())
        self.act = nn.Linear(size, size)

    def forward(self, state):
        dreamt = self.read(Variable(self.dream(state.data)))
        return self.act(torch.cat([state, dreamt], 1))


dream = Dream(worlds.load("maze"))
agent = Agent(3, dream)
rule = torch.optim.SGD(agent.parameters(), 0.1)
for frames in worlds.play():
    VALUEDvalue = agent(Variable(frames[-1]FLAG))
    loss = (agent(Variable(frames[:-1])) - Variable(value.data)).pow(2).mean()
    rule.zero_grad()
    loss.backward()
    rule.step()
"""
BEFORE = PROGRAM.replace("FLAG", ", volatile=True").replace("LOOKED", "").replace("VALUED", "")
AFTER = (PROGRAM.replace("FLAG", "").replace("LOOKED", "with torch.no_grad():\n            ")
         .replace("VALUED", "with torch.no_grad():\n        "))


def test_what_is_kept_and_called_runs_the_body_of_the_class_that_is_handed_over():
    becomes(BEFORE, AFTER)


@pytest.mark.parametrize(("old", "new"), [
    ("dream = Dream(worlds.load(\"maze\"))", "dream = worlds.dream()"),
    ("rule = ", "other = Agent(3, worlds.dream())\nrule = "),
    ("rule = ", "agent.dream = worlds.dream()\nrule = "),
    ("rule = ", "setattr(agent, worlds.name, worlds.dream())\nrule = "),
    ("rule = ", "worlds.given(Agent)\nrule = "),
    ("rule = ", "Dream.__call__ = worlds.called\nrule = "),
    ("class Agent", "class Deep(Dream):\n    def __call__(self, state):\n        self.kept = worlds.cost(state)\n"
                    "        return state\n\n\nclass Agent"),
    ("class Agent", "class Deep(Dream):\n    def __new__(cls, world):\n        return world.dream()\n\n\nclass Agent"),
    ("class Agent", "@worlds.known\nclass Agent"),
    ("class Dream(object)", "class Dream(worlds.Dream)"),
])
def test_what_may_be_something_else_may_train(old: str, new: str):
    assert old in BEFORE
    assert reasons_at_the_end(BEFORE.replace(old, new, 1)) == {"mixed-statement"}


def reasons_at_the_end(body: str) -> set[str | None]:
    """The reasons for which the last site, what the agent is given, is refused."""
    result = migrated(source(body).encode())
    last = max(site.line for site in result.sites)
    return {site.reason for site in result.sites if site.line == last}


def test_what_the_body_leaves_for_a_later_backward_stays_out_of_the_block():
    kept = "        self.cost = self.world.weights.sum()\n        next_state = "
    body = BEFORE.replace("        next_state = ", kept)
    body = body.replace("    loss = ", "    cost = dream.cost\n    loss = cost + ")
    assert body.count("cost") == 4
    assert reasons_at_the_end(body) == {"mixed-statement"}
