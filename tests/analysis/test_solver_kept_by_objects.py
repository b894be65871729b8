"""A flag that an object keeps is taken from there by flags that may be what it keeps, and by no others."""

from __future__ import annotations

import pytest
from solving import migrated_files

DECK = """
import torch
from torch.autograd import Variable


class Deck(object):
    def __init__(self, rows, quiet=False):
        self.rows = rows
        self.quiet = quiet

    def __getitem__(self, at):
        return Variable(torch.FloatTensor(self.rows[at]), volatile=self.quiet)


def show(net, rows):
    deck = Deck(rows, quiet=True)
    print(net(deck[0]).data)
    print(deck.quiet)


def fit(net, rows):
    net(Deck(rows)[0]).sum().backward()
"""
OTHER = """
import torch
from torch.autograd import Variable
{first}

def wrapped(row, still=False):
    return Variable(row, volatile={flag})


def go(net, row, w{more}):
    return unseen(wrapped(row, still={said}), net(wrapped(w)))
{last}
"""


def said_of_the_call(first: str = "", flag: str = "still", more: str = "", said: str = "True", last: str = "") -> str:
    """The status of ``Deck(rows, quiet=True)``, with a flag in the other file that stays."""
    other = OTHER.format(first=first, flag=flag, more=more, said=said, last=last)
    result, texts = migrated_files({"deck.py": DECK, "other.py": other})
    assert f"volatile={flag}" in texts["other.py"]
    (call,) = [site for site in result.sites if site.path == "deck.py" and site.code == "VF102"]
    assert "quiet=True" in texts["deck.py"]
    return call.status


def test_a_flag_that_is_a_constant_in_all_calls_takes_nothing_from_an_object() -> None:
    assert said_of_the_call() == "kept"


@pytest.mark.parametrize("how", [
    {"more": ", deck", "said": "deck.quiet"}, {"more": ", quiet", "said": "quiet"},
    {"flag": "bool(still)"},
    {"flag": "row.quiet"},
    {"last": "\n\ndef others(net, rows, deck):\n    return map(wrapped, rows, [deck.quiet])"},
    {"last": "\n\ndef others(net, row, deck):\n    again = wrapped\n    return net(again(row, deck.quiet))"},
])
def test_one_that_may_be_what_an_object_keeps_stays_with_it(how: dict[str, str]) -> None:
    assert said_of_the_call(**how) == "refused"
