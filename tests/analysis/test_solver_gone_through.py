"""What a library goes through for a loop (``tqdm``, ``itertools``) runs the methods of an object of the project."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import check_noop, check_transformed, migrated

ROWS = """
import itertools
import random
import somewhere
import torch
from torch.autograd import Variable
from tqdm import tqdm


class Rows(object):
    def __init__(self, rows, testing=False):
        self.rows, self.at, self.testing = rows, 0, testing

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at > len(self.rows):
            raise StopIteration
        return Variable(self.rows[self.at - 1], volatile=self.testing)


tested = Rows([1, 2, 3], testing=True)
learned = Rows([4, 5, 6])


def test(net):
    total = 0
    for row in {tested}:
        total += net(row).sum().data
    return total


def learn(net, optimizer):
    for row in {learned}:
        net(row).sum().backward()
        optimizer.step()
"""


def after(text: str) -> str:
    line = "        total += net(row).sum().data\n"
    before, body, rest = text.replace(", volatile=self.testing", "").partition(line)
    head, loop = before.rsplit("    for ", 1)
    return f"{head}    with torch.no_grad():\n        for {loop}    {body}{rest}"


@pytest.mark.parametrize(("tested", "learned"), [
    ("tested", "learned"),
    ("tqdm(tested)", "tqdm(learned)"),
    ("tqdm(tested, leave=False, desc='tests')", "learned"),
    ("itertools.islice(tested, 2)", "itertools.islice(learned, 2)"),
    ("tqdm(itertools.chain(tested, tested))", "itertools.cycle(learned)"),
])
def test_what_an_object_gives_to_a_loop_through_a_library_is_volatile_there(tested: str, learned: str) -> None:
    text = ROWS.format(tested=tested, learned=learned)
    check_transformed(text, after(text))


@pytest.mark.parametrize("tested", ["somewhere.through(tested)", "somewhere.Bar(tested)"])
def test_what_code_that_nobody_has_seen_goes_through_leaves_the_flag(tested: str) -> None:
    check_noop(ROWS.format(tested=tested, learned="learned"), reason="unseen-callers")


def test_no_block_stands_around_the_loop_that_trains() -> None:
    text = ROWS.format(tested="tqdm(tested)", learned="tqdm(tested)")
    written = migrated(dedent(text).encode()).outputs["a.py"].decode()
    assert "    for row in tqdm(tested):\n        net(row).sum().backward()\n" in written


def test_a_network_that_the_object_runs_has_its_block_where_it_runs() -> None:
    text = """
    import torch
    from torch.autograd import Variable
    from tqdm import tqdm

    class Rows(object):
        def __init__(self, net, rows):
            self.net, self.rows = net, rows

        def __iter__(self):
            return self

        def __next__(self):
            return self.net(Variable(self.rows.pop(), volatile=True))

    def show(net, rows):
        bar = tqdm(Rows(net, rows))
        return [row.data for row in bar]
    """
    check_transformed(text, dedent(text).replace(
        "        return self.net(Variable(self.rows.pop(), volatile=True))",
        "        with torch.no_grad():\n            return self.net(Variable(self.rows.pop()))"))


LONG = "\n".join(f"        self.n{number} = {number}" for number in range(12))


def with_long_init(text: str) -> str:
    return text.replace("        self.rows, self.at, self.testing = rows, 0, testing\n",
                        f"        self.rows, self.at, self.testing = rows, 0, testing\n{LONG}\n")


CALLED = """

net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 1)
best = None
for epoch in range(3):
    learn(net, optimizer)
    found = test(net)
    if not best or best < found:
        best = found
"""


@pytest.mark.parametrize("called", ["", CALLED])
def test_an_object_that_only_binds_names_when_it_is_made_has_gone_nowhere(called: str) -> None:
    text = with_long_init(ROWS.format(tested="tqdm(tested)", learned="tqdm(learned)")) + called
    loop = "    for row in tqdm(tested):\n        total += net(row).sum().data\n"
    within = "".join(f"    {line}\n" for line in loop.splitlines())
    check_transformed(text, text.replace(", volatile=self.testing", "").replace(
        loop, f"    with torch.no_grad():\n{within}"))


@pytest.mark.parametrize("more", ["        somewhere.note(self)", "        somewhere.ALL.append(self)"])
def test_one_that_hands_itself_on_when_it_is_made_leaves_the_flag(more: str) -> None:
    text = with_long_init(ROWS.format(tested="tested", learned="learned")).replace(
        "        self.n1 = 1\n", f"        self.n1 = 1\n{more}\n")
    result = migrated(text.encode())
    assert result.outputs == {}
    assert "unseen-callers" in {site.reason for site in result.sites}


def test_one_that_the_top_level_goes_over_by_itself_has_its_block_there() -> None:
    text = ROWS.format(tested="tested", learned="learned") + (
        "\nnet = torch.nn.Linear(3, 1)\nkept = []\nfor row in tested:\n    kept.append(net(row).data)\n")
    check_transformed(text, after(text).replace(
        "for row in tested:\n    kept.append(", "with torch.no_grad():\n    for row in tested:\n        kept.append("))


MADE = "net = torch.nn.Linear(3, 1)\noptimizer = torch.optim.SGD(net.parameters(), 1)\n"
NAMED = ROWS.replace("def test(net):", f"{MADE}\n\ndef test():").replace("def learn(net, optimizer):", "def learn():")

TRIED = """

best = None
try:
    for epoch in range(3):
        learn()
        found = test()
        if not best or best < found:
            best = found
except KeyboardInterrupt:
    print('stopped')
"""


@pytest.mark.parametrize("tested", ["tqdm(tested, leave=False)", "itertools.islice(tested, 2)"])
def test_a_program_that_calls_its_functions_in_a_try_hands_no_object_to_the_bar_at_the_head_of_a_loop(
    tested: str,
) -> None:
    text = NAMED.format(tested=tested, learned="tqdm(learned)") + TRIED
    check_transformed(text, after(text))


def test_nor_to_a_bar_whose_rounds_are_counted() -> None:
    text = NAMED.format(tested="enumerate(tqdm(tested))", learned="learned").replace(
        "for row in enumerate", "for at, row in enumerate") + TRIED
    check_transformed(text, after(text))


@pytest.mark.parametrize("tested", ["somewhere.through(tqdm(tested))", "tqdm(somewhere.through(tested))",
                                    "somewhere.through(enumerate(tqdm(tested)))"])
def test_code_that_nobody_has_seen_has_the_object_where_it_has_the_bar(tested: str) -> None:
    result = migrated((NAMED.format(tested=tested, learned="learned") + TRIED).encode())
    assert result.outputs == {}
    assert {site.status for site in result.sites} == {"refused"}


def test_what_is_called_enumerate_and_is_another_has_the_object() -> None:
    text = NAMED.format(tested="enumerate(tqdm(tested))", learned="learned").replace(
        "import somewhere\n", "from somewhere import enumerate\n")
    check_noop(text + TRIED, reason="condition-not-repeatable")


@pytest.mark.parametrize("more", ["BAR = tqdm(tested)\n", "BAR = [tqdm(tested)]\n",
                                  "BAR = tqdm(tested)\n\n\ndef show():\n    somewhere.show(BAR)\n"])
def test_a_bar_that_gets_a_name_at_the_top_level_leaves_the_flag(more: str) -> None:
    check_noop(NAMED.format(tested="tested", learned="learned") + "\n" + more, reason="unseen-callers")


def test_a_bar_that_the_top_level_itself_goes_over_has_its_block_there() -> None:
    text = ROWS.format(tested="tested", learned="learned") + (
        "\nnet = torch.nn.Linear(3, 1)\nkept = []\nfor row in tqdm(tested):\n    kept.append(net(row).data)\n")
    head, body = "for row in tqdm(tested):\n", "    kept.append("
    check_transformed(text, after(text).replace(head + body, f"with torch.no_grad():\n    {head}    {body}"))
