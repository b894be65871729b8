"""Calls of what nobody has seen whose result nobody takes: of a network, or of a callback that is shown a result."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import check_noop, check_transformed

START = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n\n"
CLASS = "class Bench(object):\n    def __init__(self, net, x):\n        self.net = net\n"


def wrapped(before: str, line: str) -> None:
    """The flag is gone, and this line has a block."""
    before = START + dedent(before)
    found = next(each for each in before.splitlines() if each.strip() == line)
    indent = found[:len(found) - len(found.lstrip())]
    step = "    "
    after = before.replace(", volatile=True", "").replace(found, f"{indent}with torch.no_grad():\n{step}{found}")
    check_transformed(before, after)


@pytest.mark.parametrize("held", [
    "Variable(x, volatile=True)", "Variable(x, volatile=True).cuda().half()", "Variable(x, volatile=True) / 255",
    "torch.cat([Variable(x, volatile=True)], 1)",
])
def test_a_network_that_is_run_for_its_time_on_what_init_left_has_its_block(held: str) -> None:
    wrapped(CLASS + f"        self.rows = {held}\n\n    def go(self):\n        self.net(self.rows)\n",
            "self.net(self.rows)")


@pytest.mark.parametrize(("held", "line"), [
    ("[Variable(x, volatile=True)]", "self.net(self.rows[0])"),
    ("{'x': Variable(x, volatile=True)}", "self.net(self.rows['x'])"),
    ("{'x': Variable(x, volatile=True)}", "self.net(**self.rows)"),
])
def test_so_it_has_on_a_part_of_what_init_left(held: str, line: str) -> None:
    wrapped(CLASS + f"        self.rows = {held}\n\n    def go(self):\n        {line}\n", line)


def test_so_it_has_where_a_class_above_left_it() -> None:
    wrapped(CLASS + "        self.rows = Variable(x, volatile=True)\n\n\nclass Other(Bench):\n    def go(self):\n"
            "        self.net(self.rows)\n", "self.net(self.rows)")


def test_so_it_has_where_one_method_leaves_what_another_left() -> None:
    wrapped(CLASS + "        self.rows = Variable(x, volatile=True)\n\n    def move(self):\n"
            "        self.rows = self.rows.cuda()\n\n    def go(self):\n        self.net(self.rows)\n",
            "self.net(self.rows)")


@pytest.mark.parametrize("made", ["v = Variable(x, volatile=True) / 255", "v = Variable(x, volatile=True).mean(0)"])
def test_a_network_that_is_run_for_its_time_on_what_was_computed_of_the_flag_alone_has_its_block(made: str) -> None:
    wrapped(f"def go(net, x):\n    {made}\n    net(v)\n", "net(v)")


@pytest.mark.parametrize("shown", ["v", "v / 255", "v[0]", "[v]"])
@pytest.mark.parametrize("network", ["net", "nn.Linear(2, 2)", "train_net"])
def test_a_callback_that_is_shown_a_result_is_not_in_the_block_of_the_network(shown: str, network: str) -> None:
    before = f"def go(net, train_net, x, show):\n    v = {network}(Variable(x, volatile=True))\n    show({shown})\n"
    check_transformed(
        START + before, START + "def go(net, train_net, x, show):\n    with torch.no_grad():\n"
        f"        v = {network}(Variable(x))\n    show({shown})\n")


@pytest.mark.parametrize(("put", "taken"), [("{}", "self.out"), ("[{}]", "self.out[0]"), ("{} / 255", "self.out")])
def test_nor_is_one_that_is_shown_the_result_that_another_method_left(put: str, taken: str) -> None:
    before = """\
        class Bench(object):
            def fill(self, net, x):
                self.out = RESULT

            def go(self, show):
                show(TAKEN)
        """
    before = START + dedent(before).replace("RESULT", put.format("net(Variable(x, volatile=True))")).replace(
        "TAKEN", taken)
    line = next(each for each in before.splitlines() if "volatile" in each)
    after = "        with torch.no_grad():\n    " + line.replace(", volatile=True", "")
    check_transformed(before, before.replace(line, after))


def test_what_is_there_as_it_was_made_after_one_method_and_as_a_result_after_another_is_left_alone() -> None:
    check_noop(START + dedent("""\
        class Bench(object):
            def fill(self, x):
                self.out = Variable(x, volatile=True)

            def step(self, net):
                self.out = net(self.out)

            def go(self, show):
                show(self.out)
        """), reason="state-mixed")


def test_a_step_that_trains_on_what_another_method_left_is_in_no_block() -> None:
    check_noop(START + dedent("""\
        class Bench(object):
            def __init__(self, net, x):
                self.net = net
                self.rows = Variable(x, volatile=True)

            def go(self):
                self.learn(self.rows)

            def learn(self, rows):
                self.net(rows).sum().backward()
        """), reason="gradient-demanded")


@pytest.mark.parametrize("rows", ["self.rows", "rows"])
def test_one_that_is_called_as_an_object_of_the_project_that_trains_is_in_no_block(rows: str) -> None:
    check_noop(START + dedent("""\
        class Agent(object):
            def __call__(self, seen):
                self.net(self.memory).sum().backward()


        class Bench(object):
            def __init__(self, agent, x):
                self.agent = agent
                self.rows = Variable(x, volatile=True)

            def go(self):
                rows = self.rows / 255
                self.agent(ROWS)
        """).replace("ROWS", rows), reason="unknown-callee")


def test_a_callback_that_is_shown_a_result_beside_what_it_was_computed_of_is_in_no_block() -> None:
    check_transformed(START + dedent("""\
        def go(net, show, xs):
            for x in xs:
                v = Variable(x, volatile=True) / 255
                y = net(v)
                show(v, y)
        """), START + dedent("""\
        def go(net, show, xs):
            for x in xs:
                v = Variable(x) / 255
                with torch.no_grad():
                    y = net(v)
                show(v, y)
        """))


def test_a_network_that_is_given_another_result_beside_has_its_block() -> None:
    wrapped("""\
        def go(net, other, x, z):
            v = Variable(x, volatile=True) / 255
            y = net(z)
            other(v, y.detach())
        """, "other(v, y.detach())")
