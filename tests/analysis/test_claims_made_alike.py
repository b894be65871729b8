"""A flag that is an attribute, where all who make such an object hand over the same constant for it."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

DECK = """
def wrap(row, quiet=True):
    return Variable(torch.FloatTensor(row), volatile=quiet)


class Deck(object):
    def __init__(self, rows, quiet=False):
        self.rows = rows
        self.quiet = quiet

    def pair(self, at):
        first, second = [wrap(row, self.quiet) for row in self.rows[at:at + 2]]
        return first, second

    def rounds(self):
        for at in range(0, len(self.rows), 2):
            yield self.pair(at)
"""
MAIN = """
import torch
from deck import Deck


def fit(net, deck, step, train):
    for first, second in deck.rounds():
        cost = net.judge(first, second)
        if train:
            step.zero_grad()
            cost.backward()
            step.step()
        print(cost.data)


def main(train):
    net = torch.load('net')
    deck = Deck(torch.load('rows'))
    fit(net, deck, torch.optim.SGD(net.parameters(), 0.1), train)


main(torch.load('train'))
"""


def migrated(main: str = MAIN, deck: str = DECK) -> tuple[bool, str, str]:
    """Is anything refused? And what becomes of both files."""
    result, texts = migrated_files({"main.py": main, "deck.py": deck})
    return bool(refusals(result)), texts["main.py"], texts["deck.py"]


def test_a_flag_that_is_off_in_all_objects_goes_and_no_block_stands_around_what_trains():
    refused, main, deck = migrated()
    assert not refused
    assert "wrap(row)" in deck
    assert "volatile" not in deck
    assert "grad" not in main.replace("zero_grad", "")


@pytest.mark.parametrize("more", [
    "\nfor first, second in Deck([[1], [2]], True).rounds():\n    print(torch.load('net')(first))\n",
    "\nfor first, second in Deck([[1], [2]], quiet=torch.load('on')).rounds():\n    print(torch.load('net')(first))\n",
    "\ndeck = Deck([[1], [2]])\ndeck.quiet = True\nfor first, second in deck.rounds():\n"
    "    print(torch.load('net')(first))\n",
])
def test_where_one_of_them_may_have_it_on_the_flag_goes_nowhere_without_a_block(more):
    _, main, deck = migrated(MAIN + more)
    assert "volatile=" in deck or "grad_enabled" in main or "no_grad" in main
    start = main.index("def fit")
    assert "grad()" not in main[start : main.index("def main")].replace("zero_grad()", "")
