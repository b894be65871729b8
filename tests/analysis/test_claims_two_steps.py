"""Functions handed over in two steps, and through names: code of others makes something of them, and that is called."""

from __future__ import annotations

import pytest
from solving import becomes, migrated_files, refusals, stays

SCORE = """
from jobs import Parallel, delayed, pool


def score(net, x):
    return net(x)


def run(net, state):
    x = Variable(state, volatile=True)
    {0}
"""
HANDED = [
    "return Parallel(4)(delayed(score)(net, x) for _ in range(3))",
    "job = delayed(score)\n    return Parallel(4)([job(net, x)])",
    "return pool.submit(score)(net, x)",
    "return delayed(lambda y: net(y) * 2)(x)",
    "return delayed(delayed(score))(net, x)",
]


@pytest.mark.parametrize("line", HANDED)
def test_what_code_of_others_makes_of_a_function_may_run_in_another_thread(line):
    stays(SCORE.format(line), "other-thread")


def test_what_python_makes_of_a_function_is_followed():
    becomes(
        SCORE.format("import functools\n    f = functools.partial(score, net)\n    return f(x)"),
        SCORE.format(
            "import functools\n    f = functools.partial(score, net)\n    with torch.no_grad():\n        return f(x)"
        ).replace(", volatile=True", ""),
    )


def test_what_code_of_others_makes_of_a_network_is_called_as_a_network():
    becomes(
        SCORE.format("both = Parallel(torch.nn.Linear(2, 2))\n    return both(x)"),
        SCORE.format(
            "both = Parallel(torch.nn.Linear(2, 2))\n    with torch.no_grad():\n        return both(x)"
        ).replace(", volatile=True", ""),
    )


TRAINS = """
from jobs import Parallel, curry, delayed, pool


def wrap(x, volatile=False):
    return Variable(x, volatile=volatile)


def run(states):
    {0}


def train(net, x):
    net(wrap(x)).sum().backward()
"""


@pytest.mark.parametrize("line", [
    "return Parallel(4)(delayed(wrap)(x, volatile=True) for x in states)",
    "job = delayed(wrap)\n    return [job(x, volatile=True) for x in states]",
    "return curry(wrap)(volatile=True)(states)",
    "return list(pool.map(curry(wrap)(volatile=True), states))",
    "make = {'eval': curry(wrap)}['eval']\n    return make(states, volatile=True)",
])
def test_a_function_handed_on_is_never_only_called_as_it_was_seen_to_be(line):
    result, after = migrated_files({"a.py": TRAINS.format(line)})
    assert "volatile=volatile" in after["a.py"]
    assert set(refusals(result).values()) <= {"unseen-callers", "caller-not-resolved"}
    assert refusals(result)
