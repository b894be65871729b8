"""Functions of a module's top level: who names one, where an object of unknown kind has something of that name."""

from __future__ import annotations

import pytest
from solving import migrated_files, refusals

DECK = """
class Deck(object):
    def __init__(self, rows, quiet=True):
        assert rows
        self.rows = rows
        self.quiet = quiet
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == len(self.rows):
            raise StopIteration
        self.at += 1
        return Variable(torch.FloatTensor(self.rows[self.at - 1]), volatile=self.quiet)
"""
MAIN = """
import argparse
import torch
import deck
from deck import Deck


def show(net, held, out):
    net.eval()
    found = []
    for x in held:
        found.append(net(x).data.tolist())
    best = max(found)
    worst = min(found)
    print(best)
    print(worst)
    out.write(str(best))
    out.write(str(worst))
    out.write(str(len(found)))
    print('done')
    out.close()


def study(net, pairs, held, out):
    for pair in pairs:
        net(pair).sum().backward()
        show(net, held, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--study')
    opt = parser.parse_args()
    held = Deck(torch.load('held'), quiet=True)
    study(torch.nn.Linear(4, 1), torch.load(opt.study), held, open('out', 'w'))


main()
"""
BLOCK = "        with torch.no_grad():\n            found.append(net(x).data.tolist())"


def migrated(main: str = MAIN, deck: str = DECK, **others: str) -> tuple[set[str], str]:
    """Why sites are refused, and what becomes of the first file."""
    result, texts = migrated_files({"main.py": main, "deck.py": deck, **{f"{k}.py": v for k, v in others.items()}})
    return set(refusals(result)), texts["main.py"]


def changed(old: str, new: str) -> str:
    assert old in MAIN
    return MAIN.replace(old, new)


@pytest.mark.parametrize("main", [
    MAIN,
    changed("net.eval()", "net.study(1)"),  # may be a method that a network has
    changed("torch.load(opt.study)", "torch.load(opt.study if opt.show else opt.again.show)"),
    changed("held = Deck(torch.load('held'), quiet=True)",
            "held = torch.load('held')\n    held = Deck(held, quiet=True)"),
])
def test_a_setting_of_the_name_of_a_function_is_not_that_function(main):
    reasons, text = migrated(main)
    assert reasons == set()
    assert BLOCK in text


@pytest.mark.parametrize("main", [
    changed("main()\n", "main()\nuse(deck, main)\n"),  # code that nobody has seen gets a module
    changed("opt = parser.parse_args()", "opt = parser.parse_args()\n    opt.study = study"),
    changed("opt = parser.parse_args()", "opt = parser.parse_args()\n    vars(opt).update(globals())"),
    changed("opt = parser.parse_args()", "import importlib\n    opt = importlib.import_module(input())"),
    changed("import deck\n", "import deck\nimport main as itself\nitself.__dict__['study'](1, 2, 3, 4)\n"),
    changed("held = Deck(", "held = Deck(torch.load('held')) if opt.study else None\n    other = Deck("),
    changed("held = Deck(torch.load('held'), quiet=True)",
            "held = Deck(torch.load('held'), quiet=True)\n    if opt.study:\n        held = torch.load('other')"),
    changed("        show(net, held, out)", "        show(net, held, out)\n        held = torch.load('other')"),
])
def test_what_may_call_it_or_hand_over_something_else_leaves_the_flag(main):
    reasons, text = migrated(main)
    assert reasons
    assert "grad_enabled" not in text
    assert "no_grad" not in text


def test_a_class_that_has_the_function_hands_it_on():
    reasons, text = migrated(MAIN, holders="from main import study\n\n\nclass Runs(object):\n    study = study\n\n\n"
                                           "def go(runs):\n    runs.study(1, 2, 3, 4)\n")
    assert reasons
    assert "grad_enabled" not in text


def test_an_object_is_made_in_view_however_much_its_making_binds_where_its_methods_ask_for_it():
    long = DECK.replace("        self.at = 0\n", "        self.at = 0\n" + "".join(
        f"        self.part_{each} = rows[{each}]\n" for each in range(12)))
    reasons, text = migrated(deck=long)
    assert reasons == set()
    assert BLOCK in text
