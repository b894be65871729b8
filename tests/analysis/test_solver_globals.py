"""Values that are kept in what a module holds: other functions find them there."""

from __future__ import annotations

import pytest
from solving import covers, stays

READS = """

def evaluate(net):
    return net({}).data
"""


@pytest.mark.parametrize(
    ("keeps", "read"),
    [
        ("V = None\n\ndef load(x):\n    global V\n    V = Variable(x, volatile=True)\n", "V"),
        ("V = {}\n\ndef load(x):\n    V['x'] = Variable(x, volatile=True)\n", "V['x']"),
        ("V = []\n\ndef load(x):\n    V.append(Variable(x, volatile=True))\n", "V[0]"),
        ("V = {}\n\ndef load(x):\n    V.update(x=Variable(x, volatile=True))\n", "V['x']"),
        ("V = {}\nV['x'] = Variable(torch.zeros(3), volatile=True)\n", "V['x']"),
        ("V = []\nfor x in data:\n    V.append(Variable(x, volatile=True))\n", "V[0]"),
    ],
)
def test_what_a_function_finds_in_the_module_volatile_that_nobody_was_seen_to_call_is_refused(keeps, read):
    stays(keeps + READS.format(read), reason="escapes-by-global")


def test_what_the_module_itself_makes_is_volatile_wherever_it_is_read():
    covers("V = Variable(torch.zeros(3), volatile=True)\n" + READS.format("V"), inside=["return net("], outside=[])


def test_a_log_of_plain_results_is_no_escape():
    covers(
        """
LOG = {}


def show():
    print(LOG)


def evaluate(net, data):
    y = net(Variable(data, volatile=True))
    LOG['y'] = y.data
""",
        inside=["y = net("],
        outside=[],
    )
