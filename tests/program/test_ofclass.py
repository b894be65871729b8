from __future__ import annotations

import ast

import pytest

from alone import function, node, project
from voltfix.program.ofclass import BY_CALL, BY_ITEM, BY_LOOP, OfClass
from voltfix.program.resolve import Project
from voltfix.solver.roots import Tables

DECK = """
class Deck(object):
    def __getitem__(self, at):
        return at
"""
DEAL = """
def deal(deck):
    return deck[0]
"""


def of(code: Project) -> OfClass:
    return Tables(code).of_class


def asked(text: str, at: str = "deck", names: tuple[str, ...] = BY_ITEM) -> list[str]:
    """The methods that an operator runs on what is written so at the last place."""
    code = project(main=text)
    last = [each for each in code.nodes("main.py") if isinstance(each, (ast.Name, ast.Attribute))
            and isinstance(each.ctx, ast.Load) and ast.unparse(each) == at][-1]
    return [each.qualname for each in of(code).running("main.py", last, names).values()]


def test_the_class_of_a_parameter_is_what_all_callers_make():
    assert asked("deal(Deck())\ndeal(Deck())" + DECK + DEAL) == ["Deck.__getitem__"]


def test_of_several_methods_that_an_operator_looks_for_the_first_is_run():
    assert asked("deal(Deck())" + DECK + DEAL, names=BY_LOOP) == ["Deck.__getitem__"]
    both = DECK + "    def __iter__(self):\n        return iter([])\n"
    assert asked("deal(Deck())" + both + DEAL, names=BY_LOOP) == ["Deck.__iter__"]


def test_each_of_two_classes_runs_its_own():
    other = DECK.replace("Deck", "Pile")
    assert sorted(asked("deal(Deck())\ndeal(Pile())" + DECK + other + DEAL)) == ["Deck.__getitem__", "Pile.__getitem__"]


@pytest.mark.parametrize("more", [
    "deal(cards)", "deal([1, 2])", "deal(None)", "deal(*decks)", "run(deal)", "deal = timed(deal)",
    "Deck.__getitem__ = first", "getattr(here, 'deal')(cards)", "deal({'a': Deck()})", "deal(Deck() if x else cards)",
])
def test_whoever_else_may_hand_something_over_leaves_it_open(more: str):
    assert asked("deal(Deck())" + DECK + DEAL + more) == []


def test_a_class_below_that_has_its_own_leaves_it_open():
    below = "class Short(Deck):\n    def __getitem__(self, at):\n        return 0\n"
    assert asked("deal(Deck())" + DECK + below + DEAL) == []


@pytest.mark.parametrize("head", ["@known\nclass Deck(object):", "class Deck(Cards):", "class Deck(metaclass=Kept):"])
def test_a_class_that_somebody_else_has_a_say_in_leaves_it_open(head: str):
    assert asked("deal(Deck())" + DECK.replace("class Deck(object):", head) + DEAL) == []


def test_a_dataset_of_torch_leaves_items_to_the_class():
    text = "from torch.utils.data import Dataset\ndeal(Deck())" + DECK.replace("object", "Dataset") + DEAL
    assert asked(text) == ["Deck.__getitem__"]


def test_a_parameter_that_is_bound_again_is_something_else():
    assert asked("deal(Deck())" + DECK + "def deal(deck):\n    deck = cut(deck)\n    return deck[0]\n") == []


def test_a_call_that_does_not_fit_is_one_of_something_else():
    game = "class Game(object):\n    def deal(self, deck):\n        x.deal()\n        return deck[0]\n"
    assert asked("Game().deal(Deck())" + DECK + game) == ["Deck.__getitem__"]
    assert asked("Game().deal(Deck())" + DECK + game.replace("x.deal()", "x.deal(y)")) == []


def test_a_test_of_an_attribute_of_that_name_hands_nothing_on():
    game = "class Game(object):\n    def deal(self, deck):\n        if x.deal:\n            return deck[0]\n"
    assert asked("Game().deal(Deck())" + DECK + game) == ["Deck.__getitem__"]
    assert asked("Game().deal(Deck())" + DECK + game.replace("if x.deal", "if run(x.deal)")) == []


MAKE = """
def make(small):
    if small:
        return Deck()
    return Deck().cuda()
"""


def test_what_a_function_gives_back_is_of_the_class_that_all_its_returns_make():
    assert asked("deal(make(1))\ndeal(make(0))" + DECK + DEAL + MAKE) == ["Deck.__getitem__"]


def test_what_a_maker_gives_back_may_go_through_a_name_and_another_maker():
    text = "deck = made()\ndeal(deck)" + DECK + DEAL + MAKE + "def made():\n    deck = make(3)\n    return deck\n"
    assert asked(text) == ["Deck.__getitem__"]


@pytest.mark.parametrize("maker", [
    MAKE.replace("return Deck()\n", "return shuffled\n"),
    MAKE.replace("return Deck()\n", "return None\n"),
    MAKE.replace("return Deck()\n", "return\n"),
    MAKE.replace("return Deck().cuda()", "print(small)"),
    MAKE.replace("return Deck().cuda()", "return Deck().half"),
    MAKE.replace("return Deck().cuda()", "return Deck().opened()"),
    MAKE.replace("return Deck()\n", "yield Deck()\n"),
    "@kept" + MAKE,
    MAKE.replace("return Deck()\n", "return load(small)\n"),
    MAKE.replace("def make", "async def make"),
    MAKE + "make = other\n",
])
def test_a_function_that_may_give_something_else_makes_no_object_of_the_class(maker: str):
    assert asked("deal(make(1))" + DECK + DEAL + maker) == []


def test_what_an_inner_function_gives_back_is_not_given_by_the_one_around():
    maker = "def make(small):\n    def other():\n        return 3\n    return Deck()\n"
    assert asked("deal(make(1))" + DECK + DEAL + maker) == ["Deck.__getitem__"]


def test_a_class_with_a_method_of_the_name_that_gives_a_module_back_gives_what_that_gives():
    deck = DECK + "    def cuda(self):\n        return 3\n"
    assert asked("deal(make(1))" + deck + DEAL + MAKE) == []


def test_the_places_are_found_where_an_operator_runs_a_method():
    code = project(main="deal(Deck())" + DECK + DEAL + "for card in Deck():\n    print(card)\n")
    method = function(code, "Deck.__getitem__")
    assert of(code).run_by_operators(method) == [("main.py", node(code, "deck"))]


def test_a_function_that_nobody_names_is_no_such_place():
    game = "class Game(object):\n    def __init__(self, deck):\n        self.deck = deck\n" \
           "    def deal(self):\n        return self.deck[0]\n"
    for more, places in (("", 0), ("g.deal()\n", 1)):
        code = project(main="g = Game(Deck())\n" + more + DECK + game)
        assert len(of(code).run_by_operators(function(code, "Deck.__getitem__"))) == places


def test_what_an_object_keeps_is_called_by_its_own_method_and_a_decorator_of_the_class_may_hand_over_anything():
    text = """
class Dealer(object):
    def __call__(self, cards):
        return cards
class Game(object):
    def __init__(self, dealer):
        self.dealer = dealer
    def play(self, cards):
        return self.dealer(cards)
Game(Dealer()).play(2)
"""
    assert asked(text, at="self.dealer", names=BY_CALL) == ["Dealer.__call__"]
    assert asked(text.replace("class Game", "@known\nclass Game"), at="self.dealer", names=BY_CALL) == []


def test_either_of_two_objects_is_of_either_class():
    other = DECK.replace("Deck", "Pile")
    text = "deck = Deck() if x else Pile()\ndeal(deck)" + DECK + other + DEAL
    assert sorted(asked(text)) == ["Deck.__getitem__", "Pile.__getitem__"]
    assert asked("deal(Deck() if x else (Deck() if y else Deck()))" + DECK + DEAL) == ["Deck.__getitem__"]


@pytest.mark.parametrize("made", [
    "cards if x else Deck()", "Deck() if x else None", "Deck() if x else (Deck() if y else cards)",
    "[Deck() if x else Deck()]", "Deck() or cards",
])
def test_either_of_two_of_which_one_is_unknown_leaves_it_open(made: str):
    assert asked(f"deck = {made}\ndeal(deck)" + DECK + DEAL) == []
