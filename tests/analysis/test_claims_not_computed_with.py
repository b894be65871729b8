"""Nothing computes with a tensor: not where an object's base may run its methods, nor where a default does."""

from __future__ import annotations

import pytest
from solving import becomes, covers, refusals, source, stays

from helpers import migrated

JOB = """
    import threading
    from library import Task

    class Job({base}):
        def __init__(self, net, v):
            super(Job, self).__init__()
            self.net, self.v = net, v

        def run(self):
            self.out = self.net(self.v)

    def test(net, t):
        job = Job(net, Variable(t, volatile=True))
        job.{called}()
        return job.out.data
"""


@pytest.mark.parametrize("base", ["threading.Thread", "Task"])
def test_a_base_from_outside_may_run_the_methods_of_an_object_that_holds_the_tensor(base: str) -> None:
    stays(JOB.format(base=base, called="start"), "unknown-callee")


def test_an_object_of_the_project_alone_runs_what_it_is_told_to() -> None:
    covers(JOB.format(base="object", called="run"), inside=["job.run()"], outside=["self.net(self.v)"])


MAKE = """
    def make(x, off=False):
        return Variable(x, volatile=off)

    def train(net, x):
        net(make(x)).sum().backward()

    def test(net, x, fn={default}):
        return net(fn(x{flag})).data
"""


@pytest.mark.parametrize("flag", [", True", ", off=True"])
def test_a_function_that_is_a_default_is_called_with_the_flag(flag: str) -> None:
    body = MAKE.format(default="make", flag=flag)
    result = migrated(source(body))
    assert result.outputs == {}
    assert set(refusals(result).values()) == {"unseen-callers", "caller-not-resolved"}


def test_one_that_is_called_without_it_hands_no_flag_on() -> None:
    becomes(MAKE.format(default="make", flag=""),
            MAKE.format(default="make", flag="").replace(", volatile=off", ""))


def test_what_numpy_hands_back_may_be_an_object_of_the_project() -> None:
    covers("""
    import numpy as np

    class Agent(object):
        def act(self, v):
            return self.net(v)

    def run(agents, t):
        agent = np.random.choice(agents)
        return agent.act(Variable(t, volatile=True)).data
    """, inside=["agent.act("], outside=["self.net(v)"])
