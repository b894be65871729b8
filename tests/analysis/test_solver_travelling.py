"""Objects that come to where Python runs a method of theirs by no name: from a function, an attribute, a container."""

from __future__ import annotations

import pytest
from solving import lines_without_gradients, migrated_files, stays

DECK = """
class Deck(object):
    def __init__(self, cards, quiet=False):
        self.cards = cards
        self.quiet = quiet

    def METHOD:
        RETURNS Variable(self.cards[0], volatile=self.quiet)
"""
LEARN = """
def learn(net, optimizer, cards):
    own = Deck(cards)
    loss = net(ASKED).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
SHUFFLED = """
def shuffled(cards):
    return Deck(cards, quiet=True)

def judge(net, cards):
    hand = shuffled(cards)
    return net(HAND).data.sum()
"""
DEALER = """
class Dealer(object):
    def __init__(self, cards):
        self.hand = Deck(cards, quiet=True)

    def judge(self, net):
        return net(self.HAND).data.sum()
"""
SPREAD = """
def spread(table, cards):
    table.append(Deck(cards, quiet=True))

def judge(net, cards):
    table = []
    spread(table, cards)
    hand = table[0]
    return net(HAND).data.sum()
"""
AGAIN = """
def shuffled(cards):
    return Deck(cards, quiet=True)

def cut(cards):
    return shuffled(cards)

def judge(net, cards):
    hand = cut(cards)
    return net(HAND).data.sum()
"""
ASKED = {"__getitem__(self, at)": "{}[0]", "__iter__(self)": "next(iter({}))", "__neg__(self)": "-{}",
         "__add__(self, by)": "({} + 1)"}


def program(method: str, use: str) -> str:
    asked = ASKED[method]
    deck = DECK.replace("METHOD", method).replace("RETURNS", "yield" if "iter" in method else "return")
    learn = LEARN.replace("ASKED", asked.format("own"))
    return deck + use.replace("self.HAND", asked.format("self.hand")).replace("HAND", asked.format("hand")) + learn


def migrated(text: str) -> tuple[str, list[str]]:
    """The program afterwards, and those of its lines that run with gradients off."""
    out = migrated_files({"a.py": text})[1]["a.py"]
    lines = out.splitlines()
    return out, [lines[number - 1].strip() for number in lines_without_gradients(out)]


@pytest.mark.parametrize("method", ASKED)
@pytest.mark.parametrize("use", [SHUFFLED, DEALER, SPREAD, AGAIN], ids=["given", "kept", "put", "handed-on"])
def test_a_flag_is_not_dropped_where_an_object_that_somebody_else_made_is_asked(method, use):
    out, off = migrated(program(method, use))
    assert "volatile=self.quiet" in out or any(line.startswith("return net(") for line in off)
    assert not any("own" in line for line in off)


def test_what_is_kept_on_an_object_is_left_alone_where_its_class_is_not_known():
    stays(program("__getitem__(self, at)", DEALER), "unseen-callers")


def test_where_a_function_makes_it_the_block_is_with_who_asks():
    out, off = migrated(program("__getitem__(self, at)", SHUFFLED))
    assert off == ["return net(hand[0]).data.sum()"]
    assert "volatile=" not in out


HOST = """
class Host(object):
    def __init__(self, quick):
        CHOSEN

    def long_way(self, net, x):
        return net.below(Variable(x, volatile=True))

    def short_way(self, net, x):
        return net.above(Variable(x, volatile=True))

def judge(net, host, x):
    return net.above(host.way(net, x)).data.sum()

def main(net, x, optimizer):
    host = Host(len(x) > 3)
    learn(net, x, optimizer)
    print(judge(net, host, x))

def learn(net, x, optimizer):
    loss = net.above(net.below(Variable(x))).sum()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("chosen", [
    "self.way = self.short_way if quick else self.long_way", "self.way = self.long_way",
    "self.way = quick and self.short_way or self.long_way", "self.way = self.other = self.long_way",
])
def test_who_calls_a_method_by_the_attribute_that_it_was_put_into_is_looked_at(chosen):
    out, off = migrated(HOST.replace("CHOSEN", chosen))
    assert out.count("volatile=True") == 2 or "print(judge(net, host, x))" in off
    assert "loss = net.above(net.below(Variable(x))).sum()" not in off


def test_a_function_that_calls_itself_by_the_attribute_that_it_was_put_into_comes_to_an_end():
    text = HOST.replace("CHOSEN", "self.way = self.long_way").replace(
        "        return net.below(Variable(x, volatile=True))\n",
        "        if x is None:\n            return self.way(net, 0)\n"
        "        return net.below(Variable(x, volatile=True))\n")
    result, _ = migrated_files({"a.py": text})
    assert not any(site.reason == "internal-error" for site in result.sites)


@pytest.mark.parametrize("taken", [
    "first, other = hand", "first = [*hand][0]", "first = max(*hand)", "(first, *others) = hand",
    "first = []\n    first += hand\n    first = first[0]", "first = [0]\n    first[:] = hand\n    first = first[0]",
    "first = next(passed(hand))",
])
@pytest.mark.parametrize("method", ["__getitem__(self, at)", "__iter__(self)"])
def test_what_is_unpacked_is_asked_for_its_items(method, taken):
    judge = SHUFFLED.replace("return net(HAND)", f"{taken}\n    return net(first)")
    text = program(method, judge) + "\ndef passed(hand):\n    yield from hand\n"
    out, off = migrated(text)
    assert "volatile=self.quiet" in out or any(line.startswith("return net(first)") for line in off)
    assert not any("own" in line for line in off)
