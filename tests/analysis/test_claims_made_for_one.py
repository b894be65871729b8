"""A flag that is an attribute of an object which callers hand over: what all who made those said is what it is."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

DECK = """
import torch
from torch.autograd import Variable


class Deck(object):
    def __init__(self, rows, size=2, quiet=False):
        self.rows = rows
        self.size = size
        self.quiet = quiet
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.rows):
            raise StopIteration()
        self.at += 1
        return Variable(torch.FloatTensor(self.rows[self.at - 1]), volatile=self.quiet)
"""
MAIN = """
import torch
from torch import nn
from deck import Deck


def fit(net, deck, step):
    for row in deck:
        step.zero_grad()
        net(row).sum().backward()
        step.step()


def show(net, deck):
    for row in deck:
        cost = net(row)
        print(cost.data)


def both(net, first, second, step):
    fit(net, first, step)
    show(net, second)


def main():
    net = nn.Linear(3, 1)
    rows, others = Deck(torch.load('a')), Deck(torch.load('b'), quiet=True)
    {made}
    both(net, learnt, shown, torch.optim.SGD(net.parameters(), 0.1))
    {more}


main()
"""
MADE = "learnt = Deck(torch.load('a'), size=3)\n    shown = Deck(torch.load('b'), {})"
OFF = "with torch.no_grad():\n            cost = net(row)"


def migrated(made: str = MADE.format("quiet=True"), more: str = "pass", deck: str = DECK, below: str = "") -> str:
    """What becomes of the module that uses it."""
    main = MAIN.replace("    rows, others = Deck(torch.load('a')), Deck(torch.load('b'), quiet=True)\n", "")
    result, texts = migrated_files({"main.py": main.format(made=made, more=more) + below, "deck.py": deck})
    text = texts["main.py"]
    if refusals(result):
        assert "volatile=self.quiet" in texts["deck.py"]
        return "refused"
    fitting = text[text.index("def fit") : text.index("def show")].replace("zero_grad", "")
    assert "no_grad" not in fitting
    assert "set_grad_enabled(False" not in fitting
    return text


@pytest.mark.parametrize("made", [
    MADE.format("quiet=True"), MADE.format("3, True"),
    MADE.format("quiet=True") + " if torch.load('c') else Deck([], 4, True)",
])
def test_who_only_shows_has_a_block_without_a_condition(made: str) -> None:
    assert OFF in migrated(made)


@pytest.mark.parametrize(("made", "more", "below"), [
    (MADE.format("quiet=torch.load('on')"), "pass", ""),
    (MADE.format("quiet=True") + " if torch.load('c') else Deck([], 4)", "pass", ""),
    (MADE.format("quiet=True"), "show(net, learnt)", ""),
    (MADE.format("quiet=True"), "shown.quiet = False\n    show(net, shown)", ""),
    (MADE.format("quiet=True"), "setattr(shown, torch.load('n'), False)\n    show(net, shown)", ""),
    (MADE.format("quiet=True"), "shown.__init__([], 2, False)\n    show(net, shown)", ""),
    (MADE.format("quiet=True"), "Deck.__init__ = torch.load('init')\n    show(net, shown)", ""),
    (MADE.format("*torch.load('more')"), "pass", ""),
    (MADE.format("**torch.load('more')"), "pass", ""),
    (MADE.format("quiet=True"), "map(show, [net], torch.load('decks'))", ""),
    (MADE.format("quiet=True"), "import unseen\n    unseen.run(show)", ""),
    (MADE.format("quiet=True"), "pass", "class Odd(Deck):\n    pass\n\n\nshow(nn.Linear(3, 1), Odd([], 2))\n"),
    (MADE.format("quiet=True"), "pass", "show(nn.Linear(3, 1), torch.load('deck'))\n"),
])
def test_where_it_may_be_another_the_block_asks_or_nothing_goes(made: str, more: str, below: str) -> None:
    assert OFF not in migrated(made, more, below=below)


@pytest.mark.parametrize("init", [
    "quiet = quiet and bool(rows)\n        self.quiet = quiet", "self.quiet = not quiet",
    "self.quiet = quiet\n        if not rows:\n            self.quiet = False",
])
def test_what_init_makes_of_it_is_not_what_it_is_handed(init: str) -> None:
    assert OFF not in migrated(deck=DECK.replace("self.quiet = quiet", init))


def test_a_method_may_bind_it_again() -> None:
    assert OFF not in migrated(deck=DECK + "\n    def loud(self):\n        self.quiet = False\n")


def test_a_class_that_says_what_a_call_of_it_makes_may_make_another() -> None:
    made = "\n    def __new__(cls, rows, size=2, quiet=False):\n        return torch.load('deck')\n"
    assert OFF not in migrated(deck=DECK + made)


@pytest.mark.parametrize("name", ["__init__", "__new__"])
def test_what_is_put_in_the_place_of_what_makes_it_may_bind_something_else(name: str) -> None:
    made = f"Deck.{name} = torch.load('deck')\n    " + MADE.format("quiet=True")
    _, texts = migrated_files({"main.py": MAIN.format(made=made, more="pass"), "deck.py": DECK})
    assert OFF not in texts["main.py"]
