"""What libraries give that build no graphs: their own objects are told things in a block, anybody's objects are not."""

from __future__ import annotations

import pytest
from solving import becomes, covers

TOLD = """
import copy
import itertools
import pickle
from collections import deque

import gym
import matplotlib.pyplot as plt
from tqdm import tqdm


class Agent(object):
    def learn(self, steps):
        for _ in range(steps):
            loss = self.net(self.x).sum()
            loss.backward()
            self.opt.step()

    def step(self, count):
        self.count += count


def show(net, x, file, others):
    {made}
    first = net(Variable(x, volatile=True))
    {told}
    second = net(Variable(x, volatile=True))
    return (first + second).data
"""


@pytest.mark.parametrize(("made", "told"), [
    ("agent = pickle.load(file)", "agent.learn(3)"),
    ("agent = pickle.load(file)", "agent.fit(3)"),
    ("agent = pickle.load(file)", "agent[0].fit(3)"),
    ("agent = copy.copy(others)", "agent.fit(3)"),
    ("agent = deque(others)", "agent[0].fit(3)"),
    ("agent = itertools.cycle(others)", "next(agent).fit(3)"),
    ("agent = tqdm(others)", "agent[0].fit(3)"),
    ("_, agent = plt.subplots(2, 3)", "agent[0].learn(3)"),
    ("_, agent = plt.subplots(2, 3)", "agent[0].plot(others)"),
])
def test_what_may_be_anybodys_may_train(made, told):
    covers(TOLD.format(made=made, told=told), inside=["first = ", "second = "], outside=[told])


@pytest.mark.parametrize(("made", "told"), [
    ("_, axes = plt.subplots(2, 3)", "axes[0, 1].get_xaxis().set_visible(False)"),
    ("figure = plt.figure()", "figure.suptitle('text')"),
    ("figure = plt.figure()", "figure.canvas.draw_idle()"),
    ("bar = tqdm(others)", "bar.set_postfix(loss=1)"),
    ("env = gym.make('name')", "env.step(3)"),  # a method of that name that does not train says nothing
])
def test_a_librarys_own_object_builds_no_graph_of_what_is_data(made, told):
    covers(TOLD.format(made=made, told=told), inside=["first = ", told, "second = "], outside=[])


HANDED_BACK = """
    import itertools, random, tqdm
    import torch.nn as nn
    net = nn.Linear(3, 3)

    def pairs(x, y):
        outs = [net(Variable(y)), net(Variable(y + 1))]
        v = Variable({})
        both = ({})
        both[1].sum().backward()
        return both[0]
    """


@pytest.mark.parametrize("drawn", [
    "random.sample(outs, 1)[0]", "random.choices(outs)[0]", "random.choice(outs)", "list(itertools.islice(outs, 1))[0]",
    "list(itertools.chain(outs, outs))[0]", "next(iter(itertools.cycle(outs)))", "list(tqdm.tqdm(outs))[0]",
])  # fmt: skip
def test_what_a_library_hands_back_has_the_graph_that_it_came_with(drawn):
    becomes(HANDED_BACK.format("x, volatile=True", f"net(v).data, {drawn} * 2"),
            HANDED_BACK.format("x", f"torch.no_grad()(net)(v).data, {drawn} * 2"))
